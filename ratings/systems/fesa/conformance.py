"""`fesa`: Elo and grades of shogi, from one k to a whole table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clubs.rulebooks.fields import with_values
from ratings.systems.conformance import Each, Functions, halves, keys
from ratings.systems.fesa import table as fesa_table
from ratings.systems.fesa.elo import TablePlayer
from ratings.systems.fesa.grades import interpolate as between
from ratings.systems.fesa.grades import row_of
from ratings.systems.fesa.settings import PROFILES
from ratings.systems.fesa.system import Fesa
from ratings.systems.rounding import half_up

ALIASES = {
    "zero_rating": "zero_listed",
    "bonus_max": "bonus_most",
    "max_bonus": "bonus_most",
    "bonus_provisional": "bonus_for_provisional",
    "dprime_provisional": "upset_for_provisional",
    "dprime_for_provisional": "upset_for_provisional",
    "opponent_floor": "counted_floor",
}


def rules(case: Mapping[str, Any]) -> Fesa:
    """Return the named profile with the case's overrides."""
    values = dict(PROFILES[str(case.get("profile") or "seed")])
    for name, value in (case.get("overrides") or {}).items():
        values[ALIASES.get(name, name)] = value
    known: Fesa = with_values(Fesa, values)
    return known


def k_of(values: Mapping[str, Any]) -> int:
    return rules(values).k_of(values["tr"])


def grade_row(values: Mapping[str, Any]) -> list[object]:
    return list(row_of(values["grade"])[1:])


def game_change(values: Mapping[str, Any]) -> dict[str, Any]:
    one = rules(values).game_change(
        values["tr"],
        values["opp"],
        halves(values["res"]),
        upset=values.get("use_dprime", True),
        bonus=values.get("bonus_left", 0) > 0,
    )
    return {"change": one.change, "formula": one.formula, "bonus": one.bonus}


def performance(values: Mapping[str, Any]) -> float | None:
    known = rules(values)
    results = [(max(float(o), known.counted_floor), float(score)) for o, score in values["results"]]
    return fesa_table.performance(results, known.divisor)


def player(values: Mapping[str, Any]) -> TablePlayer:
    """Return a case's player as the engine's value."""
    games = int(values.get("games") or 0)
    earlier = values.get("earlier") or values.get("previous") or values.get("history") or ()
    past = tuple((float(o), halves(score)) for o, score in earlier)
    if past:
        outcomes = "".join(sorted({"ldw"[h] for _o, h in past}))
    elif not games:
        outcomes = ""
    elif values.get("onesided", values.get("one_sided", False)):
        outcomes = "l" if (values.get("rating") or 0) <= 400 else "w"
    else:
        outcomes = "wl"
    return TablePlayer(
        rating=values.get("rating"),
        games=max(games, len(past)),
        outcomes={"lw": "wl", "dlw": "wdl", "dl": "dl", "dw": "wd"}.get(outcomes, outcomes),
        bonus_used=int(values.get("bonus_used") or 0),
        accepted_grade=values.get("accepted_grade"),
        earlier=past,
    )


def categories(values: Mapping[str, Any]) -> dict[str, str]:
    known, one = rules(values), player(values["player"])
    scores = [halves(score) for score in values["scores"]]
    results = known.rate_table(
        {"me": one}, [("me", f"o{n}", score) for n, score in enumerate(scores)]
    )
    return {
        "before": known.category_before(one, len(scores)),
        "after": results.players["me"].after,
    }


def rate_table(values: Mapping[str, Any]) -> dict[str, object]:
    known = rules(values)
    players = {name: player(value) for name, value in values["players"].items()}
    games = [
        (game["a"], game["b"], halves(game["sa"]))
        for game in values["games"]
        if game.get("b") is not None and game.get("played", True) and not game.get("handicap")
    ]
    for first, second, _score in games:
        if first == second:
            raise ValueError(f"{first} plays themselves")
    result = known.rate_table(players, games)
    return {
        "players": {
            name: {
                "category": one.category,
                "after": one.after,
                "final": one.final,
                "change": one.change,
                "games": one.games,
                "bonus_used": one.bonus_used,
            }
            for name, one in result.players.items()
        },
        "converged": result.fixed_point.converged,
        "mode": result.fixed_point.mode,
    }


def player_change(values: Mapping[str, Any]) -> int:
    known = rules(values)
    games = [(float(o), halves(score)) for o, score in values["games"]]
    category = str(values.get("category") or "established")
    _games, total = known.player_change(
        values["rating"], games, bonus_left=values.get("bonus_left", 0), category=category
    )
    return half_up(values["rating"] + total) - half_up(values["rating"])


def promotion(values: Mapping[str, Any]) -> list[object]:
    gained = rules(values).promote(
        category=values["category"],
        rating=values["rating"],
        grade=values.get("grade"),
        trail=values.get("trail") or (),
        approved=values.get("approved") or (),
    )
    return [gained.grade, gained.route]


def interpolate(values: Mapping[str, Any]) -> list[float]:
    return between(values["r0"], values["r1"], values["n"])


def split_table(values: Mapping[str, Any]) -> list[int]:
    return rules(values).split(values["n_rounds"])


FESA_PLAYER = keys(
    "rating games earlier previous history onesided one_sided bonus_used accepted_grade"
)

FUNCTIONS: Functions = {
    "fesa": {
        "categories": (categories, keys("scores profile overrides", player=FESA_PLAYER)),
        "game_change": (game_change, keys("tr opp res use_dprime bonus_left profile overrides")),
        "grade_row": (grade_row, keys("grade")),
        "interpolate": (interpolate, keys("r0 r1 n")),
        "k_of": (k_of, keys("tr profile overrides")),
        "performance": (performance, keys("results profile overrides")),
        "player_change": (
            player_change,
            keys("rating bonus_left games category profile overrides"),
        ),
        "promotion": (promotion, keys("category rating grade trail approved profile overrides")),
        "rate_table": (
            rate_table,
            keys(
                "profile overrides",
                players=Each(FESA_PLAYER),
                games=[keys("a b sa played handicap")],
            ),
        ),
        "split_table": (split_table, keys("n_rounds profile overrides")),
    },
}
