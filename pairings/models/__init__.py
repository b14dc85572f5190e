"""Play: evenings, tournaments, check-ins, pairing runs, matches, results, contests, absences."""

from pairings.models.absence import Absence
from pairings.models.contest import Contest
from pairings.models.evening import CheckIn, Evening, PairingRun
from pairings.models.guest import GuestRequest
from pairings.models.live import LiveEvent, Operation
from pairings.models.match import Decision, Match, MatchLine, Seat, Submission
from pairings.models.opinion import Opinion
from pairings.models.tie import PdiWaiver
from pairings.models.tournament import Entry, FinalRanking, Round, RoundDraw, Tournament

__all__ = [
    "Absence",
    "CheckIn",
    "Contest",
    "Decision",
    "Entry",
    "Evening",
    "FinalRanking",
    "GuestRequest",
    "LiveEvent",
    "Match",
    "MatchLine",
    "Operation",
    "Opinion",
    "PairingRun",
    "PdiWaiver",
    "Round",
    "RoundDraw",
    "Seat",
    "Submission",
    "Tournament",
]
