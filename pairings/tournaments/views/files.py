"""Views of a tournament's files: prints, calendar and exports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from clubs.accounts.actor import refused_as_message
from clubs.accounts.permissions import access_of, arbiter_required, public
from clubs.ui.sent import whole_number
from pairings.exchange.formats import csv_xlsx, ical, trf, tsh
from pairings.exchange.formats import json as tournament_json
from pairings.exchange.pdf import handouts, wall_sheets
from pairings.exchange.snapshot import SheetBoard, TournamentSheet
from pairings.matches import actions as match_actions
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import snapshot
from pairings.tournaments.models import Tournament
from pairings.tournaments.standings import Sheet
from pairings.tournaments.views.public import frame_of, names_read, tournament_of

Print = Callable[..., bytes]
PDF, JSON, TEXT = "application/pdf", "application/json", "text/plain; charset=utf-8"
CSV = "text/csv; charset=utf-8"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

ROUND_PRINTS: dict[str, tuple[Promise, Print]] = {
    "par-table": (gettext_lazy("Appariements par table"), wall_sheets.pairings_by_table),
    "par-nom": (gettext_lazy("Appariements par nom"), wall_sheets.pairings_by_name),
}
PRINTS: dict[str, tuple[Promise, Print]] = {
    "initial": (gettext_lazy("Classement initial"), wall_sheets.initial_ranking),
    "classement": (gettext_lazy("Classement"), wall_sheets.final_ranking),
    "grille": (gettext_lazy("Grille des résultats"), wall_sheets.crosstable),
}
TABLES: dict[str, tuple[Promise, Callable[[TournamentSheet], Any]]] = {
    "inscrits": (gettext_lazy("Inscrits"), csv_xlsx.entries),
    "resultats": (gettext_lazy("Résultats"), csv_xlsx.results),
    "classement": (gettext_lazy("Classement"), csv_xlsx.standings),
}
WHOLE: dict[str, tuple[Callable[[TournamentSheet], bytes], str, str]] = {
    "json": (tournament_json.write, JSON, "json"),
    "tsh": (tsh.write, TEXT, "t"),
    "trf": (trf.write, TEXT, "trf"),
}
"""Files of a whole tournament for programs: what writes it, its type, the ending of its name."""


def _rows(request: HttpRequest, slug: str) -> Sheet:
    match_actions.lapse_due(at=timezone.now())
    return tournament_standings.sheet_of(tournament_of(request, slug))


def _wants_members_names(request: HttpRequest) -> bool:
    return access_of(request).is_member and request.GET.get("noms") == "membres"


def _for_the_wall(request: HttpRequest, slug: str) -> TournamentSheet:
    """Return the sheet of a print, which hangs where visitors read it, unless a member asks."""
    rows = _rows(request, slug)
    named = names_read(rows, by_members=_wants_members_names(request))
    return snapshot.photograph(rows, named=named)


def _file(content: bytes, kind: str, name: str, *, inline: bool = False) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    shown = "inline" if inline else "attachment"
    response["Content-Disposition"] = f'{shown}; filename="{name}"'
    return response


# Public


@public
@never_cache
@require_GET
def tournament_files(request: HttpRequest, slug: str) -> HttpResponse:
    """List everything that can be printed, followed in a calendar, downloaded."""
    rows = tournament_standings.sheet_of(tournament_of(request, slug))
    is_frozen = rows.tournament.state != Tournament.State.ENTRIES
    labels = {code: label for code, (label, _work) in PRINTS.items()}
    context = {
        **frame_of(request, rows, "tournament_files"),
        "prints": list((labels if is_frozen else {"initial": TABLES["inscrits"][0]}).items()),
        "round_prints": [(code, label) for code, (label, _work) in ROUND_PRINTS.items()],
        "public_rounds": [each for each in reversed(rows.rounds) if each.is_public],
        "tables": [(code, label) for code, (label, _work) in TABLES.items()],
        "is_closed": rows.tournament.state == Tournament.State.CLOSED,
        "print_names": "?noms=membres" if _wants_members_names(request) else "",
    }
    return render(request, "pairings/tournaments/tournament_files.html", context)


@public
@never_cache
@require_GET
def tournament_print(request: HttpRequest, slug: str, what: str) -> HttpResponse:
    """Return the initial ranking, the ranking or the crosstable as a PDF."""
    if what not in PRINTS:
        raise Http404
    sheet = _for_the_wall(request, slug)
    return _pdf(PRINTS[what][1](sheet, at=timezone.now()), slug, what)


@public
@never_cache
@require_GET
def round_print(request: HttpRequest, slug: str, number: int, what: str) -> HttpResponse:
    """Return the pairings of a published round as a PDF."""
    if what not in ROUND_PRINTS:
        raise Http404
    sheet = _for_the_wall(request, slug)
    _check_public(sheet, number)
    content = ROUND_PRINTS[what][1](sheet, number, at=timezone.now())
    return _pdf(content, slug, f"ronde-{number}-{what}")


@public
@require_GET
def tournament_calendar(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the schedule for a phone's calendar."""
    tournament = tournament_of(request, slug)
    rows = tournament_standings.sheet_of(tournament)
    content = ical.write(
        snapshot.photograph(rows, named=names_read(rows, by_members=False)),
        at=timezone.now(),
        host=f"{tournament.organisation.slug}.{request.get_host().partition(':')[0]}",
        address=request.build_absolute_uri(tournament.get_absolute_url()),
        is_cancelled=tournament.state == Tournament.State.CANCELLED,
    )
    return _file(content, "text/calendar; charset=utf-8", f"{slug}.ics")


def _pdf(content: bytes, slug: str, what: str) -> HttpResponse:
    return _file(content, PDF, f"{slug}-{what}.pdf", inline=True)


def _check_public(sheet: TournamentSheet, number: int) -> None:
    sheet_round = sheet.round(number)
    if sheet_round is None or not sheet_round.published:
        raise Http404


# Desk


@arbiter_required
@require_GET
def round_slips(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Return result slips, eight on a page; each QR code opens the entry of its table."""
    sheet = snapshot.photograph(_rows(request, slug))
    _check_public(sheet, number)

    def address(board: SheetBoard) -> str:
        where = reverse("pairings:result_enter", kwargs={"match_id": board.match})
        return request.build_absolute_uri(where)

    content = handouts.result_slips(sheet, number, address=address, at=timezone.now())
    return _pdf(content, slug, f"ronde-{number}-feuilles")


@arbiter_required
@require_GET
def tournament_certificates(request: HttpRequest, slug: str) -> HttpResponse:
    """Return one page per player; `?premiers=3` stops after the third place.

    Available once the ranking is final.
    """
    sheet = snapshot.photograph(_rows(request, slug))
    if not sheet.final:
        messages.error(request, _("Les diplômes se font quand le classement final est publié."))
        return redirect("pairings:tournament_files", slug=slug)
    first = whole_number(request.GET.get("premiers"), digits=3)
    return _pdf(handouts.certificates(sheet, first=first), slug, "diplomes")


@arbiter_required
@require_GET
def tournament_export(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Return the whole tournament as JSON, a tsh division or a FIDE report; tables as CSV or XLSX."""
    rows = _rows(request, slug)
    with refused_as_message(request):
        return _whole(rows, slug, kind) if kind in WHOLE else _table(rows, slug, kind)
    return redirect("pairings:tournament_files", slug=slug)


def _whole(rows: Sheet, slug: str, kind: str) -> HttpResponse:
    # One file for everybody, in the language of the club: so its digest does not change with the reader.
    with translation.override(rows.tournament.organisation.language):
        sheet = snapshot.photograph(rows)
    write, media, ending = WHOLE[kind]
    return _file(write(sheet), media, f"{slug}.{ending}")


def _table(rows: Sheet, slug: str, kind: str) -> HttpResponse:
    table, _dash, form = kind.rpartition("-")
    if table not in TABLES or form not in ("csv", "xlsx"):
        raise Http404
    title, work = TABLES[table]
    head, lines = work(snapshot.photograph(rows))
    if form == "csv":
        return _file(csv_xlsx.write_csv(head, lines), CSV, f"{slug}-{table}.csv")
    content = csv_xlsx.write_xlsx(head, lines, title=str(title))
    return _file(content, XLSX, f"{slug}-{table}.xlsx")
