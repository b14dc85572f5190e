"""JSON files, and the files that this site exports of a tournament, as rows for the rating desk.

The results table has boards that are not games (a bye, a forfeit), and the tournament's JSON keeps
players and boards apart. Uses no database.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from clubs.exchange import tables
from clubs.exchange.tables import ImportRefused

TOURNAMENT = "club-tournament"
FINISHED = ("played", "forfeit", "bye")
ABSENT = {"a": "1", "b": "2", "both": "1+2"}


def is_tournament(document: object) -> bool:
    """Return whether this JSON document is the export of a tournament."""
    return isinstance(document, dict) and document.get("format") == TOURNAMENT


def items_of(document: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the document as the desk's own JSON: name, date and a list of `games` or `placings`.

    Raises ImportRefused where the file was cut or written by hand.
    """
    try:
        tournament = document["tournament"]
        names = {one["number"]: str(one["name"]) for one in tournament["players"]}
        items = (
            _games(tournament["rounds"], names) if kind == "games" else _places(tournament, names)
        )
        return {"name": tournament["name"], "date": tournament["held_on"], kind: items}
    except (KeyError, TypeError, AttributeError) as broken:
        raise ImportRefused(
            _("Cet export de tournoi est incomplet : exportez-le de nouveau."), code="broken"
        ) from broken


def _games(rounds: Sequence[Mapping[str, Any]], names: Mapping[Any, str]) -> list[dict[str, Any]]:
    """Return every board, byes and forfeits too, in the columns of the results table.

    A match of two winning games is a line a game: each is rated, as in the club's own lists.
    """
    return [
        {
            "round": one["number"],
            "first": names[board["first"]],
            "second": names.get(board["second"], "exempt"),
            "absent": ABSENT.get(board["absent"], ""),
            **game,
        }
        for one in rounds
        for board in one["boards"]
        if board["kind"] in FINISHED
        for game in _games_of(board)
    ]


def _games_of(board: Mapping[str, Any]) -> list[dict[str, Any]]:
    if games := board.get("games"):
        return [{"game": number, "scores": scores} for number, scores in enumerate(games, start=1)]
    return [{"scores": [board["first_score"], board["second_score"]]}]


def _places(standings: Mapping[str, Any], names: Mapping[Any, str]) -> list[dict[str, Any]]:
    return [
        {"place": line["place"], "player": names[line["player"]]} for line in standings["standings"]
    ]


def read_json(
    content: bytes, kind: str, *, tournament: bool
) -> tuple[list[list[str]], str, date | None]:
    """Return a JSON file as (rows of text with the head first, name and day of the competition).

    `tournament`: whether the export of a tournament may stand for it.
    """
    if len(content) > tables.MAX_BYTES:
        raise tables.too_big()
    document = _parsed(content)
    if isinstance(document, list):
        document = {kind: document}
    if tournament and is_tournament(document):
        document = items_of(document, kind)
    items = _items(document, kind)
    names = _json_names(items)
    rows = [names]
    for item in items:
        scores = item.get("scores")
        if isinstance(scores, list) and len(scores) == 2:
            item = {**item, "first_score": scores[0], "second_score": scores[1]}
        rows.append([_scalar(item.get(name)) for name in names])
    title = str(document.get("name", ""))[:120]
    if any(tables.UNSTORABLE.search(text) for text in (title, *(c for row in rows for c in row))):
        raise ImportRefused(
            _("Ce fichier contient un caractère qui ne peut pas être enregistré."), code="broken"
        )
    return rows, title, _day(document.get("date"))


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as broken:
        raise ImportRefused(
            _("Ce fichier JSON n’est pas en UTF-8 : enregistrez-le dans ce codage."), code="broken"
        ) from broken
    except (ValueError, RecursionError) as broken:
        line = getattr(broken, "lineno", 1)
        raise ImportRefused(
            _("Ligne %(n)s : ce fichier JSON est illisible ; exportez-le de nouveau.")
            % {"n": line},
            code="broken",
        ) from broken


def _items(document: object, kind: str) -> list[dict[str, object]]:
    """Return the document's list of that name, neither empty nor too long."""
    items = document.get(kind) if isinstance(document, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ImportRefused(
            _("Ce fichier JSON n’a pas de liste « %(name)s ».") % {"name": kind}, code="no_rows"
        )
    if not items:
        raise ImportRefused(_("Ce fichier est vide."), code="empty")
    if len(items) > tables.MAX_ROWS:
        raise tables.too_many()
    return items


def _day(written: object) -> date | None:
    if not written:
        return None
    try:
        return date.fromisoformat(str(written))
    except ValueError as wrong:
        raise ImportRefused(
            _("La date « %(day)s » n’est pas écrite AAAA-MM-JJ.") % {"day": str(written)[:20]},
            code="bad_date",
        ) from wrong


def _scalar(value: object) -> str:
    """Return a value as a table cell; an empty one for a list or an object."""
    return "" if value is None or isinstance(value, list | dict) else str(value)[:200].strip()


def _json_names(items: Sequence[Mapping[str, object]]) -> list[str]:
    """Return every key of the objects, in order of appearance, to be read as column heads."""
    names = dict.fromkeys(str(name)[:200] for item in items for name in item if name != "scores")
    if any("scores" in item for item in items):
        names |= dict.fromkeys(("first_score", "second_score"))
    if len(names) > tables.MAX_COLUMNS:
        raise ImportRefused(
            _("Ce fichier a plus de %(columns)s colonnes.") % {"columns": tables.MAX_COLUMNS},
            code="too_wide",
        )
    return list(names)
