"""What the API tells of the site's clubs: organisations and seasons."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from api.v1.bearer import club_of, reader
from api.v1.pages import After, Page, page
from api.v1.problems import ProblemOut
from clubs.organisations.models import Organisation, Season

router = Router(tags=["clubs"])
ERRORS = frozenset({400, 401, 403, 404, 422, 429})


class OrganisationOut(Schema):
    """A club or a federation of this site."""

    slug: str = Field(description="its part of every address: `/c/<slug>/api/v1/`")
    name: str
    kind: str = Field(description="`club` or `federation`")
    game: str = Field(description="the game played, in the club's own words")
    place: str
    language: str = Field(description="`fr`, `en` or `ro`")
    time_zone: str = Field(description="IANA name; days of this API are days there")


class SeasonOut(Schema):
    """A season: meetings and byes are counted inside one."""

    id: int
    name: str
    starts_on: date
    ends_on: date = Field(description="last day, included")
    closed: bool


@router.get(
    "organisations",
    response={200: Page[OrganisationOut], ERRORS: ProblemOut},
    summary="Clubs and federations of this site",
)
def organisations(request: HttpRequest, asked: After) -> Any:
    """The only address of a site with several clubs that stands outside a club's prefix too."""
    reader(request)
    return page(request, Organisation.objects.all(), ["slug"], asked, list)


@router.get(
    "seasons", response={200: Page[SeasonOut], ERRORS: ProblemOut}, summary="Seasons of the club"
)
def seasons(request: HttpRequest, asked: After) -> Any:
    """The latest first."""
    reader(request)
    rows = Season.objects.filter(organisation=club_of(request))
    return page(request, rows, ["-starts_on", "-pk"], asked, _seasons)


def _seasons(rows: Any) -> list[dict[str, Any]]:
    names = ("id", "name", "starts_on", "ends_on")
    return [
        {**{name: getattr(row, name) for name in names}, "closed": row.closed_at is not None}
        for row in rows
    ]
