"""Conformance vectors of the ladder's pairing, turned into calls of the engine and back.

Only translates: every answer comes from the functions that the site calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clubs.rulebooks.fields import with_values
from pairings.rules import absence_policy
from pairings.rules.absence_policy import review
from pairings.rules.scoring import (
    ABSENT,
    BYE,
    CANCELLED,
    FORFEIT,
    PLAYED,
    MatchRecord,
    Points,
    Records,
    points_of,
)
from pairings.rules.tiebreaks import RankedPlayer
from pairings.systems.faizers.settings import exact
from pairings.systems.faizers.system import FaizersPairing
from pairings.systems.matching.repairing import NOT_FOUND, permute
from pairings.systems.protocol import Bye, Entrant, Pair
from ratings.systems.conformance import Each, Functions, as_json, keys
from ratings.systems.faizers.conformance import RATED, winner_of_forfeit
from ratings.systems.faizers.system import Faizers, floor_of_cut, rating_after_cut
from ratings.systems.forfeits import BOTH, absent_side
from ratings.systems.protocol import PlayerId
from ratings.systems.score_difference import ds_of_match

Case = Mapping[str, Any]

UNSETTLED = ("cancelled", "annulled", "void", "disputed", "contested")
"""Matches without a result that counts: no PR to anybody, nothing rated."""

DOUBLE_ABSENCE = "double_absence"
AWAY = (FORFEIT, ABSENT, DOUBLE_ABSENCE)

KINDS = {
    BYE: BYE,
    **dict.fromkeys(RATED, PLAYED),
    **dict.fromkeys(AWAY, ABSENT),
    **dict.fromkeys(UNSETTLED, CANCELLED),
}
"""How a case writes the kind of a match → the kind that the rules read."""

CRITERION_NAMES = {"initial": "seniority"}
"""The vectors use the single name of II.C.3 for registration date and initial rank."""


def ds_match(case: Case) -> dict[str, object]:
    """Return the DS of two scores (II.B.2)."""
    first, second = case["scores"]
    return {"ds": as_json(ds_of_match(max(first, second), min(first, second)))}


def match_effect(case: Case) -> dict[str, object]:
    """Return what one match gives to each player (II.A, II.B)."""
    first, second = points_of(_record(case["match"]), _system(case).scale())
    return {"a": _points(first), "b": None if second is None else _points(second)}


def standings(case: Case) -> dict[str, Any]:
    """Return the ranking (II.C), or the ranking for pairing (III.A)."""
    players = case["players"]
    lines = _system(case).rank(
        _entrants(players, case.get("info")),
        _records(case["history"]),
        today=case.get("today") or 0,
        for_pairing=bool(case.get("for_pairing")),
    )
    return {"rows": [_row(line) for line in lines]}


def permute_once(case: Case) -> dict[str, object]:
    """Apply one permutation (III.B.2)."""
    order, free = case["order"], frozenset(case["free"])
    player = case["a"]
    met = {frozenset(pair) for pair in case["met"]}
    place, reason, _ = permute(
        order,
        lambda place: order[place] in free,
        lambda other: frozenset((player, other)) not in met,
        order.index(player),
        order.index(case["b"]),
    )
    return {"result": None if place == NOT_FOUND else [order[place], reason]}


def pair_ranked(case: Case) -> dict[str, object]:
    """Pair players already in order (III.B)."""
    system = _system(case)
    pairing = system.pair_ranked(case["order"], system.met(_records(case["history"])))
    return {
        "pairs": [_pair(pair) for pair in pairing.pairs],
        "unpaired": list(pairing.unpaired),
    }


def _available(case: Case, players: list[str]) -> list[str]:
    """Return who may be paired: the suspended are left out, as the site leaves them out."""
    here = players if case.get("available") is None else case["available"]
    return [player for player in here if player not in (case.get("suspended") or ())]


def pair_round(case: Case) -> dict[str, object]:
    """Pair one round from the season so far (III)."""
    pairing = _system(case).pair_round(
        _entrants(case["players"], case.get("info")),
        _records(case["history"]),
        available=_available(case, case["players"]),
        today=case.get("today") or 0,
    )
    bye = pairing.byes[0] if pairing.byes else None
    return {
        "order": list(pairing.order),
        "bye": None if bye is None else bye.player,
        "bye_note": _bye_note(bye),
        "pairs": [_pair(pair) for pair in pairing.pairs],
        "unpaired": list(pairing.unpaired),
    }


def season(case: Case) -> dict[str, Any]:
    """Play a whole season: pair each round from the results so far, then rank."""
    system, info = _system(case), case["info"]
    history: list[MatchRecord] = []
    rounds = []
    for played in case["rounds"]:
        pairing = system.pair_round(
            _entrants(played["active"], info),
            history,
            available=_available(played, played["active"]),
            today=played["today"],
        )
        rounds.append(
            {
                "order": list(pairing.order),
                "bye": pairing.byes[0].player if pairing.byes else None,
                "pairs": [_pair(pair) for pair in pairing.pairs],
                "unpaired": list(pairing.unpaired),
            }
        )
        history.extend(_records(played["results"]))
    lines = system.rank(_entrants(list(info), info), history, today=case["rounds"][-1]["today"])
    return {
        "rounds": rounds,
        "final": [
            [
                line.player,
                as_json(line.values["pr"]),
                as_json(line.values["ds"]),
                line.values["played"],
            ]
            for line in lines
        ],
        "sanctions": _sanctions(history, system, list(info)),
    }


def sanctions(case: Case) -> dict[str, object]:
    """Return which absences cause a sanction (II.A.2)."""
    return {"sanctions": _sanctions(_records(case["history"]), _system(case), case["players"])}


def rating_cut(case: Case) -> dict[str, Any]:
    """Return the cote after a percentage cut (II.A.2)."""
    system = _system(case)
    percent = case.get("percent", system.rating_cut_percent)
    floor = case.get("floor", floor_of_cut(system.rating_floor, Faizers().floor))
    return {
        "rating": as_json(rating_after_cut(exact(case["rating"]), exact(percent), exact(floor)))
    }


def match_points(values: Mapping[str, object]) -> list[object]:
    """Return the PR of a kind of match and its result, from the ladder's scoring."""
    record = _ended(str(values["kind"]), values)
    first, second = points_of(record, FaizersPairing().scale())
    return [first.pr, second.pr if second else 0]


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise ValueError(f"no such kind of match: {kind}")


def _ended(kind: str, values: Mapping[str, object]) -> MatchRecord:
    if kind == BYE:
        return MatchRecord(1, None, BYE)
    if kind == DOUBLE_ABSENCE:
        return MatchRecord(1, 2, ABSENT, absent=BOTH)
    if kind in UNSETTLED:
        return MatchRecord(1, 2, CANCELLED)
    if kind in AWAY:
        winner = winner_of_forfeit({"a": "a", "b": "b", **values})
        return MatchRecord(1, 2, ABSENT, absent={"a": "b", "b": "a", None: "both"}[winner])
    _check_kind(kind)
    scores = {"a": (2, 1), "b": (1, 2), "draw": (1, 1)}[str(values.get("result"))]
    return MatchRecord(1, 2, PLAYED, *scores)


def due(values: Mapping[str, Any]) -> bool:
    return absence_policy.due(values["flags"], values.get("limit", 3), values.get("window", 10))


LADDER_MATCH = keys("a b kind sa sb absent present justified day")
LADDER_INFO = Each(keys("joined initial"))

FUNCTIONS: Functions = {
    "faizers_cote": {
        "match_points": (match_points, keys("kind result winner present absent")),
        "sanction_due": (due, keys("flags limit window")),
    },
    "faizers_pairing": {
        "ds_match": (ds_match, keys("scores")),
        "match_effect": (match_effect, keys("settings", match=LADDER_MATCH)),
        "pair_ranked": (pair_ranked, keys("order settings", history=[LADDER_MATCH])),
        "pair_round": (
            pair_round,
            keys(
                "players available suspended settings today",
                info=LADDER_INFO,
                history=[LADDER_MATCH],
            ),
        ),
        "permute": (permute_once, keys("order free met a b")),
        "rating_cut": (rating_cut, keys("rating percent floor settings")),
        "sanctions": (sanctions, keys("players settings", history=[LADDER_MATCH])),
        "season": (
            season,
            keys(
                "settings",
                info=LADDER_INFO,
                rounds=[keys("active available suspended today", results=[LADDER_MATCH])],
            ),
        ),
        "standings": (
            standings,
            keys("players settings today for_pairing", info=LADDER_INFO, history=[LADDER_MATCH]),
        ),
    },
}


def _system(case: Case) -> FaizersPairing:
    values = dict(case.get("settings") or {})
    groups = values.get("pdi_ignore_groups")
    if groups and not isinstance(groups[0], list):
        values["pdi_ignore_groups"] = [groups]
    system: FaizersPairing = with_values(FaizersPairing, values)
    return system


def _record(match: Case, key: str = "") -> MatchRecord:
    """Return a match of a case; its kind may be written as in the cases of the cote."""
    kind, absent = str(match["kind"]), ""
    _check_kind(kind)
    if kind in AWAY:
        absent = BOTH if kind == DOUBLE_ABSENCE else absent_side(match)
        if not absent:
            raise ValueError("nobody was absent in this forfeit")
    return MatchRecord(
        first=match["a"],
        second=None if kind == BYE else match.get("b"),
        kind=KINDS[kind],
        first_score=match.get("sa"),
        second_score=match.get("sb"),
        absent=absent,
        justified=bool(match.get("justified")),
        day=match.get("day") or 0,
        key=key,
    )


def _records(history: Sequence[Case]) -> list[MatchRecord]:
    return [_record(match, str(index)) for index, match in enumerate(history)]


def _entrants(players: Sequence[str], info: Mapping[str, Any] | None) -> list[Entrant]:
    known = info or {}
    return [
        Entrant(
            player,
            known.get(player, {}).get("joined", 0),
            known.get(player, {}).get("initial", 0),
        )
        for player in players
    ]


def _points(points: Points) -> dict[str, object]:
    return {
        "pr": as_json(points.pr),
        "ds": as_json(points.ds),
        "w": as_json(points.weight),
        "counted": points.counted,
    }


def _row(line: RankedPlayer) -> dict[str, Any]:
    shown = {name: as_json(line.values[name]) for name in ("pr", "pdi", "ds", "played", "form")}
    by = "first" if line.rank == 1 and line.parted_by is None else line.parted_by
    return {
        "id": line.player,
        "rank": line.rank,
        **shown,
        "by": CRITERION_NAMES.get(by or "", by),
    }


def _pair(pair: Pair) -> list[object]:
    return [
        pair.first,
        pair.second,
        pair.reason,
        None if pair.meeting is None else pair.meeting.since,
    ]


def _bye_note(bye: Bye | None) -> str | None:
    if bye is None:
        return None
    return "ok" if bye.within_limit else "limit_exceeded"


def _sanctions(
    records: Records, system: FaizersPairing, players: Sequence[PlayerId]
) -> list[dict[str, object]]:
    asked = frozenset(players)
    return [
        {
            "player": proposal.player,
            "index": proposal.index,
            "absences": len(proposal.absences),
            "window": len(proposal.window),
        }
        for proposal in review(records, system).proposals
        if proposal.player in asked
    ]
