"""Celery task: write a long file of licences."""

from __future__ import annotations

from datetime import datetime

from clubs.accounts.actor import Actor
from clubs.persons import licences
from clubs.persons.models import LicenceFile
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job


@jobs.task("clubs.notifications.tasks.write_licences", Job.Kind.LICENCES)
def write_licences(job: Job, by: Actor, at: datetime, progress: jobs.Progress) -> None:
    """Write a long file of licences."""
    draft, lapse = LicenceFile.objects.get(pk=job.target_id), job.given["lapse"]
    licences.write(draft=draft, lapse=lapse, by=by, at=at, progress=progress)
