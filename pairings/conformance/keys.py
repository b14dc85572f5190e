"""The keys that a case of each function may have. Any other key is an error of the case.

A shape is None (any value), a mapping of key → shape, `[shape]` (a list of such items) or
`Each(shape)` (a mapping of free names to such values). Settings are checked where they are read,
by `clubs.rulebooks.fields.with_values`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Each:
    """A mapping whose names are the case's own: players, days, types of game."""

    shape: Any


def keys(names: str, **nested: Any) -> dict[str, Any]:
    """Return the shape of a mapping; `nested` gives the shapes of keys that contain more keys."""
    return {**dict.fromkeys(names.split()), **nested}


LADDER_MATCH = keys("a b kind sa sb absent present justified day")
LADDER_INFO = Each(keys("joined initial"))
CLASSIQUE_MATCH = keys("a b games forfeit present")
FESA_PLAYER = keys(
    "rating games earlier previous history onesided one_sided bonus_used accepted_grade"
)
RESULT = keys("kind sa sb absent justified")

SHAPES: Mapping[str, Mapping[str, Any]] = {
    "absp": {
        "combine": keys("history params ten_point cfg"),
        "game_points": keys("mine opp score params ten_point cfg"),
        "rate_event": keys(
            "params ten_point cfg",
            players=Each(keys("rating history")),
            games=[keys("a b sa")],
        ),
        "tournament": keys("rating games params ten_point cfg"),
    },
    "faizers_cote": {
        "apply_cut": keys("rating percent rating_floor cfg"),
        "category": keys("e cfg"),
        "ds": keys("winner loser"),
        "k_of": keys("e0 games cfg"),
        "match_points": keys("kind result winner present absent"),
        "p_win": keys("e0 opp divisor"),
        "rate_session": keys(
            "players games cfg", matches=[keys("a b sa sb kind winner result present absent")]
        ),
        "sanction_due": keys("flags limit window"),
    },
    "faizers_pairing": {
        "ds_match": keys("scores"),
        "match_effect": keys("settings", match=LADDER_MATCH),
        "pair_ranked": keys("order settings", history=[LADDER_MATCH]),
        "pair_round": keys(
            "players available suspended settings today", info=LADDER_INFO, history=[LADDER_MATCH]
        ),
        "permute": keys("order free met a b"),
        "rating_cut": keys("rating percent floor settings"),
        "sanctions": keys("players settings", history=[LADDER_MATCH]),
        "season": keys(
            "settings",
            info=LADDER_INFO,
            rounds=[keys("active available suspended today", results=[LADDER_MATCH])],
        ),
        "standings": keys(
            "players settings today for_pairing", info=LADDER_INFO, history=[LADDER_MATCH]
        ),
    },
    "fesa": {
        "categories": keys("scores profile overrides", player=FESA_PLAYER),
        "game_change": keys("tr opp res use_dprime bonus_left profile overrides"),
        "grade_row": keys("grade"),
        "interpolate": keys("r0 r1 n"),
        "k_of": keys("tr profile overrides"),
        "performance": keys("results profile overrides"),
        "player_change": keys("rating bonus_left games category profile overrides"),
        "promotion": keys("category rating grade trail approved profile overrides"),
        "rate_table": keys(
            "profile overrides",
            players=Each(FESA_PLAYER),
            games=[keys("a b sa played handicap")],
        ),
        "split_table": keys("n_rounds profile overrides"),
    },
    "fisf": {
        "frozen_serie": keys("history on cfg"),
        "k_factor": keys("rating games cfg"),
        "rate_event": keys(
            "cfg", players=Each(keys("rating games")), games=[keys("a b wa played")]
        ),
        "serie": keys("rating cfg"),
        "start_order": keys("duplicate classique"),
        "start_ratings": keys("n cfg"),
        "status": keys("tournaments games last pub cfg"),
        "thresholds_by_percent": keys("ratings step cfg"),
        "update_player": keys("rating games_before k cfg", games=[keys("opp w")]),
        "we": keys("diff cfg"),
    },
    "formule_classique": {
        "check_games": keys("games winning_games"),
        "fixed_tables": keys("players settings"),
        "initial_ranking": keys("", entries=[keys("id name cote")]),
        "match_points": keys("settings", match=CLASSIQUE_MATCH),
        "match_points_two_wins": keys("settings winning_games", match=CLASSIQUE_MATCH),
        "pair_ranked": keys("order pm met strategy settings"),
        "permute": keys("order free met a b"),
        "ppm": keys("group settings", history=[CLASSIQUE_MATCH]),
        "round1_large": keys("initial"),
        "rounds_count": keys("entries settings"),
        "rounds_count_error": keys("entries settings"),
        "standings": keys("players initial settings", history=[CLASSIQUE_MATCH]),
        "standings_final": keys("players initial settings", history=[CLASSIQUE_MATCH]),
        "tournament": keys(
            "entries initial settings", rounds=[keys("present", results=[CLASSIQUE_MATCH])]
        ),
    },
    "match": {
        "events": keys(
            "a b kind settings",
            events=[keys("type by role at sa sb reason absent justified", result=RESULT)],
        ),
    },
    "romania": {
        "active_min": keys("n"),
        "average_places": keys("places"),
        "general": keys("ratings statuses"),
        "points": keys("v j place"),
        "round_half_up": keys("x"),
        "simulate": keys("n ties events"),
        "weights": keys("n"),
    },
}


def check(system: str, function: str, given: Any) -> None:
    """Raise ValueError naming the first key that the function does not read."""
    _check(given, SHAPES[system][function], "")


def _check(value: Any, shape: Any, place: str) -> None:
    if shape is None or value is None:
        return
    if isinstance(shape, list):
        for number, item in enumerate(value if isinstance(value, list) else ()):
            _check(item, shape[0], f"{place}[{number}]")
    elif isinstance(value, Mapping):
        for name, item in value.items():
            path = f"{place}.{name}" if place else str(name)
            if isinstance(shape, Each):
                _check(item, shape.shape, path)
            elif name not in shape:
                raise ValueError(f"unknown key: {path}")
            else:
                _check(item, shape[name], path)
