"""The 4-digit code: few guesses for anybody, and nobody's guesses lock the member's own phone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.models_access import PinTries
from clubs.members.pins import A_DAY, Source
from tests.refusals import refused

pytestmark = pytest.mark.django_db

CODE = "4821"
STRANGER, ELSEWHERE = Source.address("198.51.100.66"), Source.address("203.0.113.5")
OWN = Source.own_device()


@pytest.fixture
def member(club):
    member = club.members[0]
    pins.set_pin(member=member, pin=CODE, by=club.player(member), at=club.at)
    return member


def attempt(club, member, source, pin="0000", at=None) -> str:
    """Return "right", or the code of the refusal."""
    try:
        pins.check(member=member, pin=pin, source=source, by=club.player(member), at=at or club.at)
    except pins.PinRefused as refusal:
        return refusal.code
    return "right"


def test_the_tries_left_are_said(club, member):
    for left in ("4 essais restants", "3 essais restants", "2 essais restants", "1 essai restant."):
        with refused("wrong_pin") as answer:
            pins.check(member=member, pin="0000", source=OWN, by=club.player(member), at=club.at)
        assert left in str(answer.value)


def test_each_fifth_wrong_try_locks_longer(club, member):
    at = club.at
    for minutes in (1, 5, 15, 60, 60):
        answers = [attempt(club, member, OWN, at=at) for _try in range(5)]
        assert answers == ["wrong_pin"] * 4 + ["pin_locked"]
        opens = at + timedelta(minutes=minutes)
        assert attempt(club, member, OWN, CODE, opens - timedelta(seconds=1)) == "pin_locked"
        at = opens
    assert attempt(club, member, OWN, CODE, at) == "right"
    lines = JournalEntry.objects.filter(verb="pin_locked", subject=f"member:{member.pk}")
    assert lines.count() == 5


@pytest.mark.parametrize(("second", "minutes"), [(0, 1), (1, 2), (59, 2)])
def test_the_time_that_a_locked_reader_is_told_is_one_that_works(club, member, second, minutes):
    at = club.at.replace(second=second, microsecond=0)
    for _try in range(4):
        attempt(club, member, OWN, at=at)
    opens = at.replace(second=0) + timedelta(minutes=minutes)
    with refused("pin_locked") as answer:
        pins.check(member=member, pin="0000", source=OWN, by=club.player(member), at=at)
    assert f"{opens.astimezone(club.organisation.zone):%H:%M}" in str(answer.value)
    assert attempt(club, member, OWN, CODE, at=opens) == "right"


def test_a_right_code_forgives_earlier_tries(club, member):
    for _round in range(3):
        assert [attempt(club, member, OWN) for _try in range(4)] == ["wrong_pin"] * 4
        assert attempt(club, member, OWN, CODE) == "right"
    assert not PinTries.objects.filter(member=member).exists()


def test_a_right_code_forgives_its_own_source_alone(club, member):
    for _try in range(4):
        attempt(club, member, STRANGER)
    assert attempt(club, member, OWN, CODE) == "right"
    assert attempt(club, member, STRANGER) == "pin_locked"


def test_a_new_code_is_of_one_member_and_forgives_the_tries_at_it_alone(club, member):
    other = club.members[1]
    for _try in range(5):
        attempt(club, member, STRANGER)
    pins.set_pin(member=other, pin="1234", by=club.player(other), at=club.at)
    assert attempt(club, member, STRANGER, CODE) == "pin_locked"
    assert attempt(club, member, OWN, "1234") == "wrong_pin"
    assert attempt(club, member, OWN, CODE) == "right"


def test_a_code_never_chosen_confirms_nothing(club):
    other = club.members[1]
    assert attempt(club, other, OWN, "") == "no_pin"
    with pytest.raises(pins.PinRefused) as refused:
        pins.check(member=other, pin="", source=OWN, by=club.player(other), at=club.at)
    assert other.first_name not in str(refused.value), "a guest reads it too"


def test_a_new_code_begins_without_locks(club, member):
    for _try in range(5):
        attempt(club, member, OWN)
    pins.set_pin(member=member, pin="1234", by=club.player(member), at=club.at)
    assert attempt(club, member, OWN, "1234") == "right"
    chosen = JournalEntry.objects.filter(verb="pin_set", subject=f"member:{member.pk}")
    assert [entry.actor for entry in chosen] == [member.user] * 2


def test_a_lock_holds_for_the_source_that_guessed_alone(club, member):
    for _try in range(5):
        attempt(club, member, STRANGER)
    assert attempt(club, member, STRANGER, CODE) == "pin_locked"
    for source in (OWN, ELSEWHERE, Source.account(club.members[1].user)):
        assert attempt(club, member, source, CODE) == "right"


def wrong_of(kind: str) -> int:
    return sum(PinTries.objects.filter(kind=kind).values_list("wrong_today", flat=True))


def test_other_members_together_have_a_bound_a_day(club, member):
    """Seven accounts, each waiting for its lock to end, all day long."""
    for minute in range(0, 180, 20):
        for other in club.members[1:]:
            for _try in range(5):
                at = club.at + timedelta(minutes=minute)
                attempt(club, member, Source.account(other.user), at=at)
    assert wrong_of(PinTries.ACCOUNT) == A_DAY[PinTries.ACCOUNT]
    assert attempt(club, member, Source.account(club.members[1].user), CODE) == "pin_locked"
    for source in (OWN, STRANGER):
        assert attempt(club, member, source, CODE) == "right"


def test_strangers_who_use_up_the_day_lock_neither_the_own_device_nor_members(club, member):
    answers = [attempt(club, member, Source.address(f"198.51.100.{n}")) for n in range(60)]
    assert answers == ["wrong_pin"] * 19 + ["pin_locked"] * 41
    assert wrong_of(PinTries.ADDRESS) == A_DAY[PinTries.ADDRESS]
    assert attempt(club, member, Source.address("192.0.2.200"), CODE) == "pin_locked"
    assert attempt(club, member, OWN, CODE) == "right"
    assert attempt(club, member, Source.account(club.members[1].user), CODE) == "right"


def test_the_tries_of_a_day_are_counted_for_each_member_apart(club, member):
    other = club.members[1]
    pins.set_pin(member=other, pin=CODE, by=club.player(other), at=club.at)
    for number in range(60):
        attempt(club, member, Source.address(f"198.51.100.{number}"))
    assert attempt(club, other, STRANGER, CODE) == "right"


def test_the_tries_left_today_are_said(club, member):
    for number in range(18):
        attempt(club, member, Source.address(f"198.51.100.{number}"))
    with refused("wrong_pin") as answer:
        pins.check(member=member, pin="0000", source=STRANGER, by=club.committee, at=club.at)
    assert "1 essai restant." in str(answer.value)


def test_the_next_day_begins_a_new_count(club, member):
    for number in range(60):
        attempt(club, member, Source.address(f"198.51.100.{number}"))
    tomorrow = club.at + timedelta(days=1)
    for address in ("192.0.2.200", "198.51.100.0"):
        assert attempt(club, member, Source.address(address), CODE, tomorrow) == "right"


def test_a_lock_taken_before_midnight_lasts_and_grows_after_it(club, member):
    evening = club.at.astimezone(club.organisation.zone)
    at = evening.replace(hour=23, minute=59, second=30)
    for _try in range(5):
        attempt(club, member, OWN, at=at)
    assert attempt(club, member, OWN, CODE, at + timedelta(seconds=59)) == "pin_locked"
    opens = at + timedelta(minutes=1)
    answers = [attempt(club, member, OWN, at=opens) for _try in range(5)]
    assert answers == ["wrong_pin"] * 4 + ["pin_locked"]
    assert attempt(club, member, OWN, CODE, opens + timedelta(seconds=299)) == "pin_locked"


def test_old_rows_of_addresses_do_not_stay(club, member):
    attempt(club, member, STRANGER)
    attempt(club, member, ELSEWHERE, at=club.at + timedelta(days=31))
    assert PinTries.objects.filter(member=member).count() == 1


def test_a_member_who_is_forgotten_leaves_no_tries(club, member):
    attempt(club, member, STRANGER)
    members.leave(member=member, by=club.committee, at=club.at, forget=True)
    assert not PinTries.objects.filter(member=member).exists()
