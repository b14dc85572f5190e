"""Messages between arbiters about a contest before one of them decides."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from clubs.journal.append_only import AppendOnly
from clubs.members.models import Member
from pairings.arbitration.models import Contest


class Opinion(AppendOnly):
    """A question (`asks`) or an answer about a contest.

    It is advisory: the arbiter who decides is responsible for the decision and its reason.
    """

    contest = models.ForeignKey(Contest, on_delete=models.PROTECT, related_name="opinions")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_member = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    asks = models.BooleanField(default=False)
    words = models.TextField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(words=""), name="an_opinion_has_words"),
        ]

    def __str__(self) -> str:
        return f"{'question' if self.asks else 'opinion'} {self.pk} on {self.contest_id}"
