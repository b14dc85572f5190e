"""Two players and a result: what a system would do, with its reasons. Nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from ratings.systems.protocol import Change, Event, Game, Placing, RatingSystem, State, frozen

FIRST, SECOND = "first", "second"


@dataclass(frozen=True, slots=True)
class Side:
    """A player before the game: their rating (None: newcomer) and their rated games so far."""

    rating: int | None
    games: int


def state_of(system: RatingSystem, side: Side) -> State:
    """Return the state that a system would hold of such a player."""
    if side.rating is None:
        return system.newcomer()
    return system.sample(side.rating, side.games)


def compute(
    system: RatingSystem,
    first: Side,
    second: Side,
    halves: int,
    *,
    scores: tuple[int, int] | None = None,
    kind: str = "",
    on: date,
) -> list[Change]:
    """Return both players' changes after one game of this system on its own.

    Raises EventRefused with the system's sentence where it cannot rate them.
    """
    states = {FIRST: state_of(system, first), SECOND: state_of(system, second)}
    facts: dict[str, Any] = {"official": True}
    if kind:
        facts["list_kind"] = kind
    if system.takes == "placings":
        places = {2: (1, 2), 1: (1, 1), 0: (2, 1)}[halves]
        placings = tuple(
            Placing(player, place) for player, place in zip(states, places, strict=True)
        )
        event = Event("calculator", on, NEXT, placings=placings, facts=frozen(facts))
    else:
        own, other = scores or (None, None)
        game = Game("calculator", FIRST, SECOND, halves, own, other)
        event = Event("calculator", on, NEXT, games=(game,), facts=frozen(facts))
    return system.settle(states, event)


NEXT = 1001
"""The number of the invented event: a sampled window lies just before it."""
