"""Celery tasks: write and undo a long import of members."""

from __future__ import annotations

from celery import shared_task

from clubs.members import imports
from clubs.members.models import MemberImport
from clubs.upkeep import database_clock, jobs


@shared_task(name="clubs.notifications.tasks.write_import")
def write_import(job_id: int) -> str:
    """Write a long file of members."""
    return jobs.work(
        job_id,
        lambda job, by, at, progress: imports.write(
            draft=MemberImport.objects.get(pk=job.target_id), by=by, at=at, progress=progress
        ),
        clock=database_clock.now,
    )


@shared_task(name="clubs.notifications.tasks.undo_import")
def undo_import(job_id: int) -> str:
    """Undo the import of a long file of members."""
    return jobs.work(
        job_id,
        lambda job, by, at, progress: imports.undo(
            done=MemberImport.objects.get(pk=job.target_id), by=by, at=at, progress=progress
        ),
        clock=database_clock.now,
    )
