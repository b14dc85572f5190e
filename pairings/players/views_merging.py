"""View for the committee to merge a guest with a member: a preview, then the reason."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import Refused
from clubs.accounts.permissions import committee_of, committee_required, organisation_of
from clubs.accounts.reauthentication import weighty
from clubs.members.models import Member
from clubs.organisations.models import Season
from clubs.ui.sent import render_form
from pairings.arbitration.forms import ReasonForm
from pairings.players import merging
from pairings.players.merging import Moved, Numbers
from ratings.ledger.models import RatingList

LINES = 100
"""Those who move on one page: a cote that changes early moves many after it."""


@committee_required
@weighty()
@require_http_methods(["GET", "POST"])
def merge_guest(request: HttpRequest, member_id: int, into_id: int) -> HttpResponse:
    """Show the changes before → after; nothing is written before the button and its reason."""
    organisation, at = organisation_of(request), timezone.now()
    rows = Member.objects.of(organisation).select_related("user", "organisation")
    guest = get_object_or_404(rows, pk=member_id)
    into = get_object_or_404(rows, pk=into_id)
    form = ReasonForm(request.POST or None)
    refusal, preview = "", None
    try:
        if request.method == "POST" and form.is_valid():
            merging.unite(
                guest=guest,
                into=into,
                reason=form.cleaned_data["reason"],
                by=committee_of(request),
                at=at,
            )
            messages.success(
                request,
                _("%(guest)s et %(member)s sont une seule personne ; tout est recalculé.")
                % {"guest": guest.full_name, "member": into.full_name},
            )
            return redirect("clubs:member_list")
        preview = merging.preview(guest=guest, into=into, at=at)
    except Refused as refused:
        refusal = str(refused)
    context = {
        "guest": guest,
        "into": into,
        "form": form,
        "refusal": refusal,
        "matches": preview.matches if preview else 0,
        "seasons": [_season(request, *line) for line in preview.seasons] if preview else [],
        "lists": [_cotes(request, *line) for line in preview.cotes] if preview else [],
        "columns": [_("Rang"), _("PR")],
        "cote_columns": [_("Cote")],
    }
    return render_form(
        request, "pairings/players/merge_guest.html", context, refused=refusal or form.errors
    )


def _page(request: HttpRequest, rows: list[dict[str, object]]) -> Page[dict[str, object]]:
    return Paginator(rows, LINES).get_page(request.GET.get("page"))


def _season(request: HttpRequest, season: Season, moved: list[Moved]) -> dict[str, object]:
    rows: list[dict[str, object]] = [
        {"name": row.member.full_name, "cells": [row.rank, row.pr]} for row in moved
    ]
    return {"name": season.name, "page": _page(request, rows)}


def _cotes(
    request: HttpRequest, rating_list: RatingList, moved: list[tuple[Member, Numbers]]
) -> dict[str, object]:
    rows: list[dict[str, object]] = [
        {"name": member.full_name, "cells": [numbers]} for member, numbers in moved
    ]
    return {"title": rating_list.title, "page": _page(request, rows)}
