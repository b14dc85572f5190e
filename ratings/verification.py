"""The published rankings and stored numbers of the whole site, verified by themselves once a day."""

from __future__ import annotations

import logging
from datetime import datetime

from clubs.upkeep import sweeps
from ratings.editions import actions as editions
from ratings.ledger import replay
from ratings.ledger.models import Edition, RatingList
from ratings.ledger.posting import LedgerRefused

log = logging.getLogger(__name__)


def verify(*, at: datetime) -> int:
    """Compare every edition with its digest and every list with its replay.

    Returns how many do not hold: each is logged as an error, and the task `sweeps.NUMBERS` recorded
    as failed.
    """
    broken = 0
    for edition, found in editions.with_breaches(Edition.objects.order_by("pk")):
        if found:
            broken += 1
            log.error("edition %s does not hold: run manage.py verify_editions", edition.pk)
    for rating_list in RatingList.objects.select_related("organisation").order_by("pk"):
        try:
            holds = next(replay.check(rating_list), None) is None
        except LedgerRefused:
            holds = False
        if not holds:
            broken += 1
            log.error("list %s does not hold: run manage.py replay_ratings", rating_list.pk)
    sweeps.end(sweeps.NUMBERS, at=at, whole=not broken)
    return broken
