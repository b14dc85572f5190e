"""Calculators that anybody may use, and the general rating over several kinds of game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import access_of, organisation_of, public, visible_member
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.ui.sent import render_form
from clubs.ui.widgets import DigitsInput
from ratings import systems
from ratings.ledger.models import RatingList, StandingCote
from ratings.ledger.timeline import GAMES
from ratings.lists import calculator, explanations
from ratings.lists import queries as list_queries
from ratings.lists.views import list_of_address
from ratings.systems.protocol import PLACINGS, Change, EventRefused, Number, RatingSystem
from ratings.systems.storage import reason_to_json, state_from_json
from ratings.systems.words import refusal_in_words


def _number(label: Any, most: int, **more: Any) -> forms.IntegerField:
    return forms.IntegerField(
        label=label, min_value=0, max_value=most, widget=DigitsInput(), **more
    )


class CalculatorForm(forms.Form):
    """Two ratings and a result."""

    first_rating = _number(gettext_lazy("Votre cote"), 4000)
    first_games = _number(gettext_lazy("Vos parties déjà comptées"), 10_000, initial=50)
    second_rating = _number(gettext_lazy("Cote de l’adversaire"), 4000)
    second_games = _number(gettext_lazy("Ses parties déjà comptées"), 10_000, initial=50)
    result = forms.ChoiceField(
        label=gettext_lazy("Votre résultat"),
        choices=[
            ("2", gettext_lazy("victoire")),
            ("1", gettext_lazy("nul")),
            ("0", gettext_lazy("défaite")),
        ],
        widget=forms.RadioSelect,
        initial="2",
    )


class PlacesForm(forms.Form):
    """A player and a collective game; a player of the list brings their own rating and games."""

    rating = _number(
        gettext_lazy("Votre rating"),
        4000,
        required=False,
        help_text=gettext_lazy("Vide : sans rating."),
    )
    games = _number(gettext_lazy("Vos parties dans la fenêtre"), 30, initial=10)
    players = forms.IntegerField(
        label=gettext_lazy("Nombre de joueurs de la partie"),
        min_value=2,
        max_value=200,
        initial=20,
        widget=DigitsInput(),
    )
    others = _number(gettext_lazy("Rating moyen des autres"), 4000, initial=150)


@public
@require_GET
def calculate(request: HttpRequest, slug: str) -> HttpResponse:
    """Apply the list's own rules in force today to two invented players, or to each place."""
    rating_list, on = list_of_address(request, slug), timezone.localdate()
    if systems.system(rating_list.system).takes == PLACINGS:
        return _calculate_places(request, rating_list, on)
    asked = "first_rating" in request.GET
    form = CalculatorForm(request.GET if asked else None)
    sides, refusal = [], ""
    if asked and form.is_valid():
        answers, system = form.cleaned_data, list_queries.system_on(rating_list, on)
        try:
            changes = calculator.compute(
                system,
                calculator.Side(answers["first_rating"], answers["first_games"]),
                calculator.Side(answers["second_rating"], answers["second_games"]),
                int(answers["result"]),
                kind=rating_list.kind,
                on=on,
            )
        except EventRefused as refused:
            refusal = refusal_in_words(refused)
        else:
            sides = [_side(system, change) for change in changes]
    context = {
        "list": rating_list,
        "system": _(systems.system(rating_list.system).label),
        "form": form,
        "sides": sides,
        "refusal": refusal,
    }
    wrong = bool(refusal or (asked and form.errors))
    return render_form(request, "ratings/lists/calculator.html", context, refused=wrong)


def _calculate_places(request: HttpRequest, rating_list: RatingList, on: date) -> HttpResponse:
    """Show what each place of the next game would give: an invented player, or one of the list."""
    address = request.GET.get("joueur", "")
    member = visible_member(request, address) if address else None
    cote = rating_list.cotes.filter(member=member).first() if member is not None else None
    asked = "players" in request.GET
    form = PlacesForm(request.GET if asked else None)
    if cote is not None:
        del form.fields["rating"], form.fields["games"]
    system, rows = list_queries.system_on(rating_list, on), []
    if asked and form.is_valid():
        answers, sequence = form.cleaned_data, calculator.NEXT
        if cote is not None:
            state = state_from_json(cote.state)
            sequence = rating_list.periods.rated().filter(kind=GAMES).count() + 1
        else:
            state = calculator.state_of(
                system, calculator.Side(answers["rating"], answers["games"])
            )
        each = calculator.by_place(
            system,
            state,
            answers["others"],
            answers["players"],
            kind=rating_list.kind,
            on=on,
            sequence=sequence,
        )
        rows = [_place_row(system, place, *one) for place, one in enumerate(each, start=1)]
    context = {
        "list": rating_list,
        "form": form,
        "rows": rows,
        "address": member.address if cote is not None and member is not None else "",
        "name": member.name_for(viewer_is_member=access_of(request).is_member) if member else "",
        "shown": cote.shown if cote is not None else None,
    }
    return render_form(
        request, "ratings/lists/calculator_places.html", context, refused=asked and form.errors
    )


def _place_row(
    system: RatingSystem, place: int, points: Number, change: Change
) -> dict[str, object]:
    before, after = system.shown(change.before), system.shown(change.after)
    return {
        "place": place,
        "points": system.shown_value(points),
        "after": after,
        "delta": None if before is None or after is None else after - before,
    }


def _side(system: RatingSystem, change: Change) -> dict[str, object]:
    names = {calculator.FIRST: _("Vous"), calculator.SECOND: _("L’adversaire")}
    lines = explanations.lines_of([reason_to_json(line) for line in change.because], names=names)
    return {
        "name": names[change.player],
        "lines": lines,
        "before": system.shown(change.before),
        "after": system.shown(change.after),
    }


def combined_lists(organisation: Organisation) -> list[RatingList]:
    """Return the lists that a general rating is made of, all of one system."""
    for system in systems.SYSTEMS:
        lists = RatingList.objects.filter(
            organisation=organisation, system=system.code, kind__in=system.combined_kinds
        )
        if combined := list(lists):
            return combined
    return []


@public
@require_GET
def general_rating(request: HttpRequest) -> HttpResponse:
    """Show the rating over the kinds that a system combines (001 §8), by category of players."""
    organisation, access = organisation_of(request), access_of(request)
    lists = combined_lists(organisation)
    if not lists:
        raise Http404
    rules = list_queries.system_on(lists[0], timezone.localdate())
    collective = rules.combined_kinds
    categories = sorted({one.facts.get("category", "") for one in lists})
    chosen = request.GET.get("categorie", categories[0])
    ratings, statuses = kinds_of_each(lists, chosen, collective)
    members = Member.objects.active().in_bulk(list(ratings))
    general = general_of(rules, ratings, statuses)
    ranked = sorted(
        ((value, members[pk]) for pk, value in general.items() if pk in members),
        key=lambda line: (-line[0], line[1].order_for(viewer_is_member=access.is_member)),
    )
    shown = [rules.shown_value(value) for value, _member in ranked]
    ranks = list_queries.ranks_of(shown)
    context = {
        "tabs": [
            {"label": name or _("Tous"), "url": f"?categorie={name}", "current": name == chosen}
            for name in categories
        ],
        "kinds": [_(rules.kinds[kind][0]) for kind in collective],
        "rows": [
            {
                "rank": rank,
                "name": member.name_for(viewer_is_member=access.is_member),
                "value": number,
                "cells": [
                    (
                        None if rating is None else rules.shown_value(rating),
                        statuses[member.pk][kind],
                    )
                    for kind, rating in ratings[member.pk].items()
                ],
            }
            for (rank, _tie), number, (_value, member) in zip(ranks, shown, ranked, strict=True)
        ],
        "is_committee": access.is_committee,
        "chosen": chosen,
    }
    return render(request, "ratings/lists/general.html", context)


def kinds_of_each(
    lists: Sequence[RatingList], category: str, collective: Sequence[str]
) -> tuple[dict[int, dict[str, Fraction | None]], dict[int, dict[str, str]]]:
    """Return {member: {kind: rating}} and {member: {kind: status}} of a category of players."""
    kinds = {one.pk: one.kind for one in lists if one.facts.get("category", "") == category}
    ratings: dict[int, dict[str, Fraction | None]] = {}
    statuses: dict[int, dict[str, str]] = {}
    for cote in StandingCote.objects.filter(rating_list__in=list(kinds)):
        state, kind = state_from_json(cote.state), kinds[cote.rating_list_id]
        member_ratings = ratings.setdefault(cote.member_id, dict.fromkeys(collective))
        member_ratings[kind] = None if state.rating is None else Fraction(state.rating)
        statuses.setdefault(cote.member_id, dict.fromkeys(collective, "none"))[kind] = cote.status
    return ratings, statuses


def general_of(
    rules: RatingSystem,
    ratings: Mapping[int, Mapping[str, Fraction | None]],
    statuses: Mapping[int, Mapping[str, str]],
) -> dict[int, Fraction]:
    """Return the general rating of those who have one."""
    general_ratings = {
        pk: rules.combined(member_ratings, statuses[pk]) for pk, member_ratings in ratings.items()
    }
    return {pk: value for pk, value in general_ratings.items() if value is not None}
