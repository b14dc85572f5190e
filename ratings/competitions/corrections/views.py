"""Corrections of rated competitions: each is shown in full before it is applied."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import Refused
from clubs.accounts.permissions import committee_of, committee_required, organisation_of
from clubs.accounts.reauthentication import weighty
from clubs.persons.actions import people_of
from clubs.ui.sent import has_errors, render_form
from ratings import systems
from ratings.competitions import long_corrections
from ratings.competitions.corrections.views_decision import (
    applies,
    ask_effect,
    decide,
    effect_of,
    is_changed,
    page_of_moves,
)
from ratings.competitions.files import import_files
from ratings.competitions.files.headings import PLACINGS
from ratings.competitions.forms import (
    WITHDRAWN,
    AddedGameForm,
    EventForm,
    GameForm,
    MergeForm,
    MergeReasonForm,
    SheetForm,
    split_lines,
)
from ratings.competitions.forms_newcomers import FactsForm
from ratings.competitions.views_runs import period_of
from ratings.editions import actions as editions
from ratings.handovers.corrections import is_returned
from ratings.ledger import corrections, settlement
from ratings.ledger.corrections import Correction
from ratings.ledger.models import Period, RatedGame, RatedPlacing, RatingList
from ratings.ledger.origins import PLAYED_ON_THE_SITE
from ratings.ledger.posting import Placement
from ratings.lists.views import lists_of


@committee_required
@require_GET
def desk_competition(request: HttpRequest, slug: str, period_id: int) -> HttpResponse:
    """Show one competition with what may be corrected in it."""
    period = period_of(request, slug, period_id)
    if period.settled_at is None:
        return redirect("ratings:run", slug=slug, period_id=period.pk)
    games = (
        RatedGame.objects.filter(period=period)
        .in_force()
        .select_related("first", "second")
        .order_by("position", "pk")
    )
    context = {
        "list": period.rating_list,
        "period": period,
        "games": games,
        "to_mend": editions.to_mend(period.organisation, period.rating_list),
        "has_sheet": systems.system(period.rating_list.system).takes == "placings",
        "has_facts": _has_facts(period),
        "from_match": period.origin in PLAYED_ON_THE_SITE,
    }
    return render(request, "ratings/competitions/desk_competition.html", context)


def _shown(
    request: HttpRequest,
    period: Period,
    form: forms.Form | None,
    correction: Correction | None,
    *,
    title: str,
    what: str = "",
) -> HttpResponseBase:
    """Render the page that all corrections share; its way back leads to the competition.

    `what`: of which part of the competition it is, where not of the whole.
    """
    rating_list = period.rating_list
    return decide(
        request,
        rating_list=rating_list,
        form=form,
        correction=correction,
        title=title,
        button=title if form is None else "",
        what=what or period.title,
        back=reverse(
            "ratings:desk_competition", kwargs={"slug": rating_list.slug, "period_id": period.pk}
        ),
        apply=lambda wish, reason, seen, approver: settlement.apply(
            rating_list=rating_list,
            correction=wish,
            by=committee_of(request),
            at=timezone.now(),
            reason=reason,
            seen=seen,
            approver=approver,
        ),
    )


@committee_required
@require_http_methods(["GET", "POST"])
def game_correct(request: HttpRequest, slug: str, period_id: int, game_id: int) -> HttpResponseBase:
    """Correct the result of a game, or withdraw the game."""
    period = period_of(request, slug, period_id)
    game = _newest(
        get_object_or_404(
            RatedGame.objects.select_related("first", "second"), pk=game_id, period=period
        )
    )
    unplayed = "+" if game.first_halves == 2 else "-"
    initial = {
        "result": str(game.first_halves) if game.facts.get("played", True) else unplayed,
        "first_score": game.first_score,
        "second_score": game.second_score,
    }
    form = GameForm(request.POST or None, initial=initial)
    correction = None
    if request.method == "POST" and form.is_valid():
        if form.cleaned_data["result"] == WITHDRAWN:
            correction = corrections.withdraw_game(period, game.source)
        else:
            correction = corrections.change_game(period, form.game(game.game))
    what = _("%(first)s contre %(second)s") % {"first": game.first, "second": game.second}
    return _shown(request, period, form, correction, title=_("Corriger une partie"), what=what)


@committee_required
@require_http_methods(["GET", "POST"])
def game_add(request: HttpRequest, slug: str, period_id: int) -> HttpResponseBase:
    """Add a game that was forgotten, or a play-off of the same table (003 §12)."""
    period = period_of(request, slug, period_id)
    form = AddedGameForm(request.POST or None, organisation=organisation_of(request))
    correction = None
    if request.method == "POST" and form.is_valid():
        last = period.games.aggregate(n=Max("position"))["n"]
        game = form.added_at(0 if last is None else last + 1)
        correction = corrections.add_game(period, game)
    return _shown(request, period, form, correction, title=_("Ajouter une partie"))


def _newest(game: RatedGame) -> RatedGame:
    """Return the version in force of a game, as the page may show an older one."""
    versions = RatedGame.objects.filter(period_id=game.period_id, source=game.source)
    newest: RatedGame = versions.select_related("first", "second").order_by("-revision", "-pk")[0]
    return newest


@committee_required
@require_http_methods(["GET", "POST"])
def sheet_correct(request: HttpRequest, slug: str, period_id: int) -> HttpResponseBase:
    """Replace a placing sheet."""
    period = period_of(request, slug, period_id)
    placings = (
        RatedPlacing.objects.filter(period=period)
        .in_force()
        .select_related("member")
        .order_by("place", "member__sort_name")
    )
    written = "\n".join(f"{line.place}; {line.member.number}; {line.member}" for line in placings)
    form = SheetForm(request.POST or None, initial={"sheet": written})
    correction = None
    if request.method == "POST" and form.is_valid():
        sheet = _sheet_of(form, period)
        if sheet is not None:
            correction = corrections.change_sheet(period, sheet)
    return _shown(request, period, form, correction, title=_("Corriger la feuille de places"))


def _sheet_of(form: SheetForm, period: Period) -> list[Placement] | None:
    """Return the typed sheet as places; add problems to the field with their line numbers."""
    typed = split_lines(form.cleaned_data["sheet"])
    rows = [["place", "joueur"], *([row[0], row[1] if len(row) > 1 else ""] for row in typed)]
    people = people_of(period.rating_list.organisation)
    columns = {"place": 0, "player": 1}
    lines = import_files.lines_of(rows, PLACINGS, people, columns)
    for line in lines:
        for problem in line.problems or ([_("ce joueur est inconnu")] if line.unknown else []):
            form.add_error(
                "sheet", _("Ligne %(n)s : %(why)s") % {"n": line.number - 1, "why": problem}
            )
    if form.errors:
        return None
    return [Placement(line.players[0] or 0, line.place, {}, line.number - 1) for line in lines]


@committee_required
@require_http_methods(["GET", "POST"])
def event_correct(request: HttpRequest, slug: str, period_id: int) -> HttpResponseBase:
    """Correct a competition's name or date; the rules are those in force on the new date."""
    period = period_of(request, slug, period_id)
    form = EventForm(
        request.POST or None, initial={"label": period.label, "held_on": period.held_on}
    )
    correction = None
    if request.method == "POST" and form.is_valid():
        correction = corrections.change_event(period, **form.cleaned_data)
    return _shown(request, period, form, correction, title=_("Corriger la date ou le nom"))


def _has_facts(period: Period) -> bool:
    """Return whether the list's document asks something of such a competition."""
    asks = systems.system(period.rating_list.system).asks
    return bool(asks) and period.kind == settlement.GAMES


@committee_required
@require_http_methods(["GET", "POST"])
def facts_correct(request: HttpRequest, slug: str, period_id: int) -> HttpResponseBase:
    """Correct what was declared of a competition and of its players, as the document asks it."""
    period = period_of(request, slug, period_id)
    if not _has_facts(period):
        raise Http404
    form = FactsForm(request.POST or None, period=period)
    correction = None
    if request.method == "POST" and form.is_valid():
        correction = corrections.change_event(period, facts=form.facts())
    return _shown(request, period, form, correction, title=_("Corriger ce qui est déclaré"))


@committee_required
@require_http_methods(["GET", "POST"])
def event_remove(request: HttpRequest, slug: str, period_id: int) -> HttpResponseBase:
    """Take a competition out of the list, or restore it; nothing is deleted."""
    period = period_of(request, slug, period_id)
    back = period.removed_at is not None
    if is_returned(period):
        messages.error(
            request, _("Elle est retournée au club, qui peut la transmettre de nouveau.")
        )
        return redirect("ratings:run", slug=slug, period_id=period.pk)
    wish = corrections.restore_event(period) if back else corrections.remove_event(period)
    title = _("Rétablir la compétition") if back else _("Retirer la compétition")
    return _shown(request, period, None, wish, title=title)


@committee_required
@weighty(when=applies)
@require_http_methods(["GET", "POST"])
def merge(request: HttpRequest) -> HttpResponse:
    """Merge two players who are one: the difference in every list, then one decision."""
    organisation = organisation_of(request)
    first = {"merged": request.GET.get("merged", "")}
    form = MergeForm(request.POST or None, organisation=organisation, initial=first)
    reason = MergeReasonForm(request.POST if applies(request) else None)
    refusal, effects = "", {}
    if request.method == "POST" and form.is_valid():
        merged, kept = form.cleaned_data["merged"], form.cleaned_data["kept"]
        lists, wish = lists_of(organisation), corrections.merge_member(merged, kept)
        try:
            if any(long_corrections.is_long(one) for one in lists):
                given = long_corrections.asked(wish, back=reverse("ratings:merge"))
                return ask_effect(request, lists=lists, correction=wish, given=given)
            if reason.is_bound and reason.is_valid():
                settlement.merge_member(
                    member=merged,
                    into=kept,
                    by=committee_of(request),
                    at=timezone.now(),
                    reason=reason.cleaned_data["reason"],
                    seen=reason.cleaned_data["seen"],
                )
                messages.success(request, _("Les deux fiches sont fusionnées."))
                return redirect("ratings:desk")
        except Refused as refused:
            refusal = str(refused)
        try:  # also where it was refused: the effect as it is now, above the reason that was typed
            effects = _effects_of_merge(request, lists, wish)
            # By number: a name that was typed may be another player's a moment later.
            effects["people"] = {"merged": merged, "kept": kept}
            effects["posted"] = [(name, one.number) for name, one in effects["people"].items()]
        except Refused as refused:
            refusal = refusal or str(refused)
    context = {"form": form, "reason": reason, "refusal": refusal, **effects}
    wrong = refusal or has_errors(form, reason)
    return render_form(request, "ratings/competitions/merge.html", context, refused=wrong)


def _effects_of_merge(
    request: HttpRequest, lists: Iterable[RatingList], wish: Correction
) -> dict[str, Any]:
    """Return what a merge changes in each list, the lists where no number changes, and the mark."""
    parts, unchanged, seen = [], [], {}
    for one in lists:
        difference = effect_of(one, wish, on=timezone.localdate())
        seen[str(one.pk)] = difference["version"]
        moves = page_of_moves(request, difference)
        if is_changed(moves, difference):
            parts.append({"list": one, "page": moves, "told": difference})
        else:
            unchanged.append(one)
    # One word: a form that is kept shows again whatever has several.
    mark = json.dumps(seen, separators=(",", ":"))
    return {"parts": parts, "unchanged": unchanged, "seen": mark}
