"""Conformance vectors of the Formule Classique, turned into calls of the engine and back.

Only translates: every answer comes from the functions that the site calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clubs.rulebooks.fields import with_values
from pairings.rules.scoring import ABSENT, BYE, PLAYED, MatchRecord, Meeting
from pairings.rules.tiebreaks import RankedPlayer
from pairings.systems.formule_classique.fixed_tables import table_for
from pairings.systems.formule_classique.opening import first_round_large, rounds_for
from pairings.systems.formule_classique.system import FormuleClassique, boards
from pairings.systems.matching.repairing import NOT_FOUND, permute
from pairings.systems.points.match_points import MatchPoints, problem_with
from pairings.systems.points.seeding import FICTIVE, Entry, initial_ranking
from pairings.systems.protocol import KEPT, Entrant, EntriesRefused, Pairing
from ratings.systems.conformance import Functions, as_json, keys
from ratings.systems.forfeits import absent_side

Case = Mapping[str, Any]


def rounds_count(case: Case) -> dict[str, object]:
    """Return the number of matches for each number of entries (§1)."""
    return {"rounds": [_system(case).rounds_of(entries) for entries in _entries(case)]}


def rounds_count_error(case: Case) -> dict[str, object]:
    """Check that all of these numbers of entries are refused (§1)."""
    rounds = []
    for entries in _entries(case):
        try:
            rounds.append(rounds_for(entries))
        except EntriesRefused:
            continue
    return {"rounds": rounds} if rounds else {"error": "out_of_range"}


def initial(case: Case) -> dict[str, Any]:
    """Return the initial ranking (§2)."""
    entries = [Entry(entry["id"], entry["name"], entry["cote"]) for entry in case["entries"]]
    return {"order": initial_ranking(entries)}


def match_points(case: Case) -> dict[str, object]:
    """Return PM and Pdep of both players (§3, §4.2)."""
    match = case["match"]
    first, second = _system(case).points_of(_record(match))
    if match["a"] == FICTIVE:
        return {"a": _points(second), "b": _points(first)}
    return {"a": _points(first), "b": _points(second)}


def match_points_two_wins(case: Case) -> dict[str, object]:
    """Return PM and Pdep over several games, and whether they make a finished match (§3, §4.2)."""
    match = case["match"]
    legal = (
        _is_forfeit(match)
        or problem_with(match.get("games") or (), case.get("winning_games", 2)) is None
    )
    return {**match_points(case), "legal": legal}


def check_games(case: Case) -> dict[str, object]:
    """Return whether this list of games is a finished match."""
    return {"legal": problem_with(case["games"], case.get("winning_games", 1)) is None}


def ppm(case: Case) -> dict[str, Any]:
    """Return the PPM of a group (§4.1)."""
    values = _system(case).ppm_of(case["group"], _records(case["history"]))
    if values is None:
        return {"ppm": None}
    return {"ppm": {player: as_json(value) for player, value in values.items()}}


def standings(case: Case) -> dict[str, Any]:
    """Return the intermediate ranking (§5)."""
    return {"rows": _rows(case, for_pairing=True)}


def standings_final(case: Case) -> dict[str, object]:
    """Return the final ranking with its ex aequo (§9)."""
    return {"rows": _rows(case, for_pairing=False)}


def fixed_tables(case: Case) -> dict[str, object]:
    """Return the predetermined rounds (§6.2)."""
    table = table_for(case["players"], _system(case).replaced_tables())
    if table is None:
        raise ValueError(f"no table for {case['players']} players")
    result: dict[str, Any] = {"rounds": table.rounds}
    if not table.official:
        result["pools"] = table.pools
    return result


def round1_large(case: Case) -> dict[str, object]:
    """Return the first round above 16 (§6.1.1)."""
    return {"pairs": first_round_large(case["initial"])}


def permute_once(case: Case) -> dict[str, object]:
    """Apply one permutation (§7)."""
    order, free, player = case["order"], frozenset(case["free"]), case["a"]
    met = {frozenset(pair) for pair in case["met"]}
    place, reason, _ = permute(
        order,
        lambda place: order[place] in free,
        lambda other: frozenset((player, other)) not in met,
        order.index(player),
        order.index(case["b"]),
    )
    return {"result": [case["b"], KEPT] if place == NOT_FOUND else [order[place], reason]}


def pair_ranked(case: Case) -> dict[str, object]:
    """Pair players already in order (§6.1.2, §7)."""
    met: dict[str, dict[str, Meeting]] = {}
    for one, two in case["met"]:
        met.setdefault(one, {})[two] = met.setdefault(two, {})[one] = Meeting(0, 1, 0, "")
    settings = dict(case.get("settings") or {})
    if case.get("strategy"):
        settings["strategy"] = case["strategy"]
    system = _system({"settings": settings})
    return {"pairs": _boards(system.pair_ranked(case["order"], case["pm"], met))}


def tournament(case: Case) -> dict[str, Any]:
    """Play a whole tournament: pair each round from the results so far, rank, then apply §9."""
    system, entrants = _system(case), _entrants(case["initial"])
    history: list[MatchRecord] = []
    rounds = []
    for day, played in enumerate(case["rounds"], start=1):
        pairing = system.pair_round(entrants, history, available=played.get("present"), today=day)
        history += [_record(match, day) for match in played["results"]]
        lines = system.rank(entrants, history, for_pairing=True)
        rounds.append(
            {
                "pairs": _boards(pairing),
                "standing": [[line.player, *_totals(line)] for line in lines],
            }
        )
    final = system.rank(entrants, history)
    return {
        "rounds": rounds,
        "final": [[line.player, line.rank, *_totals(line)] for line in final],
    }


CLASSIQUE_MATCH = keys("a b games forfeit present")

FUNCTIONS: Functions = {
    "formule_classique": {
        "check_games": (check_games, keys("games winning_games")),
        "fixed_tables": (fixed_tables, keys("players settings")),
        "initial_ranking": (initial, keys("", entries=[keys("id name cote")])),
        "match_points": (match_points, keys("settings", match=CLASSIQUE_MATCH)),
        "match_points_two_wins": (
            match_points_two_wins,
            keys("settings winning_games", match=CLASSIQUE_MATCH),
        ),
        "pair_ranked": (pair_ranked, keys("order pm met strategy settings")),
        "permute": (permute_once, keys("order free met a b")),
        "ppm": (ppm, keys("group settings", history=[CLASSIQUE_MATCH])),
        "round1_large": (round1_large, keys("initial")),
        "rounds_count": (rounds_count, keys("entries settings")),
        "rounds_count_error": (rounds_count_error, keys("entries settings")),
        "standings": (standings, keys("players initial settings", history=[CLASSIQUE_MATCH])),
        "standings_final": (
            standings_final,
            keys("players initial settings", history=[CLASSIQUE_MATCH]),
        ),
        "tournament": (
            tournament,
            keys("entries initial settings", rounds=[keys("present", results=[CLASSIQUE_MATCH])]),
        ),
    },
}


def _system(case: Case) -> FormuleClassique:
    system: FormuleClassique = with_values(FormuleClassique, dict(case.get("settings") or {}))
    return system


def _entries(case: Case) -> list[int]:
    entries = case["entries"]
    return [entries] if isinstance(entries, int) else list(entries)


def _entrants(initial: Sequence[str], players: Sequence[str] | None = None) -> list[Entrant]:
    places = {player: place for place, player in enumerate(initial, start=1)}
    wanted = initial if players is None else players
    last = len(places) + 1
    return [Entrant(p, 0, places.get(p, last)) for p in wanted if p != FICTIVE]


def _record(match: Case, day: int = 0) -> MatchRecord:
    first, second, key = match["a"], match["b"], str(day)
    if FICTIVE in (first, second) or second is None:
        player = second if first == FICTIVE else first
        return MatchRecord(player, None, BYE, day=day, key=key)
    if _is_forfeit(match):
        missing = absent_side({**match, "absent": match.get("forfeit")})
        return MatchRecord(first, second, ABSENT, absent=missing, day=day, key=key)
    games = tuple((score, other) for score, other in match["games"])
    return MatchRecord(first, second, PLAYED, day=day, key=key, games=games)


def _is_forfeit(match: Case) -> bool:
    """Return whether a player is listed as absent and no game was played."""
    return bool(match.get("forfeit")) or ("present" in match and not match.get("games"))


def _records(history: Sequence[Case]) -> list[MatchRecord]:
    return [_record(match, day) for day, match in enumerate(history, start=1)]


def _points(points: MatchPoints | None) -> list[int] | None:
    return None if points is None else [points.pm, points.pdep]


def _totals(line: RankedPlayer) -> list[object]:
    return [as_json(line.values.get(name)) for name in ("pm", "ppm", "pdep")]


def _rows(case: Case, *, for_pairing: bool) -> list[dict[str, object]]:
    entrants = _entrants(case["initial"], case["players"])
    lines = _system(case).rank(entrants, _records(case["history"]), for_pairing=for_pairing)
    rows = []
    for line in lines:
        pm, ppm_value, pdep = _totals(line)
        rows.append(
            {"id": line.player, "rank": line.rank, "pm": pm, "ppm": ppm_value, "pdep": pdep}
        )
    return rows


def _boards(pairing: Pairing) -> list[list[object]]:
    return [list(board) for board in boards(pairing)]
