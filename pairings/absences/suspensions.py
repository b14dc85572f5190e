"""Suspended members at an evening or a tournament, and the evenings left to serve (002 II.A.2).

A suspension counts the evenings that open after the decision; no date and no midnight changes it.
The running evening is not counted: the member finishes it, unless the committee said "at once". A
tournament day counts as an evening only where the committee says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from clubs.sanctions.models import Sanction
from pairings.evenings.models import Evening
from pairings.tournaments.models import Round, Tournament


@dataclass(frozen=True, slots=True)
class Suspension:
    """A suspension that prevents pairing.

    `left`: evenings still to serve, including this one where it counts.
    """

    sanction: Sanction
    left: int

    @property
    def reason(self) -> str:
        return self.sanction.reason


def at_evening(evening: Evening, members: Iterable[int]) -> dict[int, Suspension]:
    """Return those of these members who may not be paired at this evening.

    One query, with how many evenings opened between each decision and this one; the tournaments
    are read where the rules count them.
    """
    since = Evening.objects.of(evening.organisation).filter(opened_at__gt=OuterRef("decided_at"))
    if evening.opened_at is not None:
        since = since.filter(opened_at__lt=evening.opened_at)
    count = since.order_by().values("organisation").annotate(n=Count("pk")).values("n")
    sanctions = of_members(members).annotate(begun=Coalesce(Subquery(count), 0))
    opened, begun = evening.opened_at, _Begun(evening.organisation)
    suspensions: dict[int, Suspension] = {}
    for sanction in sanctions.order_by("pk"):
        decided = sanction.decided_at
        if decided is None or sanction.suspended_evenings is None:
            left = _left_of_days(sanction, evening.held_on)
        elif opened is not None and opened <= decided:
            over = evening.closed_at is not None and evening.closed_at <= decided
            left = sanction.suspended_evenings if sanction.suspended_tonight and not over else 0
        else:
            days = begun.days_after(sanction, before=opened or evening.starts_at)
            left = sanction.suspended_evenings - sanction.begun - days
        _keep_longest(suspensions, sanction, left)
    return suspensions


def of_member(member: Member, evening: Evening) -> Suspension | None:
    """Return the suspension that prevents pairing this member at this evening, or None."""
    return at_evening(evening, [member.pk]).get(member.pk)


def at_tournament(
    tournament: Tournament, members: Iterable[int], *, number: int = 1
) -> dict[int, Suspension]:
    """Return those of these members who are still suspended on the day of that round.

    Evenings announced before the first round of that day count as served by then. A player of a
    tournament that has begun finishes it.
    """
    sanctions = _suspensions(members)
    if not sanctions:
        return {}
    begun = _Begun(tournament.organisation, announced=True)
    morning = _beginning_of_day(tournament, number)
    day = morning.astimezone(tournament.organisation.zone).date()
    suspensions: dict[int, Suspension] = {}
    for sanction in sanctions:
        decided = sanction.decided_at
        if decided is None or sanction.suspended_evenings is None:
            left = _left_of_days(sanction, day)
        elif tournament.frozen_at is not None and tournament.frozen_at <= decided:
            left = 0
        else:
            served = begun.after(sanction, before=morning)
            left = sanction.suspended_evenings - served
        _keep_longest(suspensions, sanction, left)
    return suspensions


def _beginning_of_day(tournament: Tournament, number: int) -> datetime:
    """Return when the first round of the day of that round begins, or of the last one planned."""
    begins, day = tournament.starts_at, tournament.held_on
    if number == 1 or tournament.last_day == day:  # midnight changes nothing
        return begins
    rounds = Round.objects.filter(tournament=tournament, number__lte=number).order_by("number")
    for start in rounds.values_list("starts_at", flat=True):
        its_day = start.astimezone(tournament.organisation.zone).date()
        if its_day != day:
            begins, day = start, its_day
    return begins


def still_to_serve(sanction: Sanction, *, at: datetime) -> int:
    """Return the number of evenings of an imposed suspension that have not begun yet."""
    if sanction.status != Sanction.Status.IMPOSED or sanction.suspended_evenings is None:
        return 0
    begun = _Begun(sanction.member.organisation)
    served = _between(begun.evenings(), sanction, None) + begun.days_after(sanction, before=at)
    return max(0, sanction.suspended_evenings - served)


def has_any(member: Member, *, at: datetime) -> bool:
    """Return whether a suspension of this member is still running."""
    today = at.astimezone(member.organisation.zone).date()
    return any(
        still_to_serve(sanction, at=at) or _left_of_days(sanction, today)
        for sanction in _suspensions([member.pk])
    )


class _Begun:
    """Start times of a club's evenings and days of its tournaments, read on first use."""

    def __init__(self, organisation: Organisation, *, announced: bool = False) -> None:
        self.organisation = organisation
        self.announced = announced
        self._evenings: list[datetime] | None = None
        self._days: list[datetime] | None = None

    def after(self, sanction: Sanction, *, before: datetime | None) -> int:
        """Return how many evenings that count for this suspension began after its decision."""
        evenings = _between(self.evenings(), sanction, before)
        return evenings + self.days_after(sanction, before=before)

    def days_after(self, sanction: Sanction, *, before: datetime | None) -> int:
        """Return how many of those were days of a tournament; none where the rules do not count them."""
        decided = sanction.decided_at
        assert decided is not None
        rules = rulebooks.rules_at(self.organisation, rulebooks.LADDER, "pairing", decided)
        if not rules.suspension_counts_tournaments:
            return 0
        return _between(self.tournament_days(), sanction, before)

    def evenings(self) -> list[datetime]:
        if self._evenings is None:
            rows = Evening.objects.of(self.organisation).exclude(state=Evening.State.CANCELLED)
            times = rows.values_list("opened_at", "starts_at")
            self._evenings = [
                opened or starts for opened, starts in times if opened or self.announced
            ]
        return self._evenings

    def tournament_days(self) -> list[datetime]:
        """Return the beginning of each day of the tournaments played or in progress."""
        if self._days is None:
            rows = Tournament.objects.of(self.organisation).filter(frozen_at__isnull=False)
            rows = rows.exclude(state=Tournament.State.CANCELLED)
            starts: dict[int, list[datetime]] = {row.pk: [] for row in rows}
            planned = Round.objects.filter(tournament__in=starts).order_by("starts_at")
            for tournament_id, start in planned.values_list("tournament", "starts_at"):
                starts[tournament_id].append(start)
            self._days = [day for row in rows for day in self._days_of(row, starts[row.pk])]
        return self._days

    def _days_of(self, row: Tournament, starts: list[datetime]) -> list[datetime]:
        """Return the beginning of each of its days.

        With rounds up to its last day, or fewer rounds than days, those with a round.
        """
        last = row.last_day
        days = (last - row.held_on).days + 1
        first_of_day: dict[date, datetime] = {}
        for start in starts:
            first_of_day.setdefault(start.astimezone(self.organisation.zone).date(), start)
        if last in first_of_day or 0 < len(starts) < days:
            return list(first_of_day.values())
        return [row.starts_at + timedelta(days=day) for day in range(days)]


def _between(moments: Iterable[datetime], sanction: Sanction, before: datetime | None) -> int:
    decided = sanction.decided_at
    assert decided is not None
    return sum(decided < moment and (before is None or moment < before) for moment in moments)


def of_members(members: Iterable[int]) -> QuerySet[Sanction]:
    """Return the suspensions of these members, served or not."""
    return Sanction.objects.suspensions().filter(member_id__in=list(members))


def _suspensions(members: Iterable[int]) -> list[Sanction]:
    return list(of_members(members).order_by("pk"))


def _left_of_days(sanction: Sanction, day: date) -> int:
    """Return 1 while an older suspension, stored as two dates, lasts; else 0."""
    first, last = sanction.suspended_from, sanction.suspended_until
    return int(first is not None and last is not None and first <= day <= last)


def _keep_longest(suspensions: dict[int, Suspension], sanction: Sanction, left: int) -> None:
    known = suspensions.get(sanction.member_id)
    if left > 0 and (known is None or left > known.left):
        suspensions[sanction.member_id] = Suspension(sanction, left)
