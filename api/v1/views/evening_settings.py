"""What is chosen for an evening: its day and place, its pairing, its newcomers, the room's screen."""

from __future__ import annotations

from datetime import date

from django.http import HttpRequest
from django.utils import timezone
from pydantic import Field

from api.tokens.models import Scope
from api.v1.bearer import Bearer, acting
from api.v1.once import Answer, RequestBody, once, wrong_values
from api.v1.router import Router
from api.v1.views.acts import MatchNow, Seen, match_now
from api.v1.views.evening_acts import EveningIn, EveningState, directed, state_out
from api.v1.views.play import OF_EVENING, evening_at
from clubs.accounts.actor import ARBITER, COMMITTEE
from pairings.arbitration.views.disputes import match_of
from pairings.evenings import actions as evenings
from pairings.evenings.admission import guests, screen_link
from pairings.evenings.views.director import screen_url
from pairings.matches.forms import EveningForm
from pairings.matches.messages import calls

router = Router(tags=["directing"], auth=Bearer(Scope.ARBITRATE, ARBITER))


class Choices(RequestBody):
    """What is left out stays as it is."""

    auto_pair: bool | None = Field(
        None, description="pair as soon as two who have not met are free"
    )
    guests_wait: bool | None = Field(None, description="newcomers need the desk's approval")


class ChoicesNow(EveningState):
    auto_pair: bool
    guests_wait: bool


class ScreenChoice(RequestBody):
    show: bool = Field(
        description="true: a new link, which ends the one before; false: no link any more"
    )


class ScreenNow(EveningState):
    screen: str = Field(description="address that shows the evening's code; empty without a link")


@router.acts(
    f"{OF_EVENING}/changes",
    EveningState,
    "Change an announced evening",
    auth=Bearer(Scope.OFFICE, COMMITTEE),
)
def evening_change(request: HttpRequest, day: date, nth: int, body: EveningIn) -> Answer:
    """Whole, as for a new one; on another day it gets another address. Scope `office`."""
    by, at = acting(request), timezone.now()
    form = EveningForm(body.dict())
    if not form.is_valid():
        raise wrong_values(form)

    def act() -> Answer:
        # Looked up in here: a request sent again names the day of before.
        evening = evening_at(request, day, nth)
        return state_out(evenings.edit_evening(evening=evening, by=by, at=at, **form.asked()))

    return once(request, by, at, act)


@router.acts(
    f"{OF_EVENING}/choices",
    ChoicesNow,
    "Turn automatic pairing, or the approval of newcomers, on or off",
)
def evening_choices(request: HttpRequest, day: date, nth: int, body: Choices) -> Answer:
    """Turned on, automatic pairing calls the tables that it can at once. Scope `arbitrate`."""
    by, at, evening = directed(request), timezone.now(), evening_at(request, day, nth)

    def act() -> Answer:
        if body.guests_wait is not None:
            guests.set_wait(evening=evening, on=body.guests_wait, by=by, at=at)
        if body.auto_pair is not None:
            evenings.set_auto_pair(evening=evening, on=body.auto_pair, by=by, at=at)
        now = {"auto_pair": evening.auto_pair, "guests_wait": evening.guests_wait}
        return {**state_out(evening), **now}

    return once(request, by, at, act)


@router.acts(f"{OF_EVENING}/screen", ScreenNow, "Open the link of the room's own screen, or end it")
def evening_screen(request: HttpRequest, day: date, nth: int, body: ScreenChoice) -> Answer:
    """The link is a secret of the room: who has it reads the code. Scope `arbitrate`."""
    by, at, evening = directed(request), timezone.now(), evening_at(request, day, nth)
    action = screen_link.give if body.show else screen_link.withdraw

    def act() -> Answer:
        now = action(evening=evening, by=by, at=at)
        return {**state_out(now), "screen": screen_url(request, now)}

    return once(request, by, at, act)


@router.acts("matches/{int:match_id}/call", MatchNow, "Call both players to their table again")
def match_call(request: HttpRequest, match_id: int, body: Seen) -> Answer:
    """Refused as `just_called` within a minute of the last call. Scope `arbitrate`."""
    by, at, match = directed(request), timezone.now(), match_of(request, match_id)

    def act() -> Answer:
        calls.call_players(match=match, version=body.version, by=by, at=at)
        return match_now(match)

    return once(request, by, at, act)
