"""Celery tasks: calculations over a list, long files of a competition."""

from __future__ import annotations

from datetime import datetime

from clubs.accounts.actor import Actor
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.competitions import actions as competitions
from ratings.competitions import drafts, long_corrections
from ratings.competitions import jobs as list_jobs
from ratings.competitions.models import CompetitionDraft


@jobs.task("ratings.tasks.work", *list_jobs.CALCULATIONS, writes_rows=False)
def work(job: Job, _by: Actor, at: datetime, progress: jobs.Progress) -> dict[str, object]:
    """Do one calculation over a list."""
    return list_jobs.calculate(job, at, progress)


@jobs.task("ratings.tasks.bring_competition", Job.Kind.COMPETITION)
def bring_competition(job: Job, by: Actor, at: datetime, progress: jobs.Progress) -> None:
    """Bring in a long file of a competition."""
    draft = CompetitionDraft.objects.filter(pk=job.target_id).first()
    if draft is None:
        raise drafts.replaced()
    newcomers = job.given["newcomers"]
    competitions.bring(draft=draft, with_newcomers=newcomers, by=by, at=at, progress=progress)


@jobs.task("ratings.tasks.correct_list", Job.Kind.CORRECTION)
def correct_list(job: Job, by: Actor, at: datetime, progress: jobs.Progress) -> None:
    """Apply a correction of a long list."""
    with long_corrections.refusals():
        long_corrections.apply(job, by, at, progress)
