"""Periodic tasks. They only write down what the clock in each row already says."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from clubs.models import Organisation
from pairings import absences, ladder, live, results
from pairings.models import Evening


@shared_task
def sweep_due() -> int:
    """End every window and deadline that has run out; pair those who became free."""
    at = timezone.now()
    ended = results.lapse_due(at=at)
    for evening in Evening.objects.filter(state=Evening.RUNNING, auto_pair=True).order_by("pk"):
        ladder.auto_pair(evening=evening, at=at)
    return ended


@shared_task
def daily() -> None:
    """Propose what absences call for, and forget old live events."""
    at = timezone.now()
    for organisation in Organisation.objects.order_by("pk"):
        absences.apply_policy_to_all(organisation, at=at)
    live.forget_old(at=at)
