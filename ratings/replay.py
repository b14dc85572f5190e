"""Rebuild a list from its rated games, and say what a correction would change before it is made.

Periods are settled in order, each with the rule version fixed on it. Replay never reads today's
settings, so it gives every stored number back, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from clubs import rulebook
from ratings import systems
from ratings.models import LedgerEntry, Period, RatedGame, RatedPlacing, RatingList, StandingCote
from ratings.systems.base import (
    Change,
    Event,
    Game,
    Placing,
    RatingSystem,
    Reason,
    State,
    frozen,
)
from ratings.systems.storage import state_from_json, state_to_json


@dataclass(frozen=True, slots=True)
class GameChange:
    """A game as it would be: `game` None takes it out."""

    source: str
    game: Game | None


@dataclass(frozen=True, slots=True)
class Line:
    """One ledger entry that would be superseded, added or voided."""

    period_id: int
    period_label: str
    held_on: date
    member_id: int
    entry_id: int | None
    change: Change
    rule_book_id: int | None
    was_before: int | None
    was_after: int | None
    shown_before: int | None
    shown_after: int | None
    voided: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything a correction changes: entries, and each member's final cote before → after."""

    lines: tuple[Line, ...]
    finals: Mapping[int, tuple[int | None, int | None]] = field(default_factory=dict)

    @property
    def members(self) -> set[int]:
        return {line.member_id for line in self.lines}


def system_of(period: Period) -> RatingSystem:
    """The list's system with the numbers of the period's rule version."""
    code = period.rating_list.system
    chosen: RatingSystem = rulebook.rules(period.rule_book, code, "cote")
    return chosen


def settle_one(rating_list: RatingList, period: Period) -> list[Change]:
    """The changes of the newest period, from the cotes that the list holds now."""
    system = system_of(period)
    event = event_of(period, sequence=sequence_of(rating_list, period))
    cotes = StandingCote.objects.filter(rating_list=rating_list)
    if system.takes == "games":
        players: set[Any] = {pid for game in event.games for pid in (game.first, game.second)}
        players |= _named_in(period)
        cotes = cotes.filter(member_id__in=players)
    states = {cote.member_id: state_from_json(cote.state) for cote in cotes.order_by("pk")}
    return _changes(system, states, event, period)


def project(
    rating_list: RatingList, period_rules: RatingSystem, games: Iterable[Game], held_on: date
) -> dict[int, Change]:
    """The live cote: the same formula on the games so far, shown and never stored."""
    event = Event(key="live", held_on=held_on, games=tuple(games))
    players = {pid for game in event.games for pid in (game.first, game.second)}
    cotes = StandingCote.objects.filter(rating_list=rating_list, member_id__in=players)
    states = {cote.member_id: state_from_json(cote.state) for cote in cotes.order_by("pk")}
    return {int(str(c.player)): c for c in period_rules.settle(states, event)}


def event_of(period: Period, *, sequence: int, change: GameChange | None = None) -> Event:
    """A period as the plain value that a system takes; `change` replaces one game in it."""
    rows = RatedGame.objects.filter(period=period).in_force().order_by("position", "source", "pk")
    games = {row.source: game_of(row) for row in rows}
    if change is not None:
        games.pop(change.source, None) if change.game is None else games.update(
            {change.source: change.game}
        )
    placings = RatedPlacing.objects.filter(period=period).in_force().order_by("place", "member_id")
    return Event(
        key=period.key,
        held_on=period.held_on,
        sequence=sequence,
        kind=period.kind,
        games=tuple(games.values()),
        placings=tuple(Placing(row.member_id, row.place, frozen(row.facts)) for row in placings),
        facts=frozen(period.facts),
    )


def game_of(row: RatedGame) -> Game:
    return Game(
        key=row.source,
        first=row.first_id,
        second=row.second_id,
        first_halves=row.first_halves,
        first_score=row.first_score,
        second_score=row.second_score,
        facts=frozen(row.facts),
    )


def sequence_of(rating_list: RatingList, period: Period) -> int:
    """The period's number in the list's calendar, from 1."""
    total = _standing(rating_list).count()
    return total - _standing(rating_list).after(period).count()


def states_before(rating_list: RatingList, period: Period) -> dict[Any, State]:
    """Everybody's state when a period began, from the entries in force."""
    later = set(rating_list.periods.after(period).values_list("pk", flat=True)) | {period.pk}
    order = {pk: n for n, pk in enumerate(_ids_in_order(rating_list))}
    states: dict[Any, State] = {}
    place: dict[Any, int] = {}
    entries = LedgerEntry.objects.filter(rating_list=rating_list).in_force()
    for entry in entries.order_by("pk").iterator(chunk_size=2000):
        if entry.period_id in later:
            continue
        at = order.get(entry.period_id or 0, -1)
        if entry.member_id not in place or place[entry.member_id] <= at:
            place[entry.member_id] = at
            states[entry.member_id] = state_from_json(entry.after)
    return states


def latest_entries(
    rating_list: RatingList, member_ids: Iterable[int] | None = None
) -> dict[int, LedgerEntry]:
    """Each member's newest entry in force, in the order of periods."""
    order = {pk: n for n, pk in enumerate(_ids_in_order(rating_list))}
    entries = LedgerEntry.objects.filter(rating_list=rating_list).in_force()
    if member_ids is not None:
        entries = entries.filter(member_id__in=member_ids)
    found: dict[int, LedgerEntry] = {}
    for entry in entries.order_by("pk").iterator(chunk_size=2000):
        known = found.get(entry.member_id)
        if known is None or order.get(known.period_id or 0, -1) <= order.get(
            entry.period_id or 0, -1
        ):
            found[entry.member_id] = entry
    return found


def run(
    rating_list: RatingList,
    *,
    since: Period | None = None,
    states: dict[Any, State] | None = None,
    change: GameChange | None = None,
) -> Iterator[tuple[Period, list[Change]]]:
    """Settle every period in order (from `since`), each with its own rule version.

    `states` is carried along and changed in place; without it the list starts from nothing.
    """
    states = {} if states is None else states
    periods = list(
        _standing(rating_list)
        .filter(settled_at__isnull=False)
        .select_related("rule_book")
        .in_order()
    )
    started = since is None
    for sequence, period in enumerate(periods, start=1):
        started = started or (since is not None and period.pk == since.pk)
        if not started:
            continue
        period.rating_list = rating_list
        here = change if since is not None and period.pk == since.pk else None
        event = event_of(period, sequence=sequence, change=here)
        changes = _changes(system_of(period), states, event, period)
        for moved in changes:
            states[moved.player] = moved.after
        yield period, changes


def difference(rating_list: RatingList, period: Period, change: GameChange | None) -> Difference:
    """Replay from `period` with one game changed; compare with the entries now in force."""
    states = states_before(rating_list, period)
    lines: list[Line] = []
    for at, changes in run(rating_list, since=period, states=states, change=change):
        lines += _compare(at, changes)
    touched = {line.member_id for line in lines}
    held = dict(
        StandingCote.objects.filter(rating_list=rating_list, member_id__in=touched).values_list(
            "member_id", "shown"
        )
    )
    system = systems.system(rating_list.system)()
    finals = {
        member_id: (
            held.get(member_id),
            system.shown(states[member_id]) if member_id in states else None,
        )
        for member_id in sorted(touched)
    }
    return Difference(tuple(lines), finals)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A stored number that replay does not give back."""

    period: str
    member_id: int
    stored: Any
    replayed: Any


def check(rating_list: RatingList) -> Iterator[Mismatch]:
    """Replay from the first game and compare every stored number, bit for bit."""
    states: dict[Any, State] = {}
    for period, changes in run(rating_list, states=states):
        for line in _compare(period, changes):
            stored = (
                LedgerEntry.objects.filter(pk=line.entry_id or 0)
                .values_list("after", flat=True)
                .first()
            )
            yield Mismatch(
                period.key,
                line.member_id,
                stored,
                None if line.voided else state_to_json(line.change.after),
            )
    for cote in StandingCote.objects.filter(rating_list=rating_list).order_by("member_id"):
        state = states.get(cote.member_id)
        if state is None or state_to_json(state) != cote.state:
            yield Mismatch("cote", cote.member_id, cote.state, state and state_to_json(state))


def _changes(
    system: RatingSystem, states: Mapping[Any, State], event: Event, period: Period
) -> list[Change]:
    if period.kind == "adjustment":
        member = period.facts["member"]
        before = states.get(member) or system.newcomer()
        return [system.adjust_percent(member, before, period.facts["percent"])]  # type: ignore[attr-defined]
    if period.kind == "start":
        return [
            Change(
                player=int(pid),
                before=State(rating=None),
                after=system.newcomer(frozen(facts)),
                because=(Reason(kind="start", article=system.document, values=frozen(facts)),),
            )
            for pid, facts in sorted(period.facts["players"].items(), key=lambda item: int(item[0]))
        ]
    return system.settle(states, event)


def _compare(period: Period, changes: list[Change]) -> list[Line]:
    system = system_of(period)
    heads = {
        entry.member_id: entry
        for entry in LedgerEntry.objects.filter(period=period, superseded_by__isnull=True).order_by(
            "pk"
        )
    }
    lines = []
    moved_ids = set()
    for moved in changes:
        member_id = int(str(moved.player))
        moved_ids.add(member_id)
        head = heads.get(member_id)
        if (
            head is not None
            and not head.voided
            and head.before == state_to_json(moved.before)
            and head.after == state_to_json(moved.after)
        ):
            continue
        lines.append(
            Line(
                period_id=period.pk,
                period_label=period.label,
                held_on=period.held_on,
                member_id=member_id,
                entry_id=head.pk if head else None,
                change=moved,
                rule_book_id=period.rule_book_id,
                was_before=head.shown_before if head and not head.voided else None,
                was_after=head.shown_after if head and not head.voided else None,
                shown_before=system.shown(moved.before),
                shown_after=system.shown(moved.after),
            )
        )
    for member_id, head in heads.items():
        if member_id in moved_ids or head.voided:
            continue
        state = state_from_json(head.before)
        lines.append(
            Line(
                period_id=period.pk,
                period_label=period.label,
                held_on=period.held_on,
                member_id=member_id,
                entry_id=head.pk,
                change=Change(player=member_id, before=state, after=state),
                rule_book_id=period.rule_book_id,
                was_before=head.shown_before,
                was_after=head.shown_after,
                shown_before=head.shown_before,
                shown_after=head.shown_before,
                voided=True,
            )
        )
    return lines


def _standing(rating_list: RatingList) -> Any:
    return rating_list.periods.filter(removed_at__isnull=True)


def _ids_in_order(rating_list: RatingList) -> list[int]:
    return list(rating_list.periods.in_order().values_list("pk", flat=True))


def _named_in(period: Period) -> set[int]:
    if period.kind == "adjustment":
        return {int(period.facts["member"])}
    return {int(pid) for pid in period.facts.get("players", {})}
