"""Views for the committee: groups that the PDI parts, and those for which it is ignored."""

from __future__ import annotations

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import refused_in
from clubs.accounts.permissions import access_of, committee_of, committee_required, organisation_of
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from clubs.ui.sent import has_errors, number_of, render_form
from pairings.arbitration.forms import ReasonForm
from pairings.ranking import pdi_waivers
from pairings.ranking import season as seasons
from pairings.ranking.models import PdiWaiver


def _now(organisation: Organisation, at: datetime) -> tuple[Season | None, RuleBook | None]:
    """Return the season whose ranking is shown, and its rules."""
    evening = seasons.evening_shown(organisation)
    if evening is not None:
        return evening.season, evening.rule_book
    return seasons.season_of(organisation, at=at), rulebooks.in_force(
        organisation, rulebooks.LADDER, at
    )


@committee_required
@require_http_methods(["GET", "POST"])
def tie_list(request: HttpRequest) -> HttpResponse:
    """List the groups that the PDI parts now, and the decisions, each of which can be ended."""
    organisation, at = organisation_of(request), timezone.now()
    season, book = _now(organisation, at)
    bound: ReasonForm | None = None
    wanted = 0
    if request.method == "POST":
        wanted = number_of(request.POST.get("restore"))
        waiver = get_object_or_404(PdiWaiver, pk=wanted, season__organisation=organisation)
        bound = ReasonForm(request.POST, auto_id=f"d{wanted}_%s")
        if bound.is_valid():
            with refused_in(bound):
                pdi_waivers.restore_pdi(
                    waiver=waiver,
                    reason=bound.cleaned_data["reason"],
                    by=committee_of(request),
                    at=at,
                )
                messages.success(request, _("Le PDI départage de nouveau ce groupe."))
                return redirect("pairings:tie_list")
    notes = (
        [] if season is None else pdi_waivers.notes(season, viewer_is_member=True, all_of_them=True)
    )
    context = {
        "groups": []
        if season is None
        else [_group(g) for g in pdi_waivers.groups(season, book, at=at)],
        "notes": [
            {
                "names": note.names,
                "waiver": note.waiver,
                "form": bound
                if bound is not None and note.waiver.pk == wanted
                else ReasonForm(auto_id=f"d{note.waiver.pk}_%s"),
            }
            for note in notes
        ],
    }
    return render_form(
        request,
        "pairings/ranking/tie_list.html",
        context,
        refused=has_errors(bound),
    )


def _group(group: pdi_waivers.Group) -> dict[str, object]:
    rows = [
        {
            "member": member,
            "rank": line.rank,
            "pdi": line.values["pdi"],
            "ds": line.values["ds"],
        }
        for member, line in zip(group.members, group.lines, strict=True)
    ]
    return {"key": group.key, "whole": group.whole, "pr": group.pr, "rows": rows}


@committee_required
@require_http_methods(["GET", "POST"])
def tie(request: HttpRequest, key: str) -> HttpResponse:
    """Show what ignoring a group's PDI would change, then the decision with its reason."""
    organisation, at = organisation_of(request), timezone.now()
    season, book = _now(organisation, at)
    group = None
    if season is not None:
        groups = pdi_waivers.groups(season, book, at=at)
        group = next((group for group in groups if group.key == key), None)
    if season is None or group is None:
        messages.error(request, _("Le PDI ne départage plus ce groupe : le classement a changé."))
        return redirect("pairings:tie_list")
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refused_in(form):
            pdi_waivers.ignore_pdi(
                group=group,
                current=season,
                reason=form.cleaned_data["reason"],
                by=committee_of(request),
                at=at,
            )
            messages.success(request, _("Le PDI de ce groupe est ignoré ; le classement le dit."))
            return redirect("pairings:tie_list")
    moved = pdi_waivers.effect(season, book, group, at=at)
    context = {
        "form": form,
        "moves": any(before != after for _member, before, after in moved),
        "names": [member.full_name for member in group.members],
        "columns": [_("Rang")],
        "rows": [
            {"name": member.full_name, "cells": [(before, after)]}
            for member, before, after in moved
        ],
    }
    return render_form(request, "pairings/ranking/tie.html", context)


def rules_note(request: HttpRequest) -> dict[str, object] | None:
    """Return the note of the public rules on the groups whose PDI is ignored this season."""
    season, _book = _now(organisation_of(request), timezone.now())
    if season is None:
        return None
    notes = pdi_waivers.notes(season, viewer_is_member=access_of(request).is_member)
    return {"template": "pairings/ranking/_rules_ties.html", "notes": notes} if notes else None
