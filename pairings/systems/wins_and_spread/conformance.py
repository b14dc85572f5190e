"""Conformance vectors of the ranking by wins and spread, turned into calls of the engine and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clubs.rulebooks.fields import with_values
from pairings.rules.scoring import ABSENT, BYE, PLAYED, MatchRecord, RecordRefused
from pairings.systems.protocol import Entrant
from pairings.systems.wins_and_spread.ranking import WinsAndSpread
from ratings.systems.conformance import Functions, keys
from ratings.systems.forfeits import absent_side

Case = Mapping[str, Any]
FORFEIT = "forfeit"


def ranking(case: Case) -> dict[str, Any]:
    """Return the rows in order, and each player's place."""
    rules: WinsAndSpread = with_values(WinsAndSpread, case.get("settings") or {})
    entrants = [Entrant(player, 0, n) for n, player in enumerate(case["players"], start=1)]
    records = [
        _record(match, number)
        for number, matches in enumerate(case["rounds"], start=1)
        for match in matches
    ]
    known = {entrant.player for entrant in entrants}
    for record in records:
        for player in record.players():
            if player not in known:
                raise RecordRefused(f"not one of the players: {player}")
    rows = [
        {
            "id": line.player,
            "place": line.rank,
            "wins": float(line.values["wins"]),
            "spread": line.values["spread"],
            "played": line.values["played"],
        }
        for line in rules.standing(entrants, records)
    ]
    return {"rows": rows, "places": {row["id"]: row["place"] for row in rows}}


def _record(match: Case, number: int) -> MatchRecord:
    first, second, kind = match["a"], match.get("b"), match.get("kind")
    if second is None or kind == BYE:
        return MatchRecord(first, None, BYE, day=number, key=str(number))
    if kind in (FORFEIT, ABSENT) or (kind is None and ("absent" in match or "present" in match)):
        away = absent_side(match)
        return MatchRecord(first, second, ABSENT, absent=away, day=number, key=str(number))
    return MatchRecord(
        first, second, kind or PLAYED, match["sa"], match["sb"], day=number, key=str(number)
    )


FUNCTIONS: Functions = {
    "wins_and_spread": {
        "standings": (
            ranking,
            keys(
                "players settings",
                rounds=[[keys("a b sa sb kind absent present")]],
            ),
        ),
    },
}
