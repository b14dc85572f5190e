"""What a system would do with two players and a result, or with each place. Nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from ratings.systems.protocol import Change, Event, Game, Number, RatingSystem, State, frozen

FIRST, SECOND = "first", "second"
NEXT = 1001
"""The number of the invented event: a sampled window lies just before it."""


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
    kind: str = "",
    on: date,
) -> list[Change]:
    """Return both players' changes after one game of this system on its own.

    Raises EventRefused with the system's sentence where it cannot rate them.
    """
    states = {FIRST: state_of(system, first), SECOND: state_of(system, second)}
    game = Game("calculator", FIRST, SECOND, halves)
    return system.settle(states, _event(kind, on, games=(game,)))


def by_place(
    system: RatingSystem,
    state: State,
    others: int,
    players: int,
    *,
    kind: str,
    on: date,
    sequence: int = NEXT,
) -> list[tuple[Number, Change]]:
    """Return what each place of a collective game would give a player: points and change, the first one first.

    `sequence`: the number of that game in the list's calendar, for a state that the list stores.
    """
    event = _event(kind, on, sequence=sequence)
    return system.by_place(FIRST, state, others, players, event)


def _event(kind: str, on: date, *, sequence: int = NEXT, games: tuple[Game, ...] = ()) -> Event:
    facts = {"official": True, **({"list_kind": kind} if kind else {})}
    return Event("calculator", on, sequence, games=games, facts=frozen(facts))
