"""Newcomers who register themselves are only on the desk's list before its answer."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from clubs.members import pins
from clubs.members.models import Member
from pairings.evenings import actions as evenings
from pairings.evenings import common, pairing
from pairings.evenings.admission import checkin_limits, guests
from pairings.evenings.models import CheckIn, Evening, GuestRequest
from pairings.matches.models import Match
from tests.pages import url

pytestmark = pytest.mark.django_db


def day(club) -> str:
    return club.evening.held_on.isoformat()


def register(club, client: Client | None = None, name: str = "Solène") -> Client:
    client = client or Client()
    door = url("checkin", code=club.evening.door_code)
    answer = client.post(door, {"first_name": name, "last_name": "B"})
    assert answer.status_code == 302, answer.status_code
    return client


def my_page(client: Client) -> str:
    return client.get(url("my_evening")).content.decode()


def reply(client: Client, club, asked: GuestRequest, answer: str):
    posted = {"request": asked.pk, "answer": answer}
    return client.post(url("guest_requests", day=day(club)), posted)


@pytest.fixture
def desk(club, as_user) -> Client:
    return as_user(club.arbiter.user)


def test_a_newcomer_waits_and_is_nobody_yet(club, desk):
    before = (Member.objects.count(), CheckIn.objects.count())
    phone = register(club)
    assert (Member.objects.count(), CheckIn.objects.count()) == before
    assert "L’accueil va vous admettre" in my_page(phone)
    door = url("checkin", code=club.evening.door_code)
    for reader, waits in ((phone, True), (Client(), False)):
        assert ("J’attends l’accueil" in reader.get(door).content.decode()) is waits
    elsewhere = club.announce(club.at + timedelta(days=7))
    GuestRequest.objects.update(evening=elsewhere)
    assert "J’attends l’accueil" not in phone.get(door).content.decode()
    GuestRequest.objects.update(evening=club.evening)
    for name in ("checkin_desk", "control", "guest_requests"):
        page = desk.get(url(name, day=day(club))).content.decode()
        assert "Solène B" in page and "Admettre" in page and "Refuser" in page, name
    for public in ("ranking", "player_list", "evening_list"):
        assert "Solène" not in Client().get(url(public)).content.decode(), public
    for public in ("evening", "board"):
        assert "Solène" not in Client().get(url(public, day=day(club))).content.decode(), public


def test_once_the_evening_closes_a_newcomer_can_only_be_refused(club, desk):
    register(club)
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    for name in ("checkin_desk", "control", "guest_requests"):
        page = desk.get(url(name, day=day(club))).content.decode()
        assert 'value="refuse"' in page and 'value="admit"' not in page, name


def test_one_tap_lets_them_in_and_their_phone_knows(club, desk):
    phone = register(club)
    assert reply(desk, club, GuestRequest.objects.get(), "admit").status_code == 302
    guest = Member.objects.get(first_name="Solène")
    assert guest.is_guest
    assert CheckIn.objects.get(member=guest).state == CheckIn.State.WAITING
    assert "Vous attendez un adversaire" in my_page(phone)
    assert "device" in phone.cookies  # remembered like any player's phone from now on
    assert "Vous attendez un adversaire" in my_page(phone)
    assert "Solène" not in desk.get(url("guest_requests", day=day(club))).content.decode()


def test_an_arbiter_stays_on_the_page_where_they_answered(club, desk):
    for answer, page, other in (
        ("admit", "control", {"from": "control"}),
        ("refuse", "checkin_desk", {}),
    ):
        register(club)
        asked = GuestRequest.objects.latest("pk")
        shown = desk.get(url(page, day=day(club))).content.decode()
        assert ('name="from" value="control"' in shown) is (page == "control")
        posted = {"request": asked.pk, "answer": answer, **other}
        went_to = desk.post(url("guest_requests", day=day(club)), posted)
        assert went_to["Location"] == url(page, day=day(club))


def test_a_refused_newcomer_is_told_and_forgotten_and_may_ask_again(club, desk):
    phone = register(club)
    reply(desk, club, GuestRequest.objects.get(), "refuse")
    assert "n’a pas admis" in my_page(phone)
    door = url("checkin", code=club.evening.door_code)
    assert "J’attends l’accueil" not in phone.get(door).content.decode()
    assert GuestRequest.objects.get().first_name == ""
    assert not Member.objects.filter(first_name="Solène").exists()
    register(club, phone)
    assert GuestRequest.objects.waiting().count() == 1
    assert "va vous admettre" in my_page(phone)


def test_automatic_pairing_never_seats_somebody_who_waits_for_the_desk(club, desk):
    evening = evenings.set_auto_pair(evening=club.evening, on=True, by=club.arbiter, at=club.at)
    assert CheckIn.objects.filter(evening=evening).waiting(at=club.at).count() < 2
    for name in ("Solène", "Basile", "Nour"):
        register(club, name=name)
    pairing.auto_pair(evening=evening, at=club.at)
    seated = {
        m.first_name for match in Match.objects.all() for m in (match.first, match.second) if m
    }
    assert not seated & {"Solène", "Basile", "Nour"}
    for asked in list(GuestRequest.objects.waiting())[:2]:
        guests.admit(request=asked, by=club.arbiter, at=club.at)
    seated = {
        m.first_name for match in Match.objects.all() for m in (match.first, match.second) if m
    }
    assert {"Solène", "Basile"} <= seated and "Nour" not in seated


def test_two_taps_at_once_make_one_guest(club):
    register(club)
    asked = GuestRequest.objects.get()
    stale = GuestRequest.objects.get()
    guests.admit(request=asked, by=club.arbiter, at=club.at)
    with pytest.raises(common.EveningRefused):
        guests.admit(request=stale, by=club.arbiter, at=club.at)
    with pytest.raises(common.EveningRefused):
        guests.refuse(request=stale, by=club.arbiter, at=club.at)
    assert Member.objects.filter(first_name="Solène").count() == 1


def test_the_same_phone_asks_once(club):
    phone = register(club)
    register(club, phone, " solène ")
    assert "une autre personne" not in my_page(phone)
    register(club, phone, "Autre")
    assert GuestRequest.objects.count() == 1
    assert "une autre personne y donne son nom" in my_page(phone)  # it showed the first one's card


def test_a_form_sent_again_by_a_phone_that_plays_makes_no_second_guest(club):
    """The form is left by the browser's way back; the phone was then the second one's."""
    guests.set_wait(evening=club.evening, on=False, by=club.arbiter, at=club.at)
    phone = register(club)
    guest = Member.objects.get(first_name="Solène")
    register(club, phone)
    register(club, phone, "Frère")
    assert not Member.objects.filter(first_name="Frère").exists()
    assert Member.objects.filter(first_name="Solène").count() == 1
    page = phone.get(url("my_evening"))
    assert page.context["card"].check_in.member == guest
    assert page.content.decode().count("Ce téléphone est à Solène") == 1


def test_a_door_with_somebody_elses_phone_leads_a_newcomer_to_the_desk(club):
    """A tablet at the door remembers who arrived with it last."""
    door = url("checkin", code=club.evening.door_code)
    tablet, one = Client(), club.members[0]
    pins.set_pin(member=one, pin="4321", by=club.player(one), at=club.at)
    assert tablet.post(door, {"number": one.number, "pin": "4321"}).status_code == 302
    assert "donnez votre nom à l’accueil" in tablet.get(door).content.decode()
    guests.set_wait(evening=club.evening, on=False, by=club.arbiter, at=club.at)
    assert "Donnez votre nom à l’accueil" in register(club).get(door).content.decode()


def test_the_phone_of_a_member_does_not_become_that_of_a_newcomer_who_asked_with_it(club, desk):
    door, one = url("checkin", code=club.evening.door_code), club.members[0]
    pins.set_pin(member=one, pin="4321", by=club.player(one), at=club.at)
    phone = register(club)
    assert phone.post(door, {"number": one.number, "pin": "4321"}).status_code == 302
    reply(desk, club, GuestRequest.objects.get(), "admit")
    for _read in range(2):
        assert phone.get(url("my_evening")).context["card"].check_in.member == one


def test_the_door_has_one_filled_button_for_a_phone_that_waits(club):
    door = url("checkin", code=club.evening.door_code)
    assert register(club).get(door).content.decode().count("btn--primary") == 1


def test_the_club_may_let_guests_in_without_waiting(club, desk):
    desk.post(url("evening_act", day=day(club), act="invites"), {"on": "no"})
    assert not Evening.objects.get(pk=club.evening.pk).guests_wait
    phone = register(club)
    assert Member.objects.get(first_name="Solène").is_guest
    assert "Vous attendez un adversaire" in my_page(phone)
    desk.post(url("evening_act", day=day(club), act="invites"), {"on": "yes"})
    register(club, name="Basile")
    assert not Member.objects.filter(first_name="Basile").exists()


def test_the_desk_itself_admits_at_once(club, desk):
    address = url("checkin_desk", day=day(club))
    desk.post(address, {"first_name": "Nour", "last_name": ""})
    assert CheckIn.objects.filter(member__first_name="Nour").exists()


def test_the_neighbours_arbiter_admits_nobody_here(club, neighbours, as_user):
    register_at = "/c/faizers" + url("checkin", code=club.evening.door_code)
    Client().post(register_at, {"first_name": "Solène", "last_name": "B"})
    asked = GuestRequest.objects.get()
    address = "/c/voisins" + url("guest_requests", day=neighbours.evening.held_on.isoformat())
    posted = {"request": asked.pk, "answer": "admit"}
    assert as_user(neighbours.arbiter.user).post(address, posted).status_code == 404
    assert GuestRequest.objects.waiting().exists()


def test_fifteen_guests_from_home_are_stopped_before_they_fill_the_list(club):
    client_of = [Client(REMOTE_ADDR="198.51.100.7") for _phone in range(22)]
    door = url("checkin", code=club.evening.door_code)
    answers = [
        client.post(door, {"first_name": f"Fantôme{n}", "last_name": ""}).status_code
        for n, client in enumerate(client_of)
    ]
    assert answers == [302] * checkin_limits.GUESTS.amount + [429] * 2
    register(club, Client(REMOTE_ADDR="192.0.2.1"))


def test_the_names_of_people_who_never_came_in_go_with_the_evening(club):
    register(club)
    club.close()
    assert not GuestRequest.objects.exists()


def test_a_guest_is_a_member_after_the_answer_only(club):
    register(club)
    with pytest.raises(IntegrityError), transaction.atomic():
        GuestRequest.objects.update(member=club.members[0])


def at_the_door(club, **posted: str) -> tuple[int, str]:
    door = url("checkin", code=club.evening.door_code)
    answer = Client().post(door, posted)
    return answer.status_code, " ".join(answer.content.decode().split())


def test_what_is_wrong_at_the_door_is_read_first_and_the_form_stays_open(club):
    status, page = at_the_door(club, first_name=" ", last_name="Bertin")
    assert status == 422 and "<title> Erreur" in page
    assert 'href="#id_first_name"' in page and 'value="Bertin"' in page
    assert page.count('<details class="card card--pad" open') == 1
    status, page = at_the_door(club, number="101", pin="0000")
    assert status == 409 and "<title> Erreur" in page
    assert page.count("Numéro ou code faux.") == 1 and "data-autofocus" in page
    assert 'value="101"' in page and page.count('<details class="card card--pad" open') == 1
