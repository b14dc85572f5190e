"""Public views of a tournament's standings and crosstable."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import Access, access_of, player_url, public
from clubs.ui.sent import whole_number
from pairings.tournaments import actions as tournaments
from pairings.tournaments import standings as tournament_board
from pairings.tournaments.models import Round
from pairings.tournaments.standings import Sheet, TournamentStanding
from pairings.tournaments.views.public import frame_of, namer, tournament_of
from pairings.tournaments.wording import (
    Named,
    cell_title,
    cell_words,
    columns_of,
    parted_words,
    places_words,
    rank_words,
    tie_words,
    value_words,
)


@public
@never_cache
@require_GET
def tournament_standings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the ranking after a round (`?ronde=3`), or now, with each tie explained."""
    sheet = tournament_board.sheet_of(tournament_of(request, slug))
    until = whole_number(request.GET.get("ronde"), digits=2)
    if until is not None and not 1 <= until <= sheet.closed:
        until = None
    context = {
        **frame_of(request, sheet, "tournament_standings"),
        **standing_context(
            sheet, namer(sheet, access_of(request)), until=until, access=access_of(request)
        ),
        "own_id": _own_id(request, sheet),
        "ranking": tournaments.last_ranking(sheet.tournament),
        "until": until,
        "closed_rounds": [r.number for r in sheet.rounds if r.state == Round.State.CLOSED],
    }
    template = "_tournament_standings.html" if context["is_live"] else "tournament_standings.html"
    return render(request, f"pairings/tournaments/{template}", context)


def standing_context(
    sheet: Sheet, named: Named, *, until: int | None = None, access: Access | None = None
) -> dict[str, object]:
    """Return the standings for pages and wall screens.

    With the reader's rights, they link to players.
    """
    standing = tournament_board.standing(sheet, until=until)
    return {
        "standing": standing,
        "columns": columns_of(standing),
        "lines": standing_lines(standing, named, access),
        "ties": [tie_words(tie, named) for tie in standing.ties] if standing.after else [],
        "has_places": any(row.places is not None for row in standing.rows),
    }


def standing_lines(
    standing: TournamentStanding, named: Named, access: Access | None
) -> list[dict[str, object]]:
    """Return one line a player, with the values in the order of the columns."""
    lines = []
    for place, row in enumerate(standing.rows):
        above = standing.rows[place - 1] if place else None
        lines.append(
            {
                "row": row,
                "rank": rank_words(standing, row),
                "name": named(row.entry.member_id),
                "url": player_url(access, row.entry.person) if access is not None else "",
                "member_id": row.entry.member_id,
                "values": [value_words(name, row.values[name]) for name in standing.columns],
                "why": parted_words(row, above) if standing.is_ranked else "",
                "places": places_words(row),
            }
        )
    return lines


def _own_id(request: HttpRequest, sheet: Sheet) -> int:
    """Return the member of the reader's own line; 0 for who does not play."""
    entry = sheet.entry_of(access_of(request).member)
    return entry.member_id if entry is not None else 0


@public
@never_cache
@require_GET
def crosstable(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every player's rounds in one table, in the order of the ranking."""
    sheet = tournament_board.sheet_of(tournament_of(request, slug))
    named = namer(sheet, access_of(request))
    standing = tournament_board.standing(sheet)
    context = {
        **frame_of(request, sheet, "crosstable"),
        "columns": columns_of(standing)[:3],
        "numbers": [r.number for r in sheet.rounds if r.is_public],
        "own_id": _own_id(request, sheet),
        "lines": [
            {
                "rank": rank_words(standing, line.row),
                "name": named(line.row.entry.member_id),
                "member_id": line.row.entry.member_id,
                "cells": [
                    {
                        "text": cell_words(cell),
                        "title": cell_title(cell, named),
                        "url": cell.match.get_absolute_url() if cell.match else "",
                    }
                    for cell in line.cells
                ],
                "values": [value_words(n, line.row.values[n]) for n in standing.columns[:3]],
            }
            for line in tournament_board.crosstable(sheet, standing)
        ],
    }
    return render(request, "pairings/tournaments/tournament_crosstable.html", context)
