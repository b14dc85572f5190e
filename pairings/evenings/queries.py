"""Queries of the current state for the player, the arbiter, the wall screen and the ranking page."""

from __future__ import annotations

from datetime import date, datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from clubs.accounts.models import User
from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks.models import RuleBook
from pairings.evenings.models import CheckIn, Evening, GuestRequest
from pairings.matches.models import Match
from pairings.rules.match_state import Kind, Status


def live_evening(organisation: Organisation) -> Evening | None:
    """Return the first evening with check-in open and not yet closed, or None."""
    return live_evenings(organisation).first()


def own_first(evenings: QuerySet[Evening], member: Member) -> QuerySet[Evening]:
    """Order evenings for one member: where they are present, where they were last, by their start."""
    check_ins = CheckIn.objects.filter(evening=OuterRef("pk"), member=member)
    return evenings.alias(
        is_there=Exists(check_ins.present()),
        arrived_at=Subquery(check_ins.values("arrived_at")[:1]),
    ).order_by("-is_there", F("arrived_at").desc(nulls_last=True), "starts_at", "pk")


def live_evenings(organisation: Organisation) -> QuerySet[Evening]:
    """Return the evenings with check-in open and not yet closed, in the order of their start."""
    live = Evening.objects.of(organisation).live()
    return live.select_related("organisation", "season", "rule_book").order_by("starts_at", "pk")


def rules_tonight(organisation: Organisation, book: RuleBook | None) -> dict[str, object] | None:
    """Return the note of the public rules that the evenings that run keep another version than this one."""
    evening = live_evening(organisation)
    if evening is None or evening.rule_book == book:
        return None
    return {"template": "pairings/evenings/_rules_tonight.html", "version": evening.rule_book}


def next_evening(organisation: Organisation, *, at: datetime) -> Evening | None:
    today = at.astimezone(organisation.zone).date()
    return Evening.objects.of(organisation).coming(on=today).order_by("starts_at", "pk").first()


def has_opened_after(organisation: Organisation, day: date) -> bool:
    """Return whether an evening later than that day has opened its doors."""
    later = Evening.objects.of(organisation).filter(held_on__gt=day)
    return later.exclude(state__in=(Evening.State.PLANNED, Evening.State.CANCELLED)).exists()


def has_asked(visitor: User, organisation: Organisation) -> bool:
    """Return whether this account asked to play here tonight, and the desk has not admitted it."""
    asked = GuestRequest.objects.filter(visitor=visitor, member__isnull=True)
    return asked.filter(evening__in=live_evenings(organisation)).exists()


def days_outside(season: Season, starts_on: date, ends_on: date) -> list[date]:
    """Return the days of this season's evenings that are not between those two days."""
    evenings = season.evenings.exclude(state=Evening.State.CANCELLED)
    outside = evenings.exclude(held_on__range=(starts_on, ends_on))
    return list(outside.values_list("held_on", flat=True))


def tables(evening: Evening) -> list[Match]:
    """Return the open matches: called and contested first, then by table."""
    order = {
        Status.CONTESTED: 0,
        Status.PROPOSED: 1,
        Status.SUBMITTED: 2,
        Status.ABSENCE_CLAIMED: 2,
        Status.PLAYING: 3,
    }
    matches = list(
        evening.matches.open().select_related("first", "second").order_by("table_number", "pk")
    )
    for match in matches:
        match.evening = evening
    return sorted(matches, key=lambda match: (order[Status(match.status)], match.table_number or 0))


def last_result(evening: Evening) -> Match | None:
    return (
        evening.matches.filter(status=Status.FINAL, kind=Kind.PLAYED)
        .select_related("first", "second")
        .order_by("-ended_at", "-pk")
        .first()
    )


def times_met(a: Member, b: Member) -> int:
    """Return how many matches between two members have ended with a result."""
    merged = merging.same_people(a.organisation_id)
    one, other = merging.family_in(merged, a), merging.family_in(merged, b)
    pairs = Q(first__in=one, second__in=other) | Q(first__in=other, second__in=one)
    return Match.objects.filter(pairs, status=Status.FINAL).count()
