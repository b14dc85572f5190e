"""Queries of the current state for the player, the arbiter, the wall screen and the ranking page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db.models import Q, QuerySet

from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from pairings.evenings.models import Evening
from pairings.matches.models import Match
from pairings.rules.match_lifecycle import Kind, Status


def live_evening(organisation: Organisation) -> Evening | None:
    """Return the evening with check-in open and not yet closed, or None."""
    return live_evenings(organisation).first()


def live_evenings(organisation: Organisation) -> QuerySet[Evening]:
    live = Evening.objects.of(organisation).live()
    return live.select_related("organisation", "season", "rule_book").order_by("pk")


def next_evening(organisation: Organisation, *, at: datetime) -> Evening | None:
    today = at.astimezone(organisation.zone).date()
    return (
        Evening.objects.of(organisation)
        .filter(state=Evening.State.PLANNED, held_on__gte=today)
        .order_by("held_on", "pk")
        .first()
    )


# The ranking


# The effect of a decision before it is made


# One player's evening


# The arbiter's desk


def tables(evening: Evening) -> list[Match]:
    """Return the open matches: called and contested first, then by table."""
    order = {
        Status.CONTESTED: 0,
        Status.PROPOSED: 1,
        Status.SUBMITTED: 2,
        Status.ABSENCE_CLAIMED: 2,
        Status.PLAYING: 3,
    }
    found = list(
        evening.matches.open().select_related("first", "second").order_by("table_number", "pk")
    )
    for match in found:
        match.evening = evening
    return sorted(found, key=lambda match: (order[Status(match.status)], match.table_number or 0))


def last_results(evening: Evening, limit: int = 5) -> list[Match]:
    return list(
        evening.matches.filter(status=Status.FINAL, kind=Kind.PLAYED)
        .select_related("first", "second")
        .order_by("-ended_at", "-pk")[:limit]
    )


def meetings_of(a: Member, b: Member, *, merged: Mapping[int, int] | None = None) -> list[Match]:
    """Return every match between two members, newest first, under any row merged into theirs.

    `merged`: what `members.same_people` returned, where it was read before.
    """
    if merged is None:
        merged = merging.same_people(a.organisation_id)
    one, other = merging.family_in(merged, a), merging.family_in(merged, b)
    return list(
        Match.objects.filter(
            Q(first__in=one, second__in=other) | Q(first__in=other, second__in=one)
        )
        .filter(status=Status.FINAL)
        .select_related(
            *("evening", "round__tournament", "first__merged_into", "second__merged_into")
        )
        .order_by("-proposed_at", "-pk")
    )
