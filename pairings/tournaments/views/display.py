"""Views of a tournament's wall screen: pairings by table or by name, ranking, schedule and clock."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import public
from pairings.evenings.views.public import wall_names
from pairings.matches import actions as match_actions
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.models import Tournament
from pairings.tournaments.standings import Sheet
from pairings.tournaments.views.public import board_lines, clock_of, people_lines, tournament_of
from pairings.tournaments.views.standings import standing_context

WALLS = ("tables", "noms", "classement", "horloge")


@public
@never_cache
@require_GET
def tournament_wall(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the wall screen.

    `?vue=` is tables, noms, classement or horloge; without it, two of them side by side.
    """
    match_actions.lapse_due(at=timezone.now())
    sheet = tournament_standings.sheet_of(tournament_of(request, slug))
    asked = request.GET.get("vue", "")
    part = request.GET.get("partie", "")
    shown = [asked] if asked in WALLS else _usual_walls(sheet)
    if part:
        if part not in WALLS:
            raise Http404
        shown = [part]
    context = {
        "tournament": sheet.tournament,
        "parts": shown,
        "rounds": sheet.rounds,
        "at": timezone.now(),
        **_wall_context(sheet, shown),
    }
    template = f"_tournament_wall_{part}.html" if part else "tournament_wall.html"
    return render(request, f"pairings/tournaments/{template}", context)


def _usual_walls(sheet: Sheet) -> list[str]:
    """Return pairings and ranking during a round; the ranking and the schedule between rounds."""
    if sheet.current is not None:
        return ["tables", "classement"]
    if sheet.is_over or sheet.tournament.state == Tournament.State.CLOSED:
        return ["classement"]
    return ["horloge", "classement"] if sheet.closed else ["horloge"]


def _wall_context(sheet: Sheet, shown: list[str]) -> dict[str, object]:
    names = wall_names([entry.person for entry in sheet.entries])
    people = {entry.member_id: entry.person.pk for entry in sheet.entries}

    def named(pk: int) -> str:
        return names.get(people.get(pk, pk), "?")

    public_rounds = [r for r in sheet.rounds if r.is_public]
    current = sheet.current or (public_rounds[-1] if public_rounds else None)
    context: dict[str, Any] = {
        "round": current,
        "next_round": sheet.next,
        **clock_of(sheet.current, at=timezone.now()),
    }
    if "tables" in shown:
        context["tables"] = board_lines(sheet, current, named, for_members=False) if current else []
    if "noms" in shown:
        context["people"] = people_lines(sheet, current, named) if current else []
    if "classement" in shown:
        context |= standing_context(sheet, named)
        columns = context["columns"]
        far = [
            n
            for n, column in enumerate(columns)
            if column["code"] in tournament_standings.MAIN_COLUMNS
        ][:2]
        context["wall_columns"] = [columns[n] for n in far]
        for line in context["lines"]:
            line["wall_values"] = [line["values"][n] for n in far]
    return context
