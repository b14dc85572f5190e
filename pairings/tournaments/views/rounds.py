"""Views to conduct a round: draft, swap, lock, publish, results at the desk, close."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import Refused, refused_as_message, refused_in
from clubs.accounts.permissions import actor_of, arbiter_required
from clubs.ui.sent import render_form, whole_number
from pairings.arbitration.forms import ReasonForm
from pairings.matches import actions as match_actions
from pairings.matches.forms import hide_players
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments.models import Round
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import forms as round_forms
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rounds import score_entry
from pairings.tournaments.rounds.draft_table import (
    ChangeCost,
    DraftTable,
    absent_words,
    alternative_boards,
    elsewhere,
    outdated_words,
)
from pairings.tournaments.rules import TournamentRefused
from pairings.tournaments.standings import Sheet
from pairings.tournaments.views.public import board_lines, clock_of, frame_of, sheet_and_round
from pairings.tournaments.wording import Named, warning_words

KEYS_ALWAYS = (
    ("r", gettext_lazy("présences")),
    ("?", gettext_lazy("montrer cette liste")),
)
KEYS_PUBLIC = (
    ("s", gettext_lazy("saisir les résultats")),
    ("j", gettext_lazy("page publique")),
    ("i", gettext_lazy("imprimer")),
    ("e", gettext_lazy("écran mural")),
    ("b", gettext_lazy("tables : les arbitrer, les corriger")),
)
KEYS = {
    Round.State.PLANNED: (("a", gettext_lazy("apparier")),),
    Round.State.DRAFT: (
        ("b", gettext_lazy("tables du brouillon : les verrouiller")),
        ("x", gettext_lazy("échanger deux joueurs")),
        ("h", gettext_lazy("apparier à la main")),
        ("a", gettext_lazy("apparier de nouveau")),
        ("p", gettext_lazy("publier")),
    ),
    Round.State.PUBLISHED: (
        *KEYS_PUBLIC,
        ("m", gettext_lazy("résultats manquants")),
        ("t", gettext_lazy("terminer la ronde")),
        ("o", gettext_lazy("horloge de la ronde")),
        ("h", gettext_lazy("ajouter une table")),
        ("d", gettext_lazy("annuler la publication")),
    ),
    Round.State.CLOSED: (*KEYS_PUBLIC, ("n", gettext_lazy("préparer la ronde suivante"))),
}
"""The keys of a round's page by its state, with what each reaches."""
CHANGES = ("swap", "pair")
"""Forms whose cost is shown before the draft is changed."""


def _full_names(sheet: Sheet) -> Named:
    names = {entry.member_id: entry.person.full_name for entry in sheet.entries}
    return lambda pk: names.get(pk, "?")


@arbiter_required
@require_GET
def round_control(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the round to the director: a draft to publish, or results to wait for."""
    match_actions.lapse_due(at=timezone.now())
    sheet, tournament_round = sheet_and_round(request, slug, number)
    return _control(request, sheet, tournament_round, {})


def _control(
    request: HttpRequest, sheet: Sheet, tournament_round: Round, forms: dict[str, Any]
) -> HttpResponse:
    named = _full_names(sheet)
    state = Round.State(tournament_round.state)
    absent, announced = sheet.attendance(tournament_round.number)
    present = rounds.present_ids(tournament_round, sheet.entries)
    context = {
        **frame_of(request, sheet, "round_control"),
        "round": tournament_round,
        "absent": [named(pk) for pk in absent],
        "suspended": [named(pk) for pk in sorted(announced - present)],
        "present": len(announced & present),
        "before": next((r for r in sheet.rounds if r.number == tournament_round.number - 1), None),
        "after": next((r for r in sheet.rounds if r.number == tournament_round.number + 1), None),
        "shortcuts": [*KEYS[state], *KEYS_ALWAYS],
    }
    before = context["before"]
    lag = tournament_rules.rules_of(sheet.tournament).lag_of(tournament_round.number)
    context["waits_for"] = before if before and before.state != Round.State.CLOSED else None
    context["can_draw"] = not context["waits_for"] or (
        lag and before.state == Round.State.PUBLISHED
    )
    if state == Round.State.DRAFT:
        context |= _draft_context(request, sheet, tournament_round, named, forms)
    elif tournament_round.is_public:
        context |= _public_context(request, sheet, tournament_round, named, forms)
    if not tournament_round.is_public:
        context["move_form"] = forms.get("move") or round_forms.MoveForm.of(tournament_round)
    context["form"] = bound = next((form for form in forms.values() if form.errors), None)
    asks = bound is not None or "unread" in forms
    template = "_round_results.html" if context["is_live"] else "round_control.html"
    return render_form(request, f"pairings/tournaments/{template}", context, refused=asks)


def _draft_context(
    request: HttpRequest, sheet: Sheet, tournament_round: Round, named: Named, forms: dict[str, Any]
) -> dict[str, Any]:
    """Return the draft as a table with its warnings, and the change asked for with its cost."""
    present = rounds.present_ids(tournament_round, sheet.entries)
    players = sorted(((pk, named(pk)) for pk in present), key=lambda line: line[1].casefold())
    table = DraftTable(sheet, tournament_round, named)
    name = next((name for name in CHANGES if name in forms), None)
    if name is None and "first" in request.GET:
        name = "pair" if request.GET.get("acte") == FORM_OF["pair"] else "swap"
    cost, form = _change(request, table, name, players, forms) if name else (None, None)
    chooses = form if cost is None else None
    outdated = outdated_words(tournament_round, sheet.entries)
    return {
        "table": table,
        "boards": table.lines(),
        "warnings": [
            *warning_words(tournament_round.warnings, named),
            *absent_words(tournament_round, present, named),
            *outdated,
        ],
        "outdated": outdated,
        "alternative": alternative_boards(sheet, tournament_round, named),
        "unpaired": [named(pk) for pk in sorted(rounds.without_table(tournament_round, present))],
        "publish_form": forms.get("publish") or round_forms.PublishForm(auto_id="%s"),
        **elsewhere(tournament_round, named, at=timezone.now()),
        "cost": cost,
        "cost_form": form,
        "cost_act": FORM_OF[name] if name else "",
        "swap_form": chooses
        if name == "swap" and chooses
        else round_forms.TwoPlayersForm(players=players),
        "pair_form": chooses
        if name == "pair" and chooses
        else round_forms.TwoPlayersForm(players=players, fictive=True, auto_id="pair_%s"),
    }


def _change(
    request: HttpRequest,
    table: DraftTable,
    name: str,
    players: list[tuple[int, str]],
    forms: dict[str, Any],
) -> tuple[ChangeCost | None, Form]:
    """Return what a swap or a pairing by hand costs, and the form that makes it.

    Without a cost, the form says what is wrong with the two players chosen.
    """
    options: dict[str, Any] = {
        "players": players,
        "fictive": name == "pair",
        "auto_id": f"{name}_%s",
    }
    form, asked = forms.get(name), name not in forms
    if asked:
        form = forms["asked"] = round_forms.TwoPlayersForm(request.GET, **options)
    assert form is not None
    if {"first", "second"} & set(form.errors):
        return None, form
    one, other = (form.cleaned_data[field] for field in ("first", "second"))
    try:
        cost = (
            table.hand_cost(one, other or None) if name == "pair" else table.swap_cost(one, other)
        )
    except TournamentRefused as refused:
        if not form.errors:
            form.add_error(None, str(refused))
        return None, form
    if asked:
        typed = {"first": one, "second": other, "reason": request.GET.get("reason", "")}
        form = round_forms.PlayersForm(
            initial={**typed, "version": table.tournament_round.version}, **options
        )
    hide_players(form)
    return cost, form


def _public_context(
    request: HttpRequest, sheet: Sheet, tournament_round: Round, named: Named, forms: dict[str, Any]
) -> dict[str, Any]:
    """Return the boards of a published round: what is missing, what nobody has read again."""
    lines = board_lines(sheet, tournament_round, named, for_members=True)
    of_two = [line["match"] for line in lines if line["match"].second_id is not None]
    busy = {pk for match in of_two for pk in (match.first_id, match.second_id)}
    late = [(e.member_id, named(e.member_id)) for e in sheet.entries if e.member_id not in busy]
    return {
        "lines": lines,
        "missing": [line for line in lines if line["match"].is_open],
        "unread": score_entry.unread(line["match"] for line in lines),
        "unread_form": forms.get("unread"),
        "taken_away": score_entry.taken_away(
            tournament_round, {*busy, *(line["match"].first_id for line in lines)}
        ),
        "with_result": any(match.status not in round_publishing.NO_RESULT for match in of_two),
        "barred": _barred(request, sheet, lines),
        "late_form": forms.get("late")
        or round_forms.PlayersForm(
            players=late, fictive=True, initial={"version": tournament_round.version}
        ),
        "reason_form": forms.get("reason") or ReasonForm(auto_id="reason_%s"),
        "clock_form": forms.get("clock")
        or round_forms.ClockForm(
            initial={"minutes": 2 * sheet.tournament.minutes}, row=tournament_round
        ),
        **clock_of(tournament_round, at=timezone.now()),
    }


def _barred(request: HttpRequest, sheet: Sheet, lines: list[dict[str, Any]]) -> str:
    """Return why the reader cannot take the round back, who plays in it; empty if they can."""
    reader = actor_of(request).member
    if (
        reader is None
        or tournament_rules.lifecycle_of(sheet.tournament).arbiter_may_judge_own_match
    ):
        return ""
    own = {entry.member_id for entry in sheet.entries if entry.is_of(reader)}
    matches = (line["match"] for line in lines)
    played = next((one for one in matches if own & {one.first_id, one.second_id}), None)
    return round_publishing.barred_words(played) if played is not None else ""


@arbiter_required
@require_http_methods(["GET", "POST"])
def round_act(request: HttpRequest, slug: str, number: int, act: str) -> HttpResponse:
    """Handle one action per button.

    A refusal is shown and what was typed is kept; the address of a refused form, opened again,
    redirects to the round.
    """
    if request.method == "GET":
        return redirect("pairings:round_control", slug=slug, number=number)
    sheet, tournament_round = sheet_and_round(request, slug, number)
    answer = None
    with refused_as_message(request):
        answer = _act(request, sheet, tournament_round, act)
    return answer or redirect("pairings:round_control", slug=slug, number=number)


def _act(
    request: HttpRequest, sheet: Sheet, tournament_round: Round, act: str
) -> HttpResponse | None:
    version = whole_number(request.POST.get("version"))
    arguments: dict[str, Any] = {
        "round": tournament_round,
        "by": actor_of(request),
        "at": timezone.now(),
    }
    if act == "apparier":
        rounds.draw(look_ahead="eviter" in request.POST, version=version, **arguments)
    elif act == "publier":
        return _publish(request, sheet, tournament_round, {"version": version, **arguments})
    elif act == "clore":
        return _close(request, sheet, tournament_round, {"version": version, **arguments})
    elif act == "verrou":
        player = whole_number(request.POST.get("player"), digits=11) or 0
        rounds.set_lock(player=player, on="on" in request.POST, version=version, **arguments)
    elif act in FORM_ACTS:
        return _form_act(request, sheet, tournament_round, act, arguments)
    else:
        raise Http404
    return None


def _publish(
    request: HttpRequest, sheet: Sheet, tournament_round: Round, values: dict[str, Any]
) -> HttpResponse | None:
    """Publish the round; ask beside the button what has to be agreed to first."""
    form = round_forms.PublishForm(request.POST, auto_id="%s")
    allowed = form.cleaned_data if form.is_valid() else {}
    agreed = {f"allow_{name}": allowed.get(name, False) for name in form.fields}
    try:
        round_publishing.publish(**agreed, **values)
    except Refused as refused:
        if refused.code not in form.fields:
            raise
        form.add_error(refused.code, str(refused))
        slug, number = sheet.tournament.slug, tournament_round.number
        return _control(request, *sheet_and_round(request, slug, number), {"publish": form})
    words = _(
        "La ronde est publiée : les joueurs voient leur table ; les feuilles de match "
        "peuvent être imprimées."
    )
    messages.success(request, words)
    return None


def _close(
    request: HttpRequest, sheet: Sheet, tournament_round: Round, values: dict[str, Any]
) -> HttpResponse:
    """Close the round; ask why where results typed at the desk have not been read again."""
    try:
        round_publishing.close(unread_reason=request.POST.get("reason", ""), **values)
    except Refused as refused:
        if refused.code != "unread":
            raise
        asked = request.POST if "reason" in request.POST else None
        form = ReasonForm(asked, auto_id="unread_%s")
        form.fields["reason"].widget.attrs["data-autofocus"] = True
        sheet, tournament_round = sheet_and_round(
            request, sheet.tournament.slug, tournament_round.number
        )
        return _control(request, sheet, tournament_round, {"unread": form})
    messages.success(request, _("La ronde %(n)s est terminée.") % {"n": tournament_round.number})
    if tournament_round.number < len(sheet.rounds):
        slug, number = sheet.tournament.slug, tournament_round.number + 1
        return redirect("pairings:round_control", slug=slug, number=number)
    return redirect("pairings:tournament_manage", slug=sheet.tournament.slug)


FORM_ACTS = {
    "echanger": gettext_noop("Les deux joueurs sont échangés."),
    "main": gettext_noop("La table est enregistrée."),
    "table": gettext_noop("La table est ajoutée."),
    "depublier": gettext_noop("La publication de la ronde est annulée."),
    "horloge": gettext_noop("L’horloge de la ronde est réglée."),
    "deplacer": gettext_noop("La ronde est déplacée."),
}
FORMS = {
    "echanger": "swap",
    "main": "pair",
    "table": "late",
    "depublier": "reason",
    "horloge": "clock",
    "deplacer": "move",
}
FORM_OF = {name: act for act, name in FORMS.items()}


def _form_act(
    request: HttpRequest, sheet: Sheet, tournament_round: Round, act: str, values: dict[str, object]
) -> HttpResponse | None:
    name = FORMS[act]
    form: Form
    if act == "depublier":
        form = ReasonForm(request.POST, auto_id="reason_%s")
    elif act == "horloge":
        form = round_forms.ClockForm(request.POST, row=tournament_round)
    elif act == "deplacer":
        form = round_forms.MoveForm(request.POST)
    else:
        everybody = [(e.member_id, e.person.full_name) for e in sheet.entries]
        form = round_forms.PlayersForm(
            request.POST, players=everybody, fictive=act != "echanger", auto_id=f"{name}_%s"
        )
    if form.is_valid():
        with refused_in(form, {"outside": "day", "past": "hour"}):
            _form_verb(act, form, values)
            messages.success(request, _(FORM_ACTS[act]))
            return None
        # The page shows the round as it is now: who sends the form once more has read it.
        form.data = {**form.data.dict(), "version": tournament_round.version}
    return _control(request, sheet, tournament_round, {name: form})


def _form_verb(act: str, form: Any, values: dict[str, Any]) -> None:
    typed = form.cleaned_data
    if act == "horloge":
        minutes = None if "stop" in form.data else typed["minutes"]
        seen = typed["seen"] or None
        round_publishing.set_clock(minutes=minutes, seen=seen, **values)
        return
    if act == "deplacer":
        rounds.move(starts_at=typed["starts_at"], version=typed["version"], **values)
        return
    version = whole_number(form.data.get("version"))
    values = {**values, "reason": typed["reason"], "version": version}
    if act == "depublier":
        round_publishing.unpublish(**values)
    elif act == "echanger":
        rounds.swap(one=typed["first"], other=typed["second"], **values)
    elif act == "main":
        rounds.pair_by_hand(first=typed["first"], second=form.second_or_fictive(), **values)
    else:
        round_publishing.pair_late(first=typed["first"], second=form.second_or_fictive(), **values)
