"""Celery task: import a long file of a tournament."""

from __future__ import annotations

from celery import shared_task

from clubs.upkeep import database_clock, jobs
from pairings.tournaments.files import kept
from pairings.tournaments.models import TournamentFile


@shared_task(name="pairings.tasks.bring_tournament")
def bring_tournament(job_id: int) -> str:
    """Import a long file of a tournament."""
    return jobs.work(
        job_id,
        lambda job, by, at, progress: kept.bring(
            draft=TournamentFile.objects.get(pk=job.target_id), by=by, at=at, progress=progress
        ),
        clock=database_clock.now,
    )
