"""Celery task: take up again what a worker left."""

from __future__ import annotations

from celery import shared_task

from clubs.upkeep import database_clock, jobs, sweeps


@shared_task(name="ratings.tasks.sweep_runs")
def sweep_runs() -> int:
    """Queue again the jobs whose worker stopped reporting, or that never reached one."""
    at = database_clock.now()
    lost = jobs.take_up_again(at=at)
    sweeps.note("runs", at=at)
    return lost
