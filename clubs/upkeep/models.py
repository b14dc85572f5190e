"""Results of the site's periodic tasks: when they ran, what they verified."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from clubs.organisations.models import Organisation


class SweepRun(models.Model):
    """When a periodic task last finished."""

    name = models.CharField(max_length=30, primary_key=True)
    ended_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class JournalCheck(models.Model):
    """How far an organisation's chain was last verified, and where it is broken."""

    organisation = models.OneToOneField(
        Organisation, on_delete=models.PROTECT, primary_key=True, related_name="journal_check"
    )
    seq = models.PositiveBigIntegerField()
    hash = models.CharField(max_length=64)
    checked_at = models.DateTimeField()
    complete_at = models.DateTimeField()
    breach_seq = models.PositiveBigIntegerField(null=True)
    breach_what = models.CharField(max_length=12, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(breach_seq__isnull=True, breach_what="")
                | (Q(breach_seq__isnull=False) & ~Q(breach_what="")),
                name="journal_breach_has_a_place_and_a_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.organisation_id}: {self.seq}"

    @property
    def holds(self) -> bool:
        return self.breach_seq is None
