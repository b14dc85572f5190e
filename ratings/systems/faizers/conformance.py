"""`faizers_cote`: the club cote, from one probability to a whole session."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any

from clubs.rulebooks.fields import with_values
from ratings.systems.categories import category_of
from ratings.systems.conformance import Functions, keys, number
from ratings.systems.faizers.system import Faizers
from ratings.systems.forfeits import absent_side
from ratings.systems.protocol import Event, Game, Number, State
from ratings.systems.score_difference import ds_of_match

RATED = ("played", "normal")


def rules(cfg: Mapping[str, Any] | None) -> Faizers:
    """Return the vectors' configuration as our dataclass."""
    values = dict(cfg or {})
    bands = values.pop("k_bands", None)
    if bands is not None:
        low, middle, high = sorted(bands, key=lambda band: band[0] if band[0] is not None else -1)
        values |= {"k_beginner": low[1], "k_intermediate": middle[1], "k_expert": high[1]}
        values |= {"k_intermediate_from": middle[0], "k_expert_from": high[0]}
    if "ds_mode" in values:
        values["ds_in_rating"] = values.pop("ds_mode")
    if "floor" in values and values["floor"] is False:
        values["floor"] = None
    known: Faizers = with_values(Faizers, values)
    return known


def p_win(values: Mapping[str, object]) -> float:
    known = rules({"divisor": values.get("divisor", 400)})
    return known.win_probability(number(values["e0"]), number(values["opp"]))


def ds(values: Mapping[str, object]) -> float:
    return float(ds_of_match(_score(values["winner"]), _score(values["loser"])))


def k_of(values: Mapping[str, Any]) -> int:
    return rules(values.get("cfg")).k_of(number(values["e0"]), values.get("games"))


def category(values: Mapping[str, Any]) -> str:
    known = rules(values.get("cfg"))
    return _category(known, number(values["e"]))


def _category(known: Faizers, cote: Number) -> str:
    """Return the category of a cote as printed, like that of a list."""
    return category_of(known.shown_value(cote), known.bands()).code.upper()


def apply_cut(case: Mapping[str, Any]) -> int:
    values = dict(case.get("cfg") or {})
    cut_floor = values.pop("rating_floor", None)
    return rules(values).after_cut(
        number(case["rating"]), case["percent"], cut_floor=case.get("rating_floor", cut_floor)
    )


def rate_session(values: Mapping[str, Any]) -> dict[str, object]:
    known = rules(values.get("cfg"))
    counts = values.get("games") or {}
    states = {
        player: State(rating=number(value), games=counts.get(player, 0))
        for player, value in values["players"].items()
    }
    games = [
        game
        for place, match in enumerate(values["matches"])
        if (game := _game(match, place, known)) is not None
    ]
    changes = {
        str(change.player): change
        for change in known.settle(states, Event("session", date(2026, 1, 1), games=tuple(games)))
    }
    return {
        player: _line(known, state, changes.get(player), games, states)
        for player, state in states.items()
    }


def _game(match: Mapping[str, object], place: int, known: Faizers) -> Game | None:
    kind = match.get("kind", "played")
    if kind in ("forfeit", "absent"):
        if not known.rate_forfeits or (winner := winner_of_forfeit(match)) is None:
            return None
        return Game(str(place), match["a"], match["b"], 2 if winner == "a" else 0)
    if kind not in RATED:
        return None
    first, second = _score(match["sa"]), _score(match["sb"])
    halves = 2 if first > second else 0 if first < second else 1
    return Game(str(place), match["a"], match["b"], halves, first, second)


def winner_of_forfeit(match: Mapping[str, Any]) -> str | None:
    """Return "a" or "b": from the name given, the players present, or the scores of the forfeit.

    None where both were absent. Raises ValueError where these contradict each other.
    """
    absent = absent_side(match)
    said = match.get("winner", match.get("result"))
    if said is not None:
        # Check the players' names first: "b" may be the first player's name.
        sides = {match["a"]: "a", match["b"]: "b"}
        winner = sides.get(said) or (said if said in ("a", "b") else None)
        if winner is None or absent in (winner, "both"):
            raise ValueError(f"not the winner of this forfeit: {said}")
        return str(winner)
    if absent:
        return {"a": "b", "b": "a"}.get(absent)
    return "a" if match["sa"] >= match["sb"] else "b"


def _score(value: object) -> int:
    score = number(value)
    if isinstance(score, int):
        return score
    raise ValueError(f"not a score: {value}")


def _line(known: Faizers, state: State, change: Any, games: Any, states: Any) -> dict[str, object]:
    player = change.player if change else None
    seen = []
    for game in games:
        if player in (game.first, game.second):
            opponent, halves, mine, theirs = game.seen_by(player)
            seen.append((float(states[opponent].rating), halves / 2, known.ds_of(mine, theirs)))
    k, w, we, total, raw = known.session(state.rating, state.games, seen)
    new: Any = change.after.rating if change else state.rating
    shown: Any = float(new) if isinstance(new, Fraction) else new
    return {
        "k": k,
        "w": w,
        "we": we,
        "ds": total,
        "raw": float(raw),
        "new": shown,
        "category": _category(known, new),
        "n": len(seen),
    }


FUNCTIONS: Functions = {
    "faizers_cote": {
        "apply_cut": (apply_cut, keys("rating percent rating_floor cfg")),
        "category": (category, keys("e cfg")),
        "ds": (ds, keys("winner loser")),
        "k_of": (k_of, keys("e0 games cfg")),
        "p_win": (p_win, keys("e0 opp divisor")),
        "rate_session": (
            rate_session,
            keys(
                "players games cfg", matches=[keys("a b sa sb kind winner result present absent")]
            ),
        ),
    },
}
