"""The database's time: one clock for every worker, however wrong its own machine's.

A sweep closes windows that have expired. Its `at` comes from here, so that a worker whose clock is
fast closes nothing early. On SQLite this is the clock of the machine that holds the file.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db.models.functions import Now
from django.utils import timezone

from clubs.organisations.models import Organisation

log = logging.getLogger(__name__)

TOLERATED = timedelta(seconds=5)


def now() -> datetime:
    """Return the database's time.

    Without any organisation nothing is due: this machine's time is returned then.
    """
    site_time = timezone.now()
    database_time = Organisation.objects.annotate(told=Now()).values_list("told", flat=True).first()
    if database_time is None:
        return site_time
    if abs(site_time - database_time) > TOLERATED:
        log.error(
            "this machine's clock differs from the database's",
            extra={"ahead_s": round((site_time - database_time).total_seconds(), 1)},
        )
    return database_time
