"""Clubs of the site, their seasons, and the versions of their rules."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Schema
from pydantic import Field

from api.v1.bearer import club_of
from api.v1.once import Answer
from api.v1.pages import After, Page, page
from api.v1.router import Router
from api.v1.shapes import exact
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.citations import cited
from clubs.rulebooks.models import RuleBook
from clubs.rulebooks.units import unit_of

router = Router(tags=["clubs"])


class OrganisationOut(Schema):
    """A club or a federation of this site."""

    slug: str = Field(description="its part of every address: `/c/<slug>/api/v1/`")
    name: str
    kind: str = Field(description="`club` or `federation`")
    game: str = Field(description="the game played, in the club's own words")
    place: str
    language: str = Field(description="code of the club's language, such as `fr`")
    time_zone: str = Field(description="IANA name; days of this API are days there")
    closed_at: datetime | None = Field(description="nothing is written since then; null: open")
    moved_to: str = Field(description="address where it goes on once closed; may be empty")


class SeasonOut(Schema):
    """A season: meetings and byes are counted inside one."""

    id: int
    name: str
    starts_on: date
    ends_on: date = Field(description="last day, included")
    closed: bool = Field(description="its last day is past")


class RuleVersionOut(Schema):
    """A version of a rule book that the committee adopted."""

    scope: str = Field(description="the rule book: `faizers` for the club's ladder, `fisf` …")
    number: int
    effective_from: datetime | None = Field(description="null: the document itself, version 0")
    reason: str
    voted_by: str


class RuleLineOut(Schema):
    """One setting of a rule book."""

    part: str = Field(description="`pairing`, `match`, `cote` …")
    name: str
    label: str = Field(description="in the reader's language")
    article: str = Field(description="where the document says it")
    unit: str = Field(description="of the value, in the reader's language; empty without one")
    value: str | None = Field(description="exact; lists and tables as JSON")
    default: str | None = Field(description="what the document says")
    changed: bool


class RulesOut(RuleVersionOut):
    """A version with every setting."""

    lines: list[RuleLineOut]


@router.reads("organisations", Page[OrganisationOut], "Clubs and federations of this site")
def organisations(request: HttpRequest, asked: After) -> Answer:
    """The only address of a site with several clubs that stands outside a club's prefix too."""
    return page(request, Organisation.objects.all(), ["slug"], asked, list)


@router.reads("seasons", Page[SeasonOut], "Seasons of the club")
def seasons(request: HttpRequest, asked: After) -> Answer:
    """The latest first."""
    club = club_of(request)
    rows = Season.objects.filter(organisation=club)
    today = timezone.localdate(timezone=club.zone)

    def shown(seasons: Sequence[Season]) -> list[Answer]:
        names = ("id", "name", "starts_on", "ends_on")
        return [
            {**{name: getattr(row, name) for name in names}, "closed": row.ends_on < today}
            for row in seasons
        ]

    return page(request, rows, ["-starts_on", "-pk"], asked, shown)


def _scope(code: str) -> str:
    if code not in {known.code for known in rulebooks.scopes()}:
        raise Http404
    return code


@router.reads("rules/{slug:scope}", Page[RuleVersionOut], "Adopted versions of a rule book")
def rule_versions(request: HttpRequest, scope: str, asked: After) -> Answer:
    """The latest first. Version 0, the document itself, is not listed."""
    club = club_of(request)
    return page(
        request, RuleBook.objects.of(club, _scope(scope)).adopted(), ["-number"], asked, list
    )


@router.reads(
    "rules/{slug:scope}/{int:version}", RulesOut, "One version of a rule book, with every setting"
)
def rule_version(request: HttpRequest, scope: str, version: int) -> Answer:
    """Version 0 is the document itself."""
    club = club_of(request)
    versions = RuleBook.objects.of(club, _scope(scope)).adopted()
    book = versions.filter(number=version).first()
    if book is None and version != 0:
        raise Http404
    head: Answer = {"effective_from": None, "reason": "", "voted_by": ""}
    if book is not None:
        head = {name: getattr(book, name) for name in head}
    return {**head, "scope": scope, "number": version, "lines": _lines(book, scope)}


def _lines(book: RuleBook | None, scope: str) -> list[Answer]:
    return [
        {
            "part": line.part,
            "name": line.name,
            "label": _(line.words.label),
            "article": cited(line.words.article),
            "unit": unit_of(None, line.words.unit),
            "value": exact(line.value),
            "default": exact(line.default),
            "changed": line.changed,
        }
        for line in rulebooks.lines(book, scope)
    ]
