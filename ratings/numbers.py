"""Settled periods packed in numbers: one small row a period, read by the preview of a correction.

A row holds a mask of who takes part, the members in order with cote before, cote after and games
before, and for each the places of his opponents with his half points. A period that numbers alone
do not decide (a cut, a start, a score difference in the cote) is packed without games: the mask
still says whom it concerns. What does not fit is not packed, and the ledger is read instead.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from django.db import connection

from ratings.calendar import Calendar, chunks, named_in, system_of
from ratings.chain import Line
from ratings.forward import OPPONENTS, players_of, reach_of
from ratings.models import LedgerEntry, Period, PeriodNumbers, RatingList
from ratings.systems.base import Change, Event, State
from ratings.systems.storage import state_from_json

BITS = 8192
MASK = BITS // 8
HEAD = 8
Row = tuple[Any, int | None, str]
Numbers = tuple[int, int, int]
"""Cote before, cote after, games before."""


@dataclass(slots=True)
class Packed:
    """One row opened. `opaque`: numbers do not decide here, only the mask and members are there."""

    members: Any
    before: Any
    after: Any
    played: Any
    starts: Any
    opponents: Any
    halves: Any

    @property
    def opaque(self) -> bool:
        return len(self.starts) == 0

    def place_of(self, member: int) -> int:
        """His place among the members, −1 when he takes no part."""
        at = bisect_left(self.members, member)
        return at if at < len(self.members) and self.members[at] == member else -1


def bit(member: int) -> int:
    return 1 << (member % BITS)


def mask_of(data: Any) -> int:
    """The mask of a row: a bit for each of those who take part."""
    return int.from_bytes(data[HEAD : HEAD + MASK], "little")


def packs(system: Any) -> bool:
    """Does a list of this system keep its periods in numbers?"""
    return reach_of(system) == OPPONENTS and hasattr(system, "settle_numbers")


def pack(system: Any, period: Period, event: Event, moves: Mapping[int, Numbers]) -> bytes | None:
    """The row of a settled period; None where a number does not fit."""
    plain = not period.kind and bool(getattr(system, "in_numbers", True))
    games = [game for game in event.games if game.facts.get("played", True)]
    concerned = players_of(event) | named_in(period, event.facts) | set(moves)
    if plain and (len(games) < len(event.games) or not concerned <= set(moves)):
        plain = False
    members = sorted(concerned)
    mask = 0
    for member in members:
        mask |= bit(member)
    places = {member: place for place, member in enumerate(members)}
    met: list[list[tuple[int, int]]] = [[] for _member in members]
    for game in games if plain else ():
        one, other = places[game.first], places[game.second]
        met[one].append((other, game.first_halves))
        met[other].append((one, 2 - game.first_halves))
    starts = [0]
    for own in met:
        starts.append(starts[-1] + len(own))
    try:
        parts = [
            array("i", [len(members), starts[-1] if plain else -1]),
            mask.to_bytes(MASK, "little"),
            array("i", members),
        ]
        if plain:
            numbers = [moves[member] for member in members]
            parts += [
                array("h", [before for before, _after, _games in numbers]),
                array("h", [after for _before, after, _games in numbers]),
                array("H", [games for _before, _after, games in numbers]),
                array("H", starts),
                array("H", [place for own in met for place, _halves in own]),
                array("B", [halves for own in met for _place, halves in own]),
            ]
    except OverflowError:
        return None
    return b"".join(bytes(part) for part in parts)


def unpack(data: Any) -> Packed:
    """Open a row without copying it."""
    view = memoryview(data)
    many, met = view[:HEAD].cast("i")
    at = HEAD + MASK
    members, at = view[at : at + 4 * many].cast("i"), at + 4 * many
    if met < 0:
        none = view[:0]
        return Packed(members, none, none, none, none, none, none)
    cotes, at = view[at : at + 4 * many].cast("h"), at + 4 * many
    rest, at = view[at : at + 4 * many + 2 + 2 * met].cast("H"), at + 4 * many + 2 + 2 * met
    return Packed(
        members,
        cotes[:many],
        cotes[many:],
        rest[:many],
        rest[many : 2 * many + 1],
        rest[2 * many + 1 :],
        view[at : at + met],
    )


def join(packed: Packed, alias: Mapping[int, int]) -> tuple[Packed, list[int]]:
    """A row in which merged members are one, and who of them had a place of his own.

    Where the member kept had none his numbers are still to be filled in.
    """
    names = [alias.get(member, member) for member in packed.members]
    members = sorted(set(names))
    places = {member: place for place, member in enumerate(members)}
    new = [places[name] for name in names]
    met: list[list[tuple[int, int]]] = [[] for _member in members]
    numbers: list[tuple[Any, Any, int]] = [(None, None, 0)] * len(members)
    for at, place in enumerate(new):
        if packed.members[at] == members[place]:
            numbers[place] = packed.before[at], packed.after[at], packed.played[at]
        for n in range(packed.starts[at], packed.starts[at + 1]):
            met[place].append((new[packed.opponents[n]], packed.halves[n]))
    starts = [0]
    for own in met:
        starts.append(starts[-1] + len(own))
    found = Packed(
        members,
        [before for before, _after, _played in numbers],
        [after for _before, after, _played in numbers],
        [played for _before, _after, played in numbers],
        starts,
        [other for own in met for other, _halves in own],
        [halves for own in met for _other, halves in own],
    )
    return found, [old for old, name in zip(packed.members, names, strict=True) if old != name]


def numbers_of(before: State, after: State) -> Numbers | None:
    """None where a cote is no whole number."""
    if type(before.rating) is int and type(after.rating) is int:
        return before.rating, after.rating, before.games
    return None


def packed_changes(period: Period, event: Event, changes: Iterable[Change]) -> bytes | None:
    """The row of a period whose changes are at hand; None where it is not packed."""
    system = system_of(period)
    if not packs(system):
        return None
    moves: dict[int, Numbers] = {}
    for change in changes:
        numbers = numbers_of(change.before, change.after)
        if numbers is None and not period.kind:
            return None
        moves[int(str(change.player))] = numbers or (0, 0, 0)
    return pack(system, period, event, moves)


def keep(period: Period, event: Event, changes: Iterable[Change]) -> None:
    """Write the row of a period just settled, in a list that keeps them."""
    if packs(system_of(period)):
        write([(period.pk, packed_changes(period, event, changes))])


def write(rows: Sequence[tuple[int, bytes | None]]) -> None:
    """Keep these rows; None forgets the period's."""
    forget([pk for pk, data in rows if data is None])
    PeriodNumbers.objects.bulk_create(
        [PeriodNumbers(period_id=pk, data=data) for pk, data in rows if data is not None],
        update_conflicts=True,
        unique_fields=["period"],
        update_fields=["data"],
        batch_size=200,
    )


def read_rows(parts: Iterable[Sequence[int]]) -> Iterator[dict[int, Row]]:
    """For each part of the calendar {period: (row, rule book, label)} of those that have a row,
    with nothing between.

    PostgreSQL is asked for the next part while this one is looked at.
    """
    if connection.vendor != "postgresql":
        yield from map(_in_text, parts)
        return
    connection.ensure_connection()
    line = connection.connection  # psycopg's own, which two threads may share
    with ThreadPoolExecutor(max_workers=1) as ahead:
        coming: deque[Future[dict[int, Row]]] = deque()
        for part in parts:
            coming.append(ahead.submit(_in_binary, line, part))
            if len(coming) > 1:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()


def _asked(pks: Sequence[int]) -> str:
    """The ids are written into the statement: hundreds of parameters take longer than the rows."""
    ids = ", ".join(str(int(pk)) for pk in pks)
    return (
        "SELECT n.period_id, n.data, p.rule_book_id, p.label "
        f"FROM {PeriodNumbers._meta.db_table} n JOIN {Period._meta.db_table} p "
        f"ON p.id = n.period_id WHERE n.period_id IN ({ids})"
    )


def _in_text(pks: Sequence[int]) -> dict[int, Row]:
    with connection.cursor() as cursor:
        return _read(cursor, _asked(pks))


def _in_binary(line: Any, pks: Sequence[int]) -> dict[int, Row]:
    """What PostgreSQL answers as bytes: as text a row is twice as long, and must be decoded."""
    from psycopg import Cursor
    from psycopg.pq import Format

    with Cursor(line) as cursor:
        cursor.format = Format.BINARY
        return _read(cursor, _asked(pks).encode())


def _read(cursor: Any, asked: str | bytes) -> dict[int, Row]:
    cursor.execute(asked)
    return {pk: (data, rule_book, label) for pk, data, rule_book, label in cursor.fetchall()}


def forget(pks: Sequence[int]) -> None:
    """Without its row a period is read from the ledger."""
    if pks:
        PeriodNumbers.objects.filter(period__in=pks).delete()


def after_correction(calendar: Calendar, touched: set[int], lines: Sequence[Line]) -> None:
    """Bring the rows in line with a correction just written: `calendar` reads the list as it is.

    Touched periods are packed anew; in the others some numbers are written over in their row.
    """
    if not packs(system_code(calendar)):
        return
    moved: dict[int, list[Line]] = {}
    for line in lines:
        if line.period_id not in touched:
            moved.setdefault(line.period_id, []).append(line)
    again = set(touched)
    for chunk in chunks(sorted(moved), 100):
        ready = []
        held = dict(PeriodNumbers.objects.filter(period__in=chunk).values_list("period_id", "data"))
        for pk in chunk:
            data = _written_over(held[pk], moved[pk]) if pk in held else None
            if data is None:
                again.add(pk)
            else:
                ready.append((pk, data))
        write(ready)
    rebuild(calendar, again)


def _written_over(data: Any, lines: Sequence[Line]) -> bytes | None:
    """The row with these members' numbers; None where it must be packed anew."""
    packed = unpack(bytearray(data))
    if packed.opaque:
        return bytes(data)
    for line in lines:
        numbers = numbers_of(line.change.before, line.change.after)
        at = packed.place_of(line.member_id)
        if numbers is None or at < 0 or line.voided:
            return None
        try:
            packed.before[at], packed.after[at], packed.played[at] = numbers
        except (OverflowError, ValueError):
            return None
    return bytes(packed.members.obj)


def rebuild(calendar: Calendar, pks: set[int] | None = None) -> None:
    """Pack periods anew from the games and the ledger: some, or the whole list."""
    if not packs(system_code(calendar)):
        return
    wanted = [
        place for place in calendar.places if place.wanted and (pks is None or place.pk in pks)
    ]
    kept = {place.pk for place in wanted}
    forget(sorted(pks - kept) if pks is not None else [])
    for chunk in chunks(wanted, 16):
        changes: dict[int, list[Change]] = {place.pk: [] for place in chunk}
        rows = LedgerEntry.objects.filter(period__in=changes).in_force()
        for pk, member, before, after in rows.values_list(
            "period_id", "member_id", "before", "after"
        ).iterator(chunk_size=2000):
            change = Change(member, state_from_json(before), state_from_json(after))
            changes[pk].append(change)
        write(
            [
                (place.pk, packed_changes(period, event, changes[place.pk]))
                for place, period, event in calendar.events(chunk)
            ]
        )


def system_code(calendar: Calendar) -> Any:
    from ratings import systems

    return systems.system(calendar.rating_list.system)


def as_stored(rating_list: RatingList) -> Calendar:
    """The list as it is now."""
    rating_list.refresh_from_db(fields=["version", "facts"])
    return Calendar(rating_list)
