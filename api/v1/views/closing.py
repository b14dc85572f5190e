"""The end of an evening: what closing does is read first, then it is closed, also by force."""

from __future__ import annotations

from datetime import date

from django.http import HttpRequest
from django.utils import timezone
from ninja import Schema
from pydantic import Field

from api.tokens.models import Scope
from api.v1.bearer import Bearer, in_club
from api.v1.once import Answer, RequestBody
from api.v1.router import Router
from api.v1.shapes import MatchOut, match_out
from api.v1.views.acts import Reason
from api.v1.views.arbitration import EffectOut, Mark, effect_out
from api.v1.views.evening_acts import EveningState, StateSeen, directed, move, state_out
from api.v1.views.play import OF_EVENING, evening_at
from clubs.accounts.actor import ARBITER
from pairings.absences.models import Absence
from pairings.arbitration import forced_closing
from pairings.evenings import actions as evenings
from pairings.matches import actions as match_actions
from pairings.matches.refusals import why_barred

router = Router(tags=["directing"], auth=Bearer(Scope.ARBITRATE, ARBITER))


class EndingOut(Schema):
    """An open match, and what a forced closing makes of it."""

    match: MatchOut
    becomes: str = Field(description="`keep`: the result entered counts, `absent`, `cancel`")
    words: str
    contested: bool
    barred: str = Field(description="why this arbiter may not; empty where they may")


class ClosingReading(EveningState):
    """What closing an evening now would do."""

    played: int = Field(description="matches that count")
    excuses: int = Field(description="excuses that wait for an arbiter")
    open_matches: list[EndingOut] = Field(description="each is to end before the evening closes")
    effect: EffectOut | None = Field(description="of ending them by force; null without any")
    seen: str = Field(description="mark of these consequences, for the closing itself")


class Close(RequestBody):
    seen: Mark = Field(description="of the consequences as they were read")


class ForcedClose(Close):
    reason: Reason = Field(description="shown to the players of the open matches")


@router.acts(f"{OF_EVENING}/closing", EveningState, "Begin to close an evening")
def closing_begin(request: HttpRequest, day: date, nth: int, body: StateSeen) -> Answer:
    """Nothing new may start. Scope `arbitrate`."""
    return move(request, day, nth, body.state, evenings.begin_closing)


@router.reads(f"{OF_EVENING}/closing", ClosingReading, "What closing an evening would do")
def closing_read(request: HttpRequest, day: date, nth: int) -> Answer:
    """Its open matches and what a forced closing makes of each. Scope `arbitrate`."""
    access, club = in_club(request)
    evening, by = evening_at(request, day, nth), directed(request)
    match_actions.lapse_due(at=timezone.now())
    plan = forced_closing.consequences(evening)
    return {
        **state_out(evening),
        "played": evening.matches.played().count(),
        "excuses": Absence.objects.of(club).to_review().count(),
        "open_matches": [
            {
                "match": match_out(ending.match, access),
                "becomes": ending.becomes,
                "words": forced_closing.words_of(ending),
                "contested": ending.contest is not None,
                "barred": why_barred(ending.match, ending.contest, by),
            }
            for ending in plan.endings
        ],
        "effect": effect_out(plan.effect, access),
        "seen": plan.mark,
    }


@router.acts(f"{OF_EVENING}/close", EveningState, "Close an evening")
def evening_close(request: HttpRequest, day: date, nth: int, body: Close) -> Answer:
    """Rates it once; refused as `open_matches` while there are any. Scope `arbitrate`."""
    match_actions.lapse_due(at=timezone.now())
    return move(request, day, nth, body.seen, forced_closing.close)


@router.acts(f"{OF_EVENING}/forced-close", EveningState, "Close an evening with its open matches")
def evening_force_close(request: HttpRequest, day: date, nth: int, body: ForcedClose) -> Answer:
    """Each open match ends as was read, with the reason; all or nothing. Scope `arbitrate`."""
    match_actions.lapse_due(at=timezone.now())
    return move(request, day, nth, body.seen, forced_closing.force_close, reason=body.reason)
