"""Contests and late requests: read, taken, passed on, talked over, answered."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Schema
from pydantic import Field

from api.tokens.models import Scope
from api.v1.bearer import Bearer, club_of, in_club
from api.v1.once import Answer, RequestBody, once
from api.v1.router import Router
from api.v1.shapes import MatchOut, PersonOut, match_out, person
from api.v1.views.acts import Reason
from api.v1.views.arbitration import ContestOut, Mark, contest_out
from api.v1.views.evening_acts import directed
from clubs.accounts.actor import ARBITER
from clubs.accounts.permissions import Access
from pairings.arbitration import actions as arbitration
from pairings.arbitration import contests, opinions
from pairings.arbitration import queue as arbitration_queue
from pairings.arbitration.holders import holder_of
from pairings.arbitration.models import Contest
from pairings.matches import actions as match_actions
from pairings.matches.refusals import why_barred

router = Router(tags=["directing"], auth=Bearer(Scope.ARBITRATE, ARBITER))
OF_CONTEST = "contests/{int:contest_id}"


class ContestRow(ContestOut):
    """A contest, or a request that came after the window."""

    match: MatchOut
    late: bool = Field(description="a request after the window: the result stands meanwhile")
    asked: bool = Field(description="an arbiter waits for a second opinion")


class ContestRows(Schema):
    items: list[ContestRow] = Field(description="contests first, then requests, the oldest first")


class OpinionOut(Schema):
    by: PersonOut | None
    at: datetime
    asks: bool = Field(description="a question to the other arbiters; else an answer")
    words: str


class ContestReading(ContestRow):
    """A contest with what arbiters said of it."""

    mine: bool = Field(description="it is this arbiter who has it in hand")
    opinions: list[OpinionOut] = Field(description="questions and answers, the oldest first")
    closed_at: datetime | None
    answer: str = Field(description="what its players were told; empty before")
    barred: str = Field(description="why this arbiter may not decide; empty where they may")
    seen: str = Field(description="mark of the contest as it is now, for an act on it")


class ContestSeen(RequestBody):
    seen: Mark = Field(description="of the contest as it was read")


class Explained(ContestSeen):
    reason: Reason


class Said(ContestSeen):
    words: Reason


class ContestNow(Schema):
    """A contest after the act; `GET contests/<id>` has the whole of it."""

    contest: int
    taken: bool
    closed: bool
    seen: str = Field(description="its new mark")


def _contest(request: HttpRequest, contest_id: int) -> Contest:
    rows = Contest.objects.of(club_of(request)).select_related(*contests.READ_WITH)
    return get_object_or_404(rows, pk=contest_id)


def _row(contest: Contest, access: Access, *, asked: bool, taken: bool) -> Answer:
    shown = contest_out(contest, access, taken=taken)
    return {
        **shown,
        "match": match_out(contest.match, access),
        "late": contest.late,
        "asked": asked,
    }


@router.reads("contests", ContestRows, "Contests and requests that wait for an arbiter")
def contest_rows(request: HttpRequest) -> Answer:
    """Of the evenings and the tournaments. Scope `arbitrate`."""
    (access, club), at = in_club(request), timezone.now()
    match_actions.lapse_due(at=at)
    tasks = arbitration_queue.queue(club, at=at)
    return {
        "items": [
            _row(task.contest, access, asked=task.asked, taken=task.taken)
            for task in tasks
            if task.contest is not None
        ]
    }


@router.reads(OF_CONTEST, ContestReading, "A contest, and what arbiters said of it")
def contest_read(request: HttpRequest, contest_id: int) -> Answer:
    """The effect of a decision is read at its match. Scope `arbitrate`."""
    access, by = in_club(request)[0], directed(request)
    contest = _contest(request, contest_id)
    said, holder = opinions.said_of(contest), holder_of(contest)
    asked = bool(said) and said[-1].asks
    return {
        **_row(contest, access, asked=asked, taken=holder is not None),
        "mine": holder is not None and by.user is not None and holder.user_id == by.user.pk,
        "opinions": [
            {
                "by": person(opinion.by_member, access) if opinion.by_member else None,
                "at": opinion.at,
                "asks": opinion.asks,
                "words": opinion.words,
            }
            for opinion in said
        ],
        "closed_at": contest.closed_at,
        "answer": contest.answer,
        "barred": why_barred(contest.match, contest, by),
        "seen": contests.mark_of(contest),
    }


def _act_on(
    request: HttpRequest, contest_id: int, action: Callable[..., object], **values: Any
) -> Answer:
    """Do an act on a contest as it was read."""
    by, at, contest = directed(request), timezone.now(), _contest(request, contest_id)

    def act() -> Answer:
        now = contests.act_on(contest, action, **values, by=by, at=at)
        return {
            "contest": now.pk,
            "taken": holder_of(now) is not None,
            "closed": now.closed_at is not None,
            "seen": contests.mark_of(now),
        }

    return once(request, by, at, act)


@router.acts(f"{OF_CONTEST}/taking", ContestNow, "Take a contest in hand")
def contest_take(request: HttpRequest, contest_id: int, body: ContestSeen) -> Answer:
    """The other arbiters see who has it; refused as `own_match`, `recused`. Scope `arbitrate`."""
    return _act_on(request, contest_id, arbitration.take, **body.dict())


@router.acts(f"{OF_CONTEST}/recusal", ContestNow, "Leave a contest to the other arbiters")
def contest_recuse(request: HttpRequest, contest_id: int, body: Explained) -> Answer:
    """With the reason; this arbiter no longer decides it. Once: then `recused`. Scope `arbitrate`."""
    return _act_on(request, contest_id, arbitration.pass_on, **body.dict())


@router.acts(f"{OF_CONTEST}/opinions", ContestNow, "Ask for a second opinion, or give one")
def contest_opinion(request: HttpRequest, contest_id: int, body: Said) -> Answer:
    """Answers the question that waits (`asked`), else asks one; it decides nothing.

    Scope `arbitrate`.
    """
    return _act_on(request, contest_id, opinions.say, **body.dict())


@router.acts(f"{OF_CONTEST}/answer", ContestNow, "Answer a late request without a correction")
def contest_answer(request: HttpRequest, contest_id: int, body: Explained) -> Answer:
    """The result stands; their player reads the reason. Scope `arbitrate`."""
    answer = {"answer": body.reason, "seen": body.seen}
    return _act_on(request, contest_id, arbitration.close_request, **answer)
