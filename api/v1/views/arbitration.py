"""Rulings: a contest decided, an open match judged, a result corrected; the effect is read first."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Query, Schema
from pydantic import Field, StringConstraints

from api.tokens.models import Scope
from api.v1.bearer import Bearer, in_club
from api.v1.once import Answer, RequestBody, once, wrong_values
from api.v1.router import Router
from api.v1.shapes import ERRORS, MatchOut, PersonOut, exact, match_out, person
from api.v1.views.acts import MOST_GAMES, MatchNow, Reason, Score, Version, match_now
from api.v1.views.evening_acts import directed
from clubs.accounts.actor import ARBITER, Actor
from clubs.accounts.permissions import Access
from pairings.arbitration import actions as arbitration
from pairings.arbitration import effects
from pairings.arbitration.forms import DecisionForm, JudgeForm
from pairings.arbitration.holders import holder_of
from pairings.arbitration.models import Contest
from pairings.arbitration.views.disputes import match_of
from pairings.matches import actions as match_actions
from pairings.matches.competition import EffectTable
from pairings.matches.models import Match
from pairings.matches.refusals import (
    ResultRefused,
    check_not_recused,
    check_version,
    not_from,
    why_barred,
)
from pairings.matches.state import allowed

router = Router(tags=["directing"], auth=Bearer(Scope.ARBITRATE, ARBITER))
Mark = Annotated[str, StringConstraints(max_length=64)]
Choice = Literal["", "keep", "take", "other", "absent_a", "absent_b", "absent_both", "cancel"]
Act = Literal["", "contest", "record", "absent_a", "absent_b", "absent_both", "start", "cancel"]
SEEN = "mark of the effect that was read; empty where the act has none"


class EffectRow(Schema):
    """Somebody whom it moves: each value before and after."""

    player: PersonOut
    rank: tuple[int | None, int | None]
    points: tuple[str | None, str | None]
    rating: tuple[int | None, int | None]
    category: tuple[str, str]


class EffectOut(Schema):
    """How the ranking changes, before and after."""

    rows: list[EffectRow]
    categories_changed: int
    ties_changed: int = Field(description="players without a row, whose tie-breaks alone change")
    periods: list[str] = Field(description="later evenings that are computed again")


class Option(Schema):
    value: str = Field(description="for `choice` or `act`")
    words: str


class ContestOut(Schema):
    """What is contested, and by whom."""

    id: int = Field(description="for `contests/<id>`")
    subject: str
    words: str
    opened_by: PersonOut | None
    opened_at: datetime
    first_score: int | None = Field(description="the scores that they say are right")
    second_score: int | None
    taken: bool = Field(description="an arbiter has it in hand")


class Reading(Schema):
    match: MatchOut
    options: list[Option] = Field(description="what may be chosen")
    barred: str = Field(description="why this arbiter may not; empty where they may")
    effect: EffectOut | None = Field(description="of what was chosen; null before")
    seen: str = Field(description="mark of this effect, for the act itself")


class DecisionReading(Reading):
    contest: ContestOut


class DecisionAsked(Schema):
    choice: Choice = Field("", description="its effect is read; without it there is none")
    first_score: Score | None = Field(None, description="of `other`, in the order of the match")
    second_score: Score | None = Field(None, description="of `other`, in the order of the match")
    games: str = Field("", max_length=80, description="`410-380 350-400 420-300`")
    justified: bool = Field(False, description="of an absence")


class DecisionIn(RequestBody):
    """The choice whose effect was read, with its reason for both players."""

    choice: Choice
    first_score: Score | None = Field(None, description="of `other`, in the order of the match")
    second_score: Score | None = None
    games: list[tuple[Score, Score]] = Field([], max_length=MOST_GAMES)
    justified: bool = False
    reason: Reason
    version: Version
    seen: Mark


REQUEST = "number of a late request, of which `take` takes the scores"


class CorrectionAsked(DecisionAsked):
    request: int | None = Field(None, description=REQUEST)


class CorrectionIn(DecisionIn):
    """The choice whose effect was read, for a result in force."""

    request: int | None = Field(None, description=REQUEST)


class InterventionAsked(Schema):
    act: Act = Field("", description="its effect is read; without it there is none")
    first_score: Score | None = Field(None, description="of `record`, in the order of the match")
    second_score: Score | None = Field(None, description="of `record`, in the order of the match")
    justified: bool = Field(False, description="of an absence")


class InterventionIn(RequestBody):
    act: Act
    first_score: Score | None = Field(None, description="of `record`, in the order of the match")
    second_score: Score | None = None
    justified: bool = False
    reason: Reason = Field("", description="of a contest and a cancellation at least")
    version: Version
    seen: Mark = Field("", description=SEEN)


def effect_out(table: EffectTable | None, access: Access) -> Answer | None:
    if table is None:
        return None
    rows = [
        {
            "player": person(row.member, access),
            "rank": row.rank,
            "points": [exact(points) for points in row.pr],
            "rating": row.cote,
            "category": row.category,
        }
        for row in table.rows
    ]
    same = ("categories_changed", "ties_changed", "periods")
    return {"rows": rows, **{name: getattr(table, name) for name in same}}


def _contested(
    request: HttpRequest, match_id: int, version: int | None = None
) -> tuple[Match, Contest]:
    match = match_of(request, match_id)
    check_version(match, version)
    contest = _contest_of(match)
    if contest is None:
        raise not_from(match)
    return match, contest


def _ended(
    request: HttpRequest, match_id: int, late: int | None, version: int | None = None
) -> tuple[Match, Contest | None]:
    """Return a match with a result in force, and the late request on it that was named."""
    match = match_of(request, match_id)
    check_version(match, version)
    if match.is_open:
        raise not_from(match)
    if late is None:
        return match, None
    return match, get_object_or_404(match.contests.requests(), pk=late)


def _contest_of(match: Match) -> Contest | None:
    return match.contests.open().filter(late=False).select_related("opened_by").first()


def _reading(
    request: HttpRequest, match: Match, contest: Contest | None, form: DecisionForm | JudgeForm
) -> Answer:
    access = in_club(request)[0]
    table, seen = effects.read_effect(match, form.result())
    is_ruling = isinstance(form, DecisionForm)
    field: Any = form.fields["choice" if is_ruling else "act"]
    why_not = why_barred(match, contest, directed(request))
    if not why_not and is_ruling:
        why_not = _published(match)
    return {
        "match": match_out(match, access),
        "options": [{"value": value, "words": str(words)} for value, words in field.choices],
        "barred": why_not,
        "effect": effect_out(table, access),
        "seen": seen,
    }


def _published(match: Match) -> str:
    """Return why no key rules on a match that a published ranking has; empty where none has it.

    Its page asks for a recent proof, and for a second person where the committee wants one.
    """
    if not match_actions.published_with(match):
        return ""
    return _("Un classement publié tient compte de ce match : corrigez-le sur sa page.")


def _typed(asked: Schema, games: str) -> dict[str, object]:
    """Return what a page would send: scores as they are typed."""
    typed = asked.dict() | {"games": games}
    for name in ("first_score", "second_score"):
        typed[name] = "" if typed[name] is None else str(typed[name])
    return typed


def _ruling(match: Match, contest: Contest | None, body: DecisionIn) -> dict[str, Any]:
    """Return what the form of a decision gives the action. Raises where its effect was not read."""
    if words := _published(match):
        raise ResultRefused(words, code="published")
    games = " ".join(f"{one}-{other}" for one, other in body.games)
    form = DecisionForm(_typed(body, games), match=match, contest=contest)
    result = form.result() if form.is_valid() else None
    if result is None:
        raise wrong_values(form)
    arbitration.check_read(body.seen, effects.read_effect(match, result)[1])
    details = {"reason": form.cleaned_data["reason"], "version": body.version}
    return {"match": match, "result": result, **details}


def _asked(match: Match, contest: Contest | None, asked: DecisionAsked) -> DecisionForm:
    """Return the form with the choice whose effect is asked for."""
    typed = {**_typed(asked, asked.games), "version": match.version, "preview": "1"}
    form = DecisionForm(typed, match=match, contest=contest)
    if asked.choice and not form.is_valid():
        raise wrong_values(form, place="query")
    return form


def contest_out(contest: Contest, access: Access, *, taken: bool) -> Answer:
    same = ("subject", "words", "opened_at", "first_score", "second_score")
    return {
        **{name: getattr(contest, name) for name in same},
        "id": contest.pk,
        "opened_by": person(contest.opened_by, access) if contest.opened_by else None,
        "taken": taken,
    }


@router.reads(
    "matches/{int:match_id}/decision",
    DecisionReading,
    "A contest, and the effect of a decision",
    errors=ERRORS | {409},
)
def decision_read(request: HttpRequest, match_id: int, asked: Query[DecisionAsked]) -> Answer:
    """Nothing is decided. Scope `arbitrate`."""
    access = in_club(request)[0]
    match, contest = _contested(request, match_id)
    form = _asked(match, contest, asked)
    return {
        **_reading(request, match, contest, form),
        "contest": contest_out(contest, access, taken=holder_of(contest) is not None),
    }


@router.acts("matches/{int:match_id}/decision", MatchNow, "Decide a contest")
def decision_give(request: HttpRequest, match_id: int, body: DecisionIn) -> Answer:
    """Refused as `unread` without the mark of its effect, as `own_match` to its players.

    Scope `arbitrate`.
    """
    by, at = directed(request), timezone.now()

    def act() -> Answer:
        match, contest = _contested(request, match_id, version=body.version)
        ruling = _ruling(match, contest, body)
        return match_now(arbitration.settle(**ruling, contest=contest, by=by, at=at))

    return once(request, by, at, act)


@router.reads(
    "matches/{int:match_id}/correction",
    Reading,
    "The effect of correcting a result in force",
    errors=ERRORS | {409},
)
def correction_read(request: HttpRequest, match_id: int, asked: Query[CorrectionAsked]) -> Answer:
    """Nothing is corrected. Later evenings that it changes are in the effect. Scope `arbitrate`."""
    match, contest = _ended(request, match_id, asked.request)
    return _reading(request, match, contest, _asked(match, contest, asked))


@router.acts("matches/{int:match_id}/correction", MatchNow, "Correct a result in force")
def correction_make(request: HttpRequest, match_id: int, body: CorrectionIn) -> Answer:
    """Answers its late requests too. Refused as `published` where a published ranking has it.

    Scope `arbitrate`.
    """
    by, at = directed(request), timezone.now()

    def act() -> Answer:
        match, contest = _ended(request, match_id, body.request, version=body.version)
        if contest is not None:
            check_not_recused(contest, by)
        return match_now(match_actions.correct(**_ruling(match, contest, body), by=by, at=at))

    return once(request, by, at, act)


def _open_match(request: HttpRequest, match_id: int, at: datetime) -> Match:
    """Return an open match that nobody contests; delays that have passed are applied first."""
    match = match_of(request, match_id)
    # Locked only where it ends now: what the match is of comes before it (0046), and an act with a
    # key is one transaction.
    match_actions.lapse_read(match, at=at)
    if not match.is_open or _contest_of(match) is not None:
        raise not_from(match)
    return match


def _wrong_act(match: Match, form: JudgeForm, by: Actor, place: str = "body") -> Exception:
    """Return why an act is not one of those offered: of their own match an arbiter has few."""
    if words := why_barred(match, None, by):
        return ResultRefused(words, code="own_match")
    return wrong_values(form, place=place)


@router.reads(
    "matches/{int:match_id}/intervention",
    Reading,
    "What an arbiter may do with an open match, and its effect",
    errors=ERRORS | {409},
)
def intervention_read(
    request: HttpRequest, match_id: int, asked: Query[InterventionAsked]
) -> Answer:
    """Nothing is done. Scope `arbitrate`."""
    by, at = directed(request), timezone.now()
    match = _open_match(request, match_id, at)
    acts = allowed(match, by=by, at=at)
    form = JudgeForm({**asked.dict(), "preview": "1"}, allowed=acts, match=match)
    if asked.act and not form.is_valid():
        raise _wrong_act(match, form, by, place="query")
    return _reading(request, match, None, form)


@router.acts(
    "matches/{int:match_id}/intervention",
    MatchNow,
    "Record the slip of an open match, note an absence, start, contest or cancel it",
)
def intervention_do(request: HttpRequest, match_id: int, body: InterventionIn) -> Answer:
    """A slip, an absence and a cancellation need the mark of their effect. Scope `arbitrate`."""
    by, at = directed(request), timezone.now()

    def act() -> Answer:
        match = _open_match(request, match_id, at)
        check_version(match, body.version)
        form = JudgeForm(body.dict(), allowed=allowed(match, by=by, at=at), match=match)
        if not form.is_valid():
            raise _wrong_act(match, form, by)
        result, chosen = form.result(), form.cleaned_data
        arbitration.check_read(body.seen, effects.read_effect(match, result)[1])
        done = arbitration.intervene(
            match=match,
            act=chosen["act"],
            result=result,
            reason=chosen["reason"],
            version=body.version,
            by=by,
            at=at,
        )
        return match_now(done)

    return once(request, by, at, act)
