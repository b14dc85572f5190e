"""Ma soirée asks at most eight queries in every state, a ruling shown with it included.

Everything counts: the session, the user, the organisation and the membership. The ranking was read once
before, as for every reader but the first after a change.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from clubs.sanctions.models import Sanction
from pairings.evenings import actions as evenings
from pairings.evenings.admission import guests, presence
from pairings.evenings.models import CheckIn
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from pairings.tournaments.models import Round
from tests.clubhouse import Clubhouse
from tests.tournament_day import frozen, publish

pytestmark = pytest.mark.django_db
MOST = 8
PAGE = "/c/faizers/ma-soiree/"


def ruled(club: Clubhouse) -> None:
    """A contested match of the reader that an arbiter decided: its effect is read from what was entered."""
    match, (_a, b) = club.entered(club.members[0], club.members[1])
    match_actions.contest(match=match, by=b, at=club.at, words="faux", scores=(340, 350))
    decided = Result("played", 340, 350)
    match = Match.objects.get(pk=match.pk)
    club.decide(match, decided, "Lu.")
    club.used.clear()


def second_room(club: Clubhouse) -> None:
    starts = club.at + timedelta(minutes=1)
    other = club.announce(starts, place="B")
    evenings.open_doors(evening=other, by=club.committee, at=club.at)


def act(club: Clubhouse, verb: Callable[..., CheckIn], *, minutes: int = 0) -> None:
    reader = club.members[0]
    at = club.at + timedelta(minutes=minutes)
    verb(evening=club.evening, member=reader, by=club.player(reader), at=at)


def again(club: Clubhouse) -> Match:
    """The reader asks for another match after the ruling and is called to a table."""
    act(club, presence.ready_again, minutes=1)
    return club.match(club.members[0], club.members[2])[0]


def entered(club: Clubhouse, *, by: int) -> Match:
    match, other = again(club), club.player(club.members[by])
    return match_actions.submit(match=match, by=other, scores=(400, 350), at=club.at)


def called(club: Clubhouse) -> None:
    again(club)


def playing(club: Clubhouse) -> None:
    match_actions.start(match=again(club), by=club.player(club.members[0]), at=club.at)


def sent(club: Clubhouse) -> None:
    entered(club, by=0)


def to_confirm(club: Clubhouse) -> None:
    entered(club, by=2)


def agreed(club: Clubhouse) -> None:
    Match.objects.filter(pk=entered(club, by=2).pk).update(confirmed=True)


def absence_sent(club: Clubhouse, *, by: int = 0) -> None:
    late = club.at + timedelta(hours=1)
    match_actions.claim_absence(match=again(club), by=club.player(club.members[by]), at=late)


def absence_to_answer(club: Clubhouse) -> None:
    absence_sent(club, by=2)


def contested(club: Clubhouse) -> None:
    match, reader = entered(club, by=2), club.player(club.members[0])
    match_actions.contest(match=match, by=reader, at=club.at, words="faux", scores=(399, 350))


def result(club: Clubhouse) -> None:
    match_actions.confirm(match=entered(club, by=2), by=club.player(club.members[0]), at=club.at)
    CheckIn.objects.filter(member=club.members[0]).update(waiting_since=club.at)


def waiting(club: Clubhouse) -> None:
    act(club, presence.ready_again, minutes=1)


def paused(club: Clubhouse) -> None:
    act(club, presence.pause, minutes=1)


def left(club: Clubhouse) -> None:
    second_room(club)
    act(club, presence.go_home)


def arrive(club: Clubhouse) -> None:
    second_room(club)
    CheckIn.objects.filter(member=club.members[0]).delete()


def before_start(club: Clubhouse) -> None:
    act(club, presence.ready_again, minutes=1)
    club.evening.state = club.evening.State.OPEN
    club.evening.save(update_fields=["state"])


def last_games(club: Clubhouse) -> None:
    act(club, presence.ready_again, minutes=1)
    evenings.last_games(evening=club.evening, by=club.arbiter, at=club.at)


def closing(club: Clubhouse) -> None:
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)


def recap(club: Clubhouse) -> None:
    club.close()


def none(club: Clubhouse) -> None:
    CheckIn.objects.filter(member=club.members[0]).delete()
    club.close()


def suspended(club: Clubhouse) -> None:
    sanction = Sanction.objects.create(
        member=club.members[0], proposed_at=club.at, trigger_key="x", grounds={}
    )
    club.impose(sanction, "Trois absences.", sessions=2, from_tonight=True)


STATES = (
    *(called, playing, sent, to_confirm, agreed, absence_sent, absence_to_answer, contested),
    *(result, waiting, paused, left, arrive, before_start, last_games, closing, recap, none),
    suspended,
)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_a_card_with_a_ruling_asks_at_most_eight(
    club, as_user, state, django_assert_max_num_queries
):
    ruled(club)
    state(club)
    client = as_user(club.members[0].user)
    client.get(PAGE)
    with django_assert_max_num_queries(MOST):
        answer = client.get(PAGE)
    assert answer.context["card"].state == state.__name__
    assert ("ruling" in answer.context) == (state not in (recap, none))


def test_a_second_open_match_of_the_day_is_a_line_under_the_card(
    club, as_user, django_assert_max_num_queries
):
    ruled(club)
    # A round published hours ahead holds nobody yet; its players may be paired before it.
    tournament_round = publish(club, frozen(club, 8), 1)
    rows = Round.objects.filter(pk=tournament_round.pk)
    rows.update(starts_at=club.at + timedelta(hours=7))
    of_round, of_evening = rows.get().matches.involving(club.members[0]).get(), again(club)
    rows.update(starts_at=club.at)
    client = as_user(club.members[0].user)
    client.get(PAGE)
    with django_assert_max_num_queries(MOST):
        answer = client.get(PAGE)
    shown = answer.context["card"].match
    (other,) = answer.context["also_open"]
    assert {shown.pk, other.pk} == {of_round.pk, of_evening.pk}
    line = answer.content.decode().partition("Vous avez aussi un match non terminé\u00a0:")[2]
    assert f'{other.get_absolute_url()}">' in line.partition("</p>")[0]


@pytest.mark.parametrize("state", ["stranger", "guest_waiting", "guest_refused"])
def test_the_card_of_somebody_without_a_place_asks_at_most_eight(
    club, as_user, state, django_assert_max_num_queries
):
    client = as_user()
    if state != "stranger":
        form = {"first_name": "Gus", "last_name": ""}
        client.post(f"/c/faizers/s/{club.evening.door_code}/", form)
        asked = club.evening.guest_requests.get()
        if state == "guest_refused":
            guests.refuse(request=asked, by=club.arbiter, at=club.at)
    with django_assert_max_num_queries(MOST):
        answer = client.get(PAGE)
    card = answer.context["card"]
    assert (card.state if card else "stranger") == state
