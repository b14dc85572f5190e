"""Who sits at a table now, across evenings and tournaments.

The database allows one live seat a person. A match may stay open long after its players left the
table (a contest waits for its arbiter), so a seat is freed when another competition needs it and
the match no longer holds its players. The match itself stays open and is decided as before.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q

from pairings.matches.models import Match, Seat
from pairings.rules.match_lifecycle import Status

TONIGHT = timedelta(hours=12)
"""A table called longer ago is not played any more. A span and not a day: an evening goes on
after midnight."""


def _at_the_table(at: datetime) -> Q:
    """Matches whose players may still sit there: called tonight, and not before an arbiter."""
    return Q(match__proposed_at__gt=at - TONIGHT) & ~Q(match__status=Status.CONTESTED.value)


def holding(members: Iterable[int], *, at: datetime) -> dict[int, Match]:
    """By member, the match at whose table they sit tonight."""
    seats = Seat.objects.filter(_at_the_table(at), member_id__in=list(members), live=True)
    return {
        seat.member_id: seat.match
        for seat in seats.select_related("match__evening", "match__round__tournament")
    }


def free_old(members: Iterable[int], *, at: datetime, keep_tournament: int | None = None) -> int:
    """Free the seats of matches that do not hold these members any more; how many.

    `keep_tournament`: a match of that tournament keeps its seat, its rounds follow each other.
    """
    seats = Seat.objects.filter(member_id__in=list(members), live=True)
    if keep_tournament is not None:
        seats = seats.exclude(match__round__tournament=keep_tournament)
    return seats.exclude(_at_the_table(at)).update(live=False)
