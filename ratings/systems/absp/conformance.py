"""`absp`: the ABSP rating that 001 recommends for Libere."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from clubs.rulebooks.fields import with_values
from ratings.systems.absp.system import Absp, Division
from ratings.systems.absp.window import Kept, stored
from ratings.systems.conformance import Each, Functions, halves, keys, number
from ratings.systems.protocol import Game, State, frozen
from ratings.systems.rounding import half_up

# The system before 1 January 2011, and since.
PARAMS: Mapping[str, Mapping[str, int]] = {
    "1999": {"window": 100, "newest_weight": 150},
    "2011": {"window": 150, "newest_weight": 225},
}


def rules(case: Mapping[str, Any]) -> Absp:
    values = {**PARAMS[str(case.get("params", "2011"))], **case.get("cfg", {})}
    known: Absp = with_values(Absp, {"ten_point": case.get("ten_point", True), **values})
    return known


def game_points(values: Mapping[str, object]) -> float:
    points = rules(values).game_points(
        _start(values["mine"]), number(values["opp"]), halves(values["score"])
    )
    return float(points)


def tournament(values: Mapping[str, Any]) -> dict[str, Any]:
    known, mine = rules(values), _start(values["rating"])
    games = [(number(opp), halves(score)) for opp, score in values["games"]]
    points = sum(known.game_points(mine, opp, score) for opp, score in games)
    return {"points": float(points), "tournament": half_up(Fraction(points, len(games)))}


def combine(values: Mapping[str, object]) -> dict[str, object] | None:
    known = rules(values)
    mean = known.mean(_window(known, values["history"]))
    if mean is None:
        return None
    exact = max(Fraction(known.minimum), mean)
    return {"exact": float(exact), "shown": known.rated(mean, known.minimum)}


def rate_event(values: Mapping[str, Any]) -> dict[str, object]:
    known = rules(values)
    states = {
        player: State(
            rating=_whole(line["rating"]),
            games=sum(int(number(games)) for _points, games in line["history"]),
            extra=frozen({"window": stored(_window(known, line["history"]))}),
        )
        for player, line in values["players"].items()
    }
    games = [
        Game(str(number), game["a"], game["b"], halves(game["sa"]))
        for number, game in enumerate(values["games"])
    ]
    lines = known.rate_division(states, games)
    return {player: _line(line) for player, line in lines.items()}


def _line(line: Division) -> dict[str, object]:
    return {
        "points": float(line.points),
        "games": len(line.games),
        "tournament": line.tournament,
        "new": line.new,
        "start_used": line.start,
    }


def _window(known: Absp, history: Any) -> tuple[Kept, ...]:
    window: tuple[Kept, ...] = ()
    for place, (points, games) in enumerate(history):
        played = int(number(games))
        window = known.pushed(window, Kept(str(place), number(points), played, played))
    return window


def _start(value: object) -> Any:
    """Return a rating as the rules take it; None becomes a newcomer's."""
    return None if value is None else number(value)


def _whole(value: object) -> int | None:
    """Return a division's starting rating as displayed: a whole number, or None."""
    start = _start(value)
    if start is not None and not isinstance(start, int):
        raise ValueError(f"a division starts from whole ratings, not {value}")
    return start


FUNCTIONS: Functions = {
    "absp": {
        "combine": (combine, keys("history params ten_point cfg")),
        "game_points": (game_points, keys("mine opp score params ten_point cfg")),
        "rate_event": (
            rate_event,
            keys(
                "params ten_point cfg",
                players=Each(keys("rating history")),
                games=[keys("a b sa")],
            ),
        ),
        "tournament": (tournament, keys("rating games params ten_point cfg")),
    },
}
