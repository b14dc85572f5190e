"""Celery task: verify the journals."""

from __future__ import annotations

import logging

from celery import shared_task
from django.utils import timezone

from clubs.journal import checks
from clubs.organisations.models import Organisation
from clubs.upkeep import sweeps

log = logging.getLogger(__name__)


@shared_task(name="clubs.notifications.tasks.verify_journals")
def verify_journals() -> int:
    """Verify what is new in each chain, once a day the whole of it. Return how many are broken."""
    at, broken = timezone.now(), 0
    for organisation in Organisation.objects.order_by("pk"):
        with sweeps.apart("journal", organisation.slug, at=at):
            result = checks.check(organisation, at=at)
            if not result.holds:
                broken += 1
                log.error(
                    "journal of organisation %s does not hold at %s",
                    organisation.pk,
                    result.breach_seq,
                )
    sweeps.note("journal", at=at)
    return broken
