"""The ranking, the evenings and their matches, as their pages and the wall show them."""

from __future__ import annotations

from datetime import date, datetime
from operator import attrgetter
from typing import Literal

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Schema
from pydantic import Field

from api.v1.bearer import club_of, in_club
from api.v1.once import Answer
from api.v1.pages import SLICE_ERRORS, After, Page, page, slice_of
from api.v1.router import Router
from api.v1.shapes import READ_WITH, MatchOut, PersonOut, exact, match_out, person
from clubs.accounts.permissions import Access, received_at
from pairings.evenings import queries as evening_queries
from pairings.evenings.models import Evening
from pairings.evenings.views.public import counts_of, evening_of
from pairings.matches import actions as match_actions
from pairings.matches.explanations import Why
from pairings.matches.models import Match
from pairings.ranking import live as live_ranking
from pairings.rules.match_state import Status

router = Router(tags=["evenings"])
OF_EVENING = "evenings/{day}/{int:nth}"


class RankingRowOut(Schema):
    """One line of the ranking."""

    rank: int
    ex_aequo: bool
    move: int | None = Field(
        description="places gained; null for a newcomer, and as a season begins"
    )
    player: PersonOut
    category: str
    rating: int | None = Field(description="official rating of the club's ladder")
    projected: int | None = Field(description="rating if the evening ended now")
    values: dict[str, str | None] = Field(
        description="`pr`, `pdi`, `ds`, `played`: exact, digits or a fraction"
    )
    parted_by: str | None = Field(description="the value that parts this line from the one above")


class RankingOut(Page[RankingRowOut]):
    """The ranking of the season, best first."""

    evening: str | None = Field(description="the evening it is after, `<day>/<number>`")
    live: bool = Field(description="whether an evening is running whose results are in it")
    waiting_results: int = Field(description="results entered and not final")
    open_contests: int


class EveningOut(Schema):
    """An evening of the club."""

    id: str = Field(description="for `evenings/<id>`: `<day>/<number of the day>`")
    held_on: date
    number: int
    starts_at: datetime
    place: str
    state: str = Field(
        description="`planned` (of a past day: never opened), `open`, `running`, `last_games`, `closing`, `closed`, `cancelled`"
    )
    season: int
    closed_at: datetime | None


class EveningNow(EveningOut):
    """An evening as the wall shows it."""

    arrived: int = Field(description="people who came")
    present: int = Field(description="people who are there")
    waiting: int = Field(description="people who wait for a table")
    tables: list[MatchOut] = Field(description="open matches, called and contested ones first")


class WhyOut(Schema):
    """Why two players meet, in the reader's language."""

    lead: str
    steps: list[str] = Field(description="players tried before, and why not")
    order: list[str]


def evening_id(evening: Evening) -> str:
    return f"{evening.held_on}/{evening.number}"


def evening_at(request: HttpRequest, day: date, nth: int) -> Evening:
    return evening_of(request, f"{day.isoformat()}/{nth}")


@router.reads(
    "rankings/{state}",
    RankingOut,
    "The ranking, live or after the last closed evening",
    errors=SLICE_ERRORS,
)
def ranking(request: HttpRequest, state: Literal["live", "closed"], asked: After) -> Answer:
    """`live` has tonight's agreed results. That of the last edition: `rankings/published/rows`."""
    access, club = in_club(request)
    standing = live_ranking.ranking(club, at=received_at(request), live=state == "live")
    if standing is None:
        head = {"evening": None, "live": False, "waiting_results": 0, "open_contests": 0}
        return {**head, "items": [], "next": None}
    shown = slice_of(request, standing.rows, asked, attrgetter("member.pk"))
    return _ranking(standing, shown, access)


@router.reads(
    "seasons/{int:season}/ranking",
    RankingOut,
    "The ranking after the last closed evening of a season",
    errors=SLICE_ERRORS,
)
def season_ranking(request: HttpRequest, season: int, asked: After) -> Answer:
    """With the categories and ratings of that day; results corrected since count in it."""
    access, club = in_club(request)
    found = live_ranking.of_season(club, season, at=received_at(request))
    if found is None:
        raise Http404
    evening, standing = found
    shown = slice_of(request, standing.rows, asked, attrgetter("member.pk"))
    shown["items"] = live_ranking.as_of(evening, shown["items"])
    return _ranking(standing, shown, access)


def _ranking(standing: live_ranking.Ranking, shown: Answer, access: Access) -> Answer:
    """Return a part of a ranking, `shown`, with what is said of the whole."""
    return {
        **shown,
        "items": [_row(row, access) for row in shown["items"]],
        "evening": evening_id(standing.evening) if standing.evening else None,
        "live": standing.live,
        "waiting_results": standing.waiting_results,
        "open_contests": standing.open_contests,
    }


def _row(row: live_ranking.RankingRow, access: Access) -> Answer:
    same = ("rank", "ex_aequo", "move", "category", "projected", "parted_by")
    return {
        **{name: getattr(row, name) for name in same},
        "player": person(row.member, access),
        "rating": row.cote,
        "values": {
            name: exact(row.values[name])
            for name in ("pr", "pdi", "ds", "played")
            if name in row.values
        },
    }


@router.reads("evenings", Page[EveningOut], "Evenings")
def evenings(request: HttpRequest, asked: After) -> Answer:
    """The latest first; cancelled ones are left out."""
    club = club_of(request)
    rows = Evening.objects.of(club).exclude(state=Evening.State.CANCELLED)
    return page(
        request, rows, ["-starts_at", "-pk"], asked, lambda listed: [*map(_evening, listed)]
    )


def _evening(evening: Evening) -> Answer:
    same = ("held_on", "number", "starts_at", "place", "state", "closed_at")
    return {
        **{name: getattr(evening, name) for name in same},
        "id": evening_id(evening),
        "season": evening.season_id,
    }


@router.reads(OF_EVENING, EveningNow, "One evening with its tables")
def evening(request: HttpRequest, day: date, nth: int) -> Answer:
    """What the wall shows. Ended matches: `…/matches`."""
    access, _club = in_club(request)
    row = _read(request, day, nth)
    counts = counts_of(row, at=received_at(request))
    return {
        **_evening(row),
        **{name: counts[name] for name in ("arrived", "present", "waiting")},
        "tables": [match_out(match, access) for match in evening_queries.tables(row)],
    }


@router.reads(f"{OF_EVENING}/matches", Page[MatchOut], "Matches of an evening")
def evening_matches(request: HttpRequest, day: date, nth: int, asked: After) -> Answer:
    """The latest first; cancelled ones are left out."""
    access, _club = in_club(request)
    evening = _read(request, day, nth)
    rows = evening.matches.exclude(status=Status.CANCELLED).select_related(*READ_WITH)
    return page(
        request,
        rows,
        ["-proposed_at", "-pk"],
        asked,
        lambda matches: [match_out(match, access) for match in matches],
    )


def _read(request: HttpRequest, day: date, nth: int) -> Evening:
    """Return the evening; delays that have passed are applied first, as its page does."""
    evening = evening_at(request, day, nth)
    if evening.is_live:
        match_actions.lapse_due(at=received_at(request))
    return evening


def match_of(request: HttpRequest, match_id: int) -> Match:
    """Return the match of this club with that number, or 404."""
    club = club_of(request)
    return get_object_or_404(
        Match.objects.of(club).select_related(*READ_WITH, "organisation", "rule_book"), pk=match_id
    )


@router.reads("matches/{int:match_id}", MatchOut, "One match")
def match(request: HttpRequest, match_id: int) -> Answer:
    """Its result in force, or the one entered while it waits for the other player."""
    access, _club = in_club(request)
    row = match_of(request, match_id)
    match_actions.lapse_read(row, at=received_at(request))
    return match_out(row, access)


@router.reads("matches/{int:match_id}/why", WhyOut, "Why these two play each other")
def match_why(request: HttpRequest, match_id: int) -> Why:
    """The reasons stored with the pairing."""
    access, _club = in_club(request)
    return match_of(request, match_id).competition.explain(viewer_is_member=access.is_member)
