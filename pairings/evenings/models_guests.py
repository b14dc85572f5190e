"""A newcomer who waits for the desk's answer."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from clubs.members.models import Member
from pairings.evenings.models import Evening


class GuestRequestQuerySet(models.QuerySet["GuestRequest"]):
    def waiting(self) -> Self:
        """Return the unanswered requests, in order of arrival."""
        return self.filter(answered_at__isnull=True).order_by("asked_at", "pk")


class GuestRequest(models.Model):
    """A request to play as a guest. It has no member, no number and no seat before the answer."""

    evening = models.ForeignKey(Evening, on_delete=models.PROTECT, related_name="guest_requests")
    first_name = models.CharField(max_length=60, blank=True)
    last_name = models.CharField(max_length=60, blank=True)
    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    member = models.OneToOneField(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="guest_request"
    )

    objects = GuestRequestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(member__isnull=True) | Q(answered_at__isnull=False),
                name="a_guest_is_a_member_after_the_answer_only",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()

    @property
    def is_refused(self) -> bool:
        return self.answered_at is not None and self.member_id is None
