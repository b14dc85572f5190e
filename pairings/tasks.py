"""Periodic tasks. They only write down what the clock in each row already says.

What time it is they ask of the database: a worker whose machine runs ahead ends nothing early.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task

from clubs.organisations.models import Organisation
from clubs.upkeep import database_clock, sweeps
from pairings.absences import actions as absences
from pairings.evenings import pairing
from pairings.evenings.models import Evening
from pairings.live import stream as live
from pairings.matches import actions as match_actions

log = logging.getLogger(__name__)

GRACE = timedelta(seconds=10)
"""An act that came before the end of its window may wait so long for its turn."""


@shared_task
def sweep_due() -> int:
    """End every window and deadline that has run out; pair those who became free."""
    at = database_clock.now()
    try:
        ended = match_actions.lapse_due(at=at, grace=GRACE)
    finally:  # what cannot be written in one place must not keep others from playing
        for evening in Evening.objects.filter(state=Evening.RUNNING, auto_pair=True).order_by("pk"):
            try:
                pairing.auto_pair(evening=evening, at=at)
            except Exception:
                log.exception("evening %s could not be paired", evening.pk)
    sweeps.note("due", at=at)
    return ended


@shared_task
def daily() -> None:
    """Propose what absences call for, and forget old live events."""
    at = database_clock.now()
    for organisation in Organisation.objects.order_by("pk"):
        absences.apply_policy_to_all(organisation, at=at)
    live.forget_old(at=at)
    sweeps.note("daily", at=at)
