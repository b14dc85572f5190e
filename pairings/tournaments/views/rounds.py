"""Views to conduct a round: draft, swap, lock, publish, results at the desk, close."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import Refused
from clubs.accounts.permissions import arbiter_required
from pairings.arbitration.forms import ReasonForm
from pairings.evenings.views.director import actor_of
from pairings.matches import actions as match_actions
from pairings.matches import seats
from pairings.matches.models import Match
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments import standings as tournament_board
from pairings.tournaments.models import Round
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import draft as round_drafts
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rounds.forms import PlayersForm
from pairings.tournaments.standings import Sheet
from pairings.tournaments.views.public import board_lines, frame_of, tournament_of
from pairings.tournaments.wording import Named, is_repeat, warning_words, why_words


def sheet_and_round(request: HttpRequest, slug: str, number: int) -> tuple[Sheet, Round]:
    sheet = tournament_board.sheet_of(tournament_of(request, slug))
    found = next((r for r in sheet.rounds if r.number == number), None)
    if found is None:
        raise Http404
    found.tournament = sheet.tournament
    return sheet, found


def _full_names(sheet: Sheet) -> Named:
    names = {entry.member_id: entry.member.full_name for entry in sheet.entries}
    return lambda pk: names.get(pk, "?")


@arbiter_required
@never_cache
@require_GET
def round_control(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the round to the director: a draft to publish, or results to wait for."""
    match_actions.lapse_due(at=timezone.now())
    sheet, found = sheet_and_round(request, slug, number)
    return _control(request, sheet, found, {})


def _control(
    request: HttpRequest, sheet: Sheet, found: Round, forms: dict[str, Any]
) -> HttpResponse:
    named = _full_names(sheet)
    present = {e.member_id for e in sheet.entries if e.is_present(found.number)}
    players = sorted(((pk, named(pk)) for pk in present), key=lambda line: line[1].casefold())
    lines = board_lines(sheet, found, named) if found.is_public else []
    busy = {
        pk
        for line in lines
        if line["match"].second_id is not None
        for pk in (line["match"].first_id, line["match"].second_id)
    }
    late = [(e.member_id, named(e.member_id)) for e in sheet.entries if e.member_id not in busy]
    version = {"version": found.version}
    bound = next((form for form in forms.values() if form is not None and form.errors), None)
    context = {
        **frame_of(request, sheet, "round_control"),
        "round": found,
        "boards": _draft_lines(sheet, found, named),
        "warnings": warning_words(found.warnings, named),
        "alternative": _alternative(sheet, found, named),
        "unpaired": [named(pk) for pk in sorted(rounds.without_table(found, present))]
        if found.state == Round.State.DRAFT
        else [],
        "elsewhere": _elsewhere(found, named),
        "absent": [named(e.member_id) for e in sheet.entries if e.member_id not in present],
        "present": len(present),
        "lines": lines,
        "missing": [line for line in lines if line["match"].is_open],
        "with_result": any(
            line["match"].status not in round_publishing.NO_RESULT
            and line["match"].second_id is not None
            for line in lines
        ),
        "swap_form": forms.get("swap") or PlayersForm(players=players, initial=version),
        "pair_form": forms.get("pair")
        or PlayersForm(players=players, fictive=True, initial=version),
        "late_form": forms.get("late") or PlayersForm(players=late, fictive=True),
        "reason_form": forms.get("reason") or ReasonForm(),
        "form": bound,
        "before": next((r for r in sheet.rounds if r.number == found.number - 1), None),
        "after": next((r for r in sheet.rounds if r.number == found.number + 1), None),
        "can_look_ahead": hasattr(tournament_rules.rules_of(sheet.tournament), "strategy"),
    }
    before = context["before"]
    lag = tournament_rules.lag_of(sheet.tournament, found.number)
    context["waits_for"] = before if before and before.state != Round.State.CLOSED else None
    context["can_draw"] = not context["waits_for"] or (
        lag and before.state == Round.State.PUBLISHED
    )
    status = 422 if bound is not None else 200
    template = "_round_results.html" if context["is_live"] else "round_control.html"
    return render(request, f"pairings/tournaments/{template}", context, status=status)


def _draft_lines(sheet: Sheet, found: Round, named: Named) -> list[dict[str, Any]]:
    if found.state != Round.State.DRAFT:
        return []
    return [
        {
            "table": place if board["second"] is not None else None,
            "first": named(board["first"]),
            "second": named(board["second"]) if board["second"] else "X",
            "first_id": board["first"],
            "why": why_words(sheet.tournament, board["why"], named),
            "repeat": is_repeat(board["why"]),
            "locked": board["locked"],
        }
        for place, board in enumerate(found.draft, start=1)
    ]


def _elsewhere(found: Round, named: Named) -> list[tuple[str, Match]]:
    """Return players of the draft who are seated at another competition tonight, with that match."""
    if found.state != Round.State.DRAFT:
        return []
    held = seats.holding(round_drafts.players_of(found.draft), at=timezone.now())
    found_names = [(named(pk), match) for pk, match in held.items()]
    return sorted(found_names, key=lambda line: line[0].casefold())


def _alternative(sheet: Sheet, found: Round, named: Named) -> list[dict[str, Any]]:
    """Return the pairing with fewer repeats, where the rule's own has an avoidable repeat."""
    if found.state != Round.State.DRAFT or not found.alternative:
        return []
    held = {frozenset((b["first"], b["second"])) for b in found.draft}
    return [
        {
            "first": named(pair["first"]),
            "second": named(pair["second"]),
            "why": why_words(sheet.tournament, pair, named),
        }
        for pair in found.alternative["pairs"]
        if frozenset((pair["first"], pair["second"])) not in held
    ]


@arbiter_required
@require_http_methods(["GET", "POST"])
def round_act(request: HttpRequest, slug: str, number: int, act: str) -> HttpResponse:
    """Handle one action per button.

    A refusal is shown and what was typed is kept; the address of a refused form, opened again,
    redirects to the round.
    """
    if request.method == "GET":
        return redirect("pairings:round_control", slug=slug, number=number)
    sheet, found = sheet_and_round(request, slug, number)
    try:
        answer = _act(request, sheet, found, act)
    except Refused as refused:
        messages.error(request, str(refused))
        answer = None
    return answer or redirect("pairings:round_control", slug=slug, number=number)


def _act(request: HttpRequest, sheet: Sheet, found: Round, act: str) -> HttpResponse | None:
    version = _version(request)
    given: dict[str, Any] = {"round": found, "by": actor_of(request), "at": timezone.now()}
    if act == "apparier":
        ahead = "eviter" in request.POST
        rounds.draw(strategy="optimal" if ahead else None, version=version, **given)
    elif act == "publier":
        round_publishing.publish(
            version=version, allow_unpaired="unpaired" in request.POST, **given
        )
        messages.success(
            request,
            _(
                "La ronde est publiée : les joueurs voient leur table ; les feuilles de match "
                "peuvent être imprimées."
            ),
        )
    elif act == "clore":
        round_publishing.close(**given)
        return _closed(request, sheet, found)
    elif act == "verrou":
        typed = request.POST.get("player", "")
        player = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 12 else 0
        rounds.set_lock(player=player, on="on" in request.POST, version=version, **given)
    elif act in FORM_ACTS:
        return _form_act(request, sheet, found, act, given)
    else:
        raise Http404
    return None


def _closed(request: HttpRequest, sheet: Sheet, found: Round) -> HttpResponse:
    messages.success(request, _("La ronde %(n)s est terminée.") % {"n": found.number})
    if found.number < len(sheet.rounds):
        slug, number = sheet.tournament.slug, found.number + 1
        return redirect("pairings:round_control", slug=slug, number=number)
    return redirect("pairings:tournament_manage", slug=sheet.tournament.slug)


FORM_ACTS = {
    "echanger": gettext_noop("Les deux joueurs sont échangés."),
    "main": gettext_noop("La table est enregistrée."),
    "table": gettext_noop("La table est ajoutée."),
    "depublier": gettext_noop("La publication de la ronde est annulée."),
}


def _form_act(
    request: HttpRequest, sheet: Sheet, found: Round, act: str, given: dict[str, Any]
) -> HttpResponse | None:
    names = {"echanger": "swap", "main": "pair", "table": "late", "depublier": "reason"}
    form: Any
    if act == "depublier":
        form = ReasonForm(request.POST)
    else:
        everybody = [(e.member_id, e.member.full_name) for e in sheet.entries]
        form = PlayersForm(request.POST, players=everybody, fictive=act != "echanger")
    if form.is_valid():
        try:
            _form_verb(act, form, {**given, "reason": form.cleaned_data["reason"]})
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _(FORM_ACTS[act]))
            return None
    return _control(request, sheet, found, {names[act]: form})


def _form_verb(act: str, form: Any, given: dict[str, Any]) -> None:
    if act == "depublier":
        round_publishing.unpublish(**given)
        return
    first, typed = form.cleaned_data["first"], form.cleaned_data
    if act == "echanger":
        rounds.swap(one=first, other=typed["second"], version=typed["version"], **given)
    elif act == "main":
        second = form.second_or_fictive()
        rounds.pair_by_hand(first=first, second=second, version=typed["version"], **given)
    else:
        round_publishing.pair_late(first=first, second=form.second_or_fictive(), **given)


def _version(request: HttpRequest) -> int | None:
    typed = request.POST.get("version", "")
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 10 else None
