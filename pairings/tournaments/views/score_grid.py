"""The keyboard grid: scores of a round typed from the slips."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import Refused, refused_as_message
from clubs.accounts.permissions import actor_of, arbiter_required
from clubs.members.models import Member
from clubs.ui.punctuation import labelled
from clubs.ui.sent import render_form, whole_number
from pairings.matches import actions as match_actions
from pairings.matches import refusals
from pairings.matches.models import Match
from pairings.rules.match_state import Status
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments.models import Round
from pairings.tournaments.rounds import score_entry
from pairings.tournaments.rounds.forms import CorrectionReasonForm, GridRowForm
from pairings.tournaments.rounds.score_entry import GridLine
from pairings.tournaments.standings import Sheet
from pairings.tournaments.views.public import frame_of, sheet_and_round
from pairings.tournaments.wording import score_words


@arbiter_required
@require_http_methods(["GET", "POST"])
def round_grid(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Enter scores typed from the slips with Tab and Enter.

    Rows that somebody changed meanwhile are shown again with what was typed and what is stored; the
    others are saved.
    """
    at, by = timezone.now(), actor_of(request)
    match_actions.lapse_due(at=at)
    sheet, tournament_round = sheet_and_round(request, slug, number)
    if not tournament_round.is_public:
        return redirect("pairings:round_control", slug=slug, number=number)
    rows = [_row_form(request, sheet, match) for match in _boards(sheet, number)]
    notes: dict[int, str] = {}
    reason_form = CorrectionReasonForm(request.POST or None)
    if request.method == "POST":
        lines = [
            GridLine(row.match.pk, row.cleaned_data["version"], row.result())
            for row in rows
            if row.is_bound and row.is_valid()
        ]
        try:
            reason = reason_form.cleaned_data["reason"] if reason_form.is_valid() else ""
            answers = score_entry.enter(
                round=tournament_round, lines=lines, by=by, at=at, reason=reason
            )
        except Refused as refused:
            messages.error(request, str(refused))
            return redirect("pairings:round_grid", slug=slug, number=number)
        saved = sum(answer.saved for answer in answers)
        notes = {a.match.pk: a.refused for a in answers if a.refused}
        if not reason_form.errors and any(a.code == "reason_required" for a in answers):
            reason_form.add_error("reason", str(refusals.SENTENCES["reason_required"]))
        for answer in answers:
            if answer.notice:
                messages.warning(request, answer.notice)
        wrong = [row for row in rows if row.is_bound and row.errors]
        if not notes and not wrong:
            _check(request, tournament_round, saved)
            return redirect("pairings:round_grid", slug=slug, number=number)
        sheet, tournament_round = sheet_and_round(request, slug, number)
        rows = _after(rows, sheet, number)
    return _grid(request, sheet, tournament_round, rows, notes, reason_form)


def _grid(
    request: HttpRequest,
    sheet: Sheet,
    tournament_round: Round,
    rows: list[GridRowForm],
    notes: dict[int, str],
    reason_form: CorrectionReasonForm,
) -> HttpResponse:
    """Show the rows with what was refused in them (`notes`), and the form of the reason."""
    life = tournament_rules.lifecycle_of(sheet.tournament)
    own = None if life.arbiter_may_judge_own_match else actor_of(request).member
    is_open = sheet.tournament.is_open
    shown = [_row(row, notes, own, is_open=is_open) for row in rows]
    unread = score_entry.unread(row.match for row in rows)
    _focus_next(shown)
    field = reason_form["reason"]
    errors = _errors(rows, notes) + [
        (labelled(field.label, e), field.auto_id) for e in field.errors
    ]
    context = {
        **frame_of(request, sheet, "round_grid"),
        "round": tournament_round,
        "rows": shown,
        "missing": sum(row.match.is_open for row in rows),
        "unchecked": len(unread),
        "typed": score_entry.typed_by(actor_of(request), unread),
        "games": _games(sheet),
        "reason_form": reason_form,
        "types": any(row["editable"] for row in shown),
        "corrects": any(row["editable"] and not row["match"].is_open for row in shown),
        "error_list": errors,
        "closed": "" if is_open else refusals.SENTENCES["tournament_closed"],
    }
    return render_form(request, "pairings/tournaments/round_grid.html", context, refused=errors)


def _errors(rows: list[GridRowForm], notes: dict[int, str]) -> list[tuple[str, str]]:
    """Return each error after its table, with the id of its row or field."""
    told: list[tuple[str, str]] = []
    for row in rows:
        table = _("Table %(n)s") % {"n": row.match.table_number or "–"}
        if note := notes.get(row.match.pk):
            told.append((labelled(table, note), f"t{row.match.pk}"))
        if row.is_bound:
            told += [(labelled(table, e), field.auto_id) for field in row for e in field.errors]
    return told


def _focus_next(rows: list[dict[str, Any]]) -> None:
    """Give the focus to the first empty score, where typing goes on after Enter."""
    fields = (pair[0] for row in rows if row["editable"] for pair in row["games"][:1])
    empty = next((field for field in fields if field.value() in (None, "")), None)
    if empty is not None:
        empty.field.widget.attrs["data-autofocus"] = True


def _boards(sheet: Sheet, number: int) -> list[Match]:
    """Return the matches of two players, with the members that the sheet has read."""
    matches = [m for m in sheet.of_round(number) if m.second_id is not None]
    members = {entry.member_id: entry.member for entry in sheet.entries}
    for match in matches:
        match.first = members[match.first_id]
        match.second = members[match.second_id or 0]
    return matches


def _games(sheet: Sheet) -> int:
    return 2 * tournament_rules.rules_of(sheet.tournament).winning_games - 1


def _row_form(request: HttpRequest, sheet: Sheet, match: Match) -> GridRowForm:
    life = tournament_rules.lifecycle_of(sheet.tournament)
    posted = request.method == "POST" and f"m{match.pk}-version" in request.POST
    return GridRowForm(
        request.POST if posted else None,
        match=match,
        games=_games(sheet),
        low=life.min_score,
        high=life.max_score,
    )


def _after(rows: list[GridRowForm], sheet: Sheet, number: int) -> list[GridRowForm]:
    """Return the rows after a save refused in part: what was typed over what is stored now."""
    now = {match.pk: match for match in sheet.of_round(number)}
    for row in rows:
        fresh = now.get(row.match.pk)
        if fresh is None:
            continue
        fresh.first, fresh.second = row.match.first, row.match.second
        row.match = fresh
        if row.is_bound:
            row.data = {**row.data.dict(), f"m{fresh.pk}-version": str(fresh.version)}  # type: ignore[attr-defined]
    return rows


def _row(
    row: GridRowForm, notes: dict[int, str], own: Member | None, *, is_open: bool
) -> dict[str, Any]:
    """Return a row of the grid; nobody types or checks the match of `own`, the reader who plays."""
    match = row.match
    barred = own is not None and match.seats(own)
    last = "" if match.is_open else score_words(match)
    return {
        "form": row,
        "match": match,
        "games": row.pairs(),
        "note": notes.get(match.pk, ""),
        "stored": last,
        "to_check": not match.is_open and score_entry.is_unread(match),
        "barred": refusals.sentence_of("own_match", match) if barred else "",
        "editable": is_open
        and not barred
        and (
            match.status in (Status.PROPOSED, Status.PLAYING, Status.SUBMITTED)
            or (match.why in score_entry.AT_THE_DESK and not match.is_checked)
        ),
    }


def _check(request: HttpRequest, tournament_round: Round, saved: int) -> None:
    """Handle the message after a save, and the row that the reader marks as compared with its slip."""
    if saved:
        words = ngettext("%(n)s résultat enregistré.", "%(n)s résultats enregistrés.", saved)
        messages.success(request, words % {"n": saved})
    chosen, _colon, read = request.POST.get("check", "").partition(":")
    pk, version = whole_number(chosen, digits=15), whole_number(read)
    if pk is None or version is None:
        return
    match = tournament_round.matches.filter(pk=pk).first()
    if match is None:
        return
    with refused_as_message(request):
        score_entry.check(match=match, version=version, by=actor_of(request), at=timezone.now())
        messages.success(request, _("Table %(n)s : vérifiée.") % {"n": match.table_number or "–"})
