"""A member's own evening: arrive, enter, confirm, contest, report an absence; a director's round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from django.db import transaction
from django.db.models import BigIntegerField
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Schema
from pydantic import Field, StringConstraints

from api.tokens.models import Scope
from api.v1.bearer import Bearer, acting, club_of
from api.v1.once import Answer, RequestBody, once
from api.v1.problems import Problem, missing
from api.v1.router import Router
from clubs.accounts.actor import ARBITER
from clubs.accounts.client_address import address_of
from clubs.accounts.permissions import received_at
from clubs.members.models import Member
from pairings.arbitration import actions as arbitration
from pairings.evenings.admission import presence
from pairings.evenings.views.player import evening_of_code
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.matches.views.match import own_match
from pairings.rules.match_state import Absent, Kind, Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments.rounds import score_entry
from pairings.tournaments.rounds.score_entry import GridAnswer, GridLine
from pairings.tournaments.rules import rules_of
from pairings.tournaments.views.public import sheet_and_round

router = Router(tags=["writing"], auth=Bearer(Scope.RESULTS))
MOST_GAMES, MOST_LINES = 9, 500
Score = Annotated[int, Field(ge=-100_000, le=100_000)]
Version = Annotated[int, Field(ge=0, le=1_000_000, description="of the match as it was read")]
Words = Annotated[str, StringConstraints(max_length=300, pattern=r"^[^\x00]*$")]
Reason = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")]


class Arrival(RequestBody):
    """The code of tonight, from the door or the wall."""

    code: str = Field(max_length=20, pattern=r"^[^\x00]*$")


class ArrivalOut(Schema):
    evening: str = Field(description="`<day>/<number of the day>`")
    state: str = Field(description="`waiting`, `playing`")


class ResultIn(RequestBody):
    """The result as its player sees it: own score first."""

    version: Version = Field(
        0, description="of the match as it was read; needed to replace a result sent before"
    )
    mine: Score | None = Field(None, description="needed where one game is played")
    theirs: Score | None = None
    games: list[tuple[Score, Score]] = Field(
        [],
        max_length=MOST_GAMES,
        description="where two games are to be won: each, own score first",
    )


class Seen(RequestBody):
    version: Version


class ContestIn(Seen):
    subject: Literal["score", "not_over", "other"] = Field("score", description="what is wrong")
    mine: Score | None = Field(None, description="the right scores, if known")
    theirs: Score | None = None
    words: Words = ""


class Denial(Seen):
    words: Words = ""


class CorrectionRequest(Seen):
    words: Words = Field(description="what is wrong, in one sentence")
    mine: Score | None = Field(None, description="the right scores, if known")
    theirs: Score | None = None


class MatchNow(Schema):
    """A match after the act; `GET matches/<id>` has the whole of it."""

    match: int
    version: int
    status: str


class Requested(MatchNow):
    contest: int = Field(description="number of the request, for `contests/<id>` of an arbiter")


class Line(RequestBody):
    """One slip, in the order of the board."""

    match: int = Field(ge=0, le=BigIntegerField.MAX_BIGINT)
    version: Version
    first: Score | None = None
    second: Score | None = None
    games: list[tuple[Score, Score]] = Field(
        [], max_length=MOST_GAMES, description="where two games are to be won, in the place of both"
    )
    absent: Literal["", "a", "b", "both"] = Field("", description="in the place of scores")

    def result(self) -> Result:
        """Return what the line says."""
        if self.absent:
            return Result(Kind.ABSENT, absent=Absent(self.absent))
        return Result(Kind.PLAYED, self.first, self.second, games=tuple(self.games))


class Slips(RequestBody):
    results: list[Line] = Field(min_length=1, max_length=MOST_LINES)
    reason: Reason = Field("", description="needed where a line corrects a result")


class LineOut(MatchNow):
    saved: bool = Field(description="false: it was so already, or it was refused")
    code: str = Field(description="why it was refused; empty when it was not")
    detail: str = Field(description="the refusal, or what is worth a second look")


class SlipsOut(Schema):
    results: list[LineOut]


def match_now(match: Match) -> Answer:
    return {"match": match.pk, "version": match.version, "status": match.status}


def _act_on(
    request: HttpRequest, match: Match, action: Callable[..., Match], **values: object
) -> Answer:
    """Do an act of a player on their match."""
    by, at = acting(request), received_at(request)

    def act() -> Answer:
        return match_now(action(match=match, by=by, at=at, **values))

    return once(request, by, at, act)


@router.acts("arrivals", ArrivalOut, "Arrive tonight")
def arrive(request: HttpRequest, body: Arrival) -> Answer:
    """Check in at the evening of that code, as at the door. Scope `results`."""
    by, at = acting(request), received_at(request)

    def act() -> Answer:
        evening = evening_of_code(club_of(request), body.code, address_of(request), at)
        member = by.member
        if evening is None or member is None:
            raise Problem(404, "wrong_code", _("Ce code n’est pas celui d’une soirée en cours."))
        here = presence.check_in(evening=evening, member=member, source="qr", by=by, at=at)
        return {"evening": f"{evening.held_on}/{evening.number}", "state": here.state}

    return once(request, by, at, act)


@router.acts("matches/{int:match_id}/result", MatchNow, "Enter the result of my match")
def enter_result(request: HttpRequest, match_id: int, body: ResultIn) -> Answer:
    """The opponent then confirms or contests; the same scores from both are final. Scope `results`.

    Another result than the one that this player has sent is refused as `already_sent`, unless
    `version` says that they read it.
    """
    match, member = own_match(request, match_id)
    if not body.games:
        by_games = match.competition.winning_games() > 1
        if empty := _without(body, ["games"] if by_games else ["mine", "theirs"]):
            raise missing(empty)
    first = match.first_id == member.pk
    games = tuple(game if first else game[::-1] for game in body.games)
    scores = (body.mine, body.theirs) if first else (body.theirs, body.mine)
    values = {"scores": scores, "games": games, "version": body.version}
    return _act_on(request, match, match_actions.submit, **values)


@router.acts(
    "matches/{int:match_id}/confirmation", MatchNow, "Confirm the result that my opponent entered"
)
def confirm_result(request: HttpRequest, match_id: int, body: Seen) -> Answer:
    """Of the version that was read: another one is refused as `stale`. Scope `results`."""
    match, _member = own_match(request, match_id)
    return _act_on(request, match, match_actions.confirm, **body.dict())


@router.acts(
    "matches/{int:match_id}/contest", MatchNow, "Contest the result that my opponent entered"
)
def contest_result(request: HttpRequest, match_id: int, body: ContestIn) -> Answer:
    """An arbiter decides; until then the result counts for nothing. Scope `results`."""
    match, member = own_match(request, match_id)
    values = body.dict(exclude={"mine", "theirs"})
    scores = _claimed(match, member, body)
    return _act_on(request, match, match_actions.contest, scores=scores, **values)


def _without(part: Schema, names: Sequence[str], place: str = "body") -> list[str]:
    """Return the places of these values where there is none."""
    return [f"{place}.{name}" for name in names if getattr(part, name) in (None, [])]


def _claimed(
    match: Match, member: Member, body: ContestIn | CorrectionRequest
) -> tuple[int | None, int | None] | None:
    """Return the scores that a player says are right, in the order of the match; None without."""
    if body.mine is None and body.theirs is None:
        return None
    if empty := _without(body, ["mine", "theirs"]):
        raise missing(empty)
    claim = body.mine, body.theirs
    return claim if match.first_id == member.pk else claim[::-1]


@router.acts(
    "matches/{int:match_id}/correction-request", Requested, "Ask for a correction after the window"
)
def request_correction(request: HttpRequest, match_id: int, body: CorrectionRequest) -> Answer:
    """The result stands until an arbiter answers. Before the window ends, contest. Scope `results`."""
    by, at = acting(request), received_at(request)
    match, member = own_match(request, match_id)

    def act() -> Answer:
        match_actions.lapse_read(match, at=at)
        scores = _claimed(match, member, body)
        contest = arbitration.ask_committee(
            match=match, words=body.words, scores=scores, version=body.version, by=by, at=at
        )
        return {**match_now(match), "contest": contest.pk}

    return once(request, by, at, act)


@router.acts("matches/{int:match_id}/absence", MatchNow, "Report that my opponent is not there")
def report_absence(request: HttpRequest, match_id: int, body: Seen) -> Answer:
    """From the minute on that the rules allow; they may still say they were there. Scope `results`."""
    match, _member = own_match(request, match_id)
    return _act_on(request, match, match_actions.claim_absence, **body.dict())


@router.acts("matches/{int:match_id}/presence", MatchNow, "Say that I was there")
def deny_absence(request: HttpRequest, match_id: int, body: Denial) -> Answer:
    """Where my opponent reported me absent; an arbiter decides. Scope `results`."""
    match, _member = own_match(request, match_id)
    return _act_on(request, match, match_actions.deny_absence, **body.dict())


@router.acts("matches/{int:match_id}/arrival", MatchNow, "Say that my opponent has arrived")
def withdraw_absence(request: HttpRequest, match_id: int, body: Seen) -> Answer:
    """Takes back the absence that I reported, while its window runs. Scope `results`."""
    match, _member = own_match(request, match_id)
    return _act_on(request, match, match_actions.withdraw_absence, **body.dict())


@router.acts(
    "tournaments/{slug:slug}/rounds/{int:round_number}/results",
    SlipsOut,
    "Enter results of a round",
    auth=Bearer(Scope.DIRECT, ARBITER),
)
def round_results(request: HttpRequest, slug: str, round_number: int, body: Slips) -> Answer:
    """Each line stands for itself: one that changed meanwhile is refused, the others are saved.

    Of arbiters and the committee. Scope `direct`.
    """
    by, at = acting(request), timezone.now()
    match_actions.lapse_due(at=at)
    tournament_round = sheet_and_round(request, slug, round_number)[1]
    if not tournament_round.is_public:
        raise Http404
    by_games = rules_of(tournament_round.tournament).winning_games > 1
    needed = ["games"] if by_games else ["first", "second"]
    empty = [
        place
        for number, line in enumerate(body.results)
        if not line.absent and not line.games
        for place in _without(line, needed, f"body.results.{number}")
    ]
    if empty:
        raise missing(empty)
    lines = [GridLine(line.match, line.version, line.result()) for line in body.results]

    @transaction.atomic
    def act() -> Answer:
        named = Match.objects.filter(pk__in=[line.match_id for line in lines])
        tournaments.locked_with_matches(tournament_round.tournament, named)
        answers = score_entry.enter(
            round=tournament_round, lines=lines, by=by, at=at, reason=body.reason
        )
        return {"results": [_line(answer) for answer in answers]}

    return once(request, by, at, act)


def _line(answer: GridAnswer) -> Answer:
    outcome = {
        "saved": answer.saved,
        "code": answer.code,
        "detail": answer.refused or answer.notice,
    }
    return {**match_now(answer.match), **outcome}
