"""`fisf`: the FISF rating, from one row of the table to a whole event."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from clubs.rulebooks.fields import with_values
from ratings.systems.conformance import Each, Functions, halves, keys, number
from ratings.systems.fisf.initial_ratings import start_order, start_ratings
from ratings.systems.fisf.series_thresholds import thresholds_by_percent
from ratings.systems.fisf.status import ESTIMATED, INACTIVE, PROVISIONAL, RANKED
from ratings.systems.fisf.system import Fisf
from ratings.systems.protocol import Change, Event, Game, State, frozen

ANY_DAY = date(2020, 1, 1)
STATUSES = {
    ESTIMATED: "estimee",
    PROVISIONAL: "provisoire",
    RANKED: "classe",
    INACTIVE: "inactif",
}


def rules(cfg: Mapping[str, Any] | None = None) -> Fisf:
    """Return the case's configuration as our dataclass."""
    known: Fisf = with_values(Fisf, cfg or {})
    return known


def we(values: Mapping[str, Any]) -> float:
    return float(rules(values.get("cfg")).we(number(values["diff"])))


def k_factor(values: Mapping[str, Any]) -> int:
    return rules(values.get("cfg")).k_of(number(values["rating"]), number(values["games"]))


def update_player(values: Mapping[str, Any]) -> dict[str, Any]:
    known, e0 = rules(values.get("cfg")), number(values["rating"])
    k = values.get("k") or known.k_of(e0, number(values["games_before"]))
    seen = [(number(game["opp"]), halves(game["w"])) for game in values["games"]]
    result = known.outcome(e0, k, seen)
    return {
        "k": result.k,
        "w": result.halves / 2,
        "we": result.we / 100,
        "lines": [
            {"diff": line.difference, "we": line.we / 100, "gain": line.hundredths / 100}
            for line in result.games
        ],
        "raw": result.raw / 100,
        "new": result.rating,
        "floored": result.floored,
    }


def rate_event(values: Mapping[str, Any]) -> dict[str, object]:
    known = rules(values.get("cfg"))
    states = {
        player: State(rating=number(line["rating"]), games=number(line["games"]))
        for player, line in values["players"].items()
    }
    games = tuple(
        Game(
            str(place),
            game["a"],
            game["b"],
            halves(game["wa"]),
            facts=frozen({"played": game.get("played", True)}),
        )
        for place, game in enumerate(values["games"])
        if game.get("b") is not None and game["a"] is not None
    )
    changes = {c.player: c for c in known.settle(states, Event("event", ANY_DAY, games=games))}
    return {player: _line(known, state, changes.get(player)) for player, state in states.items()}


def _line(known: Fisf, state: State, change: Change | None) -> dict[str, object]:
    e0: Any = state.rating
    after, raw = state, e0
    if change is not None:
        after = change.after
        raw = next(r.values["raw"] for r in change.because if r.kind == "rounding")
    return {
        "new": after.rating,
        "k": known.k_of(e0, state.games),
        "games": after.games,
        "raw": float(raw),
    }


def serie(values: Mapping[str, Any]) -> str:
    return rules(values.get("cfg")).serie(number(values["rating"])).label


def frozen_serie(values: Mapping[str, Any]) -> str | None:
    history = [(date.fromisoformat(day), number(cote)) for day, cote in values["history"]]
    band = rules(values.get("cfg")).frozen_serie(history, date.fromisoformat(values["on"]))
    return band.label if band else None


def status(values: Mapping[str, Any]) -> str:
    last = date.fromisoformat(values["last"]) if values.get("last") else None
    on = date.fromisoformat(values["pub"])
    known = rules(values.get("cfg"))
    return STATUSES[known.status(values["tournaments"], values["games"], last, on)]


def bars(values: Mapping[str, Any]) -> dict[str, int | None]:
    known = rules({**values.get("cfg", {}), "bar_step": values.get("step") or 1})
    thresholds = thresholds_by_percent([number(cote) for cote in values["ratings"]], known)
    return {"Joker": thresholds.joker, "A": thresholds.a, "B": thresholds.b}


def order(values: Mapping[str, Any]) -> list[Any]:
    return start_order(
        [(player, series) for player, series in values["duplicate"]],
        [(player, series) for player, series in values["classique"]],
    )


def starts(values: Mapping[str, Any]) -> list[int]:
    return start_ratings(values["n"], rules(values.get("cfg")))


FUNCTIONS: Functions = {
    "fisf": {
        "frozen_serie": (frozen_serie, keys("history on cfg")),
        "k_factor": (k_factor, keys("rating games cfg")),
        "rate_event": (
            rate_event,
            keys("cfg", players=Each(keys("rating games")), games=[keys("a b wa played")]),
        ),
        "serie": (serie, keys("rating cfg")),
        "start_order": (order, keys("duplicate classique")),
        "start_ratings": (starts, keys("n cfg")),
        "status": (status, keys("tournaments games last pub cfg")),
        "thresholds_by_percent": (bars, keys("ratings step cfg")),
        "update_player": (update_player, keys("rating games_before k cfg", games=[keys("opp w")])),
        "we": (we, keys("diff cfg")),
    },
}
