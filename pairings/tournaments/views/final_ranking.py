"""Views of the published final rankings of a tournament, and of the changes between them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import access_of, public
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.models import Entry, FinalRanking, Tournament
from pairings.tournaments.standings import COLUMNS
from pairings.tournaments.views.public import frame_of, namer, tournament_of
from pairings.tournaments.wording import Named, value_words


@public
@require_GET
def tournament_ranking(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show one publication, never edited; lines that moved since the one before are marked."""
    sheet = tournament_standings.sheet_of(tournament_of(request, slug))
    rankings = FinalRanking.objects.filter(tournament=sheet.tournament)
    ranking = get_object_or_404(rankings, number=number)
    older = rankings.filter(number=number - 1).first()
    older_lines = {line["member"]: line for line in older.lines} if older is not None else {}
    named = namer(sheet, access_of(request))
    codes = list(ranking.lines[0]["values"]) if ranking.lines else []
    context = {
        **frame_of(request, sheet, "tournament_standings"),
        "ranking": ranking,
        "older": older,
        "newer": rankings.filter(number__gt=number).order_by("-number").first(),
        "columns": [{"label": COLUMNS[c][0], "long": COLUMNS[c][1]} for c in codes],
        "lines": [
            _line(line, older_lines.get(line["member"]), codes, named) for line in ranking.lines
        ],
    }
    return render(request, "pairings/tournaments/tournament_ranking.html", context)


def _line(
    line: dict[str, Any], before: dict[str, Any] | None, codes: list[str], named: Named
) -> dict[str, object]:
    return {
        "place": line["place"],
        "name": named(line["member"]),
        "values": [_words(code, line["values"][code]) for code in codes],
        "before": before["place"] if before is not None else "",
        "moved": before is not None
        and (before["place"], before["values"]) != (line["place"], line["values"]),
    }


def _words(code: str, stored: str | None) -> str:
    return value_words(code, None if stored is None else Fraction(stored))


def history_of(member_ids: set[int]) -> list[dict[str, object]]:
    """Return a person's tournaments, newest first, with the final place of closed ones."""
    entries = (
        Entry.objects.filter(member__in=member_ids)
        .exclude(tournament__state=Tournament.State.CANCELLED)
        .select_related("tournament")
        .order_by("-tournament__held_on", "-pk")[:20]
    )
    by_tournament = {entry.tournament_id: entry for entry in entries}
    lines: dict[int, list[dict[str, object]]] = {}
    for ranking in FinalRanking.objects.filter(tournament__in=by_tournament).order_by("number"):
        lines[ranking.tournament_id] = ranking.lines
    return [
        {
            "name": entry.tournament.name,
            "url": entry.tournament.get_absolute_url(),
            "held_on": entry.tournament.held_on,
            "count": len(lines.get(pk, [])),
            "place": next(
                (line["place"] for line in lines.get(pk, []) if line["member"] in member_ids), None
            )
            if entry.tournament.state == Tournament.State.CLOSED
            else None,
        }
        for pk, entry in by_tournament.items()
    ]
