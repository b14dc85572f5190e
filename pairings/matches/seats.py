"""Live seats of players across evenings and tournaments.

The database allows one live seat a person. A match may stay open long after its players left the
table (a contest is pending), so a seat is freed when another competition needs it and the match no
longer needs its players. The match itself stays open and is decided as before.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from pairings.matches.models import Match, Seat
from pairings.rules.match_state import OPEN, Status

TONIGHT = timedelta(hours=12)
"""A table called longer ago is no longer in play.

A duration, because an evening goes on after midnight.
"""
AHEAD = timedelta(hours=6)
"""A round holds its players from so long before it begins: a night parts it from the evening before."""


def _at_the_table(at: datetime) -> Q:
    """Filter matches whose players may still be at the table: called tonight and not contested.

    A round published for another day holds its players on that day.
    """
    called, begins = Q(match__proposed_at__gt=at - TONIGHT), Q(match__round=None)
    called |= Q(match__round__starts_at__gt=at - TONIGHT)
    begins |= Q(match__round__starts_at__lte=at + AHEAD)
    return called & begins & ~Q(match__status=Status.CONTESTED.value)


def holds_at(begins: datetime, at: datetime) -> bool:
    """Return whether a round that begins then may hold its players now, as `_at_the_table` says."""
    return begins <= at + AHEAD


def _held(at: datetime) -> QuerySet[Seat]:
    """Return the seats of those who sit at their table tonight."""
    of_round = Q(match__round__isnull=False, match__status__in=[one.value for one in OPEN])
    return Seat.objects.filter(_at_the_table(at), Q(live=True) | of_round)


def in_round(*, at: datetime) -> Exists:
    """Filter rows of a `member` who sits at a tournament's table tonight."""
    return Exists(_held(at).filter(match__round__isnull=False, member=OuterRef("member")))


def holding(
    members: Iterable[int],
    *,
    at: datetime,
    in_tournament: bool = False,
    outside: int | None = None,
) -> dict[int, Match]:
    """Return, by member, the match at whose table they sit tonight: any, or a tournament's only.

    `outside`: matches of that tournament are left out. A round's open match holds its players also
    where another competition had their seats in between.
    """
    seats = _held(at).filter(member_id__in=list(members))
    if in_tournament:
        seats = seats.filter(match__round__isnull=False)
    if outside is not None:
        seats = seats.exclude(match__round__tournament=outside)
    return {
        seat.member_id: seat.match
        for seat in seats.select_related("match__evening", "match__round__tournament")
    }


def free_old(members: Iterable[int], *, at: datetime, keep_tournament: int | None = None) -> int:
    """Free the seats of these members in matches that no longer need them; return how many.

    `keep_tournament`: a match of that tournament keeps its seat, because its rounds follow each
    other.
    """
    seats = Seat.objects.filter(member_id__in=list(members), live=True)
    if keep_tournament is not None:
        seats = seats.exclude(match__round__tournament=keep_tournament)
    return seats.exclude(_at_the_table(at)).update(live=False)
