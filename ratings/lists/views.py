"""Public pages of the rating lists: index, one list, its file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.core.cache import caches
from django.core.paginator import Page, Paginator
from django.db.models import Count, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import access_of, organisation_of, player_url, public
from clubs.exchange.csv import csv_response
from clubs.journal.models import JournalHead
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.search import without_accents
from clubs.templatetags.ui import own_mark
from clubs.ui.sent import whole_number
from ratings import systems
from ratings.ledger.models import Period, RatingList, StandingCote
from ratings.lists import filters, queries
from ratings.lists.formatting import value_of
from ratings.lists.tables import is_order, list_table, phone_rows, shared_tags
from ratings.systems.columns import ListRow, sortable
from ratings.systems.protocol import RatingSystem

PAGE = 50
CHIPS = 6
SORTED = 2000
"""Longer lists are not sorted by column: every row would be read for one page."""
PLACE_NAMES = {"country": "pays", "club": "club"}
PLACE_LABELS = {"country": gettext_lazy("Pays"), "club": gettext_lazy("Club")}


def list_of_address(request: HttpRequest, slug: str) -> RatingList:
    """Return the list of that address in this organisation (404 otherwise)."""
    return get_object_or_404(
        RatingList.objects.select_related("organisation"),
        organisation=organisation_of(request),
        slug=slug,
    )


def lists_of(organisation: Organisation) -> list[RatingList]:
    """Return the lists in the order of pages: by system, then by kind."""
    rating_lists = list(RatingList.objects.filter(organisation=organisation))
    order = {known.code: n for n, known in enumerate(systems.SYSTEMS)}
    return sorted(rating_lists, key=lambda one: (order.get(one.system, 99), one.slug))


def latest_of(organisation: Organisation) -> tuple[dict[int, Period], dict[int, int]]:
    """Return list → its newest rated competition, and list → how many players have a number in it."""
    counts = dict(
        StandingCote.objects.filter(rating_list__organisation=organisation, shown__isnull=False)
        .values_list("rating_list")
        .annotate(n=Count("pk"))
    )
    rated = Period.objects.rated().filter(rating_list=OuterRef("pk"), kind="")
    newest = rated.in_order().reverse().values("pk")[:1]
    lists = RatingList.objects.filter(organisation=organisation).values(newest=Subquery(newest))
    latest = Period.objects.filter(pk__in=lists)
    return {period.rating_list_id: period for period in latest}, counts


def rows_of_lists(organisation: Organisation, *, page: str) -> list[dict[str, Any]]:
    """Return a row for each list; `page` is the name of the address that it leads to."""
    latest, counts = latest_of(organisation)
    return [
        {
            "list": one,
            "url": reverse(page, kwargs={"slug": one.slug}),
            "system": _(systems.system(one.system).label),
            "players": counts.get(one.pk, 0),
            "last": latest.get(one.pk),
        }
        for one in lists_of(organisation)
    ]


@public
@require_GET
def list_index(request: HttpRequest) -> HttpResponse:
    """Show one row a list: system, kind of game, last competition, how many players."""
    rows = rows_of_lists(organisation_of(request), page="ratings:list")
    context = {"rows": rows, "is_committee": access_of(request).is_committee}
    return render(request, "ratings/lists/list_index.html", context)


@public
@require_GET
def rating_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the latest list: sections, search, pages of fifty, sorted by a column of the table.

    The rows are cached as printed until the organisation's journal gets a new entry; a style of the
    page shows which of them is the reader's own.
    """
    asked_list = list_of_address(request, slug)
    access, on = access_of(request), timezone.localdate()
    words = request.GET.get("q", "").strip()
    key = "" if words else _rows_key(request, asked_list, on)
    kept = caches["process"].get(key) if key else None
    if kept is None:
        kept = _printed_rows(request, asked_list, words, on)
        if key:
            caches["process"].set(key, kept, 3600)
    sections = [
        {
            "label": _(label),
            "url": f"?{_query(partie=code, tri=kept['order'])}",
            "current": code == kept["section"],
        }
        for code, label in kept["sections"]
        if label
    ]
    context = {
        "list": asked_list,
        "system": _(systems.system(asked_list.system).label),
        "tabs": sections if len(sections) > 1 else [],
        "section": kept["section"],
        "words": words,
        "order": kept["order"],
        "places": [
            {"name": PLACE_NAMES[name], "label": PLACE_LABELS[name], "choices": values}
            for name, values in kept["places"]
        ],
        **_narrowing(request, kept),
        "rows": kept["rows"],
        "file_query": kept["file_query"],
        "on": on,
        "is_committee": access.is_committee,
        "general": general_url(asked_list),
    }
    return render(request, "ratings/lists/list.html", context)


def _query(**values: str) -> str:
    return urlencode({name: value for name, value in values.items() if value})


def _narrowing(request: HttpRequest, kept: dict[str, Any]) -> dict[str, Any]:
    """Return the filter: chips for a few series, a choice box for many grades, or none."""
    column, labels, chosen = kept["narrowed_by"], kept["labels"], kept["label"]
    if column is None:
        return {"chips": [], "choices": [], "label": ""}
    query = request.GET.copy()
    query.pop("page", None)
    lines = []
    for label, count in [("", None), *labels.items()]:
        query[column.code] = label
        lines.append(
            {
                "value": label,
                "label": _(label) if label else _("Tous"),
                "url": f"?{query.urlencode()}",
                "count": count,
                "current": label == chosen,
            }
        )
    few = len(labels) <= CHIPS
    return {
        "narrowed_by": column,
        "label": chosen,
        "chips": lines if few else [],
        # A grade without holders is not offered: there are twenty.
        "choices": [] if few else [one for one in lines if one["count"] != 0 or one["current"]],
    }


def _rows_key(request: HttpRequest, rating_list: RatingList, on: date) -> str:
    """Return the cache key of the printed rows.

    The last journal entry covers every change, names included.
    """
    head = JournalHead.objects.filter(organisation_id=rating_list.organisation_id)
    parts = (
        get_script_prefix(),
        rating_list.pk,
        rating_list.version,
        head.values_list("seq", flat=True).first() or 0,
        get_language(),
        access_of(request).is_member,
        access_of(request).player is not None,
        on,
        _page_number(request),
        # The section and the filter, whole: the system says by which name, and two clubs may begin alike.
        sorted((k, v) for k, v in request.GET.items() if k != "page"),
    )
    return "list-rows:" + hashlib.sha256(repr(parts).encode()).hexdigest()


def _printed_rows(request: HttpRequest, rated: RatingList, words: str, on: date) -> dict[str, Any]:
    """Return the rows of a page as HTML, with what the page around them needs."""
    system = queries.system_on(rated, on)
    narrowed_by = filters.column_of(system)
    number, viewer = _page_number(request), access_of(request).is_member
    known, among = _places_asked(request, rated)
    list_page, order = _read(request, rated, system, words=words, on=on, among=among)
    places: Mapping[int, str] = {}
    if any(known.values()):
        places = filters.places_by_member(rated, list_page.members, viewer_is_member=viewer)
    rows = _rows_of(request, rated, list_page, places)
    columns = [
        column
        for column in list_page.columns
        if any(row.cells.get(column.code) for row in list_page.rows)
    ]
    shape: dict[str, Any] = {
        "has_moves": list_page.since is not None,
        "has_places": bool(places),
        "can_sort": list_page.matching <= SORTED,
        "order": order,
    }
    page: Page[Any] = Paginator(range(list_page.matching), PAGE).get_page(number)
    if order:
        page = Paginator(list_table(columns, rows, **shape).rows, PAGE).get_page(number)
        rows = [row.record for row in page]
    shared = shared_tags(list_page.columns, rows)
    context = {
        "list": rated,
        "words": words or among,
        "label": list_page.label,
        "rows": phone_rows(list_page.columns, rows, without=shared),
        "shared": shared.values(),
        "table": list_table(columns, rows, **shape),
        "total": list_page.total,
        "matching": list_page.matching,
        "page": page,
        "since": list_page.since,
    }
    return {
        "rows": render_to_string("ratings/lists/_list_rows.html", context, request),
        "section": list_page.section,
        "order": order,
        "narrowed_by": narrowed_by,
        "label": list_page.label,
        "labels": dict(list_page.labels),
        "file_query": _query(
            partie=list_page.section,
            **({narrowed_by.code: list_page.label} if narrowed_by is not None else {}),
            **{PLACE_NAMES[name]: value for name, value in among.items()},
        ),
        "places": [
            (name, [(value, value == among.get(name)) for value in values])
            for name, values in known.items()
            if values
        ],
        "sections": [(section.code, section.label) for section in list_page.sections],
    }


def _read(
    request: HttpRequest,
    rating_list: RatingList,
    system: RatingSystem,
    *,
    words: str,
    on: date,
    among: Mapping[str, str],
) -> tuple[queries.ListPage, str]:
    """Return the rows of the page, or all of them with the column to sort them by."""
    narrowed_by = filters.column_of(system)
    read = partial(
        queries.page,
        rating_list,
        on=on,
        section=request.GET.get("partie", ""),
        words=words,
        label=request.GET.get(narrowed_by.code, "") if narrowed_by is not None else "",
        among=among,
        viewer_is_member=access_of(request).is_member,
    )
    order = request.GET.get("tri", "")
    order = order if is_order(system.columns(), order) else ""
    list_page = read(start=0, size=SORTED) if order else None
    if list_page is None or list_page.matching > SORTED:
        order, list_page = "", read(start=(_page_number(request) - 1) * PAGE, size=PAGE)
    return list_page, order


def _places_asked(
    request: HttpRequest, rating_list: RatingList
) -> tuple[Mapping[str, list[str]], dict[str, str]]:
    """Return the countries and clubs to choose from in a federation's list, and those chosen."""
    if rating_list.organisation.is_club:
        return {}, {}
    known = filters.places_of(rating_list, viewer_is_member=access_of(request).is_member)
    asked = {name: request.GET.get(PLACE_NAMES[name], "") for name in known}
    return known, {name: value for name, value in asked.items() if value in known[name]}


def _rows_of(
    request: HttpRequest, rated: RatingList, page: queries.ListPage, places: Mapping[int, str]
) -> list[dict[str, object]]:
    """Return the rows of the table; `places` has the country and club of each member."""
    access = access_of(request)
    mark = own_mark() if access.player is not None else ""
    return [
        {
            "key": row.member,
            "rank": row.rank,
            "move": row.move,
            "name": row.name,
            "url": player_url(
                access, page.members[row.member], "ratings:player_list", rating_list=rated.slug
            ),
            "mark": mark,
            "place": places.get(row.member, ""),
            "cells": row.cells,
            **{column.code: row.cells.get(column.code) for column in page.columns},
            **_sorted_by(row, page, places),
        }
        for row in page.rows
    ]


def _sorted_by(
    row: ListRow, page: queries.ListPage, places: Mapping[int, str]
) -> dict[str, object]:
    """Return what the columns of a row are sorted by; a name that is not shown whole as it reads."""
    member = page.members[row.member]
    name = member.sort_name if row.name == member.full_name else without_accents(row.name)
    return {
        "by_name": name,
        "by_place": without_accents(places.get(row.member, "")),
        **{f"by_{c.code}": sortable(c, row.cells.get(c.code)) for c in page.columns},
    }


def _page_number(request: HttpRequest) -> int:
    return min(whole_number(request.GET.get("page")) or 1, 100_000)


def general_url(rating_list: RatingList) -> str:
    """Return the page of the general rating, for a list that is one of several kinds."""
    return reverse("ratings:general") if systems.system(rating_list.system).combined_kinds else ""


@public
@require_GET
def list_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the list of today for a spreadsheet, among others the organisers' file of 000 §6."""
    asked_list, on = list_of_address(request, slug), timezone.localdate()
    access = access_of(request)
    table = queries.ranking_on(asked_list, on, viewer_is_member=access.is_member)
    wanted = request.GET.get("partie", "")
    codes = [section.code for section in table.sections]
    section = wanted if wanted in codes else codes[0]
    column = next((known for known in table.columns if known.choices), None)
    label = request.GET.get(column.code, "") if column is not None else ""
    people = Member.objects.of(asked_list.organisation)
    if len(table.rows) < 900:
        people = people.filter(pk__in=[row.member for row in table.rows])
    named = people.showing_whole_name(viewer_is_member=access.is_member)
    numbers = dict(named.values_list("pk", "number"))
    _known, among = _places_asked(request, asked_list)
    persons = filters.persons_of(asked_list, viewer_is_member=access.is_member)
    taken = set(persons.filter(**among).values_list("member", flat=True)) if among else None
    head = [_("Rang"), _("Numéro"), _("Joueur"), *(_(column.label) for column in table.columns)]
    rows = [
        [
            row.rank,
            numbers.get(row.member, ""),
            row.name,
            *(value_of(column, row) for column in table.columns),
        ]
        for row in table.rows
        if row.section == section
        and (column is None or not label or row.cells.get(column.code) == label)
        and (taken is None or row.member in taken)
    ]
    return csv_response(f"{asked_list.slug}-{on}", head, rows)
