"""The tasks of this app's packages, where Celery looks for them."""

from pairings.absences.tasks import daily
from pairings.evenings.tasks import announce_evenings, sweep_due
from pairings.tournaments.files.tasks import bring_tournament
