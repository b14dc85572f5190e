"""Celery tasks: write archives and try them."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from celery import shared_task
from django.db import DatabaseError
from django.utils import timezone

from clubs.accounts.actor import Actor
from clubs.archive import downloads, keeping
from clubs.upkeep import jobs, sweeps
from clubs.upkeep.models_jobs import Job

log = logging.getLogger(__name__)
RETRY_S = 600
"""With the time to write one, less than CELERY_BROKER_TRANSPORT_OPTIONS waits for a worker."""


@shared_task(
    name="clubs.notifications.tasks.archive_site", bind=True, max_retries=3, acks_late=True
)
def archive_site(self: Any) -> bool:
    """Write the day's archive of the whole site; where it fails, three times more."""
    try:
        return keeping.make(at=timezone.now()) is not None
    except (OSError, DatabaseError) as failed:
        log.warning("the day's archive could not be written", exc_info=failed)
        raise self.retry(exc=failed, countdown=RETRY_S) from failed


@shared_task(name="clubs.notifications.tasks.try_archive", acks_late=True)
def try_archive() -> bool:
    """Restore the newest archive on trial."""
    return keeping.try_newest(at=timezone.now())


@jobs.task(
    "clubs.notifications.tasks.archive_club",
    Job.Kind.ARCHIVE,
    writes_rows=False,
    undo=downloads.discard,
)
def archive_club(job: Job, _by: Actor, at: datetime, progress: jobs.Progress) -> None:
    """Write the archive of a large club for its committee."""
    downloads.write(job, at=at, progress=progress)


@shared_task(name="clubs.notifications.tasks.expire_downloads")
def expire_downloads() -> None:
    """Delete the archives of clubs that were offered for a day."""
    at = timezone.now()
    with sweeps.apart(sweeps.DOWNLOADS, "archives of clubs", at=at):
        downloads.expire(at=at)
        sweeps.note(sweeps.DOWNLOADS, at=at)
