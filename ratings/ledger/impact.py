"""What a correction changes for people: cotes, ranks, series or grades, periods, editions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db.models import Count

from clubs.rulebooks import actions as rulebooks
from clubs.upkeep.jobs import Progress, no_progress
from ratings import systems
from ratings.ledger.entry_chain import EntryChange
from ratings.ledger.models import Edition, LedgerEntry, Period, RatingList, StandingCote
from ratings.ledger.propagation import Forward
from ratings.ledger.timeline import Calendar, chunks
from ratings.systems.protocol import RatingSystem, State
from ratings.systems.storage import state_from_json

Numbers = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class TouchedEdition:
    """A published list that differs from what the ledger will hold."""

    pk: int
    number: int
    title: str
    covers_until: date


@dataclass(frozen=True, slots=True)
class TouchedPeriod:
    """A period in which somebody's entry changes, and how many entries do."""

    pk: int
    held_on: date
    entries: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that a correction changes.

    `lines` are the ledger entries to write; a preview may omit them, never the rest. `finals` and
    `ranks` give each member whose entries change: latest cote and rank, before → after (None: not
    in the list). `labels`: series, grade or category, where it changes. `version` is that of the
    list when it was read.
    """

    lines: tuple[EntryChange, ...] = ()
    finals: Mapping[int, Numbers] = field(default_factory=dict)
    ranks: Mapping[int, Numbers] = field(default_factory=dict)
    labels: Mapping[int, tuple[Mapping[str, object], Mapping[str, object]]] = field(
        default_factory=dict
    )
    periods: tuple[TouchedPeriod, ...] = ()
    editions: tuple[TouchedEdition, ...] = ()
    version: int = 0

    @property
    def members(self) -> set[int]:
        return set(self.finals)


def labels_of(system: RatingSystem, state: State | None, on: date) -> Mapping[str, object]:
    """Return series, grade, category or status of a state; nothing without a state."""
    return {} if state is None else dict(system.labels_of(state, on))


def of_walk(calendar: Calendar, progress: Progress = no_progress) -> Difference:
    """Walk forward over every line and return the difference.

    `progress(done, total)` is called with each period that the walk changes; `total` is every period
    of the list.
    """
    walk, total = Forward(calendar), sum(place.wanted for place in calendar.places)
    entry_changes: list[EntryChange] = []
    reached: set[int] = set()
    for line in walk.lines():
        entry_changes.append(line)
        if line.period_id not in reached:
            reached.add(line.period_id)
            progress(min(len(reached), total), total)
    lines = tuple(entry_changes)
    touched = {line.member_id for line in lines if line.moved}
    gone = _gone(calendar.rating_list, lines)
    finals = {
        member: None if member in gone else walk.overlay[member]
        for member in touched
        if member in walk.overlay or member in gone
    }
    counted: dict[int, list[Any]] = {}
    for line in lines:
        if line.moved:
            period_count = counted.setdefault(line.period_id, [line.held_on, 0])
            period_count[1] += 1
    periods = [TouchedPeriod(pk, *values) for pk, values in counted.items()]
    return difference_of(calendar.rating_list, touched, finals, periods, lines=lines)


def difference_of(
    rating_list: RatingList,
    touched: Iterable[int],
    finals: Mapping[int, State | None],
    periods: Iterable[TouchedPeriod],
    *,
    lines: tuple[EntryChange, ...] = (),
) -> Difference:
    """Return the whole difference.

    `finals` holds the latest states that change, None for one who leaves.
    """
    periods = sorted(periods, key=lambda period: (period.held_on, period.pk))
    system, on = _latest(rating_list)
    if periods:
        on = max(on, periods[-1].held_on)  # a newer competition is seen from its own day
    current_cotes = _cotes(rating_list, touched)
    cotes: dict[int, Numbers] = {}
    labels = {}
    for member in sorted(touched):
        state, shown = current_cotes.get(member, (None, None))
        if member not in finals:
            cotes[member] = (shown, shown)
            continue
        becomes = finals[member]
        cotes[member] = (shown, None if becomes is None else system.shown(becomes))
        if state == becomes:
            continue
        before, after = labels_of(system, state, on), labels_of(system, becomes, on)
        if before != after:
            labels[member] = (before, after)
    return Difference(
        lines=lines,
        finals=cotes,
        ranks=_ranks(rating_list, cotes),
        labels=labels,
        periods=tuple(periods),
        editions=_editions(rating_list, periods[0].held_on) if periods else (),
        version=rating_list.version,
    )


def _latest(rating_list: RatingList) -> tuple[RatingSystem, date]:
    """Return the system under the newest period's rules, by which the latest cotes are shown."""
    newest: Period | None = (
        rating_list.periods.filter(settled_at__isnull=False, removed_at__isnull=True)
        .select_related("rule_book")
        .in_order()
        .last()
    )
    if newest is None:
        return systems.system(rating_list.system)(), date.min
    return rulebooks.rules(newest.rule_book, rating_list.system, "cote"), newest.held_on


def _cotes(rating_list: RatingList, members: Iterable[int]) -> dict[int, tuple[State, int | None]]:
    cotes = {}
    for chunk in chunks(sorted(members)):
        rows = StandingCote.objects.filter(rating_list=rating_list, member__in=chunk)
        for member, state, shown in rows.values_list("member_id", "state", "shown"):
            cotes[member] = state_from_json(state), shown
    return cotes


def _gone(rating_list: RatingList, lines: Iterable[EntryChange]) -> set[int]:
    """Return the members that no entry in force moves any more."""
    voided = {line.member_id for line in lines if line.voided}
    if not voided:
        return set()
    left: dict[int, int] = dict.fromkeys(voided, 0)
    for chunk in chunks(sorted(voided)):
        entries = LedgerEntry.objects.filter(rating_list=rating_list, member__in=chunk).in_force()
        for member, number in entries.values_list("member_id").annotate(Count("pk")):
            left[member] = number
    for line in lines:
        if line.member_id in left:
            left[line.member_id] += (not line.counted) - line.voided
    return {member for member, number in left.items() if number <= 0}


def _ranks(rating_list: RatingList, cotes: Mapping[int, Numbers]) -> dict[int, Numbers]:
    """Return ranks by the number shown, before and after; equal numbers share the best rank."""
    rows = (
        StandingCote.objects.filter(rating_list=rating_list, shown__isnull=False)
        .values_list("shown")
        .annotate(Count("pk"))
    )
    before: dict[int, int] = dict(rows)
    after = dict(before)
    for old, new in cotes.values():
        if old is not None:
            after[old] = after.get(old, 0) - 1
        if new is not None:
            after[new] = after.get(new, 0) + 1
    first, second = _Ranking(before), _Ranking(after)
    return {member: (first.rank(old), second.rank(new)) for member, (old, new) in cotes.items()}


class _Ranking:
    """Ranks computed from how many members hold each number."""

    def __init__(self, ranks: Mapping[int, int]) -> None:
        self.numbers = sorted(-number for number, count in ranks.items() if count > 0)
        self.above = [0]
        for number in self.numbers:
            self.above.append(self.above[-1] + ranks[-number])

    def rank(self, shown: int | None) -> int | None:
        return None if shown is None else 1 + self.above[bisect_left(self.numbers, -shown)]


def _editions(rating_list: RatingList, since: date) -> tuple[TouchedEdition, ...]:
    rows = (
        Edition.objects.filter(rating_list=rating_list, covers_until__gte=since)
        .order_by("covers_until", "number", "pk")
        .values_list("pk", "number", "title", "covers_until")
    )
    return tuple(TouchedEdition(*row) for row in rows)
