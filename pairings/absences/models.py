"""The absence ledger: one row per member and match missed, justified or not."""

from __future__ import annotations

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import CharField, Q, Value
from django.db.models.functions import Cast, Concat
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from pairings.matches.models import Match

TRIGGER = "match:"


class AbsenceQuerySet(models.QuerySet["Absence"]):
    def of(self, organisation: Organisation) -> Self:
        return self.filter(member__organisation=organisation, withdrawn_at__isnull=True)

    def to_review(self) -> Self:
        """Return the excuses that no arbiter has answered."""
        return self.filter(excuse_at__isnull=False, reviewed_at__isnull=True)

    def with_trigger(self) -> models.QuerySet[Any]:
        """Read `trigger` with each: the key of the sanction proposed for that absence."""
        return self.annotate(trigger=Concat(Value(TRIGGER), Cast("match_id", CharField())))


class Absence(models.Model):
    """One absence of a member from a match.

    `withdrawn_at` is set when a later correction of the match removes the absence.
    """

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="absences")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="absences")
    noted_at = models.DateTimeField()
    justified = models.BooleanField(default=False)
    excuse = models.TextField(_("justification"), blank=True)
    excuse_at = models.DateTimeField(null=True, blank=True)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    review_reason = models.TextField(blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = AbsenceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["match", "member"],
                condition=Q(withdrawn_at__isnull=True),
                name="one_absence_per_member_and_match",
            ),
        ]

    def __str__(self) -> str:
        return f"absence {self.pk}"

    @property
    def version(self) -> str:
        """When its excuse and the answer on it were written: what an arbiter has read."""
        times = (self.excuse_at, self.reviewed_at)
        return " ".join(at.isoformat() if at is not None else "-" for at in times)
