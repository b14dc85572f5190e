"""What a correction changes for people: cotes, ranks, series or grades, periods, editions."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, Q

from clubs.rulebooks import actions as rulebooks
from clubs.upkeep.jobs import Progress, no_progress
from ratings.ledger.entry_chain import EntryChange
from ratings.ledger.models import Edition, LedgerEntry, RatingList, StandingCote
from ratings.ledger.propagation import Forward
from ratings.ledger.timeline import Calendar, chunks, rule_book_on
from ratings.systems.columns import Bounds, ListSection, section_of
from ratings.systems.protocol import RatingSystem, State
from ratings.systems.storage import state_from_json

Numbers = tuple[int | None, int | None]
Place = tuple[str, int]
"""The section of a list in which somebody stands, and the number shown."""
Places = tuple[Place | None, Place | None]


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
    `ranks` give each member whose entries change: latest cote, and rank in the part of the list where
    they stand, before → after (None: in none). `labels`: series, grade or category, where it changes. `version` is that of the
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


def labels_of(system: RatingSystem, state: State | None, on: date) -> Mapping[str, object]:
    """Return series, grade, category or status of a state; nothing without a state."""
    return {} if state is None else dict(system.labels_of(state, on))


def changed_labels(before: Mapping[str, object], after: Mapping[str, object]) -> list[list[object]]:
    """Return [before, after] of each label that changes (series, grade, status)."""
    return [
        [before.get(name), after.get(name)]
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]


def of_walk(calendar: Calendar, *, on: date, progress: Progress = no_progress) -> Difference:
    """Walk forward over every line and return the difference, as the list is read on a day.

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
    return difference_of(calendar.rating_list, touched, finals, periods, on=on, lines=lines)


def difference_of(
    rating_list: RatingList,
    touched: Iterable[int],
    finals: Mapping[int, State | None],
    periods: Iterable[TouchedPeriod],
    *,
    on: date,
    lines: tuple[EntryChange, ...] = (),
) -> Difference:
    """Return the whole difference.

    `finals` holds the latest states that change, None for one who leaves. Ranks and labels are those
    that the list shows on the day `on`, by the rules in force then.
    """
    periods = sorted(periods, key=lambda period: (period.held_on, period.pk))
    system: RatingSystem = rulebooks.rules(
        rule_book_on(rating_list, on), rating_list.system, "cote"
    )
    current_cotes = _cotes(rating_list, touched)
    sections = system.sections(on) if periods else ()
    cotes: dict[int, Numbers] = {}
    places: dict[int, Places] = {}
    labels = {}
    for member in sorted(touched):
        state, shown = current_cotes.get(member, (None, None))
        becomes, new = state, shown
        if member in finals:
            becomes = finals[member]
            new = None if becomes is None else system.shown(becomes)
        cotes[member] = (shown, new)
        places[member] = (_place(sections, state, shown), _place(sections, becomes, new))
        if state == becomes:
            continue
        before, after = labels_of(system, state, on), labels_of(system, becomes, on)
        if before != after:
            labels[member] = (before, after)
    return Difference(
        lines=lines,
        finals=cotes,
        ranks=_ranks(rating_list, sections, places),
        labels=labels,
        periods=tuple(periods),
        editions=_editions(rating_list, periods[0].held_on) if periods else (),
        version=rating_list.version,
    )


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


def _ranks(
    rating_list: RatingList, sections: Sequence[ListSection], places: Mapping[int, Places]
) -> dict[int, Numbers]:
    """Return ranks in the section of each, before and after; equal numbers share the best rank.

    `places`: member → (section, number shown) before and after; None for who is in no section.
    """
    wanted = {place[0] for pair in places.values() for place in pair if place is not None}
    before = {
        section.code: Counter(
            dict(
                StandingCote.objects.filter(
                    condition_of(section), rating_list=rating_list, shown__isnull=False
                )
                .values_list("shown")
                .annotate(Count("pk"))
            )
        )
        for section in sections
        if section.code in wanted
    }
    after = {code: Counter(counts) for code, counts in before.items()}
    for old, new in places.values():
        if old is not None:
            after[old[0]][old[1]] -= 1
        if new is not None:
            after[new[0]][new[1]] += 1
    rankings = [
        {code: _Ranking(counts) for code, counts in side.items()} for side in (before, after)
    ]
    return {
        member: (_rank(rankings[0], old), _rank(rankings[1], new))
        for member, (old, new) in places.items()
    }


def _rank(rankings: Mapping[str, _Ranking], place: Place | None) -> int | None:
    return None if place is None else rankings[place[0]].rank(place[1])


def _place(sections: Sequence[ListSection], state: State | None, shown: int | None) -> Place | None:
    code = None if state is None or shown is None else section_of(sections, state)
    return None if code is None or shown is None else (code, shown)


def condition_of(section: ListSection) -> Q:
    """Return what the stored cotes of a section's players have in common."""
    condition = Q(status__in=section.statuses) if section.statuses else Q()
    within = [_condition_within(bounds) for bounds in section.bounds]
    return condition & reduce(or_, within) if within else condition


def _condition_within(bounds: Bounds) -> Q:
    condition = Q(games__gte=bounds.games_from, state__events__gte=bounds.events_from)
    if bounds.games_until is not None:
        condition &= Q(games__lte=bounds.games_until)
    if bounds.events_until is not None:
        condition &= Q(state__events__lte=bounds.events_until)
    last = Q(state__extra__last__isnull=False) & ~Q(state__extra__last=None)
    if bounds.last_from is not None:
        condition &= last & Q(state__extra__last__gte=bounds.last_from.isoformat())
    if bounds.last_until is not None:
        condition &= last & Q(state__extra__last__lte=bounds.last_until.isoformat())
    return condition & ~last if bounds.without_last else condition


class _Ranking:
    """Ranks computed from how many members hold each number."""

    def __init__(self, ranks: Mapping[int, int]) -> None:
        self.numbers = sorted(-number for number, count in ranks.items() if count > 0)
        self.above = [0]
        for number in self.numbers:
            self.above.append(self.above[-1] + ranks[-number])

    def rank(self, shown: int) -> int:
        return 1 + self.above[bisect_left(self.numbers, -shown)]


def _editions(rating_list: RatingList, since: date) -> tuple[TouchedEdition, ...]:
    rows = (
        Edition.objects.filter(
            rating_list=rating_list, covers_until__gte=since, errata__isnull=True
        )
        .order_by("covers_until", "number", "pk")
        .values_list("pk", "number", "title", "covers_until")
    )
    return tuple(TouchedEdition(*row) for row in rows)
