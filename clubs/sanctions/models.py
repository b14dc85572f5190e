"""Sanctions: proposed by the count of absences, decided by a person, open to appeal."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member


class SanctionStatus(models.TextChoices):
    PROPOSED = "proposed", _("Proposée")
    IMPOSED = "imposed", _("Prononcée")
    DISMISSED = "dismissed", _("Sans suite")
    LIFTED = "lifted", _("Levée")
    WITHDRAWN = "withdrawn", _("Retirée")


class SanctionQuerySet(models.QuerySet["Sanction"]):
    def suspensions(self) -> Self:
        """Select imposed and not lifted ones; the app above knows which evenings they cover."""
        return self.filter(
            Q(suspended_evenings__gt=0) | Q(suspended_until__isnull=False),
            status=SanctionStatus.IMPOSED.value,
        )

    def open_proposals(self) -> Self:
        return self.filter(status=SanctionStatus.PROPOSED.value)


class Sanction(models.Model):
    """One proposal and its outcome. The journal records each step.

    A suspension is over `suspended_evenings` evenings that open after the decision; the one that is
    open is not counted, and is left at once where `suspended_tonight`. Older rows were over days:
    `suspended_from` to `suspended_until`. `unfounded_at`: the absences that it rests on have
    changed since it was imposed.
    """

    Status = SanctionStatus

    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="sanctions")
    status = models.CharField(
        max_length=10, choices=SanctionStatus.choices, default=SanctionStatus.PROPOSED.value
    )
    grounds = models.JSONField(default=dict)
    proposed_at = models.DateTimeField()
    trigger_key = models.CharField(max_length=60)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reason = models.TextField(_("motif"), blank=True)
    suspended_evenings = models.PositiveIntegerField(_("soirées de suspension"), null=True)
    suspended_tonight = models.BooleanField(_("dès maintenant"), default=False)
    suspended_from = models.DateField(_("suspension du"), null=True, blank=True)
    suspended_until = models.DateField(_("jusqu’au"), null=True, blank=True)
    cut_percent = models.DecimalField(
        _("réduction de la cote"), max_digits=5, decimal_places=2, null=True, blank=True
    )
    appeal_until = models.DateTimeField(null=True, blank=True)
    appealed_at = models.DateTimeField(null=True, blank=True)
    appeal_text = models.TextField(_("appel"), blank=True)
    appeal_answer = models.TextField(_("réponse à l’appel"), blank=True)
    lifted_at = models.DateTimeField(null=True, blank=True)
    unfounded_at = models.DateTimeField(null=True, blank=True)

    objects = SanctionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["member", "trigger_key"], name="one_proposal_per_trigger"
            ),
            models.CheckConstraint(
                condition=Q(status=SanctionStatus.PROPOSED.value) | ~Q(reason=""),
                name="decided_sanction_has_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(suspended_from__isnull=True) | Q(suspended_until__isnull=False),
                name="suspension_has_an_end",
            ),
        ]

    def __str__(self) -> str:
        return f"sanction {self.pk} ({self.status})"
