"""Tournaments: entries, rounds and standings, as their pages show them."""

from __future__ import annotations

from datetime import date, datetime
from operator import attrgetter

from django.http import Http404, HttpRequest
from ninja import Query, Schema
from pydantic import Field

from api.v1.bearer import club_of, in_club
from api.v1.once import Answer
from api.v1.pages import SLICE_ERRORS, After, Page, page, slice_of
from api.v1.router import Router
from api.v1.shapes import MatchOut, PersonOut, exact, match_out, person
from clubs.accounts.permissions import received_at
from pairings.matches import actions as match_actions
from pairings.tournaments import actions as tournament_actions
from pairings.tournaments import standings as boards
from pairings.tournaments.models import Tournament
from pairings.tournaments.standings import Sheet
from pairings.tournaments.views.public import tournament_of

router = Router(tags=["tournaments"])


class TournamentOut(Schema):
    """A tournament."""

    slug: str
    name: str
    held_on: date
    ends_on: date | None
    starts_at: datetime
    place: str
    state: str = Field(description="`entries`, `running`, `closed` or `cancelled`")
    system: str = Field(description="code of the pairing system")
    rating_list: str | None = Field(description="slug of the list its ratings come from")


class RoundOut(Schema):
    """A round."""

    number: int
    state: str = Field(description="`planned`, `draft`, `published` or `closed`")
    starts_at: datetime
    published_at: datetime | None
    closed_at: datetime | None
    clock_until: datetime | None = Field(description="end of the room's clock, once started")


class TournamentWhole(TournamentOut):
    """A tournament with its rounds."""

    entries: int = Field(description="number of players")
    rounds: list[RoundOut]


class EntryOut(Schema):
    """A player of the tournament."""

    place: int = Field(description="place in the initial ranking, or what it would be now")
    player: PersonOut
    rating: int = Field(description="rating at the tournament's day; 0 without one")
    first_round: int = Field(description="plays from that round on; 1 unless they came late")
    withdrawn_from: int | None = Field(description="absent from that round on")


class RoundBoards(Page[MatchOut]):
    """The boards of a public round, by table."""

    round: RoundOut


class StandingRowOut(Schema):
    """One line of the standings."""

    rank: int
    ex_aequo: bool
    player: PersonOut
    values: dict[str, str | None] = Field(description="by column; exact, digits or a fraction")
    parted_by: str | None = Field(description="the value that parts this line from the one above")
    awaits: bool = Field(description="their board is still open")


class StandingsOut(Page[StandingRowOut]):
    """The standings, best first."""

    after: int = Field(description="the round they are after")
    final: bool = Field(
        description="after the last round; published once the tournament is `closed`"
    )
    live: bool = Field(description="results that are not final yet are in them")
    columns: list[str] = Field(description="codes of the values, in the order of the page")


@router.reads("tournaments", Page[TournamentOut], "Tournaments")
def tournaments(request: HttpRequest, asked: After) -> Answer:
    """The latest first; cancelled ones are left out."""
    club = club_of(request)
    rows = Tournament.objects.of(club).exclude(state=Tournament.State.CANCELLED)
    rows = rows.select_related("rating_list")
    return page(
        request, rows, ["-held_on", "-pk"], asked, lambda listed: [*map(_tournament, listed)]
    )


def _tournament(tournament: Tournament) -> Answer:
    same = ("slug", "name", "held_on", "ends_on", "starts_at", "place", "state", "system")
    rating_list = tournament.rating_list
    return {
        **{name: getattr(tournament, name) for name in same},
        "rating_list": rating_list.slug if rating_list else None,
    }


def _sheet(request: HttpRequest, slug: str) -> Sheet:
    return boards.sheet_of(tournament_of(request, slug))


@router.reads("tournaments/{slug:slug}", TournamentWhole, "One tournament with its rounds")
def tournament(request: HttpRequest, slug: str) -> Answer:
    """A draft of a round is not shown before it is published."""
    club_of(request)
    sheet = _sheet(request, slug)
    return {
        **_tournament(sheet.tournament),
        "entries": len(sheet.entries),
        "rounds": sheet.rounds,
    }


@router.reads(
    "tournaments/{slug:slug}/entries",
    Page[EntryOut],
    "Players of a tournament",
    errors=SLICE_ERRORS,
)
def tournament_entries(request: HttpRequest, slug: str, asked: After) -> Answer:
    """In the order of the initial ranking."""
    access, _club = in_club(request)
    sheet = _sheet(request, slug)
    entries = sheet.entries
    if sheet.tournament.state == Tournament.State.ENTRIES:
        entries = tournament_actions.initial_order(entries)
    page = slice_of(request, [*enumerate(entries, start=1)], asked, lambda one: one[1].pk)
    page["items"] = [
        {
            "place": place,
            "player": person(entry.member, access),
            "rating": entry.cote,
            "first_round": entry.first_round,
            "withdrawn_from": entry.withdrawn_from,
        }
        for place, entry in page["items"]
    ]
    return page


@router.reads(
    "tournaments/{slug:slug}/rounds/{int:round_number}",
    RoundBoards,
    "The boards of a round",
    errors=SLICE_ERRORS,
)
def tournament_round(request: HttpRequest, slug: str, round_number: int, asked: After) -> Answer:
    """Without a board before the round is published."""
    access, _club = in_club(request)
    match_actions.lapse_due(at=received_at(request))
    sheet = _sheet(request, slug)
    asked_round = next((one for one in sheet.rounds if one.number == round_number), None)
    if asked_round is None:
        raise Http404
    matches = sheet.of_round(round_number) if asked_round.is_public else []
    page = slice_of(request, matches, asked, attrgetter("pk"))
    people = {pk: entry.member for pk, entry in sheet.by_member.items()}
    asked_round.tournament = sheet.tournament
    for match in page["items"]:  # read with the sheet, so that no board asks for its players
        match.round, match.first = asked_round, people[match.first_id]
        match.second = people[match.second_id] if match.second_id else None
    page["items"] = [match_out(match, access) for match in page["items"]]
    return {**page, "round": asked_round}


@router.reads(
    "tournaments/{slug:slug}/standings",
    StandingsOut,
    "The standings of a tournament",
    errors=SLICE_ERRORS,
)
def tournament_standings(
    request: HttpRequest,
    slug: str,
    asked: After,
    round: int | None = Query(None, ge=1, le=999, description="after this round; now without it"),
) -> Answer:
    """Live during a round, final after the last one."""
    access, _club = in_club(request)
    sheet = _sheet(request, slug)
    until = round if round is not None and round <= sheet.closed else None
    standing = boards.standing(sheet, until=until)
    shown = slice_of(request, standing.rows, asked, attrgetter("entry.pk"))
    shown["items"] = [
        {
            "rank": row.rank,
            "ex_aequo": row.ex_aequo,
            "player": person(row.entry.member, access),
            "values": {name: exact(row.values[name]) for name in standing.columns},
            "parted_by": row.parted_by,
            "awaits": row.awaits,
        }
        for row in shown["items"]
    ]
    same = ("after", "final", "live", "columns")
    return {**shown, **{name: getattr(standing, name) for name in same}}
