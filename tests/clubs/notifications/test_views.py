"""A player's page of notifications, and the address their browser subscribes at."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from clubs.notifications.models import PushChoices, PushSubscription
from pairings.evenings import actions as evenings
from pairings.evenings.admission import presence
from pairings.matches import actions as match_actions
from tests.permissions.access import PHONE

pytestmark = pytest.mark.django_db
PAGE, DEVICE = "/moi/notifications/", "/moi/notifications/appareil/"
ALL = dict.fromkeys(("table", "call", "confirm", "ruling", "evening"), "on")


@pytest.fixture
def own(club, as_user) -> Client:
    return as_user(club.members[0].user)


def test_choices_are_saved_and_shown_again(club, own):
    body = ALL | {"quiet_from": "21:00", "quiet_until": "09:30"}
    del body["ruling"]
    assert own.post(PAGE, body).status_code == 302
    assert own.post(PAGE, body).status_code == 302
    chosen = PushChoices.objects.get(member=club.members[0])
    assert (chosen.table, chosen.ruling, f"{chosen.quiet_until:%H:%M}") == (True, False, "09:30")
    page = own.get(PAGE).content.decode()
    assert 'value="21:00"' in page


def test_one_button_of_the_page_is_filled(own):
    assert own.get(PAGE).content.decode().count("btn--primary") == 1


def test_quiet_hours_may_be_empty_but_not_half(own):
    assert own.post(PAGE, ALL | {"quiet_from": "", "quiet_until": ""}).status_code == 302
    assert PushChoices.objects.get().quiet_from is None
    for filled, empty in (("quiet_until", "quiet_from"), ("quiet_from", "quiet_until")):
        answer = own.post(PAGE, ALL | {filled: "21:00", empty: ""})
        assert answer.status_code == 422
        assert list(answer.context["form"].errors) == [empty]
    page = answer.content.decode()
    assert "Indiquez les deux heures" in page and 'value="21:00"' in page


def test_quiet_hours_that_end_as_they_begin_are_refused(own):
    answer = own.post(PAGE, ALL | {"quiet_from": "22:00", "quiet_until": "22:00"})
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == ["quiet_until"]
    assert "ne font aucun silence" in answer.content.decode()
    assert not PushChoices.objects.exists()


def test_a_browser_subscribes_and_is_forgotten(club, own):
    assert own.post(DEVICE, PHONE).status_code == 200
    assert PushSubscription.objects.get().member == club.members[0]
    assert own.post(DEVICE, PHONE | {"forget": "1"}).status_code == 200
    assert not PushSubscription.objects.exists()


def test_all_browsers_stop_without_javascript(own):
    own.post(DEVICE, PHONE)
    assert "stop" in own.get(PAGE).content.decode()
    assert own.post(PAGE, {"stop": "1"}).status_code == 302
    assert not PushSubscription.objects.exists()


def test_a_browser_is_told_whether_it_is_still_wanted(club, own, as_user):
    def wanted(client):
        return client.post(DEVICE, {"endpoint": PHONE["endpoint"], "ask": "1"}).json()["wanted"]

    assert not wanted(own)
    own.post(DEVICE, PHONE)
    assert [wanted(own) for _page in range(31)] == [True] * 31, "a question is not counted"
    assert not wanted(as_user(club.members[1].user))
    assert PushSubscription.objects.count() == 1, "a question subscribes nobody"
    own.post(PAGE, {"stop": "1"})
    assert not wanted(own)


def test_nobody_forgets_the_browser_of_somebody_else(club, own, as_user):
    own.post(DEVICE, PHONE)
    other = as_user(club.members[1].user)
    other.post(DEVICE, PHONE | {"forget": "1"})
    other.post(PAGE, {"stop": "1"})
    assert PushSubscription.objects.get().member == club.members[0]


def test_a_copied_address_is_refused_with_words(club, own, as_user):
    own.post(DEVICE, PHONE)
    stolen = PHONE | {"auth": "BBBBBBBBBBBBBBBBBBBBBQ"}
    answer = as_user(club.members[1].user).post(DEVICE, stolen)
    assert answer.status_code == 422 and "autre appareil" in answer.json()["message"]
    assert PushSubscription.objects.get().member == club.members[0]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"endpoint": "https://10.0.0.7/x"}, "ne connaît pas"), ({"auth": "AAAA"}, "incomplet")],
)
def test_an_endpoint_of_our_own_network_and_half_a_key_are_refused_with_words(own, wrong, said):
    answer = own.post(DEVICE, PHONE | wrong)
    assert answer.status_code == 422 and said in answer.json()["message"]
    assert own.post(DEVICE, {}).status_code == 422
    assert not PushSubscription.objects.exists()


def test_a_member_cannot_subscribe_without_end(own):
    statuses = [own.post(DEVICE, PHONE).status_code for _try in range(31)]
    assert statuses[:30] == [200] * 30 and statuses[30] == 429


def test_the_question_comes_after_the_arrival(club, own, as_user):
    evening = reverse("pairings:my_evening")
    assert "data-push-prompt" in own.get(evening).content.decode()
    club.close()
    assert "data-push-prompt" not in own.get(evening).content.decode()
    assert "data-push-prompt" not in Client().get(evening).content.decode()


def test_nobody_is_asked_once_the_evening_closes_or_after_going_home(club, own):
    def asked(client):
        page = client.get(reverse("pairings:my_evening")).content.decode()
        assert ("data-push-prompt" in page) == ("data-expects-table" in page)
        return "data-push-prompt" in page

    first, second = club.members[:2]
    assert asked(own)
    presence.go_home(evening=club.evening, member=first, by=club.player(first), at=club.at)
    assert not asked(own)
    other = Client()
    other.force_login(second.user)
    evenings.last_games(evening=club.evening, by=club.arbiter, at=club.at)
    assert asked(other)
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    assert not asked(other)


def test_a_contested_match_asks_nobody_after_the_evening(club, as_user):
    match, (one, other) = club.match()
    match_actions.enter_score(match=match, by=one, mine=389, theirs=398, key="late", at=club.at)
    match_actions.contest(match=match, by=other, at=club.at, words="Faux.", scores=(398, 389))
    evening = reverse("pairings:my_evening")
    assert "data-push-prompt" in as_user(one.user).get(evening).content.decode()
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    page = as_user(one.user).get(evening).content.decode()
    assert 'data-card="contested"' in page and "data-push-prompt" not in page


def test_a_guest_may_be_notified_too(club):
    from pairings.evenings.admission import guests

    guests.set_wait(evening=club.evening, on=False, by=club.arbiter, at=club.at)
    phone = Client()
    door = reverse("pairings:checkin", kwargs={"code": club.evening.door_code})
    phone.post(door, {"first_name": "Solène", "last_name": "B"})
    assert "data-push-prompt" in phone.get(reverse("pairings:my_evening")).content.decode()
    assert phone.get(PAGE).status_code == 200
    assert phone.post(DEVICE, PHONE).status_code == 200
    assert PushSubscription.objects.get().member.first_name == "Solène"


def test_the_service_worker_shows_messages_and_gives_up_after_signing_out():
    code = Client().get("/sw.js").content.decode()
    for word in ('"push"', "showNotification", "notificationclick", "unsubscribe"):
        assert word in code, word
