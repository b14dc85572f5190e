"""Sanctions: proposed by the count, decided by a human, open to appeal."""

from __future__ import annotations

from datetime import date
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clubs.models.member import Member


class SanctionQuerySet(models.QuerySet["Sanction"]):
    def suspending(self, *, on: date) -> Self:
        """Suspensions that cover this day."""
        return self.filter(status=Sanction.IMPOSED, suspended_from__lte=on, suspended_until__gte=on)

    def open_proposals(self) -> Self:
        return self.filter(status=Sanction.PROPOSED)


class Sanction(models.Model):
    """One proposal and what became of it. The journal keeps each step."""

    PROPOSED = "proposed"
    IMPOSED = "imposed"
    DISMISSED = "dismissed"
    LIFTED = "lifted"
    STATUSES = [
        (PROPOSED, _("Proposée")),
        (IMPOSED, _("Prononcée")),
        (DISMISSED, _("Sans suite")),
        (LIFTED, _("Levée")),
    ]

    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="sanctions")
    status = models.CharField(max_length=10, choices=STATUSES, default=PROPOSED)
    grounds = models.JSONField(default=dict)
    proposed_at = models.DateTimeField()
    trigger_key = models.CharField(max_length=60)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reason = models.TextField(_("motif"), blank=True)
    suspended_from = models.DateField(_("suspendu du"), null=True, blank=True)
    suspended_until = models.DateField(_("jusqu’au"), null=True, blank=True)
    cut_percent = models.DecimalField(
        _("réduction de la cote"), max_digits=5, decimal_places=2, null=True, blank=True
    )
    appeal_until = models.DateTimeField(null=True, blank=True)
    appealed_at = models.DateTimeField(null=True, blank=True)
    appeal_text = models.TextField(_("appel"), blank=True)
    appeal_answer = models.TextField(_("réponse à l’appel"), blank=True)
    lifted_at = models.DateTimeField(null=True, blank=True)

    objects = SanctionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["member", "trigger_key"], name="one_proposal_per_trigger"
            ),
            models.CheckConstraint(
                condition=Q(status="proposed") | ~Q(reason=""), name="decided_sanction_has_a_reason"
            ),
            models.CheckConstraint(
                condition=Q(suspended_from__isnull=True) | Q(suspended_until__isnull=False),
                name="suspension_has_an_end",
            ),
        ]

    def __str__(self) -> str:
        return f"sanction {self.pk} ({self.status})"
