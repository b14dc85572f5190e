"""Celery task: what is due once a day."""

from __future__ import annotations

import logging

from celery import shared_task

from clubs.journal import heads
from clubs.organisations.models import Organisation
from clubs.personal_data import forgetting
from clubs.upkeep import database_clock, sweeps
from pairings.absences import actions as absences
from pairings.live import stream as live
from pairings.matches import photos
from ratings import verification

log = logging.getLogger(__name__)


@shared_task(name="pairings.tasks.daily", acks_late=True)
def daily() -> None:
    """Apply the absence policy, mail the journal's heads, and delete what is old.

    Last, as a replay of every list takes longest, numbers are verified.
    """
    at = database_clock.now()
    for organisation in Organisation.objects.order_by("pk"):
        with sweeps.apart("daily", organisation.slug, at=at):
            if organisation.closed_at is None:
                absences.apply_policy_to_all(organisation, at=at)
        with sweeps.apart("daily", organisation.slug, at=at):
            heads.mail(organisation, at=at)
    with sweeps.apart("daily", "old live events", at=at):
        live.forget_old(at=at)
    with sweeps.apart("daily", "photos that no row names", at=at):
        log.info("photos that no row named removed: %s", photos.delete_unnamed(at=at))
    log.info("kept long enough and removed: %s", forgetting.expire_all(at=at) or "nothing")
    sweeps.note("daily", at=at)
    with sweeps.apart(sweeps.NUMBERS, "published rankings and stored numbers", at=at):
        verification.verify(at=at)
