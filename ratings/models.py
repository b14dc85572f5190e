"""The tables of the app, gathered from its packages for Django."""

from ratings.competitions.models import CompetitionDraft
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
