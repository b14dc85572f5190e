"""Celery tasks: write archives and try them."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from clubs.archive import keeping


@shared_task(name="clubs.notifications.tasks.archive_site", acks_late=True)
def archive_site() -> bool:
    """Write the day's archive of the whole site."""
    return keeping.make(at=timezone.now()) is not None


@shared_task(name="clubs.notifications.tasks.try_archive", acks_late=True)
def try_archive() -> bool:
    """Restore the newest archive on trial."""
    return keeping.try_newest(at=timezone.now())
