"""The committee's settings of the club: details, one season, the entrance poster."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import refused_in
from clubs.accounts.permissions import (
    after_closing,
    committee_of,
    committee_required,
    organisation_of,
)
from clubs.accounts.reauthentication import weighty
from clubs.organisations.models import Season
from clubs.personal_data.models import settings_of
from clubs.registries import AWAITING_COMMITTEE
from clubs.rulebooks import season_choices
from clubs.setup import closing, club_settings
from clubs.setup.forms import (
    FIELD_OF,
    CloseForm,
    ClubForm,
    EditSeasonForm,
    PrivacyForm,
    ReopenForm,
)
from clubs.ui.sent import render_form


def _apply(request: HttpRequest, form: BaseForm, edit: Callable[..., object], said: str) -> bool:
    """Do what a valid form asks, or show in it why not. Return whether it is done."""
    if request.method != "POST" or not form.is_valid():
        return False
    values = dict(form.cleaned_data)
    with refused_in(form, FIELD_OF):
        edit(seen=values.pop("seen"), changes=values, by=committee_of(request), at=timezone.now())
        messages.success(request, said)
        return True
    return False


@committee_required
@after_closing
@require_http_methods(["GET", "POST"])
def club(request: HttpRequest) -> HttpResponse:
    """Edit name, place, language, time zone, contact."""
    organisation = organisation_of(request)
    form = ClubForm(request.POST or None, organisation=organisation)
    edit = partial(club_settings.edit_club, organisation=organisation)
    if _apply(request, form, edit, _("Les réglages sont enregistrés.")):
        return redirect("clubs:club_settings")
    context = {"form": form}
    return render_form(request, "clubs/setup/club_settings.html", context)


@committee_required
@after_closing
@weighty()
@require_http_methods(["GET", "POST"])
def privacy_settings(request: HttpRequest) -> HttpResponse:
    """Edit who answers for the data, and for how long they are kept."""
    organisation = organisation_of(request)
    form = PrivacyForm(request.POST or None, instance=settings_of(organisation))
    edit = partial(club_settings.edit_privacy, organisation=organisation)
    if _apply(request, form, edit, _("Les réglages des données personnelles sont enregistrés.")):
        return redirect("clubs:privacy_settings")
    return render_form(request, "clubs/setup/privacy_settings.html", {"form": form})


@committee_required
@after_closing
@weighty()
@require_http_methods(["GET", "POST"])
def close(request: HttpRequest) -> HttpResponse:
    """Close the organisation, or open it again."""
    organisation = organisation_of(request)
    opens = organisation.closed_at is not None
    if request.method == "POST":  # the act that the page showed: a second press asks for it again
        opens = "opens" in request.POST
    form = (ReopenForm if opens else CloseForm)(request.POST or None)
    if request.method == "POST" and form.is_valid():
        act = closing.reopen if opens else closing.close
        with refused_in(form, FIELD_OF):
            act(
                organisation=organisation,
                by=committee_of(request),
                at=timezone.now(),
                **form.cleaned_data,
            )
            said = _("C’est de nouveau ouvert.") if opens else _("C’est fermé.")
            messages.success(request, said)
            return redirect("clubs:close")
    going_on = [] if opens else closing.going_on(organisation)
    # What nobody answers any more once it is closed.
    awaiting = [] if opens else [row for rows in AWAITING_COMMITTEE for row in rows(organisation)]
    context = {"form": form, "opens": opens, "going_on": going_on, "awaiting": awaiting}
    return render_form(request, "clubs/setup/close.html", context)


@committee_required
@require_http_methods(["GET", "POST"])
def season(request: HttpRequest, season_id: int) -> HttpResponse:
    """Edit a season's name and days, and the sum or mean of its DS until its first evening."""
    organisation = organisation_of(request)
    chosen_season = get_object_or_404(Season, pk=season_id, organisation=organisation)
    asked = season_choices.is_asked_of(organisation)
    form = EditSeasonForm(request.POST or None, season=chosen_season, asks_ds_mode=asked)
    edit = partial(club_settings.edit_season, season=chosen_season)
    if _apply(request, form, edit, _("La saison est enregistrée.")):
        return redirect("clubs:season_list")
    counted = season_choices.words_of(chosen_season) if chosen_season.rule_fixed else ""
    context = {"form": form, "season": chosen_season, "counted": counted}
    return render_form(request, "clubs/setup/season.html", context)


@committee_required
@require_http_methods(["GET", "POST"])
def posters(request: HttpRequest) -> HttpResponse:
    """Show what to print (entrance poster, players' cards) and record that the poster is up."""
    organisation = organisation_of(request)
    if request.method == "POST":
        club_settings.hang_posters(
            organisation=organisation, by=committee_of(request), at=timezone.now()
        )
        return redirect("clubs:setup")
    context = {"hung": organisation.posters_hung_at is not None}
    return render(request, "clubs/setup/posters.html", context)
