"""`glicko2`: Glickman's Glicko-2, from one expected score to a rating period."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from clubs.rulebooks.fields import with_values
from ratings.systems.conformance import Each, Functions, halves, keys
from ratings.systems.glicko2 import formula
from ratings.systems.glicko2.formula import CENTRE, SCALE
from ratings.systems.glicko2.system import Glicko2
from ratings.systems.protocol import Event, Game, State, frozen

ANY_DAY = date(2026, 1, 1)


def expected(values: Mapping[str, Any]) -> float:
    rating, other = ((float(values[name]) - CENTRE) / SCALE for name in ("rating", "opp"))
    return formula.expected(rating, other, float(values["opp_rd"]) / SCALE)


def rate_period(values: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    rules: Glicko2 = with_values(Glicko2, values.get("cfg") or {})
    states = {
        player: State(
            float(line["rating"]),
            extra=frozen({"rd": float(line["rd"]), "volatility": float(line["volatility"])}),
        )
        for player, line in values["players"].items()
    }
    games = tuple(
        Game(str(place), game["a"], game["b"], halves(game["sa"]))
        for place, game in enumerate(values["games"])
    )
    return {
        change.player: {"rating": float(change.after.rating or 0), **change.after.extra}
        for change in rules.settle(states, Event("period", ANY_DAY, games=games))
    }


FUNCTIONS: Functions = {
    "glicko2": {
        "expected": (expected, keys("rating opp opp_rd")),
        "rate_period": (
            rate_period,
            keys("cfg", players=Each(keys("rating rd volatility")), games=[keys("a b sa")]),
        ),
    },
}
