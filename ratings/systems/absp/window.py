"""The window of past games that an ABSP rating is the mean of, as it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ratings.systems.protocol import State


@dataclass(frozen=True, slots=True)
class Kept:
    """One event in a player's window: its points and games, and how many of them still count."""

    key: str
    points: int
    played: int
    kept: int

    @property
    def average(self) -> Fraction:
        return Fraction(self.points, self.played)


def window_of(state: State) -> tuple[Kept, ...]:
    """Return the stored window, oldest first: [key, points, games, games that still count]."""
    return tuple(Kept(*line) for line in state.extra.get("window", ()))


def stored(window: Sequence[Kept]) -> list[list[Any]]:
    """Return the window as JSON."""
    return [[one.key, one.points, one.played, one.kept] for one in window]
