"""The course of an evening: announced, opened, started, its desk, ended or cancelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from typing import Annotated

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Schema, Status
from pydantic import Field, StringConstraints

from api.tokens.models import Scope
from api.v1.bearer import Bearer, acting, club_of, in_club
from api.v1.bodies import Day, found
from api.v1.once import Answer, RequestBody, once, wrong_values
from api.v1.router import Router
from api.v1.shapes import PersonOut, person
from api.v1.views import play
from api.v1.views.acts import Reason
from api.v1.views.play import OF_EVENING, evening_at, evening_id
from clubs.accounts.actor import ARBITER, COMMITTEE, Actor
from clubs.accounts.permissions import Access, actor_of
from clubs.members.models import Member
from pairings.evenings import actions as evenings
from pairings.evenings.admission import guests as newcomers
from pairings.evenings.admission import presence, reception
from pairings.evenings.common import DOORS_OPEN
from pairings.evenings.models import CheckIn, Evening, GuestRequest
from pairings.evenings.views.director import screen_url
from pairings.matches.forms import EveningForm, GuestForm

router = Router(tags=["directing"], auth=Bearer(Scope.ARBITRATE, ARBITER))
Name = Annotated[str, StringConstraints(max_length=60)]
STATES = "`planned`, `open`, `running`, `last_games`, `closing`, `closed`, `cancelled`"


class EveningIn(RequestBody):
    """What the page of a new evening asks."""

    day: Day = Field(description="in the club's time zone")
    hour: str = Field(max_length=8, description="`19:30`")
    place: str = Field("", max_length=120, description="empty: the club's own")
    auto_pair: bool = Field(True, description="pair as soon as two who have not met are free")


class EveningState(Schema):
    """An evening after the act; `GET evenings/<id>` has the whole of it."""

    evening: str = Field(description="`<day>/<number of the day>`")
    state: str = Field(description=STATES)


class StateSeen(RequestBody):
    state: str = Field(max_length=12, description="of the evening as it was read")


class Cancelling(StateSeen):
    reason: Reason


class Somebody(RequestBody):
    member: str = Field(max_length=60, description="`id` of a player")


class Newcomer(RequestBody):
    first_name: Name
    last_name: Name = Field("", description="or its first letter")


class Admission(RequestBody):
    admit: bool = Field(description="false: refused, and the name is not kept")


class Presence(Schema):
    """Somebody who came."""

    player: PersonOut
    state: str = Field(description="`waiting`, `playing`, `left`")
    waiting_since: datetime
    paused_until: datetime | None


class Arrived(Schema):
    player: PersonOut
    state: str = Field(description="`waiting`, `playing`, `left`")


class RequestOut(Schema):
    """A newcomer who asks to play."""

    id: int
    first_name: str
    last_name: str
    asked_at: datetime


class RequestNow(Schema):
    admitted: bool
    player: PersonOut | None = Field(description="the guest of the club that they became")


class DeskOut(EveningState):
    """What the desk reads."""

    door_code: str = Field(description="for `arrivals`, as the code at the door")
    board_code: str = Field(description="the short code of the room's own screen; empty before")
    screen: str = Field(description="link of that screen, for the room alone; empty without one")
    guests_wait: bool = Field(description="newcomers need the desk's approval")
    auto_pair: bool = Field(description="pair as soon as two who have not met are free")
    doors_open: bool = Field(description="whether people may arrive now")
    people: list[Presence] = Field(description="in the order of their arrival")
    guest_requests: list[RequestOut] = Field(description="not answered yet, the oldest first")


def directed(request: HttpRequest) -> Actor:
    """Return who directs, in the role that the pages would give them."""
    return replace(actor_of(request), origin="api")


def state_out(evening: Evening) -> Answer:
    return {"evening": evening_id(evening), "state": evening.state}


def _arrived(check_in: CheckIn, access: Access) -> Answer:
    return {"player": person(check_in.member, access), "state": check_in.state}


@play.router.acts(
    "evenings",
    EveningState,
    "Announce an evening",
    status=201,
    auth=Bearer(Scope.OFFICE, COMMITTEE),
    tags=["directing"],
)
def evening_announce(request: HttpRequest, body: EveningIn) -> Status[Answer]:
    """Of the committee. Scope `office`."""
    by, at, club = acting(request), timezone.now(), club_of(request)
    form = EveningForm(body.dict())
    if not form.is_valid():
        raise wrong_values(form)
    asked = form.asked()

    def act() -> Answer:
        return state_out(evenings.announce_evening(organisation=club, by=by, at=at, **asked))

    return Status(201, once(request, by, at, act))


def move(
    request: HttpRequest,
    day: date,
    nth: int,
    seen: str,
    action: Callable[..., Evening],
    **more: object,
) -> Answer:
    """Move an evening on from what was read: its state, or the mark of the consequences."""
    by, at, evening = directed(request), timezone.now(), evening_at(request, day, nth)

    def act() -> Answer:
        return state_out(action(evening=evening, by=by, at=at, seen=seen, **more))

    return once(request, by, at, act)


@router.acts(f"{OF_EVENING}/opening", EveningState, "Open check-in")
def evening_open(request: HttpRequest, day: date, nth: int, body: StateSeen) -> Answer:
    """Fixes the version of the rules for the whole evening. Scope `arbitrate`."""
    return move(request, day, nth, body.state, evenings.open_doors)


@router.acts(f"{OF_EVENING}/start", EveningState, "Start the games")
def evening_start(request: HttpRequest, day: date, nth: int, body: StateSeen) -> Answer:
    """Also takes back the last games. Scope `arbitrate`."""
    return move(request, day, nth, body.state, evenings.begin)


@router.acts(f"{OF_EVENING}/last-games", EveningState, "Announce the last games")
def evening_last_games(request: HttpRequest, day: date, nth: int, body: StateSeen) -> Answer:
    """Nobody is paired any more by the rules. Scope `arbitrate`."""
    return move(request, day, nth, body.state, evenings.last_games)


@router.acts(f"{OF_EVENING}/cancellation", EveningState, "Cancel an announced evening")
def evening_cancel(request: HttpRequest, day: date, nth: int, body: Cancelling) -> Answer:
    """With the reason that its page shows. Scope `arbitrate`."""
    return move(request, day, nth, body.state, evenings.cancel_evening, reason=body.reason)


@router.reads(f"{OF_EVENING}/desk", DeskOut, "The desk of an evening")
def evening_desk(request: HttpRequest, day: date, nth: int) -> Answer:
    """Its codes, who came and who asks to play. Scope `arbitrate`."""
    access, _club = in_club(request)
    evening = evening_at(request, day, nth)
    came = evening.check_ins.select_related("member").order_by("arrived_at", "pk")
    return {
        **state_out(evening),
        "door_code": evening.door_code,
        "board_code": evening.board_code,
        "screen": screen_url(request, evening),
        "guests_wait": evening.guests_wait,
        "auto_pair": evening.auto_pair,
        "doors_open": evening.state in DOORS_OPEN,
        "people": [
            {
                **_arrived(check_in, access),
                "waiting_since": check_in.waiting_since,
                "paused_until": check_in.paused_until,
            }
            for check_in in came
        ],
        "guest_requests": list(evening.guest_requests.waiting()),
    }


def _at_the_desk(
    request: HttpRequest, day: date, nth: int, body: Somebody, action: Callable[..., CheckIn]
) -> Answer:
    """Note that a member comes or goes."""
    by, at, (access, club) = directed(request), timezone.now(), in_club(request)
    evening = evening_at(request, day, nth)

    def act() -> Answer:
        members = Member.objects.of(club).active()
        member = found(members, "body.member", public_id=body.member)
        return _arrived(action(evening=evening, member=member, by=by, at=at), access)

    return once(request, by, at, act)


@router.acts(f"{OF_EVENING}/arrivals", Arrived, "Check a member in at the desk")
def evening_arrival(request: HttpRequest, day: date, nth: int, body: Somebody) -> Answer:
    """Who is there already stays as they are. Scope `arbitrate`."""
    return _at_the_desk(request, day, nth, body, reception.arrive)


@router.acts(f"{OF_EVENING}/departures", Arrived, "Note that a member goes home")
def evening_departure(request: HttpRequest, day: date, nth: int, body: Somebody) -> Answer:
    """They are paired no more, until they arrive again. Scope `arbitrate`."""
    return _at_the_desk(request, day, nth, body, presence.go_home)


@router.acts(f"{OF_EVENING}/guests", Arrived, "Admit a guest at the desk", status=201)
def evening_guest(request: HttpRequest, day: date, nth: int, body: Newcomer) -> Status[Answer]:
    """They play at once, at the starting rating. Scope `arbitrate`."""
    by, at, (access, _club) = directed(request), timezone.now(), in_club(request)
    evening, form = evening_at(request, day, nth), GuestForm(body.dict())
    if not form.is_valid():
        raise wrong_values(form)

    def act() -> Answer:
        here = presence.welcome_guest(evening=evening, by=by, at=at, **form.cleaned_data)
        return _arrived(here, access)

    return Status(201, once(request, by, at, act))


@router.acts(
    f"{OF_EVENING}/guest-requests/{{int:request_id}}",
    RequestNow,
    "Answer a newcomer who asks to play",
)
def guest_answer(
    request: HttpRequest, day: date, nth: int, request_id: int, body: Admission
) -> Answer:
    """The first answer counts. Scope `arbitrate`."""
    by, at, (access, _club) = directed(request), timezone.now(), in_club(request)
    evening = evening_at(request, day, nth)
    rows = GuestRequest.objects.filter(evening=evening).select_related("evening__organisation")
    asked = get_object_or_404(rows, pk=request_id)

    def act() -> Answer:
        if not body.admit:
            newcomers.refuse(request=asked, by=by, at=at)
            return {"admitted": False, "player": None}
        here = newcomers.admit(request=asked, by=by, at=at)
        return {"admitted": True, "player": person(here.member, access)}

    return once(request, by, at, act)
