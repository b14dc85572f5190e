"""Grades of FESA shogi (003 §3, §11, §12): the table, and which grade a player has reached.

A grade is obtained by reaching its own UB, by staying at or above its MP for #MP games in a row,
or at or above its LB for #LB games with one of them at its MP; a game below that comes later takes
nothing back. The table has no misprint: UB of a grade is LB of the next, MP is their middle.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import NamedTuple

Row = tuple[str, int, int, int, int | None, int | None]

GRADES: tuple[Row, ...] = (
    ("15 Kyu", 400, 440, 480, 6, 3),
    ("14 Kyu", 480, 520, 560, 6, 3),
    ("13 Kyu", 560, 600, 640, 6, 3),
    ("12 Kyu", 640, 680, 720, 6, 3),
    ("11 Kyu", 720, 760, 800, 8, 4),
    ("10 Kyu", 800, 840, 880, 8, 4),
    ("9 Kyu", 880, 920, 960, 8, 4),
    ("8 Kyu", 960, 1000, 1040, 8, 4),
    ("7 Kyu", 1040, 1080, 1120, 10, 5),
    ("6 Kyu", 1120, 1160, 1200, 10, 5),
    ("5 Kyu", 1200, 1240, 1280, 10, 5),
    ("4 Kyu", 1280, 1320, 1360, 12, 6),
    ("3 Kyu", 1360, 1410, 1460, 12, 6),
    ("2 Kyu", 1460, 1510, 1560, 12, 6),
    ("1 Kyu", 1560, 1620, 1680, 14, 7),
    ("1 Dan", 1680, 1740, 1800, 14, 7),
    ("2 Dan", 1800, 1860, 1920, 14, 7),
    ("3 Dan", 1920, 2000, 2080, 16, 8),
    ("4 Dan", 2080, 2160, 2240, 16, 8),
    ("5 Dan", 2240, 2340, 2440, None, 10),
    ("6 Dan", 2440, 2540, 2640, None, None),
)
"""(grade, LB, MP, UB, #LB, #MP), weakest first (003 §3)."""

NEEDS_APPROVAL = ("5 Dan", "6 Dan")
ESTABLISHED, PROVISIONAL, UNRATED = "established", "provisional", "unrated"
BY_UB, BY_MP, BY_LB = "UB", "MP", "LB"
EARLY = " early"
BY_UB_PROVISIONAL = "UB of next grade (provisional)"


class Promotion(NamedTuple):
    """The grade reached and how; both None when there is none.

    `waiting`: a grade reached that awaits the approval of the Nihon Shogi Renmei.
    """

    grade: str | None = None
    route: str | None = None
    waiting: str | None = None


def row_of(grade: str, table: Sequence[Row] = GRADES) -> Row:
    """Return the table's row of a grade. Raises KeyError for a grade it does not have."""
    for row in table:
        if row[0] == grade:
            return row
    raise KeyError(grade)


def rank_of(grade: str | None, table: Sequence[Row] = GRADES) -> int:
    """Return the place in the table from 0; −1 without a grade or below the table."""
    return next((n for n, row in enumerate(table) if row[0] == grade), -1)


def interpolate(r0: float, r1: float, n: int) -> list[float]:
    """Return the rating after each of n games of a table, the change spread evenly (003 §12)."""
    return [r0 + (r1 - r0) * i / n for i in range(1, n + 1)]


def promotion(
    *,
    category: str,
    rating: float,
    grade: str | None,
    trail: Sequence[float],
    approved: Collection[str] = (),
    k_of: Callable[[float], int],
    table: Sequence[Row] = GRADES,
    strictly_above: bool = False,
) -> Promotion:
    """Return the best grade above `grade` that the player has reached (003 §11), and how.

    `trail`: ratings after each rated game played as an established player, oldest first. A
    provisional player gets the grade below the one whose UB they reached; an unrated one none.
    """
    if category == UNRATED:
        return Promotion()
    grade_rank = rank_of(grade, table)
    if category == PROVISIONAL:
        reached = max((n for n, row in enumerate(table) if rating >= row[3]), default=0) - 1
        below = reversed(table[grade_rank + 1 : reached + 1])
        return _allowed([(row[0], BY_UB_PROVISIONAL) for row in below], approved)
    ways = (
        (row[0], _route(row, rating, trail, k_of, strictly_above))
        for row in reversed(table[grade_rank + 1 :])
    )
    return _allowed(ways, approved)


class Distance(NamedTuple):
    """What a grade still asks of a player: games in a row so far at its MP and at its LB.

    `has_middle`: one of the games at its LB is at its MP, as 003 §11 wants.
    """

    row: Row
    at_middle: int = 0
    at_lower: int = 0
    has_middle: bool = False


def next_grade(
    *,
    category: str,
    rating: float,
    grade: str | None,
    trail: Sequence[float],
    k_of: Callable[[float], int],
    table: Sequence[Row] = GRADES,
    strictly_above: bool = False,
) -> Distance | None:
    """Return the lowest grade not reached yet and how far it is (003 §11); None above the last one.

    The row of a provisional player has the UB that they must reach: that of the grade above.
    """
    above = table[rank_of(grade, table) + 1 :]
    if category == PROVISIONAL:
        pairs = itertools.pairwise(above)
        next_pair = next(((row, upper) for row, upper in pairs if rating < upper[3]), None)
        return (
            None
            if next_pair is None
            else Distance((*next_pair[0][:3], next_pair[1][3], None, None))
        )
    if category == UNRATED:
        return None
    for row in above:
        if _route(row, rating, trail, k_of, strictly_above) is None:
            middle, lower = _holding(row[2], strictly_above), _holding(row[1], strictly_above)
            at_lower = _streak(trail, lower)
            seen = any(middle(value) for value in trail[len(trail) - at_lower :])
            return Distance(row, _streak(trail, middle), at_lower, seen)
    return None


def _allowed(ways: Iterable[tuple[str, str | None]], approved: Collection[str]) -> Promotion:
    """Return the best grade reached that needs no missing approval, each by its own rule."""
    waiting = None
    for name, route in ways:
        if route is None:
            continue
        if name not in NEEDS_APPROVAL or name in approved:
            return Promotion(name, route, waiting)
        waiting = waiting or name
    return Promotion(None, None, waiting)


def _route(
    row: Row,
    rating: float,
    trail: Sequence[float],
    k_of: Callable[[float], int],
    strictly_above: bool,
) -> str | None:
    _name, lower, middle, upper, games_lower, games_middle = row
    if rating >= upper:
        return BY_UB

    for limit, needed, route in ((middle, games_middle, BY_MP), (lower, games_lower, BY_LB)):
        if needed is None:
            continue
        above = _holding(limit, strictly_above)
        is_above_middle = _holding(middle, strictly_above)
        runs = [list(run) for holds, run in itertools.groupby(trail, above) if holds]
        if any(len(run) >= needed and any(map(is_above_middle, run)) for run in runs):
            return route
        streak = _streak(trail, above)
        if not any(map(is_above_middle, trail[len(trail) - streak :])):
            continue
        worst = trail[-1]
        for _missing in range(needed - streak):
            worst -= k_of(worst)
        if above(worst):
            return route + EARLY
    return None


def _holding(limit: float, strictly_above: bool) -> Callable[[float], bool]:
    """Return whether a rating is at that limit or, as the committee may choose, above it."""
    return partial(operator.lt if strictly_above else operator.le, limit)


def _streak(trail: Sequence[float], holds: Callable[[float], bool]) -> int:
    count = 0
    for value in reversed(trail):
        if not holds(value):
            break
        count += 1
    return count
