"""Celery task: write the files of a long edition."""

from __future__ import annotations

from datetime import datetime

from clubs.accounts.actor import Actor
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.editions import file_cache
from ratings.ledger.models import Edition


@jobs.task("ratings.tasks.write_edition_file", Job.Kind.EDITION, writes_rows=False)
def write_edition_file(job: Job, _by: Actor, _at: datetime, progress: jobs.Progress) -> None:
    """Write the PDF or XLSX of a long edition."""
    edition = Edition.objects.get(pk=job.given["edition"])
    file_cache.write(edition, job.given["extension"], progress)
