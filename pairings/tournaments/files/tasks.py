"""Celery task: import a long file of a tournament."""

from __future__ import annotations

from datetime import datetime

from clubs.accounts.actor import Actor
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from pairings.tournaments.files import kept
from pairings.tournaments.models import TournamentFile


@jobs.task("pairings.tasks.bring_tournament", Job.Kind.TOURNAMENT)
def bring_tournament(job: Job, by: Actor, at: datetime, progress: jobs.Progress) -> None:
    """Import a long file of a tournament."""
    draft = TournamentFile.objects.get(pk=job.target_id)
    kept.bring(draft=draft, by=by, at=at, progress=progress)
