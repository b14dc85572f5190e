"""The fixed first rounds of small tournaments (004 §6.2), as data.

The table for 8 is the document's (§6.2.1). Those for 9 to 16 "are built into Sclassic" and not
published: the ones here are the club's own, unofficial, and a committee that has those of Sclassic
may replace each of them (`small_tables`).

Our construction: like the table for 8, whose two pools of four, {1,5,6,8} and {2,3,4,7}, play
rounds of p–s q–r | p–r q–s | p–q r–s. Serpentine pools of equal sum of places play all three
rounds, and one pool of six plays three of its five rounds when the number is not a multiple of
four.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from clubs.rulebooks.fields import gettext_noop as _
from pairings.systems.protocol import FixedTable, SettingRefused

Round = tuple[tuple[int, int], ...]
"""Pairs of places in the initial ranking, in the order of the tables."""


class TableRefused(SettingRefused):
    """A table that cannot be played; a key of `TABLE_PROBLEMS`."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(TABLE_PROBLEMS[code], values)
        self.code = code


TABLE_PROBLEMS = {
    "size": _("Le tableau pour %(size)s joueurs : il en faut un nombre pair, de 2 à 16."),
    "empty": _("Le tableau pour %(size)s joueurs n’a aucune ronde."),
    "shape": _(
        "Le tableau pour %(size)s joueurs : chaque ronde est une liste de paires de places."
    ),
    "seats": _(
        "Le tableau pour %(size)s joueurs, ronde %(round)s : chaque place de 1 à %(size)s doit "
        "paraître une fois."
    ),
    "repeat": _(
        "Le tableau pour %(size)s joueurs, ronde %(round)s : %(first)s et %(second)s se "
        "rencontrent deux fois."
    ),
}


def fixed_table(size: int, rounds: Iterable[Any], *, official: bool = False) -> FixedTable:
    """Return a checked table: everybody plays once a round, and no pair meets twice.

    Raises TableRefused naming the round that is wrong.
    """
    if size % 2 or not 2 <= size <= 16:
        raise TableRefused("size", size=size)
    try:
        checked_rounds: tuple[Round, ...] = tuple(
            tuple((int(first), int(second)) for first, second in pairs) for pairs in rounds
        )
    except (TypeError, ValueError) as wrong:
        raise TableRefused("shape", size=size) from wrong
    if not checked_rounds:
        raise TableRefused("empty", size=size)
    met: set[frozenset[int]] = set()
    for number, pairs in enumerate(checked_rounds, start=1):
        if sorted(seat for pair in pairs for seat in pair) != list(range(1, size + 1)):
            raise TableRefused("seats", size=size, round=number)
        for first, second in pairs:
            pair = frozenset((first, second))
            if pair in met:
                raise TableRefused("repeat", size=size, round=number, first=first, second=second)
            met.add(pair)
    return FixedTable(size, checked_rounds, _pools(size, met), official)


def _pools(size: int, met: set[frozenset[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the closed groups of a table whose players meet only each other, if it has any."""
    pool_of = {seat: seat for seat in range(1, size + 1)}
    for first, second in combinations(range(1, size + 1), 2):
        if frozenset((first, second)) in met:
            old, new = pool_of[second], pool_of[first]
            pool_of = {seat: new if pool == old else pool for seat, pool in pool_of.items()}
    pools: dict[int, list[int]] = {}
    for seat, pool in pool_of.items():
        pools.setdefault(pool, []).append(seat)
    return tuple(tuple(seats) for seats in pools.values())


EIGHT = fixed_table(
    8,
    (((1, 8), (5, 6), (2, 7), (3, 4)), ((1, 6), (5, 8), (2, 4), (3, 7))),
    official=True,
)

TEN = fixed_table(
    10,
    (
        ((1, 10), (2, 9), (3, 8), (4, 7), (5, 6)),
        ((1, 6), (2, 8), (3, 7), (4, 9), (5, 10)),
        ((1, 5), (2, 4), (3, 9), (6, 10), (7, 8)),
    ),
)

TWELVE = fixed_table(
    12,
    (
        ((1, 12), (2, 11), (3, 10), (4, 9), (5, 8), (6, 7)),
        ((1, 7), (2, 8), (3, 9), (4, 10), (5, 11), (6, 12)),
        ((1, 6), (2, 5), (3, 4), (7, 12), (8, 11), (9, 10)),
    ),
)

FOURTEEN = fixed_table(
    14,
    (
        ((1, 14), (2, 13), (3, 12), (4, 11), (5, 10), (6, 9), (7, 8)),
        ((1, 8), (2, 9), (3, 11), (4, 10), (5, 12), (6, 13), (7, 14)),
        ((1, 7), (2, 6), (3, 5), (4, 12), (8, 14), (9, 13), (10, 11)),
    ),
)

SIXTEEN = fixed_table(
    16,
    (
        ((1, 16), (2, 15), (3, 14), (4, 13), (5, 12), (6, 11), (7, 10), (8, 9)),
        ((1, 9), (2, 10), (3, 11), (4, 12), (5, 13), (6, 14), (7, 15), (8, 16)),
        ((1, 8), (2, 7), (3, 6), (4, 5), (9, 16), (10, 15), (11, 14), (12, 13)),
    ),
)

TABLES: Mapping[int, FixedTable] = {
    table.size: table for table in (EIGHT, TEN, TWELVE, FOURTEEN, SIXTEEN)
}


def table_for(players: int, replaced: Mapping[int, FixedTable] | None = None) -> FixedTable | None:
    """Return the table for so many players.

    An odd number uses the table of the next even one, X on its last place. None above 16 (§6.1) and
    for a number that has none.
    """
    size = players + players % 2
    return (replaced or {}).get(size) or TABLES.get(size)
