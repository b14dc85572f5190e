"""Archives of large clubs: written by a worker, offered to the committee for a day, then deleted.

The files are in DATA_DIR/downloads, which this account alone may enter; no address leads there but
the committee's own page.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

from django.conf import settings

from clubs.archive import writing
from clubs.archive.scope import count_rows, has_many_files
from clubs.organisations.models import Organisation
from clubs.upkeep.jobs import Progress
from clubs.upkeep.models_jobs import Job

LONG, MANY_FILES = 20_000, 50
"""An archive of more rows or photos than this is not written within a request: it takes seconds."""
KEPT = timedelta(hours=24)


def is_long(organisation: Organisation) -> bool:
    """Return whether a worker writes this club's archive."""
    has_many_rows = count_rows(organisation, most=LONG) > LONG
    return has_many_rows or has_many_files(organisation, most=MANY_FILES)


def write(job: Job, *, at: datetime, progress: Progress) -> None:
    """Write the archive of the job's club, in place of its earlier ones."""
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in folder().glob(f"{job.organisation_id}-*.zip"):
        path.unlink(missing_ok=True)
    writing.write(_path(job), at=at, organisation=job.organisation, progress=progress)


def at_once(organisation: Organisation, *, at: datetime) -> bytes:
    """Return the archive of a small club, written in the folder that `expire` looks after."""
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder() / f"page-{uuid4().hex}.zip"
    try:
        writing.write(path, at=at, organisation=organisation)
        return path.read_bytes()
    finally:
        path.unlink(missing_ok=True)


def ready(job: Job | None, *, at: datetime) -> Path | None:
    """Return the file of a job that is done; None once its day is over."""
    if job is None or job.state != Job.State.DONE or job.ended_at is None:
        return None
    path = _path(job)
    return path if at < job.ended_at + KEPT and path.is_file() else None


def discard(job: Job) -> None:
    """Delete the file of a job that was cancelled or refused at its end."""
    _path(job).unlink(missing_ok=True)


def expire(*, at: datetime) -> int:
    """Delete the files of every club whose day is over, with what a killed process left."""
    expired = [
        path
        for path in folder().glob("*")
        if datetime.fromtimestamp(path.stat().st_mtime, at.tzinfo) <= at - KEPT
    ]
    for path in expired:
        path.unlink(missing_ok=True)
    return len(expired)


def folder() -> Path:
    return Path(settings.DATA_DIR) / "downloads"


def _path(job: Job) -> Path:
    return folder() / f"{job.organisation_id}-{job.pk}.zip"
