"""What is posted to a list: a game as its origin knows it, a line of a placing sheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from clubs.actor import Refused
from ratings.models import RatedGame, RatedPlacing


class LedgerRefused(Refused):
    """A posting, settlement or correction that may not happen."""


@dataclass(frozen=True, slots=True)
class Posting:
    """One game as its origin knows it: `source` is its name for ever ("match:42")."""

    source: str
    first_id: int
    second_id: int
    first_halves: int
    first_score: int | None = None
    second_score: int | None = None
    position: int = 0
    facts: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """One line of a placing sheet; `line` is its number in the file it came from, if any."""

    member_id: int
    place: int
    facts: Mapping[str, Any] | None = None
    line: int = 0


def content_of_posting(posting: Posting) -> dict[str, Any]:
    return {
        "first_id": posting.first_id,
        "second_id": posting.second_id,
        "first_halves": posting.first_halves,
        "first_score": posting.first_score,
        "second_score": posting.second_score,
        "position": posting.position,
        "facts": dict(posting.facts or {}),
    }


def content_of_game(game: RatedGame) -> dict[str, Any]:
    return {
        "first_id": game.first_id,
        "second_id": game.second_id,
        "first_halves": game.first_halves,
        "first_score": game.first_score,
        "second_score": game.second_score,
        "position": game.position,
        "facts": game.facts,
    }


def content_of_placement(placement: Placement) -> dict[str, Any]:
    return {"place": placement.place, "facts": dict(placement.facts or {})}


def content_of_placing(placing: RatedPlacing) -> dict[str, Any]:
    return {"place": placing.place, "facts": placing.facts}


def check_posting(posting: Posting) -> None:
    """A game is played by two people and ends in 0, 1 or 2 half points."""
    if posting.first_id == posting.second_id:
        raise LedgerRefused(
            _("Partie %(name)s : un joueur y joue contre lui-même.") % {"name": posting.source},
            code="against_oneself",
        )
    if posting.first_halves not in (0, 1, 2):
        raise LedgerRefused(
            _("Partie %(name)s : le résultat n’est ni une victoire, ni un nul.")
            % {"name": posting.source},
            code="no_result",
        )


def check_sheet(sheet: Sequence[Placement]) -> None:
    """Every member once; places from 1 without a gap. Equal places are ties, and the places that
    they occupy are skipped (1, 2, 2, 4). Raises LedgerRefused with the number of the line."""
    lines = [(placed.line or number, placed) for number, placed in enumerate(sheet, start=1)]
    if not lines:
        raise LedgerRefused(_("La feuille de places est vide."), code="empty_sheet")
    seen: dict[int, int] = {}
    for number, placed in lines:
        if placed.member_id in seen:
            raise LedgerRefused(
                _("Ligne %(line)s : ce joueur est déjà à la ligne %(other)s.")
                % {"line": number, "other": seen[placed.member_id]},
                code="player_twice",
            )
        seen[placed.member_id] = number
    held: int | None = None
    for better, (number, placed) in enumerate(sorted(lines, key=_by_place)):
        if placed.place in (held, better + 1):
            held = placed.place
            continue
        if held is not None and better + 1 > placed.place > held:
            sentence = _(
                "Ligne %(line)s : la place %(place)s est doublée ; après des ex æquo, "
                "la place suivante est %(wanted)s."
            )
            code = "place_doubled"
        else:
            sentence = _("Ligne %(line)s : place %(place)s, mais la place %(wanted)s manque.")
            code = "place_missing"
        raise LedgerRefused(
            sentence % {"line": number, "place": placed.place, "wanted": better + 1}, code=code
        )


def _by_place(line: tuple[int, Placement]) -> tuple[int, int]:
    number, placed = line
    return placed.place, number


def same_sheet(stored: Iterable[RatedPlacing], sheet: Sequence[Placement]) -> bool:
    """Does the sheet in force say the same?"""
    held = {placing.member_id: content_of_placing(placing) for placing in stored}
    return held == {placed.member_id: content_of_placement(placed) for placed in sheet}
