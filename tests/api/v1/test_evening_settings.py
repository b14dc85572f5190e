"""What is chosen for an evening by a key: its day, its pairing, its newcomers, its screen; a call."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from pairings.evenings.models import Evening
from pairings.matches.models import Match
from tests.api.keys import code_of
from tests.api.v1.matrix import check_once, check_rights, check_stale, entries

pytestmark = pytest.mark.django_db
RUNNING = "evenings/2026-11-20/1"
ACTS = ("change", "choices", "screen", "call")


@pytest.fixture
def planned(club) -> Evening:
    return club.announce(club.at + timedelta(days=7))


@pytest.fixture
def called(club) -> Match:
    return club.match()[0]


@pytest.fixture
def sent(planned, called):
    return {
        "change": ("post", "evenings/2026-11-27/1/changes", {"day": "2026-11-28", "hour": "18:00"}),
        "choices": ("post", f"{RUNNING}/choices", {"guests_wait": False}),
        "screen": ("post", f"{RUNNING}/screen", {"show": True}),
        "call": ("post", f"matches/{called.pk}/call", {"version": called.version}),
    }


@pytest.mark.parametrize("name", ACTS)
def test_each_role_of_this_and_of_another_club(club, other_club, sent, send, name):
    check_rights(club, other_club, send, sent[name], "office" if name == "change" else "arbitrate")


@pytest.mark.parametrize("name", ["change", "call"])
def test_an_act_is_done_once_for_its_key(club, sent, send, name):
    check_once(club, send, sent[name])


def test_a_new_link_is_made_once_for_its_key(club, sent, judge, send):
    _post, path, body = sent["screen"]
    first, again = (send(path, body, judge, once="k").json() for _time in range(2))
    assert first == again and first["screen"]
    assert entries(club).filter(verb="evening_screen_given").count() == 1


def test_a_match_that_moved_since_it_was_read_is_not_called(club, sent, send):
    check_stale(club, send, sent["call"], {"version": 7})


def test_what_is_of_another_club_is_not_found(other_club, planned, judge, send):
    theirs, _players = other_club.match()
    answer = send(f"matches/{theirs.pk}/call", {"version": 0}, judge)
    assert code_of(answer) == (404, "not_found")
    answer = send("evenings/2026-11-27/2/choices", {"auto_pair": True}, judge)
    assert code_of(answer) == (404, "not_found")


# The evening itself


def test_an_announced_evening_gets_another_day_place_and_pairing(club, sent, planned, send):
    _post, path, body = sent["change"]
    chair = club.committee.member
    answer = send(path, {**body, "place": "Chez Léa", "auto_pair": False}, chair)
    assert answer.json() == {"evening": "2026-11-28/1", "state": "planned"}
    planned.refresh_from_db()
    assert (planned.place, planned.auto_pair) == ("Chez Léa", False)
    assert f"{planned.starts_at.astimezone(club.organisation.zone):%d %H:%M}" == "28 18:00"
    assert code_of(send(path, body, chair)) == (404, "not_found")


def test_without_a_place_it_is_at_the_club(club, sent, planned, send):
    _post, path, body = sent["change"]
    Evening.objects.filter(pk=planned.pk).update(place="Chez Léa")
    club.organisation.place = "Salle Brassens"
    club.organisation.save()
    assert send(path, body, club.committee.member).status_code == 200
    planned.refresh_from_db()
    assert planned.place == "Salle Brassens"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"hour": "25:00"}, (422, "invalid")),
        ({"day": "2031-01-01"}, (409, "no_season")),
        ({"place": "x" * 121}, (422, "invalid")),
    ],
)
def test_a_wrong_value_changes_nothing(club, sent, planned, send, body, problem):
    _post, path, right = sent["change"]
    assert code_of(send(path, {**right, **body}, club.committee.member)) == problem
    before = planned.starts_at
    planned.refresh_from_db()
    assert planned.starts_at == before


def test_an_evening_that_is_open_is_changed_no_more(club, sent, send):
    _post, _path, body = sent["change"]
    answer = send(f"{RUNNING}/changes", body, club.committee.member)
    assert code_of(answer) == (409, "wrong_state") and "en cours" in answer.json()["detail"]


# Its choices


def test_automatic_pairing_is_turned_on_and_off(club, sent, judge, send):
    _post, path, _body = sent["choices"]
    now = {"evening": "2026-11-20/1", "state": "running", "guests_wait": True}
    assert send(path, {"auto_pair": True}, judge).json() == {**now, "auto_pair": True}
    assert Match.objects.open().count() == 5  # those who wait are called at once
    desk = send(f"{RUNNING}/desk", None, judge, method="get").json()
    assert (desk["auto_pair"], desk["guests_wait"]) == (True, True)
    assert send(path, {"auto_pair": False}, judge).json()["auto_pair"] is False
    assert list(entries(club).filter(verb="evening_auto_pair").values_list("after", flat=True)) == [
        {"on": True},
        {"on": False},
    ]


def test_what_is_so_already_is_not_written_again(club, sent, judge, send):
    _post, path, body = sent["choices"]
    for _time in range(2):
        assert send(path, body, judge).json()["guests_wait"] is False
    assert send(path, {}, judge).json()["guests_wait"] is False
    assert entries(club).filter(verb="evening_guests_wait").count() == 1


def test_the_choices_of_an_evening_that_is_over_stay(club, sent, judge, send):
    _post, path, body = sent["choices"]
    Match.objects.all().update(status="cancelled", counts=False)
    club.close()
    assert code_of(send(path, body, judge)) == (409, "stale")


# The room's screen


def test_the_link_shows_the_code_until_it_is_ended(sent, judge, send):
    _post, path, body = sent["screen"]
    first = send(path, body, judge).json()["screen"]
    desk = send(f"{RUNNING}/desk", None, judge, method="get").json()
    assert desk["screen"] == first

    def shows_the_code(link: str) -> bool:
        wall = Client().get(link, follow=True).content.decode()
        return "wall-code" in wall

    assert shows_the_code(first)
    second = send(path, body, judge).json()["screen"]
    assert second != first and shows_the_code(second) and not shows_the_code(first)
    assert send(path, {"show": False}, judge).json()["screen"] == ""
    assert not shows_the_code(second)


# A call


def test_two_players_are_called_again_once_a_minute(club, sent, called, judge, send):
    _post, path, body = sent["call"]
    assert send(path, body, judge).json() == {
        "match": called.pk,
        "version": called.version,
        "status": "proposed",
    }
    assert code_of(send(path, body, judge)) == (409, "just_called")
    assert entries(club).filter(verb="match_called").count() == 1
