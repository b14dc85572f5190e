"""Work that a page does not wait for."""

from __future__ import annotations

from celery import shared_task

from clubs import database_clock, sweeps
from ratings import runs


@shared_task
def work(run_id: int) -> str:
    """Do one run over a list."""
    return runs.work(run_id, clock=database_clock.now)


@shared_task
def sweep_runs() -> int:
    """Hand over the runs whose worker fell silent."""
    at = database_clock.now()
    waiting = runs.take_up_again(at=at)
    for run_id in waiting:
        work.delay(run_id)
    sweeps.note("runs", at=at)
    return len(waiting)
