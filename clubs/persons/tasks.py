"""Celery task: write a long file of licences."""

from __future__ import annotations

from celery import shared_task

from clubs.persons import licences
from clubs.persons.models import LicenceFile
from clubs.upkeep import database_clock, jobs


@shared_task(name="clubs.notifications.tasks.write_licences")
def write_licences(job_id: int) -> str:
    """Write a long file of licences."""
    return jobs.work(
        job_id,
        lambda job, by, at, progress: licences.write(
            draft=LicenceFile.objects.get(pk=job.target_id),
            lapse=job.given["lapse"],
            by=by,
            at=at,
            progress=progress,
        ),
        clock=database_clock.now,
    )
