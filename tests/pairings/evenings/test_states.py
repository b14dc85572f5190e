"""Each action on an evening in each of its states: done where the table says so, else refused whole."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from clubs.accounts.actor import Refused
from clubs.journal.models import JournalEntry
from pairings.evenings import actions as evenings
from pairings.evenings import pairing
from pairings.evenings.admission import guests, presence
from pairings.evenings.models import CheckIn, Evening, GuestRequest
from pairings.matches.models import Match
from tests.clubhouse import Clubhouse
from tests.refusals import refused

pytestmark = pytest.mark.django_db
State = Evening.State
WAY = [State.PLANNED, State.OPEN, State.RUNNING, State.LAST_GAMES, State.CLOSING, State.CLOSED]
"""The states of an evening in their order; CANCELLED is reached from the first."""


def evening_in(club: Clubhouse, state: str) -> Evening:
    """An evening of the next day: three people are there once its doors have opened."""
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    evenings.close_evening(evening=club.evening, by=club.arbiter, at=club.at)
    club.at += timedelta(days=1)
    who = {"by": club.arbiter, "at": club.at}
    evening = evenings.announce_evening(
        organisation=club.organisation, starts_at=club.at, auto_pair=False, **who
    )
    if state == State.CANCELLED:
        return evenings.cancel_evening(evening=evening, reason="r", **who)
    steps = [
        evenings.open_doors,
        evenings.begin,
        evenings.last_games,
        evenings.begin_closing,
        evenings.close_evening,
    ]
    for step in steps[: WAY.index(State(state))]:
        evening = step(evening=evening, **who)
        if step is evenings.open_doors:
            for member in club.members[:3]:
                presence.check_in(evening=evening, member=member, source="desk", **who)
    return evening


def edit(evening: Evening, club: Clubhouse, **who: Any) -> None:
    later = evening.starts_at + timedelta(hours=1)
    evenings.edit_evening(evening=evening, starts_at=later, place="x", auto_pair=True, **who)


def check_in(evening: Evening, club: Clubhouse, **who: Any) -> None:
    presence.check_in(evening=evening, member=club.members[3], source="desk", **who)


def ask(evening: Evening, club: Clubhouse, *, at: Any, **_who: Any) -> None:
    guests.ask(evening=evening, first_name="Ana", last_name="B", at=at)


def by_hand(evening: Evening, club: Clubhouse, **who: Any) -> None:
    first, second = club.members[:2]
    pairing.pair_by_hand(evening=evening, first=first, second=second, reason="r", **who)


def of_evening(action: Callable[..., Any], **more: Any) -> Callable[..., Any]:
    return lambda evening, _club, **who: action(evening=evening, **more, **who)


ACTIONS: dict[str, tuple[Callable[..., Any], set[State]]] = {
    "edit": (edit, {State.PLANNED}),
    "cancel": (of_evening(evenings.cancel_evening, reason="r"), {State.PLANNED}),
    "open": (of_evening(evenings.open_doors), {State.PLANNED}),
    "begin": (of_evening(evenings.begin), {State.OPEN, State.LAST_GAMES}),
    "last games": (of_evening(evenings.last_games), {State.RUNNING}),
    "begin to close": (
        of_evening(evenings.begin_closing),
        {State.OPEN, State.RUNNING, State.LAST_GAMES},
    ),
    "close": (of_evening(evenings.close_evening), {State.LAST_GAMES, State.CLOSING}),
    "check in": (check_in, {State.OPEN, State.RUNNING, State.LAST_GAMES}),
    "a newcomer asks": (ask, {State.OPEN, State.RUNNING, State.LAST_GAMES}),
    "pair": (of_evening(pairing.pair_waiting), {State.RUNNING}),
    "pair by hand": (by_hand, {State.RUNNING, State.LAST_GAMES}),
}
ROWS = (JournalEntry, Evening, CheckIn, GuestRequest, Match)


def rows() -> list[list[dict[str, Any]]]:
    return [list(model.objects.order_by("pk").values()) for model in ROWS]


@pytest.mark.parametrize("state", [*WAY, State.CANCELLED])
@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_is_done_in_its_states_and_refused_in_the_others(club, name, state):
    action, allowed = ACTIONS[name]
    evening = evening_in(club, state)
    before = rows()
    if state in allowed:
        action(evening, club, by=club.arbiter, at=club.at)
        assert rows() != before
    else:
        with pytest.raises(Refused) as refusal:
            action(evening, club, by=club.arbiter, at=club.at)
        assert refusal.value.code in ("wrong_state", "doors_closed", "stale")
        assert rows() == before


@pytest.mark.parametrize("reason", ["", " "])
def test_a_cancellation_and_a_pair_by_hand_say_why(club, reason):
    planned = evening_in(club, State.PLANNED)
    with refused("reason_required"):
        evenings.cancel_evening(evening=planned, reason=reason, by=club.arbiter, at=club.at)
    running = evenings.begin(
        evening=evenings.open_doors(evening=planned, by=club.arbiter, at=club.at),
        by=club.arbiter,
        at=club.at,
    )
    for member in club.members[:2]:
        presence.check_in(
            evening=running, member=member, source="desk", by=club.arbiter, at=club.at
        )
    first, second = club.members[:2]
    pair = {"evening": running, "first": first, "by": club.arbiter, "at": club.at}
    for other, why, code in (
        (second, reason, "reason_required"),
        (first, "r", "same_player"),
        (club.members[5], "r", "not_waiting"),
    ):
        with refused(code):
            pairing.pair_by_hand(second=other, reason=why, **pair)
    assert not Match.objects.filter(evening=running).exists()
