"""Public pages of the rated competitions of a list: places, crosstable, rounds, each player's change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import Access, access_of, public
from clubs.members.models import Member
from clubs.templatetags.ui import points
from clubs.ui.sent import render_form
from ratings import systems
from ratings.editions import actions as editions
from ratings.ledger.corrections import aliases_of
from ratings.ledger.models import LedgerEntry, Period, RatedGame, RatedPlacing
from ratings.ledger.origins import UNOFFICIAL
from ratings.lists import explanations
from ratings.lists import queries as list_queries
from ratings.lists.crosstable import MARKS, WON, Board, Crosstable, Line, crosstable, round_of
from ratings.lists.tables import competition_table
from ratings.lists.views import PAGE, list_of_address
from ratings.lists.views_players import change_url
from ratings.systems.protocol import GAMES, Game

STANDINGS, GRID, ROUNDS = "", "grille", "rondes"
LINES = 100
"""Players, or games, on one page of a competition."""


class OfficialForm(forms.Form):
    """Why a competition kept as not official is rated after all."""

    reason = forms.CharField(
        label=gettext_lazy("Motif"), max_length=500, widget=forms.Textarea(attrs={"rows": 2})
    )


@public
@require_GET
def competition_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the calendar of a list: rated competitions and unofficial ones, newest first."""
    rating_list = list_of_address(request, slug)
    periods = rating_list.periods.shown().in_order().reverse()
    page = Paginator(periods, PAGE).get_page(request.GET.get("page"))
    # Only of this page: the entries of a whole list are many.
    entries = LedgerEntry.objects.filter(period__in=[period.pk for period in page]).in_force()
    moved = dict(entries.order_by().values_list("period").annotate(Count("pk")))
    context = {
        "list": rating_list,
        "page": page,
        "rows": [(period, moved.get(period.pk, 0)) for period in page],
    }
    return render(request, "ratings/lists/competition_list.html", context)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is stored of a competition: who moved, the games or the places, and who they all are."""

    entries: Mapping[int, LedgerEntry]
    games: tuple[Game, ...]
    byes: Sequence[tuple[int, int, str]]
    table: Crosstable
    places: Mapping[int, int]
    people: Mapping[int, Member]
    by_name: Mapping[int, str]

    def name(self, member_id: int, access: Access) -> str:
        return self.people[member_id].name_for(viewer_is_member=access.is_member)


def sheet_of(period: Period, access: Access) -> Sheet:
    """Read a competition: its entries, games or placings, and the members of all of them.

    Equal players of the crosstable are in the order of the names that reader sees. Who was merged is
    the person that they are now, as in the entries.
    """
    aliases = aliases_of(period.rating_list)

    def now(pk: int) -> int:
        return aliases.get(pk, pk)

    entries = LedgerEntry.objects.filter(period=period).in_force().select_related("member")
    moved = {entry.member_id: entry for entry in entries}
    people = {entry.member_id: entry.member for entry in moved.values()}
    games: tuple[Game, ...] = ()
    places: dict[int, int] = {}
    if systems.system(period.rating_list.system).takes == GAMES:
        stored = RatedGame.objects.filter(period=period).in_force().order_by("position", "pk")
        posted = (Game.from_row(row) for row in stored.values_list(*Game.COLUMNS))
        games = tuple(replace(g, first=now(g.first), second=now(g.second)) for g in posted)
    else:
        sheet = RatedPlacing.objects.filter(period=period).in_force()
        places = {now(pk): place for pk, place in sheet.values_list("member_id", "place")}
    byes = [(now(pk), halves, str(name or "")) for pk, halves, name in period.facts.get("byes", ())]
    there = {pk for game in games for pk in (game.first, game.second)} | {b[0] for b in byes}
    people |= Member.objects.in_bulk(sorted((there | set(places)) - set(people)))
    order = {
        pk: member.order_for(viewer_is_member=access.is_member) for pk, member in people.items()
    }
    table = crosstable(games, byes, order=order)
    return Sheet(moved, games, byes, table, places or table.places, people, order)


@public
@require_GET
def competition(request: HttpRequest, slug: str, period_id: int) -> HttpResponse:
    """Show one rated competition by its places and changes, as a crosstable, or round by round."""
    rating_list = list_of_address(request, slug)
    rated = rating_list.periods.filter(settled_at__isnull=False) | rating_list.periods.shown()
    period = get_object_or_404(
        rated.filter(explanations.periods_visible_to(access_of(request))).select_related(
            "rule_book"
        ),
        pk=period_id,
    )
    period.rating_list = rating_list
    return competition_page(request, period, OfficialForm())


def competition_page(request: HttpRequest, period: Period, form: OfficialForm) -> HttpResponse:
    """Show a competition; `form` is for the committee, where it is not official."""
    rating_list, access = period.rating_list, access_of(request)
    sheet = sheet_of(period, access)
    views = {STANDINGS: _standings, GRID: _grid, ROUNDS: _rounds} if sheet.games else {}
    wanted = request.GET.get("vue", STANDINGS)
    view = wanted if wanted in views else STANDINGS
    words = {STANDINGS: _("Classement"), GRID: _("Grille"), ROUNDS: _("Rondes")}
    if not sheet.table.has_rounds:
        words[ROUNDS] = _("Parties")
    is_newest = access.is_committee and not period.removed_at and _is_newer(period)
    context = {
        "list": rating_list,
        "period": period,
        "is_unofficial": period.kind == UNOFFICIAL,
        "view": view,
        "tabs": [
            {"label": words[code], "url": f"?vue={code}", "current": code == view} for code in views
        ],
        "rule_number": period.rule_book.number if period.rule_book else None,
        "is_committee": access.is_committee,
        "form": form,
        "publish": is_newest,
        "to_mend": editions.to_mend(rating_list.organisation, rating_list)
        if access.is_committee
        else [],
        **views.get(view, _standings)(request, sheet),
    }
    return render_form(request, "ratings/lists/competition.html", context)


def _is_newer(period: Period) -> bool:
    """Return whether it is played after the day that the last edition of its list covers."""
    edition = list_queries.last_edition(period.rating_list.organisation, period.rating_list)
    return edition is None or edition.covers_until < period.held_on


def rows_of(sheet: Sheet, access: Access) -> list[dict[str, object]]:
    """Return everybody by place, with what the competition did to their rating.

    Those who moved without playing (their window moved) stand last, by their rating.
    """
    lines = {line.player: line for line in sheet.table.lines}
    absent = [pk for pk in sheet.entries if pk not in sheet.places]
    absent.sort(key=lambda pk: (-(sheet.entries[pk].shown_after or 0), sheet.by_name[pk], pk))
    order = {pk: n for n, pk in enumerate(lines)}
    there = sorted(
        sheet.places, key=lambda pk: (sheet.places[pk], order.get(pk, 0), sheet.by_name[pk], pk)
    )
    shared = list(sheet.places.values())
    return [
        {
            "member": pk,
            "place": sheet.places.get(pk),
            "ex_aequo": shared.count(sheet.places.get(pk, 0)) > 1,
            "name": sheet.name(pk, access),
            "absent": pk not in sheet.places and bool(sheet.places),
            **_result_of(lines.get(pk)),
            **_change_of(sheet.entries.get(pk), access),
        }
        for pk in [*there, *absent]
    ]


def _standings(request: HttpRequest, sheet: Sheet) -> dict[str, Any]:
    """Return the places as a page of the table, sorted as asked."""
    rows = rows_of(sheet, access_of(request))
    order_by = request.GET.get("tri", "")
    ordered = competition_table(rows, sheet.table, order_by)
    page = Paginator(rows if not order_by else [r.record for r in ordered.rows], LINES)
    shown = page.get_page(request.GET.get("page"))
    return {
        "rows": list(shown),
        "table": competition_table(list(shown), sheet.table, order_by),
        "page": shown,
        "has_spread": sheet.table.has_spread,
    }


def _result_of(line: Line | None) -> dict[str, object]:
    if line is None:
        return {"points": None, "spread": None}
    return {"points": Fraction(line.halves, 2), "spread": line.spread}


def _change_of(entry: LedgerEntry | None, access: Access) -> dict[str, object]:
    """Return a player's cote before and after, the grade or status gained, and where it is explained."""
    if entry is None:
        return {
            "before": None,
            "after": None,
            "delta": None,
            "url": "",
            "notes": [],
            "mended": False,
        }
    return {
        "before": entry.shown_before,
        "after": entry.shown_after,
        "delta": entry.delta,
        "url": change_url(entry, access),
        "notes": explanations.notes_of(entry.because),
        "mended": entry.supersedes_id is not None,
    }


def _grid(request: HttpRequest, sheet: Sheet) -> dict[str, object]:
    """Return the crosstable: each player's result of each round, by the place of the opponent."""
    access, table = access_of(request), sheet.table
    page = Paginator(table.lines, LINES).get_page(request.GET.get("page"))
    lines = [
        {
            "place": line.place,
            "name": sheet.name(line.player, access),
            "cells": [[_cell(board, sheet, access) for board in cell] for cell in line.cells],
            "points": points(Fraction(line.halves, 2), 1),
            "spread": line.spread,
        }
        for line in page
    ]
    return {"lines": lines, "crosstable": table, "page": page}


def _cell(board: Board, sheet: Sheet, access: Access) -> dict[str, str]:
    """Return a board's cell: "+3" won against the third, "f" where it was not played."""
    if board.opponent is None:
        return {"text": _("ex."), "title": _("exempt")}
    title = sheet.name(board.opponent, access)
    if not board.played:
        won = board.halves == WON
        return {"text": _("f+") if won else _("f−"), "title": f"{title}, {_('forfait')}"}
    if board.scores:
        title = f"{title} {board.scores[0]}\u00a0–\u00a0{board.scores[1]}"
    return {"text": f"{MARKS[board.halves]}{sheet.table.places[board.opponent]}", "title": title}


def _rounds(request: HttpRequest, sheet: Sheet) -> dict[str, object]:
    """Return the games of one round, or of the whole competition where the file has no rounds."""
    access, rounds = access_of(request), sheet.table.rounds if sheet.table.has_rounds else ()
    asked = request.GET.get("ronde", "")
    chosen = asked if asked in rounds else (rounds[-1] if rounds else "")
    games = [game for game in sheet.games if not rounds or round_of(game) == chosen]
    page = Paginator(games, LINES).get_page(request.GET.get("page"))
    return {
        "chips": [
            {"label": name, "url": f"?vue={ROUNDS}&ronde={name}", "current": name == chosen}
            for name in rounds
        ],
        "round": chosen,
        "games": list(_game_lines(page, sheet, access)),
        "byes": [
            (sheet.name(pk, access), halves, name)
            for pk, halves, name in sheet.byes
            if not rounds or name == chosen
        ],
        "page": page,
    }


def _game_lines(games: Iterable[Game], sheet: Sheet, access: Access) -> Iterable[dict[str, object]]:
    for game in games:
        scored = game.first_score is not None
        yield {
            "first": sheet.name(game.first, access),
            "second": sheet.name(game.second, access),
            "halves": game.first_halves,
            "facts": game.facts,
            "scores": f"{game.first_score} – {game.second_score}" if scored else "",
        }
