"""Play: evenings, check-ins, pairing runs, matches, results, contests, absences."""

from pairings.models.absence import Absence
from pairings.models.contest import Contest
from pairings.models.evening import CheckIn, Evening, PairingRun
from pairings.models.live import LiveEvent, Operation
from pairings.models.match import Decision, Match, MatchLine, Seat, Submission

__all__ = [
    "Absence",
    "CheckIn",
    "Contest",
    "Decision",
    "Evening",
    "LiveEvent",
    "Match",
    "MatchLine",
    "Operation",
    "PairingRun",
    "Seat",
    "Submission",
]
