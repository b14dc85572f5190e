"""The committee's decisions to ignore the PDI for a group of tied players."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from clubs.organisations.models import Season


class PdiWaiverQuerySet(models.QuerySet["PdiWaiver"]):
    def in_force(self, *, at: datetime | None = None) -> Self:
        """Select the decisions that hold now, or held at a moment."""
        if at is None:
            return self.filter(withdrawn_at__isnull=True)
        held = Q(withdrawn_at__isnull=True) | Q(withdrawn_at__gt=at)
        return self.filter(held, decided_at__lte=at)


class PdiWaiver(models.Model):
    """One group of a season, named exactly: another member or one fewer is another group.

    `group`: the members' ids in order; `key`: the same as one string, so that the database can
    refuse the same group twice.
    """

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="pdi_waivers")
    group = models.JSONField()
    key = models.CharField(max_length=400)
    reason = models.TextField()
    decided_at = models.DateTimeField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    withdrawn_reason = models.TextField(blank=True)

    objects = PdiWaiverQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["season", "key"],
                condition=Q(withdrawn_at__isnull=True),
                name="the_pdi_of_a_group_is_ignored_once",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="a_pdi_waiver_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.season_id}: {self.key}"

    def members_in(self, people: Mapping[int, int]) -> tuple[int, ...]:
        """Return the group, everybody under their row after merges."""
        return tuple(people.get(pk, pk) for pk in self.group)
