"""Players as far as they chose to be seen, their matches, and the reasons of each rating."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Schema
from pydantic import Field

from api.v1.bearer import in_club
from api.v1.once import Answer
from api.v1.pages import After, Page, page
from api.v1.router import Router
from api.v1.shapes import MatchOut, PersonOut, exact, match_out, person
from clubs.accounts.permissions import Access, visible_member
from clubs.members import merging
from clubs.members.models import Member
from clubs.rulebooks.models import RuleBook
from pairings.players import record
from pairings.players.views import players_shown
from pairings.ranking import projection
from ratings.ledger.models import LedgerEntry
from ratings.lists import explanations
from ratings.lists import queries as list_queries
from ratings.systems.storage import from_json

router = Router(tags=["players"])


class PlayerOut(PersonOut):
    """A player of the club."""

    guest: bool = Field(description="plays without being a member yet")
    rating: int | None = Field(description="official rating of the club's ladder")
    category: str = Field(description="code of the category of that rating; empty without one")


class ListRef(Schema):
    """A rating list."""

    slug: str
    name: str = Field(alias="title", description="as pages print it")


class PlayerWhole(PlayerOut):
    """A player with the lists that have a rating of theirs."""

    lists: list[ListRef]


class ChangeOut(Schema):
    """What one competition or evening did to a rating; in force, corrections included."""

    id: int
    list: ListRef
    competition: str = Field(description="its name as pages print it")
    held_on: date
    before: int | None = Field(description="as printed; null where there was none")
    after: int | None
    delta: int | None
    corrected: bool = Field(description="replaces an earlier change")
    rule_version: int | None = Field(description="version of the rules; null: the document itself")


class ReasonOut(Schema):
    """One line of an explanation, in the reader's language."""

    head: str
    formula: str = Field(description="the document's formula with its numbers")
    sentence: str = Field(description="the same in words; empty where only the formula says it")
    effect: str | None = Field(description="exact: digits or a fraction")
    article: str = Field(description="where the document says it")


class ChangeWhole(ChangeOut):
    """A change with its reasons: their effects add up to it."""

    exact_before: str | None = Field(description="exact: digits or a fraction")
    exact_after: str | None
    reasons: list[ReasonOut]


@router.reads("players", Page[PlayerOut], "Players")
def players(request: HttpRequest, asked: After, q: str = "") -> Answer:
    """Those whom the reader may see, in no order of names. `q` searches names without accents."""
    access, club = in_club(request)
    members = players_shown(club, access, q.strip())

    book = projection.rules_shown(club, at=timezone.now())

    def shown(rows: Sequence[Member]) -> list[Answer]:
        cotes = projection.cotes_of(club, rows)
        return [_player(member, cotes.get(member.pk), book, access) for member in rows]

    return page(request, members, ["public_id"], asked, shown)


def _player(member: Member, rating: int | None, book: RuleBook | None, access: Access) -> Answer:
    return {
        **person(member, access),
        "guest": member.is_guest,
        "rating": rating,
        "category": projection.category_code(rating, book) if rating is not None else "",
    }


@router.reads("players/{slug:player}", PlayerWhole, "One player")
def player(request: HttpRequest, player: str) -> Answer:
    """404 for a player who chose not to be seen by the reader."""
    access, club = in_club(request)
    member = visible_member(request, player)
    rating = projection.cotes_of(club, [member]).get(member.pk)
    book = projection.rules_shown(club, at=timezone.now())
    return {**_player(member, rating, book, access), "lists": list_queries.lists_holding(member)}


@router.reads("players/{slug:player}/matches", Page[MatchOut], "Ended matches of a player")
def player_matches(request: HttpRequest, player: str, asked: After) -> Answer:
    """The latest first."""
    access, club = in_club(request)
    member = visible_member(request, player)
    return page(
        request,
        record.ended_of(club, merging.family_of(member)),
        record.NEWEST_FIRST,
        asked,
        lambda matches: [match_out(match, access) for match in matches],
    )


@router.reads("players/{slug:player}/changes", Page[ChangeOut], "Changes of a player's ratings")
def changes(request: HttpRequest, player: str, asked: After, list: str = "") -> Answer:
    """The latest first, of every list, or of the list whose slug is given.

    Only the player and the committee read of a sanction.
    """
    access, club = in_club(request)
    member = visible_member(request, player)
    rows = LedgerEntry.objects.filter(
        explanations.visible_to(access, member), member=member, rating_list__organisation=club
    ).in_force()
    if list:
        rows = rows.filter(rating_list__slug=list)
    rows = rows.select_related("period", "rating_list", "rule_book")
    # As `in_order`: a correction writes an entry later than its turn.
    order = ["-held_on", "-period__position", "-period__pk", "-pk"]
    return page(request, rows, order, asked, lambda listed: [*map(_change, listed)])


@router.reads(
    "players/{slug:player}/changes/{int:entry_id}", ChangeWhole, "The reasons of one change"
)
def change(request: HttpRequest, player: str, entry_id: int) -> Answer:
    """Each line with its formula and the article it comes from."""
    access, club = in_club(request)
    member = visible_member(request, player)
    entry = get_object_or_404(
        LedgerEntry.objects.filter(explanations.visible_to(access, member)).select_related(
            "period", "rating_list", "rule_book"
        ),
        pk=entry_id,
        member=member,
        rating_list__organisation=club,
    )
    lines = explanations.lines_of(entry.because, viewer_is_member=access.is_member)
    return {
        **_change(entry),
        "exact_before": exact(from_json(entry.before["rating"])),
        "exact_after": exact(from_json(entry.after["rating"])),
        "reasons": [
            {
                "head": str(line.head),
                "formula": str(line.formula),
                "sentence": line.sentence,
                "effect": exact(line.effect),
                "article": line.article,
            }
            for line in lines
        ],
    }


def _change(entry: LedgerEntry) -> Answer:
    return {
        "id": entry.pk,
        "list": entry.rating_list,
        "competition": entry.period.title if entry.period else "",
        "held_on": entry.held_on,
        "before": entry.shown_before,
        "after": entry.shown_after,
        "delta": entry.delta,
        "corrected": entry.supersedes_id is not None,
        "rule_version": entry.rule_book.number if entry.rule_book else None,
    }
