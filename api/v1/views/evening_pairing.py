"""Pairing those who wait: the proposal and its tables, two by hand, a swap, the last act undone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Schema
from pydantic import Field, StringConstraints

from api.tokens.models import Scope
from api.v1.bearer import Bearer, club_of, in_club
from api.v1.bodies import found
from api.v1.once import Answer, RequestBody, once
from api.v1.router import Router
from api.v1.shapes import ERRORS, MatchOut, PersonOut, match_out, person
from api.v1.views.acts import MatchNow, Reason, Seen, Version, match_now
from api.v1.views.arbitration import Mark
from api.v1.views.evening_acts import directed
from api.v1.views.play import OF_EVENING, evening_at
from clubs.accounts.actor import ARBITER
from clubs.accounts.permissions import Access
from clubs.members.models import Member
from pairings.arbitration import undo
from pairings.arbitration.views.disputes import match_of
from pairings.evenings import pairing, proposal
from pairings.matches import actions as match_actions
from pairings.matches.models import Match

router = Router(tags=["directing"], auth=Bearer(Scope.ARBITRATE, ARBITER))
PlayerId = Annotated[
    str,
    StringConstraints(max_length=60, pattern=r"^[^\x00]*$"),
    Field(description="`id` of a player"),
]


class PairOut(Schema):
    """A table that is proposed."""

    first: PersonOut
    second: PersonOut
    why: str
    repeat: bool = Field(description="they have met this season")
    early: bool = Field(description="again before the delay of the rules: it needs `agreed`")
    skipped: list[str] = Field(description="players tried before, and why not")


class ByeOut(Schema):
    player: PersonOut
    why: str


class WarningOut(Schema):
    words: str
    names: str = Field(description="whom it is about")


class PlanOut(Schema):
    """A pairing of those who wait."""

    pairs: list[PairOut]
    byes: list[ByeOut]
    unpaired: list[str] = Field(description="names of those who go on waiting")
    warnings: list[WarningOut]
    needs_agreement: bool = Field(description="send `agreed` to have it")


class ProposalOut(Schema):
    """What the rules propose now."""

    waiting: list[PersonOut] = Field(description="who may be paired")
    seen: str = Field(description="mark of those who wait, for the call of the tables")
    can_pair: bool = Field(description="the evening is running and somebody can be paired")
    plan: PlanOut
    alternative: PlanOut | None = Field(description="the one that avoids a repeat, if there is")


class Call(RequestBody):
    seen: str = Field(max_length=64, description="of the proposal as it was read")
    avoid: bool = Field(False, description="the alternative instead, which avoids a repeat")
    agreed: bool = Field(False, description="to a repeat before the delay of the rules")


class TableOut(MatchNow):
    table: int | None = Field(description="null for a bye")
    first: PersonOut
    second: PersonOut | None


class Called(Schema):
    tables: list[TableOut]


class HandOut(Schema):
    """What pairing two by hand costs against the proposal."""

    words: list[str] = Field(description="what it costs, in sentences")
    proposed: bool = Field(description="the rules propose this very table")
    repeat: bool = Field(description="they have met this season")
    repeats: tuple[int, int] = Field(description="tables where two have met, before and after")
    gaps: tuple[float, float] = Field(
        description="sum of the differences of PR between opponents, before and after"
    )
    plan: PlanOut = Field(description="what the rules propose now")
    rest: PlanOut = Field(description="what they propose to the others then, and who is left")
    seen: str = Field(description="mark of those who wait, for the call of this table")


class Two(Schema):
    first: PlayerId
    second: PlayerId


class HandIn(RequestBody):
    first: PlayerId
    second: PlayerId
    reason: Reason
    seen: Mark = Field(description="of the cost as it was read")


class TableSeen(RequestBody):
    match: int = Field(ge=0)
    version: Version


class Swap(RequestBody):
    one: TableSeen
    other: TableSeen
    reason: Reason


class LastAct(Schema):
    """An act of an arbiter that can still be undone."""

    match: MatchOut
    act: str = Field(
        description="`pairing`: two paired by hand, `cancel`: a match cancelled, `absence`"
    )
    words: str


class LastActs(Schema):
    items: list[LastAct] = Field(description="the latest first")


class Undone(Schema):
    undone: MatchNow
    again: TableOut | None = Field(description="the new table of the two; null after a pairing")


def _table(match: Match, access: Access) -> Answer:
    return {
        **match_now(match),
        "table": match.table_number,
        "first": person(match.first, access),
        "second": person(match.second, access) if match.second else None,
    }


def _plan(plan: Mapping[str, Any], people: proposal.People, access: Access) -> Answer:
    def shown(pk: int) -> Answer:
        return person(people[pk], access)

    pairs = [
        {**pair, **dict(zip(("first", "second"), map(shown, pair["players"]), strict=True))}
        for pair in plan["pairs"]
    ]
    byes = [{"player": shown(bye["player"]), "why": bye["why"]} for bye in plan["byes"]]
    return {**plan, "pairs": pairs, "byes": byes}


@router.reads(f"{OF_EVENING}/pairing", ProposalOut, "The pairing that the rules propose now")
def pairing_read(request: HttpRequest, day: date, nth: int) -> Answer:
    """With its reasons; nothing is called. Scope `arbitrate`."""
    access, _club = in_club(request)
    evening, at = evening_at(request, day, nth), timezone.now()
    match_actions.lapse_due(at=at)
    read = proposal.read(evening, at=at)
    waiting: list[Member] = [read.people[pk] for pk in read.waiting]
    return {
        "waiting": [person(member, access) for member in waiting],
        "seen": read.seen,
        "can_pair": read.can_pair,
        "plan": _plan(read.plan, read.people, access),
        "alternative": _plan(read.alternative, read.people, access) if read.alternative else None,
    }


@router.acts(f"{OF_EVENING}/pairing", Called, "Call the tables of the proposal")
def pairing_call(request: HttpRequest, day: date, nth: int, body: Call) -> Answer:
    """Refused as `stale` when others wait, or tables were called, since it was read.

    Scope `arbitrate`.
    """
    by, at, (access, _club) = directed(request), timezone.now(), in_club(request)
    evening = evening_at(request, day, nth)

    def act() -> Answer:
        run = pairing.pair_waiting(
            evening=evening,
            by=by,
            at=at,
            strategy="optimal" if body.avoid else None,
            allow_early_repeat=body.agreed,
            seen=body.seen,
        )
        matches = run.matches.select_related("first", "second").order_by("table_number", "pk")
        return {"tables": [_table(match, access) for match in matches]}

    return once(request, by, at, act)


def _both(request: HttpRequest, two: Two | HandIn) -> dict[str, Member]:
    members = Member.objects.of(club_of(request)).active()
    place = "body" if isinstance(two, HandIn) else "query"
    return {
        "first": found(members, f"{place}.first", public_id=two.first),
        "second": found(members, f"{place}.second", public_id=two.second),
    }


@router.reads(
    f"{OF_EVENING}/pairing/by-hand",
    HandOut,
    "What pairing two by hand costs",
    errors=ERRORS | {409},
)
def hand_read(request: HttpRequest, day: date, nth: int, asked: Query[Two]) -> Answer:
    """Against the proposal; nothing is called. Scope `arbitrate`."""
    access, at = in_club(request)[0], timezone.now()
    evening, two = evening_at(request, day, nth), _both(request, asked)
    match_actions.lapse_due(at=at)
    read = proposal.read_by_hand(evening, **two, at=at)
    return {
        "words": read.words,
        "proposed": read.cost.is_proposed,
        "repeat": read.cost.is_repeat,
        "repeats": read.cost.repeats,
        "gaps": [float(gap) for gap in read.cost.gaps],
        "plan": _plan(read.plan, read.people, access),
        "rest": _plan(read.rest, read.people, access),
        "seen": read.cost.seen,
    }


@router.acts(f"{OF_EVENING}/pairing/by-hand", TableOut, "Pair two by hand")
def hand_pair(request: HttpRequest, day: date, nth: int, body: HandIn) -> Answer:
    """Two who wait, with the reason. Refused as `stale` when others wait meanwhile.

    Scope `arbitrate`.
    """
    by, at, access = directed(request), timezone.now(), in_club(request)[0]
    evening = evening_at(request, day, nth)

    def act() -> Answer:
        two = _both(request, body)
        match = pairing.pair_by_hand(
            evening=evening, **two, reason=body.reason, seen=body.seen, by=by, at=at
        )
        return _table(match, access)

    return once(request, by, at, act)


@router.acts(f"{OF_EVENING}/swaps", Called, "Swap the opponents of two tables")
def tables_swap(request: HttpRequest, day: date, nth: int, body: Swap) -> Answer:
    """Where nothing has begun: both are cancelled, each first player meets the second of the other.

    Scope `arbitrate`.
    """
    by, at, access = directed(request), timezone.now(), in_club(request)[0]
    evening = evening_at(request, day, nth)
    matches = evening.matches.all()
    one = found(matches, "body.one.match", pk=body.one.match)
    other = found(matches, "body.other.match", pk=body.other.match)
    versions = {one.pk: body.one.version, other.pk: body.other.version}

    def act() -> Answer:
        pair = {"one": one, "other": other}
        swapped = pairing.swap(
            evening=evening, **pair, reason=body.reason, versions=versions, by=by, at=at
        )
        return {"tables": [_table(match, access) for match in swapped]}

    return once(request, by, at, act)


@router.reads(f"{OF_EVENING}/last-acts", LastActs, "What can still be undone")
def last_acts(request: HttpRequest, day: date, nth: int) -> Answer:
    """Acts of arbiters in the last ten minutes on which nothing depends. Scope `arbitrate`."""
    access, at = in_club(request)[0], timezone.now()
    recent = undo.recent(evening_at(request, day, nth), at=at)
    return {
        "items": [
            {"match": match_out(match, access), "act": act, "words": undo.words_of(match, act)}
            for match, act in recent
        ]
    }


@router.acts("matches/{int:match_id}/undo", Undone, "Undo the last act on a match")
def last_act_undo(request: HttpRequest, match_id: int, body: Seen) -> Answer:
    """A call by hand is taken back, a cancelled match and an absence are called again.

    Refused as `too_late` once something depends on it. Scope `arbitrate`.
    """
    by, at, access = directed(request), timezone.now(), in_club(request)[0]
    match = match_of(request, match_id)

    def act() -> Answer:
        again = undo.undo(match=match, version=body.version, by=by, at=at)
        match.refresh_from_db()
        return {"undone": match_now(match), "again": _table(again, access) if again else None}

    return once(request, by, at, act)
