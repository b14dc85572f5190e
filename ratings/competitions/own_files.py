"""The files that this site exports of a tournament, as rows for the rating desk.

The results table has boards that are not games (a bye, a forfeit), and the tournament's JSON keeps
players and boards apart. Uses no database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from clubs.members.imports import ImportRefused
from clubs.members.models import without_accents

TOURNAMENT = "club-tournament"
PLAYED = "played"
BYE_WORDS = frozenset({"exempt", "exempte", "bye", "liber", "(x)"})
"""The text in place of an opponent, in the three languages of the export."""
NOT_AWAY = frozenset({"", "0", "non", "no", "nu"})


def is_no_game(values: Mapping[str, str]) -> bool:
    """Return whether this line of a results table is a bye or a forfeit.

    A bye has no score; a line with a score is a game, even if a person has that name.
    """
    if without_accents(values.get("absent", "")) not in NOT_AWAY:
        return True
    names = {without_accents(values.get(side, "")) for side in ("first", "second")}
    scored = any(values.get(name) for name in ("result", "first_score", "second_score"))
    return bool(names & BYE_WORDS) and not scored


def is_tournament(document: Any) -> bool:
    """Return whether this JSON document is the export of a tournament."""
    return isinstance(document, dict) and document.get("format") == TOURNAMENT


def items_of(document: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the document as the desk's own JSON: name, date and a list of `games` or `placings`.

    Raises ImportRefused where the file was cut or written by hand.
    """
    try:
        told = document["tournament"]
        names = {one["number"]: str(one["name"]) for one in told["players"]}
        items = _games(told["rounds"], names) if kind == "games" else _places(told, names)
        return {"name": told["name"], "date": told["held_on"], kind: items}
    except (KeyError, TypeError, AttributeError) as broken:
        raise ImportRefused(
            _("Cet export de tournoi est incomplet : exportez-le de nouveau."), code="broken"
        ) from broken


def _games(rounds: Sequence[Mapping[str, Any]], names: Mapping[Any, str]) -> list[dict[str, Any]]:
    return [
        {
            "round": one["number"],
            "first": names[board["first"]],
            "second": names[board["second"]],
            "scores": [board["first_score"], board["second_score"]],
        }
        for one in rounds
        for board in one["boards"]
        if board["kind"] == PLAYED
    ]


def _places(told: Mapping[str, Any], names: Mapping[Any, str]) -> list[dict[str, Any]]:
    return [{"place": line["place"], "player": names[line["player"]]} for line in told["standings"]]
