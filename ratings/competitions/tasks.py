"""Celery tasks: runs over a list, long files of a competition."""

from __future__ import annotations

from celery import shared_task

from clubs.upkeep import database_clock, jobs, sweeps
from ratings.competitions import actions as competitions
from ratings.competitions import jobs as list_jobs
from ratings.competitions.models import CompetitionDraft


@shared_task(name="ratings.tasks.work")
def work(run_id: int) -> str:
    """Do one run over a list."""
    return list_jobs.work(run_id, clock=database_clock.now)


@shared_task(name="ratings.tasks.sweep_runs")
def sweep_runs() -> int:
    """Queue again the runs whose worker stopped reporting."""
    at = database_clock.now()
    waiting = list_jobs.take_up_again(at=at)
    for run_id in waiting:
        work.delay(run_id)
    sweeps.note("runs", at=at)
    return len(waiting)


@shared_task(name="ratings.tasks.bring_competition")
def bring_competition(job_id: int) -> str:
    """Bring in a long file of a competition."""
    return jobs.work(
        job_id,
        lambda job, by, at, progress: competitions.bring(
            draft=CompetitionDraft.objects.get(pk=job.target_id),
            with_newcomers=job.given["newcomers"],
            by=by,
            at=at,
            progress=progress,
        ),
        clock=database_clock.now,
    )
