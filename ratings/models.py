"""The tables of the app, gathered from its packages for Django."""

from ratings.competitions.models import CompetitionDraft, ListRun
from ratings.handovers.models import Delivery, FeedRight, HandOver
from ratings.ledger.models import (
    Edition,
    LedgerEntry,
    Period,
    RatedGame,
    RatedPlacing,
    RatingList,
    StandingCote,
)

__all__ = [
    "CompetitionDraft",
    "Delivery",
    "Edition",
    "FeedRight",
    "HandOver",
    "LedgerEntry",
    "ListRun",
    "Period",
    "RatedGame",
    "RatedPlacing",
    "RatingList",
    "StandingCote",
]
