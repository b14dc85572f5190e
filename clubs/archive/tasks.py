"""Celery tasks: write archives and try them."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from clubs.archive import downloads, keeping
from clubs.upkeep import database_clock, jobs
from clubs.upkeep.models_jobs import Job


@shared_task(name="clubs.notifications.tasks.archive_site", acks_late=True)
def archive_site() -> bool:
    """Write the day's archive of the whole site."""
    return keeping.make(at=timezone.now()) is not None


@shared_task(name="clubs.notifications.tasks.try_archive", acks_late=True)
def try_archive() -> bool:
    """Restore the newest archive on trial."""
    return keeping.try_newest(at=timezone.now())


@shared_task(name="clubs.notifications.tasks.archive_club")
def archive_club(job_id: int) -> str:
    """Write the archive of a large club for its committee."""
    state = jobs.work(
        job_id,
        lambda job, _by, at, progress: downloads.write(job, at=at, progress=progress),
        clock=database_clock.now,
        writes_rows=False,
    )
    if state == Job.State.CANCELLED:
        downloads.discard(Job.objects.get(pk=job_id))
    return state


@shared_task(name="clubs.notifications.tasks.expire_downloads")
def expire_downloads() -> int:
    """Delete the archives of clubs that were offered for a day."""
    return downloads.expire(at=timezone.now())
