"""Imports of the models of each package, for Django."""

from pairings.absences.models import Absence
from pairings.arbitration.models import Contest
from pairings.arbitration.models_opinions import Opinion
from pairings.evenings.models import CheckIn, Evening, GuestRequest, PairingRun
from pairings.live.models import LiveEvent, Operation
from pairings.matches.models import Decision, Match, MatchLine, Seat, Submission
from pairings.ranking.models import PdiWaiver
from pairings.tournaments.models import (
    Entry,
    FinalRanking,
    Round,
    RoundDraw,
    Tournament,
    TournamentFile,
)
