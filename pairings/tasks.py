"""Periodic tasks, which apply the deadlines stored in each row.

They read the time from the database: a worker whose clock is ahead expires nothing early.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task

from clubs.journal import heads
from clubs.organisations.models import Organisation
from clubs.personal_data import forgetting
from clubs.upkeep import database_clock, jobs, sweeps
from pairings.absences import actions as absences
from pairings.evenings import announcements, pairing
from pairings.evenings.models import Evening
from pairings.live import stream as live
from pairings.matches import actions as match_actions
from pairings.tournaments.files import kept
from pairings.tournaments.models import TournamentFile

log = logging.getLogger(__name__)

GRACE = timedelta(seconds=10)
"""How long an action that arrived before the end of its window may stay queued."""


@shared_task
def sweep_due() -> int:
    """Expire every window and deadline that has run out; pair the players who became free."""
    at = database_clock.now()
    try:
        ended = match_actions.lapse_due(at=at, grace=GRACE)
    finally:  # a failure in one organisation must not block the others
        for evening in Evening.objects.filter(state=Evening.State.RUNNING, auto_pair=True).order_by(
            "pk"
        ):
            try:
                pairing.auto_pair(evening=evening, at=at)
            except Exception:
                log.exception("evening %s could not be paired", evening.pk)
    sweeps.note("due", at=at)
    return ended


@shared_task
def bring_tournament(job_id: int) -> str:
    """Import a long file of a tournament."""
    return jobs.work(
        job_id,
        lambda job, by, at, progress: kept.bring(
            held=TournamentFile.objects.get(pk=job.target_id), by=by, at=at, progress=progress
        ),
        clock=database_clock.now,
    )


@shared_task
def announce_evenings() -> None:
    """Notify the members who want it that an evening takes place tomorrow."""
    announcements.evenings_tomorrow(at=database_clock.now())


@shared_task(acks_late=True)
def daily() -> None:
    """Apply the absence policy, mail the journal's heads, and delete old live events."""
    at = database_clock.now()
    for organisation in Organisation.objects.order_by("pk"):
        with sweeps.apart("daily", organisation.slug, at=at):
            absences.apply_policy_to_all(organisation, at=at)
        with sweeps.apart("daily", organisation.slug, at=at):
            heads.mail(organisation, at=at)
    with sweeps.apart("daily", "old live events", at=at):
        live.forget_old(at=at)
    log.info("kept long enough and removed: %s", forgetting.expire_all(at=at) or "nothing")
    sweeps.note("daily", at=at)
