"""The final rankings a tournament has published: each as it was, and what the next one changed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from clubs.permissions import access_of, public
from pairings import tournament_board
from pairings.models import FinalRanking
from pairings.tournament_board import COLUMNS
from pairings.tournament_words import value_words
from pairings.views.tournament import frame_of, namer, tournament_of


@public
@require_GET
def tournament_ranking(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One publication, never edited; lines that moved since the one before are marked."""
    sheet = tournament_board.sheet_of(tournament_of(request, slug))
    rankings = FinalRanking.objects.filter(tournament=sheet.tournament)
    found = get_object_or_404(rankings, number=number)
    older = rankings.filter(number=number - 1).first()
    held = {line["member"]: line for line in older.lines} if older is not None else {}
    named = namer(sheet, access_of(request))
    codes = list(found.lines[0]["values"]) if found.lines else []
    context = {
        **frame_of(request, sheet, "tournament_standings"),
        "ranking": found,
        "older": older,
        "newer": rankings.filter(number__gt=number).order_by("-number").first(),
        "columns": [{"label": COLUMNS[c][0], "long": COLUMNS[c][1]} for c in codes],
        "lines": [_line(line, held.get(line["member"]), codes, named) for line in found.lines],
    }
    return render(request, "pairings/tournament_ranking.html", context)


def _line(
    line: dict[str, Any], before: dict[str, Any] | None, codes: list[str], named: Any
) -> dict[str, Any]:
    return {
        "place": line["place"],
        "name": named(line["member"]),
        "values": [_words(code, line["values"][code]) for code in codes],
        "before": before["place"] if before is not None else "",
        "moved": before is not None and before != line,
    }


def _words(code: str, stored: str | None) -> str:
    return value_words(code, None if stored is None else Fraction(stored))
