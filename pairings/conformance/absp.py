"""`absp`: the ABSP rating that 001 recommends for Libere (RULES H)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from clubs.rule_fields import with_values
from ratings.systems.absp import Absp, Kept, Line, stored
from ratings.systems.base import Game, State, frozen
from ratings.systems.rounding import half_up

# The system before 1 January 2011, and since.
PARAMS: Mapping[str, Mapping[str, int]] = {
    "1999": {"window": 100, "newest_weight": 150},
    "2011": {"window": 150, "newest_weight": 225},
}


def rules(given: Mapping[str, Any]) -> Absp:
    values = {**PARAMS[str(given.get("params", "2011"))], **given.get("cfg", {})}
    known: Absp = with_values(Absp, {"ten_point": given.get("ten_point", True), **values})
    return known


def game_points(given: Mapping[str, Any]) -> float:
    points = rules(given).game_points(given["mine"], given["opp"], _halves(given["score"]))
    return float(points)


def tournament(given: Mapping[str, Any]) -> dict[str, Any]:
    known, mine = rules(given), given["rating"]
    points = sum(known.game_points(mine, opp, _halves(score)) for opp, score in given["games"])
    return {"points": points, "tournament": half_up(Fraction(points, len(given["games"])))}


def combine(given: Mapping[str, Any]) -> dict[str, Any] | None:
    known = rules(given)
    mean = known.mean(_window(known, given["history"]))
    if mean is None:
        return None
    exact = max(Fraction(known.minimum), mean)
    return {"exact": float(exact), "shown": known.rated(mean, known.minimum)}


def rate_event(given: Mapping[str, Any]) -> dict[str, Any]:
    known = rules(given)
    states = {
        player: State(
            rating=line["rating"],
            games=sum(games for _points, games in line["history"]),
            extra=frozen({"window": stored(_window(known, line["history"]))}),
        )
        for player, line in given["players"].items()
    }
    games = [
        Game(str(number), game["a"], game["b"], _halves(game["sa"]))
        for number, game in enumerate(given["games"])
    ]
    lines = known.rate_division(states, games)
    return {player: _line(line) for player, line in lines.items()}


def _line(line: Line) -> dict[str, Any]:
    return {
        "points": float(line.points),
        "games": len(line.games),
        "tournament": line.tournament,
        "new": line.new,
        "start_used": line.start,
    }


def _window(known: Absp, history: Any) -> tuple[Kept, ...]:
    window: tuple[Kept, ...] = ()
    for number, (points, games) in enumerate(history):
        window = known.pushed(window, Kept(str(number), points, games, games))
    return window


def _halves(score: Any) -> int:
    halves = Fraction(str(score)) * 2
    if halves.denominator != 1 or not 0 <= halves <= 2:
        raise ValueError(f"not a result: {score}")
    return int(halves)


FUNCTIONS = {
    "combine": combine,
    "game_points": game_points,
    "rate_event": rate_event,
    "tournament": tournament,
}
