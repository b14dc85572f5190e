"""Rating lists, their competitions, and published editions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from operator import attrgetter, itemgetter
from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Schema
from pydantic import Field

from api.v1.bearer import club_of, in_club
from api.v1.once import Answer
from api.v1.pages import (
    SLICE_ERRORS,
    After,
    Asked,
    Page,
    mark_of,
    next_of,
    page,
    place_of,
    slice_of,
)
from api.v1.problems import unknown_choice
from api.v1.router import Router
from api.v1.shapes import PersonOut, exact, person
from clubs.members.models import Member
from ratings.editions import actions as editions_of
from ratings.editions import freezing
from ratings.editions.views import edition_of, list_of
from ratings.ledger.models import Edition, Period
from ratings.ledger.origins import UNOFFICIAL
from ratings.lists import queries as list_queries
from ratings.lists.views import latest_of, list_of_address, lists_of
from ratings.lists.views_competitions import rows_of, sheet_of
from ratings.systems.columns import ListColumn, ListRow

router = Router(tags=["lists"])
OfList = Query("", max_length=40, description="slug of the list; empty for the club's own ranking")


class ListOut(Schema):
    """A rating list of the club."""

    slug: str
    name: str
    system: str = Field(description="code of the rating system")
    players: int = Field(description="how many have a rating")
    last_held_on: date | None = Field(description="day of the newest rated competition")


class ColumnOut(Schema):
    """A column of a list."""

    code: str
    kind: str = Field(description="`integer`, `decimal`, `percent`, `text`, `badge`, `day` …")
    places: int = Field(description="decimals that pages print")


class ListRowOut(Schema):
    """A player's line in a list."""

    rank: int
    ex_aequo: bool
    move: int | None = Field(description="places gained since the last edition")
    player: PersonOut
    cells: dict[str, str | None] = Field(
        description="by column; exact. Beside them what a page says under one (`to_bar` …)"
    )


class ListRows(Page[ListRowOut]):
    """The latest list, best first."""

    columns: list[ColumnOut]
    section: str = Field(description="the part of the list that is shown")
    sections: list[str] = Field(description="its parts, for `section`")
    total: int = Field(description="players in the section")


class CompetitionOut(Schema):
    """A rated competition."""

    id: int
    label: str = Field(description="its name as pages print it")
    held_on: date
    official: bool
    removed: bool = Field(description="an officer took it out: it moves no rating any more")
    settled_at: datetime | None = Field(description="when it was last rated")


class PlaceOut(Schema):
    """A player's place in a competition, and what it did to their rating."""

    place: int | None = Field(description="null for a player who moved without playing")
    ex_aequo: bool
    player: PersonOut
    points: str | None = Field(description="exact, digits or a fraction")
    before: int | None
    after: int | None
    delta: int | None


class CompetitionRows(Page[PlaceOut], CompetitionOut):
    """A competition with its places."""


class EditionOut(Schema):
    """A published ranking; its rows never change, only the names that may be shown."""

    number: int
    list: str = Field(description="slug of the list; empty for the club's own ranking")
    title: str
    note: str
    covers_until: date
    published_at: datetime
    sha256: str = Field(description="digest of everything printed but the names")
    erratum_of: int | None = Field(description="number of the edition that this one corrects")


class EditionRowOut(ListRowOut):
    """A frozen line."""

    section: str


class EditionRows(Page[EditionRowOut], EditionOut):
    """An edition with its rows."""

    columns: list[ColumnOut] = Field(
        description="as printed; `rank`, `move` and `name` are of the row, the others in its cells"
    )


@router.reads("lists", Page[ListOut], "Rating lists", errors=SLICE_ERRORS)
def rating_lists(request: HttpRequest, asked: After) -> Answer:
    """By system, then by kind of game."""
    club = club_of(request)
    latest, counts = latest_of(club)
    page = slice_of(request, lists_of(club), asked, attrgetter("pk"))
    page["items"] = [
        {
            "slug": one.slug,
            "name": one.title,
            "system": one.system,
            "players": counts.get(one.pk, 0),
            "last_held_on": latest[one.pk].held_on if one.pk in latest else None,
        }
        for one in page["items"]
    ]
    return page


@router.reads("lists/{slug:slug}", ListRows, "The latest list", errors=SLICE_ERRORS)
def rating_list(
    request: HttpRequest, slug: str, asked: After, section: str = "", q: str = ""
) -> Answer:
    """Best first. `q` searches names without accents."""
    access, _club = in_club(request)
    asked_list = list_of_address(request, slug)
    read: dict[str, Any] = {
        "on": timezone.localdate(),
        "section": section,
        "words": q,
        "viewer_is_member": access.is_member,
    }
    order_before = list_queries.order_of(asked_list, **read)
    start = place_of(asked, lambda place: mark_of(order_before(place)))
    page = list_queries.page(asked_list, start=start, size=asked.limit, **read)
    parts = [one.code for one in page.sections]
    if section and section not in parts:
        raise unknown_choice("query.section", parts)
    people = {pk: person(member, access) for pk, member in page.members.items()}
    end = start + asked.limit
    return {
        "items": [_line(row, people) for row in page.rows],
        "next": next_of(request, end, page.matching, mark_of(order_before(end))),
        "columns": _columns(page.columns),
        "section": page.section,
        "sections": parts,
        "total": page.total,
    }


def _columns(columns: Iterable[ListColumn]) -> list[ListColumn]:
    return [column for column in columns if not column.aside]


def _line(row: ListRow, people: Mapping[int, object]) -> Answer:
    return {
        **{name: getattr(row, name) for name in ("rank", "ex_aequo", "move", "section")},
        "player": people[row.member],
        "cells": {code: exact(value) for code, value in row.cells.items()},
    }


@router.reads("lists/{slug:slug}/competitions", Page[CompetitionOut], "Competitions of a list")
def competitions(request: HttpRequest, slug: str, asked: After) -> Answer:
    """The latest first; unofficial ones are among them."""
    club_of(request)
    rows = list_of_address(request, slug).periods.shown()
    order = ["-held_on", "-position", "-pk"]
    return page(request, rows, order, asked, lambda listed: [*map(_competition, listed)])


def _competition(period: Period) -> Answer:
    return {
        "id": period.pk,
        "label": period.title,
        "held_on": period.held_on,
        "settled_at": period.settled_at,
        "official": period.kind != UNOFFICIAL,
        "removed": period.removed_at is not None,
    }


@router.reads(
    "lists/{slug:slug}/competitions/{int:period_id}",
    CompetitionRows,
    "One competition with its places",
    errors=SLICE_ERRORS,
)
def competition(request: HttpRequest, slug: str, period_id: int, asked: After) -> Answer:
    """By place; those who moved without playing stand last."""
    access, _club = in_club(request)
    rating_list = list_of_address(request, slug)
    period = get_object_or_404(rating_list.periods.shown(), pk=period_id)
    period.rating_list = rating_list
    sheet = sheet_of(period, access)
    page = slice_of(request, rows_of(sheet, access), asked, itemgetter("member"))
    page["items"] = [
        {
            **{name: row[name] for name in ("place", "ex_aequo", "before", "after", "delta")},
            "player": person(sheet.people[row["member"]], access),
            "points": exact(row["points"]),
        }
        for row in page["items"]
    ]
    return {**page, **_competition(period)}


@router.reads("editions", Page[EditionOut], "Editions")
def editions(request: HttpRequest, asked: After, list: str = OfList) -> Answer:
    """Of one ranking, the latest first."""
    club = club_of(request)
    rows = editions_of.of(club, list_of(request, list))
    rows = rows.select_related("rating_list", "erratum_of")
    return page(
        request,
        rows.defer("rows", "columns", "erratum_of__rows", "erratum_of__columns"),
        ["-number"],
        asked,
        lambda listed: [*map(_edition, listed)],
    )


@router.reads(
    "editions/{int:edition_number}", EditionRows, "One edition with its rows", errors=SLICE_ERRORS
)
def edition(request: HttpRequest, edition_number: int, asked: After, list: str = OfList) -> Answer:
    """Under the names and with the ids that visitors may read today, for every reader."""
    club_of(request)
    return _whole(request, edition_of(request, list, edition_number), asked)


@router.reads(
    "rankings/published/rows", EditionRows, "The ranking as last published", errors=SLICE_ERRORS
)
def published(request: HttpRequest, asked: After, list: str = OfList) -> Answer:
    """The newest edition, read as `editions/<number>`; 404 before the first."""
    club = club_of(request)
    edition = list_queries.last_edition(club, list_of(request, list))
    if edition is None:
        raise Http404
    return _whole(request, edition, asked)


def _whole(request: HttpRequest, edition: Edition, asked: Asked) -> Answer:
    shown = slice_of(request, edition.rows, asked, lambda row: (edition.pk, row["member"]))
    table = freezing.table_of(edition, shown["items"])
    people_of_table = Member.objects.filter(pk__in=[row.member for row in table.rows])
    ids = dict(people_of_table.open_to_visitors().values_list("pk", "public_id"))
    people = {row.member: {"id": ids.get(row.member), "name": row.name} for row in table.rows}
    shown["items"] = [_line(row, people) for row in table.rows]
    return {**shown, **_edition(edition), "columns": _columns(table.columns)}


def _edition(edition: Edition) -> Answer:
    same = ("number", "title", "note", "covers_until", "published_at", "sha256")
    return {
        **{name: getattr(edition, name) for name in same},
        "list": edition.rating_list.slug if edition.rating_list else "",
        "erratum_of": edition.erratum_of.number if edition.erratum_of else None,
    }
