"""The code typed on the opponent's phone: what strangers try elsewhere does not close it."""

from __future__ import annotations

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from clubs.members import pins
from clubs.members.models_access import PinTries
from pairings.matches import actions as match_actions
from pairings.matches.models import Match

pytestmark = pytest.mark.django_db

CODE = "4821"


@pytest.fixture(autouse=True)
def tonight(club):
    """The result waits for an answer: its five minutes are not over."""
    with time_machine.travel(club.at, tick=False):
        yield


@pytest.fixture
def sent(club):
    """A result that one player entered and the other has still to confirm."""
    match, (one, other) = club.match()
    pins.set_pin(member=other.member, pin=CODE, by=other, at=club.at)
    match_actions.submit(match=match, by=one, scores=(400, 350), at=club.at)
    return match, one, other


def at_the_door(club, member, pin: str, number: int = 0):
    """Somebody without an account types a member's number and a code."""
    address = reverse("pairings:checkin", kwargs={"code": club.evening.door_code})
    client = Client(REMOTE_ADDR=f"198.51.100.{number}")
    return client.post(address, {"number": member.number, "pin": pin})


def on_the_phone(as_user, one, match, pin: str):
    answer = as_user(one.user).post(
        reverse("pairings:result_pin", kwargs={"match_id": match.pk}),
        {"pin": pin, "version": Match.objects.get(pk=match.pk).version},
    )
    return answer, Match.objects.get(pk=match.pk).status


def test_strangers_at_the_door_do_not_close_the_agreement_of_two_players(club, as_user, sent):
    match, one, other = sent
    for number in range(30):
        at_the_door(club, other.member, "0000", number)
    assert at_the_door(club, other.member, CODE, 99).status_code == 409
    assert on_the_phone(as_user, one, match, CODE)[1] == "final"


def test_the_opponent_who_guesses_is_locked_and_the_result_stays_open(as_user, sent):
    match, one, _other = sent
    for _try in range(5):
        answer, _status = on_the_phone(as_user, one, match, "0000")
    assert "Trop d’essais" in answer.content.decode()
    assert on_the_phone(as_user, one, match, CODE)[1] == "submitted"
    assert PinTries.objects.get().kind == PinTries.ACCOUNT


def test_a_phone_that_remembers_its_member_is_a_source_of_its_own(club, as_user, sent):
    other = sent[2]
    phone = as_user(other.user)
    door = reverse("pairings:checkin", kwargs={"code": club.evening.door_code})
    phone.post(door)  # "Je suis là": from now on this phone knows whose it is
    remembered = phone.cookies["device"].value
    phone = Client()
    phone.cookies["device"] = remembered
    for number in range(30):
        at_the_door(club, other.member, "0000", number)
    assert phone.post(door, {"number": other.member.number, "pin": CODE}).status_code == 302


def test_a_remembered_phone_without_a_session_arrives_with_one_post(club, as_user):
    member = club.members[0]
    signed_in = as_user(member.user)
    door = reverse("pairings:checkin", kwargs={"code": club.evening.door_code})
    signed_in.post(door)
    club.evening.check_ins.filter(member=member).delete()
    phone = Client()
    phone.cookies["device"] = signed_in.cookies["device"].value
    page = phone.get(door).content.decode()
    greeting, _before, others = page.partition(f"Vous n’êtes pas {member.first_name}")
    assert f"Bonsoir {member.first_name}" in greeting and 'name="pin"' not in greeting
    assert 'name="pin"' in others  # of another member, who arrives with the same phone
    assert phone.post(door).status_code == 302
    arrival = club.evening.check_ins.get(member=member)
    assert (arrival.state, arrival.source) == ("waiting", "qr")
    assert "sessionid" not in phone.cookies
