"""One FESA table as numbers: everybody's final rating, each from the opponents' final ratings.

The opponents' ratings are those after the event (003 §7, §9), so the table is a fixed point. It
is an integer one: everybody is computed again from the final ratings rounded to integers until
nothing moves. A cycle is left to a real-valued iteration rounded at the end; where that does not
settle either, a fixed rule chooses and the officer is warned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

INTEGER, REAL, UNSETTLED = "integer", "real", "cycle"
MOST_PASSES = 1000
REAL_PASSES = 400
REAL_TOLERANCE = 1e-9
RUNAWAY = 10_000
"""Beyond this no rating fixes the level: newcomers who only push each other up or down."""


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """Final ratings (integers), how they were found, and after how many passes.

    `values`: the ratings before they were rounded, where the iteration was a real-valued one.
    """

    finals: tuple[int, ...]
    mode: str
    passes: int
    values: tuple[float, ...] = ()

    @property
    def converged(self) -> bool:
        """Return whether another pass gives the same numbers."""
        return self.mode != UNSETTLED


def performance(results: Sequence[tuple[float, float]], divisor: float = 400.0) -> float | None:
    """Return the rating whose expected score is the actual one (003 §6); None for 0 % and 100 %.

    `results`: (opponent's rating, 1, ½ or 0). Newton's method inside a bracket that always holds
    the answer, to about 1e-10.
    """
    total = math.fsum(score for _opponent, score in results)
    count = len(results)
    if not 0 < total < count:
        return None
    opponents = [opponent for opponent, _score in results]
    gap = divisor * math.log10(total / (count - total))
    low, high = min(opponents) + min(gap, 0) - 1, max(opponents) + max(gap, 0) + 1
    rating = math.fsum(opponents) / count + gap
    slope = math.log(10) / divisor
    for _pass in range(200):
        expected = [1 / (1 + 10 ** ((opponent - rating) / divisor)) for opponent in opponents]
        error = math.fsum(expected) - total
        if error > 0:
            high = min(high, rating)
        else:
            low = max(low, rating)
        steep = slope * math.fsum(p * (1 - p) for p in expected)
        step = rating - error / steep if steep else math.inf
        if abs(step - rating) < 1e-10:
            return step
        rating = step if low < step < high else (low + high) / 2
    return rating


def settle(
    start: Sequence[int],
    passing: Callable[[Sequence[float]], Sequence[float]],
    half_up: Callable[[float], int],
) -> FixedPoint:
    """Iterate `passing` (finals → finals, unrounded) to a fixed point of the rounded values."""
    current = tuple(start)
    seen = {current: 0}
    order = [current]
    for count in range(1, MOST_PASSES):
        following = tuple(half_up(value) for value in passing(current))
        if following == current:
            return FixedPoint(current, INTEGER, count)
        if any(abs(value) > RUNAWAY for value in following):
            return FixedPoint(current, UNSETTLED, count)
        current = following
        if current in seen:
            return _real(order[seen[current] :], passing, half_up, count)
        seen[current] = count
        order.append(current)
    return _real(order[-2:], passing, half_up, MOST_PASSES)


def _real(
    cycle: Sequence[tuple[int, ...]],
    passing: Callable[[Sequence[float]], Sequence[float]],
    half_up: Callable[[float], int],
    passes: int,
) -> FixedPoint:
    values: Sequence[float] = cycle[0]
    for count in range(REAL_PASSES):
        following = passing(values)
        moved = max((abs(a - b) for a, b in zip(values, following, strict=True)), default=0.0)
        if any(abs(value) > RUNAWAY for value in following):
            break
        values = following
        if moved < REAL_TOLERANCE:
            finals = tuple(half_up(v) for v in values)
            return FixedPoint(finals, REAL, passes + count, tuple(values))
    best = min(cycle, key=lambda finals: (_restless(finals, passing), finals))
    return FixedPoint(best, UNSETTLED, passes + REAL_PASSES)


def _restless(
    finals: tuple[int, ...], passing: Callable[[Sequence[float]], Sequence[float]]
) -> float:
    """Return how far another pass would move these numbers: the tie rule prefers the smallest move."""
    return math.fsum(abs(a - b) for a, b in zip(finals, passing(finals), strict=True))
