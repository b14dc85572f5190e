"""Celery tasks: apply the deadlines stored in each row, announce evenings.

They read the time from the database: a worker whose clock is ahead expires nothing early.
"""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task

from clubs.upkeep import database_clock, sweeps
from pairings.evenings import announcements, pairing
from pairings.evenings.models import Evening
from pairings.matches import actions as match_actions

GRACE = timedelta(seconds=10)
"""How long an action that arrived before the end of its window may stay queued."""


@shared_task(name="pairings.tasks.sweep_due")
def sweep_due() -> int:
    """Expire every window and deadline that has run out; pair the players who became free."""
    at = database_clock.now()
    try:
        ended = match_actions.lapse_due(at=at, grace=GRACE)
    finally:  # a failure in one organisation must not block the others
        for evening in Evening.objects.filter(state=Evening.State.RUNNING, auto_pair=True).order_by(
            "pk"
        ):
            with sweeps.apart("due", f"evening {evening.pk}", at=at):
                pairing.auto_pair(evening=evening, at=at)
    sweeps.note("due", at=at)
    return ended


@shared_task(name="pairings.tasks.announce_evenings")
def announce_evenings() -> None:
    """Notify the members who want it that an evening takes place tomorrow."""
    at = database_clock.now()
    announcements.evenings_tomorrow(at=at)
    sweeps.note(sweeps.ANNOUNCEMENTS, at=at)
