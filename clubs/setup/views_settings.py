"""The committee's settings of the club: details, one season, the entrance poster."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import COMMITTEE, Refused
from clubs.accounts.permissions import access_of, committee_required, organisation_of
from clubs.accounts.reauthentication import weighty
from clubs.organisations.models import Season
from clubs.personal_data.models import settings_of
from clubs.setup import club_settings
from clubs.setup.forms import ClubForm, EditSeasonForm, PrivacyForm, read_again

FIELD_OF = {
    "name_required": "name",
    "name_taken": "name",
    "bad_zone": "time_zone",
    "order": "ends_on",
}
"""Which field a refusal is about; any other is shown above the form."""


@committee_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def club(request: HttpRequest) -> HttpResponse:
    """Edit name, place, language, time zone, contact."""
    organisation = organisation_of(request)
    form = ClubForm(request.POST or None, organisation=organisation)
    if request.method == "POST" and form.is_valid():
        given = dict(form.cleaned_data)
        try:
            club_settings.edit_club(
                organisation=organisation,
                seen=given.pop("seen"),
                changes=given,
                by=access_of(request).actor(COMMITTEE),
                at=timezone.now(),
            )
        except Refused as refused:
            form.add_error(FIELD_OF.get(refused.code), str(refused))
            read_again(form)
        else:
            messages.success(request, _("Les réglages du club sont enregistrés."))
            return redirect("clubs:club_settings")
    context = {"form": form}
    return render(
        request, "clubs/setup/club_settings.html", context, status=422 if form.errors else 200
    )


@committee_required
@never_cache
@weighty()
@require_http_methods(["GET", "HEAD", "POST"])
def privacy_settings(request: HttpRequest) -> HttpResponse:
    """Edit who answers for the data, and for how long they are kept."""
    organisation = organisation_of(request)
    form = PrivacyForm(request.POST or None, instance=settings_of(organisation))
    if request.method == "POST" and form.is_valid():
        given = dict(form.cleaned_data)
        try:
            club_settings.edit_privacy(
                organisation=organisation,
                seen=given.pop("seen"),
                changes=given,
                by=access_of(request).actor(COMMITTEE),
                at=timezone.now(),
            )
        except Refused as refused:
            form.add_error(None, str(refused))
            read_again(form)
        else:
            messages.success(request, _("Les réglages des données personnelles sont enregistrés."))
            return redirect("clubs:privacy_settings")
    status = 422 if form.errors else 200
    return render(request, "clubs/setup/privacy_settings.html", {"form": form}, status=status)


@committee_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def season(request: HttpRequest, season_id: int) -> HttpResponse:
    """Edit a season's name and days."""
    found = get_object_or_404(Season, pk=season_id, organisation=organisation_of(request))
    form = EditSeasonForm(request.POST or None, season=found)
    if request.method == "POST" and form.is_valid():
        try:
            club_settings.edit_season(
                season=found,
                by=access_of(request).actor(COMMITTEE),
                at=timezone.now(),
                **form.cleaned_data,
            )
        except Refused as refused:
            form.add_error(FIELD_OF.get(refused.code), str(refused))
            read_again(form)
        else:
            messages.success(request, _("La saison est enregistrée."))
            return redirect("clubs:season_list")
    context = {"form": form, "season": found}
    return render(request, "clubs/setup/season.html", context, status=422 if form.errors else 200)


@committee_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def posters(request: HttpRequest) -> HttpResponse:
    """Show what to print (entrance poster, players' cards) and record that the poster is up."""
    organisation = organisation_of(request)
    if request.method == "POST":
        club_settings.hang_posters(
            organisation=organisation, by=access_of(request).actor(COMMITTEE), at=timezone.now()
        )
        return redirect("clubs:setup")
    context = {"hung": club_settings.posters_are_hung(organisation)}
    return render(request, "clubs/setup/posters.html", context)
