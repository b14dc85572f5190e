"""Pages of one player in the rating lists: each list, each change with its reasons."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import (
    Access,
    access_of,
    organisation_of,
    player_page,
    player_url,
    public,
)
from clubs.journal.wording import reason_words
from clubs.members.models import Member
from clubs.registries import SITE_REASONS
from clubs.rulebooks.citations import cited
from clubs.ui import charts
from clubs.ui.french import written
from ratings import systems
from ratings.ledger.models import LedgerEntry, RatingList, StandingCote
from ratings.lists import explanations
from ratings.lists import queries as list_queries
from ratings.lists.tables import printed_cell
from ratings.lists.views import PAGE, list_of_address
from ratings.systems.columns import cells_of
from ratings.systems.protocol import PLACINGS
from ratings.systems.storage import from_json, state_from_json

POINTS = 40


def change_url(entry: LedgerEntry, access: Access) -> str:
    """Return where one change is explained; empty for a reader who may not open it."""
    return player_url(access, entry.member, "ratings:change", entry_id=entry.pk)


def tabs_of(member: Member, current: str = "") -> list[dict[str, object]]:
    """Return one tab for each list where the member has a state."""
    return [
        {
            "label": one.name,
            "url": reverse(
                "ratings:player_list", kwargs={"slug": member.address, "rating_list": one.slug}
            ),
            "current": one.slug == current,
        }
        for one in list_queries.lists_holding(member)
    ]


@public
@require_GET
@player_page
def player_list(request: HttpRequest, member: Member, rating_list: str) -> HttpResponse:
    """Show a player in one list: number, status, curve, every change with its reasons."""
    asked_list = list_of_address(request, rating_list)
    access, on = access_of(request), timezone.localdate()
    entries = list(
        LedgerEntry.objects.filter(rating_list=asked_list, member=member)
        .in_force()
        .annotate(is_visible=explanations.visible_to(access, member))
        .select_related("period", "rule_book", "member")
        .in_order()
    )
    cote = StandingCote.objects.filter(rating_list=asked_list, member=member).first()
    if cote is None and not entries:
        raise Http404(_("Ce joueur n’est pas dans cette liste."))
    system = list_queries.system_on(asked_list, on)
    cells, ahead = [], []
    if cote is not None:
        state = state_from_json(cote.state)
        values = cells_of(system, state, on, asked_list.kind)
        ahead = explanations.ahead_of(system, state, on, asked_list.kind)
        cells = [
            (_(column.label), column.kind, printed_cell(column, values.get(column.code)))
            for column in system.columns()
            if not (column.lead or column.aside) and values.get(column.code) not in (None, "")
        ]
    visible = [entry for entry in reversed(entries) if vars(entry)["is_visible"]]
    page = Paginator(visible, PAGE).get_page(request.GET.get("page"))
    name = member.name_for(viewer_is_member=access.is_member)
    context = {
        "list": asked_list,
        "name": name,
        "tabs": tabs_of(member, asked_list.slug),
        "shown": cote.shown if cote is not None else None,
        "cells": cells,
        "ahead": ahead,
        "places_url": _places_url(asked_list, member) if cote is not None else "",
        "graph": _graph(entries, name),
        "moves": [_move(entry, access) for entry in page],
        "page": page,
    }
    return render(request, "ratings/lists/player_list.html", context)


def _move(entry: LedgerEntry, access: Access) -> dict[str, object]:
    return {
        "entry": entry,
        "url": change_url(entry, access),
        "after": entry.shown_after,
        "delta": entry.delta,
        "corrected": entry.supersedes_id is not None,
        "notes": explanations.notes_of(entry.because),
    }


def _places_url(rating_list: RatingList, member: Member) -> str:
    """Return where each place of the next game is calculated, for a list of places."""
    if systems.system(rating_list.system).takes != PLACINGS:
        return ""
    return f"{reverse('ratings:calculator', args=[rating_list.slug])}?joueur={member.address}"


def _graph(entries: list[LedgerEntry], name: str) -> charts.RatingGraph | None:
    shown = [entry for entry in entries if entry.shown_after is not None][-POINTS:]
    points = [
        charts.Point(
            label=written(entry.held_on, "SHORT_DATE_FORMAT"),
            value=entry.shown_after or 0,
            note=_("corrigé") if entry.supersedes_id else "",
        )
        for entry in shown
    ]
    return charts.graph_of(name, points)


@public
@require_GET
@player_page
def change(request: HttpRequest, member: Member, entry_id: int) -> HttpResponse:
    """Show one change of any list, line by line: the lines add up to the change shown."""
    access = access_of(request)
    entry = get_object_or_404(
        LedgerEntry.objects.filter(explanations.visible_to(access, member)).select_related(
            "period", "rule_book", "rating_list", "member"
        ),
        pk=entry_id,
        member=member,
        rating_list__organisation=organisation_of(request),
    )
    newer = _in_force(entry)
    # What was typed in a club may speak of people: visitors read the sentences of the site alone.
    is_of_the_club = organisation_of(request).is_club and entry.reason not in SITE_REASONS
    hidden = (is_of_the_club and not access.is_member) or (
        explanations.with_a_reason_of_a_sanction(LedgerEntry.objects.filter(pk=entry.pk))
    )
    before, after = (from_json(side["rating"]) for side in (entry.before, entry.after))
    context = {
        "member": member,
        "name": member.name_for(viewer_is_member=access.is_member),
        "entry": entry,
        "reason": "" if hidden else reason_words(entry.reason),
        "list": entry.rating_list,
        "newer_url": change_url(newer, access) if newer is not None else "",
        "lines": explanations.lines_of(entry.because, viewer_is_member=access.is_member),
        "before": entry.shown_before,
        "after": entry.shown_after,
        "delta": entry.delta,
        "exact_before": before,
        "exact_after": after,
        "is_exact": not isinstance(after, int) and after is not None,
        "rule_number": entry.rule_book.number if entry.rule_book else None,
        "scope": entry.rating_list.system,
        "document": cited(systems.system(entry.rating_list.system).document),
    }
    return render(request, "ratings/lists/change.html", context)


def _in_force(entry: LedgerEntry) -> LedgerEntry | None:
    """Return the entry in force, when a correction superseded this one."""
    newest = entry
    while (following := LedgerEntry.objects.filter(supersedes=newest).first()) is not None:
        newest = following
    if newest.pk == entry.pk:
        return None
    newest.member = entry.member
    return newest
