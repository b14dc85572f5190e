"""Pairing those who wait: the proposal with its reasons, then its tables."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from api.tokens.models import Scope
from api.v1.bearer import Bearer, in_club
from api.v1.once import WRITE_ERRORS, Given, once
from api.v1.problems import ProblemOut
from api.v1.shapes import ERRORS, PersonOut, person
from api.v1.views.acts import MatchNow, match_now
from api.v1.views.evening_acts import OF_EVENING, directed, evening_at
from clubs.accounts.actor import ARBITER
from clubs.accounts.permissions import Access
from clubs.members.models import Member
from pairings.evenings import pairing, proposal
from pairings.matches import actions as match_actions

router = Router(tags=["directing"])


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


class Call(Given):
    seen: str = Field(max_length=64, description="of the proposal as it was read")
    avoid: bool = Field(False, description="the alternative instead, which avoids a repeat")
    agreed: bool = Field(False, description="to a repeat before the delay of the rules")


class TableOut(MatchNow):
    table: int | None = Field(description="null for a bye")
    first: PersonOut
    second: PersonOut | None


class Called(Schema):
    tables: list[TableOut]


def _plan(plan: Mapping[str, Any], people: proposal.People, access: Access) -> dict[str, Any]:
    def shown(pk: Any) -> dict[str, Any]:
        return person(people[pk], access)

    pairs = [
        {**pair, **dict(zip(("first", "second"), map(shown, pair["players"]), strict=True))}
        for pair in plan["pairs"]
    ]
    byes = [{"player": shown(bye["player"]), "why": bye["why"]} for bye in plan["byes"]]
    return {**plan, "pairs": pairs, "byes": byes}


@router.get(
    f"{OF_EVENING}/pairing",
    response={200: ProposalOut, ERRORS: ProblemOut},
    summary="The pairing that the rules propose now",
    auth=Bearer(Scope.ARBITRATE, ARBITER),
)
def pairing_read(request: HttpRequest, day: date, nth: int) -> Any:
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


@router.post(
    f"{OF_EVENING}/pairing",
    response={200: Called, WRITE_ERRORS: ProblemOut},
    summary="Call the tables of the proposal",
    auth=Bearer(Scope.ARBITRATE, ARBITER),
)
def pairing_call(request: HttpRequest, day: date, nth: int, body: Call) -> Any:
    """Refused as `stale` when others wait than those it was read for. Scope `arbitrate`."""
    by, at, (access, _club) = directed(request), timezone.now(), in_club(request)
    evening = evening_at(request, day, nth)

    def act() -> dict[str, Any]:
        run = pairing.pair_waiting(
            evening=evening,
            by=by,
            at=at,
            strategy="optimal" if body.avoid else None,
            allow_early_repeat=body.agreed,
            seen=body.seen,
        )
        matches = run.matches.select_related("first", "second").order_by("table_number", "pk")
        return {
            "tables": [
                {
                    **match_now(match),
                    "table": match.table_number,
                    "first": person(match.first, access),
                    "second": person(match.second, access) if match.second else None,
                }
                for match in matches
            ]
        }

    return once(request, by, at, act)
