"""Celery tasks: write archives and try them."""

from __future__ import annotations

from datetime import datetime

from celery import shared_task
from django.utils import timezone

from clubs.accounts.actor import Actor
from clubs.archive import downloads, keeping
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job


@shared_task(name="clubs.notifications.tasks.archive_site", acks_late=True)
def archive_site() -> bool:
    """Write the day's archive of the whole site."""
    return keeping.make(at=timezone.now()) is not None


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
def expire_downloads() -> int:
    """Delete the archives of clubs that were offered for a day."""
    return downloads.expire(at=timezone.now())
