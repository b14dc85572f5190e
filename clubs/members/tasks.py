"""Celery tasks: write and undo a long import of members."""

from __future__ import annotations

from datetime import datetime

from clubs.accounts.actor import Actor
from clubs.members import imports
from clubs.members.models import MemberImport
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job


@jobs.task("clubs.notifications.tasks.write_import", Job.Kind.MEMBERS_IN)
def write_import(job: Job, by: Actor, at: datetime, progress: jobs.Progress) -> None:
    """Write a long file of members."""
    draft = MemberImport.objects.get(pk=job.target_id)
    imports.write(draft=draft, seen=job.given.get("seen"), by=by, at=at, progress=progress)


@jobs.task("clubs.notifications.tasks.undo_import", Job.Kind.MEMBERS_OUT)
def undo_import(job: Job, by: Actor, at: datetime, progress: jobs.Progress) -> None:
    """Undo the import of a long file of members."""
    done = MemberImport.objects.get(pk=job.target_id)
    imports.undo(done=done, by=by, at=at, progress=progress)
