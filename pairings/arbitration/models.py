"""A contested result, or a late request to the committee."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from pairings.matches.models import EnteredResult, Match


class ContestQuerySet(models.QuerySet["Contest"]):
    def open(self) -> Self:
        return self.filter(closed_at__isnull=True)

    def requests(self) -> Self:
        """Select the late requests that wait for the committee's answer."""
        return self.open().filter(late=True)

    def requests_of(self, member: Member) -> Self:
        return self.requests().filter(opened_by=member)

    def of(self, organisation: Organisation) -> Self:
        return self.filter(match__organisation=organisation)


class Contest(EnteredResult):
    """A contest of a result.

    Late ones (`late`, "demande au comité") change no result by themselves.
    """

    class Subject(models.TextChoices):
        WRONG_SCORE = "score", _("Un score est faux")
        NOT_OVER = "not_over", _("Le match n’est pas terminé")
        OTHER = "other", _("Autre chose")
        ABSENCE = "absence", _("J’étais là")
        SILENCE = "silence", _("Sans réponse dans le délai")
        TWO_VERSIONS = "versions", _("Deux saisies différentes")

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="contests")
    late = models.BooleanField(default=False)
    subject = models.CharField(
        max_length=10, choices=Subject.choices, default=Subject.WRONG_SCORE.value
    )
    opened_by = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, related_name="+")
    opened_at = models.DateTimeField()
    words = models.TextField(_("en une phrase"), blank=True)
    photo = models.CharField(max_length=120, blank=True)
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    taken_at = models.DateTimeField(null=True, blank=True)
    passed_on = models.JSONField(default=list)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    answer = models.TextField(blank=True)

    objects = ContestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["match"],
                condition=Q(closed_at__isnull=True, late=False),
                name="one_open_contest_per_match",
            ),
        ]

    def __str__(self) -> str:
        return f"litige {self.pk}"

    def is_request_of(self, member: Member) -> bool:
        """Return whether it is one of `requests_of`."""
        return self.late and self.closed_at is None and self.opened_by_id == member.pk
