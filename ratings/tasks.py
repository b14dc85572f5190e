"""Work that a page does not wait for."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from clubs import sweeps
from ratings import runs


@shared_task
def work(run_id: int) -> str:
    """Do one run over a list."""
    return runs.work(run_id, clock=timezone.now)


@shared_task
def sweep_runs() -> int:
    """Hand over the runs whose worker fell silent."""
    at = timezone.now()
    waiting = runs.take_up_again(at=at)
    for run_id in waiting:
        work.delay(run_id)
    sweeps.note("runs", at=at)
    return len(waiting)
