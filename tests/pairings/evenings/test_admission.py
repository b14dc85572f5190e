"""Check-in of an evening: who sees its code, check-in from home, limits on attempts."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from clubs.accounts import rate_limits
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.models import Member
from clubs.members.models_access import JoinRequest
from pairings.evenings import actions as evenings
from pairings.evenings import common
from pairings.evenings.admission import checkin_limits
from pairings.evenings.admission import screen_link as screen
from pairings.evenings.models import CheckIn, Evening

pytestmark = pytest.mark.django_db

PARTS = ("tables", "classement", "pied")


def day(club) -> dict[str, str]:
    return {"day": club.evening.held_on.isoformat()}


def door(code: str) -> str:
    return reverse("pairings:checkin", kwargs={"code": code})


def wall(client: Client, club) -> str:
    """Return everything a wall screen fetches: the page, then each of its parts."""
    pages = [client.get(reverse("pairings:board", kwargs=day(club)))]
    pages += [
        client.get(reverse("pairings:board_part", kwargs={**day(club), "part": part}))
        for part in PARTS
    ]
    assert {page.status_code for page in pages} == {200}
    return "".join(page.content.decode() for page in pages)


def shows_code(client: Client, club) -> bool:
    evening = Evening.objects.get(pk=club.evening.pk)
    page = wall(client, club)
    assert evening.door_code not in page
    shown = f'wall-code">{evening.board_code}<' in page
    assert shown == ("<svg" in page and 'class="wall-qr"' in page)
    return shown


def link(club) -> str:
    evening = Evening.objects.get(pk=club.evening.pk)
    return reverse("pairings:screen", kwargs={"key": screen.key_of(evening)})


def act(client: Client, club, name: str):
    return client.post(reverse("pairings:evening_act", kwargs={**day(club), "act": name}))


# The wall screen


def test_the_public_wall_shows_no_code_not_even_to_an_arbiter(club, as_user):
    screen.give(evening=club.evening, by=club.arbiter, at=club.at)
    for user in (None, club.members[0].user, club.arbiter.user):
        assert not shows_code(as_user(user), club)


def test_a_link_of_the_arbiter_opens_the_wall_with_the_code_without_login(club, as_user):
    desk = as_user(club.arbiter.user)
    assert act(desk, club, "ecran").status_code == 302
    page = desk.get(reverse("pairings:control", kwargs=day(club))).content.decode()
    assert f'href="http://testserver{link(club)}"' in page
    room = Client()
    assert room.get(link(club))["Location"] == reverse("pairings:board", kwargs=day(club))
    assert shows_code(room, club)
    assert not shows_code(Client(), club)


@pytest.mark.parametrize("name", ["ecran", "ecran-retirer"])
def test_a_link_ends_at_once_and_the_code_it_showed_with_it(club, as_user, name):
    desk, room = as_user(club.arbiter.user), Client()
    act(desk, club, "ecran")
    old_link, old_code = link(club), Evening.objects.get(pk=club.evening.pk).board_code
    room.get(old_link)
    assert shows_code(room, club)
    act(desk, club, name)
    assert not shows_code(room, club)
    assert Client().get(old_link).status_code == 410
    assert Client().get(door(old_code)).status_code == 404
    assert Client().get(door(club.evening.door_code)).status_code == 200
    verbs = set(JournalEntry.objects.values_list("verb", flat=True))
    assert "evening_screen_given" in verbs


def test_a_link_given_again_opens_after_it_was_withdrawn(club, as_user):
    desk, room = as_user(club.arbiter.user), Client()
    act(desk, club, "ecran")
    first = link(club)
    act(desk, club, "ecran-retirer")
    act(desk, club, "ecran")
    assert link(club) != first
    assert room.get(first).status_code == 410
    room.get(link(club))
    assert shows_code(room, club)


@pytest.mark.parametrize("key", ["", "x", "0-0", "1-", "999999-abcdef", "١-abcdef", "1" * 40])
def test_a_made_up_link_opens_nothing(club, key):
    screen.give(evening=club.evening, by=club.arbiter, at=club.at)
    assert screen.evening_of(club.organisation, key) is None


def test_a_link_of_the_neighbours_opens_nothing_here(club, neighbours):
    screen.give(evening=neighbours.evening, by=neighbours.arbiter, at=club.at)
    key = screen.key_of(neighbours.evening)
    assert screen.evening_of(neighbours.organisation, key) == neighbours.evening
    assert screen.evening_of(club.organisation, key) is None


def test_two_arbiters_who_change_the_link_at_once_make_one(club):
    stale = Evening.objects.get(pk=club.evening.pk)
    screen.give(evening=club.evening, by=club.arbiter, at=club.at)
    with pytest.raises(common.EveningRefused):
        screen.give(evening=stale, by=club.arbiter, at=club.at)


@pytest.mark.parametrize(
    ("state", "words", "way_on"),
    [
        (Evening.State.CLOSED, "Cette soirée est terminée", "ranking"),
        (Evening.State.CANCELLED, "Cette soirée est annulée. Salle inondée", "evening_list"),
    ],
)
def test_the_door_of_an_evening_that_is_over_says_so_and_leads_on(club, state, words, way_on):
    reason = "Salle inondée" if state == Evening.State.CANCELLED else ""
    evening = Evening.objects.filter(pk=club.evening.pk)
    evening.update(state=state, cancel_reason=reason, closed_at=club.at)
    page = Client().get(door(club.evening.door_code)).content.decode()
    main = page.split("<main")[1].split("</main>")[0]
    assert words in " ".join(re.sub("<[^>]*>", " ", main).split())
    assert f'href="{reverse(f"pairings:{way_on}")}"' in main and "<form" not in main


def test_the_poster_of_an_evening_that_is_over_leads_to_the_code_of_tonight(club):
    old = club.evening
    club.close()
    code = f'href="{reverse("pairings:checkin_code")}"'
    assert code not in Client().get(door(old.door_code)).content.decode()
    club.next_evening()
    assert code in Client().get(door(old.door_code)).content.decode()


def test_the_door_of_an_evening_that_nobody_opened_promises_no_hour(club):
    club.close()
    missed = club.announce(club.at + timedelta(days=7))
    pages = (door(missed.door_code), reverse("pairings:board", kwargs={"day": missed.address}))
    for days, words in ((6, "20:00"), (9, "Cette soirée n’a pas été ouverte")):
        with time_machine.travel(club.at + timedelta(days=days, hours=1), tick=False):
            for page in pages:
                shown = Client().get(page).content.decode()
                assert words in shown and ("20:00" in shown) is (words == "20:00"), page


def test_the_code_on_the_screen_lets_a_member_in(club):
    room = Client()
    screen.give(evening=club.evening, by=club.arbiter, at=club.at)
    room.get(link(club))
    code = re.search(r'wall-code">(\w{4})<', wall(room, club))
    assert code is not None
    assert Client().get(door(code[1])).status_code == 200


# Limits on attempts


def wrong_codes(count: int, client: Client) -> list[int]:
    """Return the responses to that many codes that no evening has."""
    signs = "ILO01"
    codes = [f"{signs[n % 5]}{signs[n // 5 % 5]}{signs[n // 25 % 5]}X" for n in range(count)]
    return [client.get(door(code)).status_code for code in codes]


@pytest.fixture
def short_code(club) -> str:
    return Evening.objects.get(pk=club.evening.pk).board_code


@pytest.mark.parametrize(("wrong", "answer"), [(19, 200), (20, 429)])
def test_wrong_codes_close_the_short_code_to_that_address(club, short_code, wrong, answer):
    near, far = Client(REMOTE_ADDR="198.51.100.1"), Client(REMOTE_ADDR="198.51.100.2")
    assert set(wrong_codes(wrong, near)) == {404}
    assert near.get(door(short_code)).status_code == answer
    assert far.get(door(short_code)).status_code == 200
    assert (
        near.get(door(club.evening.door_code)).status_code == 200
    )  # the long code on the poster cannot be guessed


def test_the_answer_says_when_to_come_back_in_the_readers_language(club):
    client = Client(HTTP_ACCEPT_LANGUAGE="en")
    wrong_codes(20, client)
    answer = client.get(door("ZZZZ"))
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 600
    assert "Too many tries" in answer.content.decode()


def test_wrong_codes_from_everywhere_close_the_short_code_until_it_is_changed(club, short_code):
    for _try in range(checkin_limits.CODES_OF_EVENING.amount):
        rate_limits.count(
            checkin_limits.CODES_OF_EVENING, club.evening.pk, short_code, at=_now(club)
        )
    client = Client()
    assert client.get(door(short_code)).status_code == 429
    assert client.get(door(club.evening.door_code)).status_code == 200
    evening = Evening.objects.get(pk=club.evening.pk)
    screen.give(evening=evening, by=club.arbiter, at=club.at)
    screen.give(evening=evening, by=club.arbiter, at=club.at)
    assert client.get(door(evening.board_code)).status_code == 200


def _now(club):
    from django.utils import timezone

    return timezone.now()


def test_one_address_cannot_try_the_codes_of_every_member(club):
    """Two wrong codes each, so that no member's own limit is reached."""
    client = Client()
    answers = []
    for member in Member.objects.order_by("pk"):
        pins.set_pin(member=member, pin="4821", by=club.committee, at=club.at)
        for _try in range(3):
            tried = {"number": member.number, "pin": "0000"}
            answers.append(client.post(door(club.evening.door_code), tried).status_code)
    assert answers[:20] == [409] * 20
    assert set(answers[20:]) == {429}


def test_a_number_and_its_code_let_in_members_of_this_club_alone(club, neighbours):
    gone, theirs = club.join("Ada"), neighbours.join("Zoé")
    theirs.number = 900  # nobody's here
    theirs.save()
    for member, there in ((gone, club), (theirs, neighbours)):
        pins.set_pin(member=member, pin="4821", by=there.committee, at=club.at)
    members.leave(member=gone, by=club.committee, at=club.at, forget=False)
    for member in (gone, theirs):
        known = {"number": member.number, "pin": "4821"}
        answer = Client().post(f"/c/faizers{door(club.evening.door_code)}", known)
        assert answer.status_code == 409 and "Numéro ou code faux" in answer.content.decode()
    assert not CheckIn.objects.filter(member__in=(gone, theirs)).exists()


def test_a_code_that_is_locked_says_so_at_the_door(club):
    member = club.join("Ada")
    pins.set_pin(member=member, pin="4821", by=club.committee, at=club.at)
    here = {"source": pins.Source.address("127.0.0.1"), "by": club.player(member), "at": club.at}
    for _try in range(pins.TRIES):
        with pytest.raises(pins.PinRefused):
            pins.check(member=member, pin="0000", **here)
    answer = (
        Client()
        .post(door(club.evening.door_code), {"number": member.number, "pin": "4821"})
        .content.decode()
    )
    assert "Trop d’essais sur cet appareil" in answer and "code faux" not in answer


@pytest.mark.parametrize("tried", ["guest", "code"])
def test_guests_and_wrong_codes_of_an_evening_are_counted_from_everywhere(club, tried):
    limit, body = {
        "guest": (checkin_limits.GUESTS_OF_EVENING, {"first_name": "Zoé", "last_name": ""}),
        "code": (checkin_limits.PINS_OF_EVENING, {"number": club.members[0].number, "pin": "0000"}),
    }[tried]
    for _try in range(limit.amount - 1):
        rate_limits.count(limit, club.evening.pk, at=_now(club))
    statuses = [
        Client(REMOTE_ADDR=address).post(door(club.evening.door_code), body).status_code
        for address in ("192.0.2.1", "192.0.2.2")
    ]
    assert statuses[0] in (302, 409) and statuses[1] == 429


def test_requests_to_join_are_counted_for_each_address(club):
    def ask(client: Client, number: int) -> int:
        return client.post(
            reverse("clubs:join"),
            {
                "first_name": "Zoé",
                "last_name": "Roy",
                "email": f"zoe{number}@example.org",
                "is_minor": "",
            },
        ).status_code

    near, far = Client(REMOTE_ADDR="198.51.100.1"), Client(REMOTE_ADDR="198.51.100.2")
    assert [ask(near, number) for number in range(11)] == [200] * 10 + [429]
    assert ask(far, 20) == 200
    assert JoinRequest.objects.count() == 11


def test_the_menus_of_another_club_do_not_count_the_request_made_here(club, other_club):
    phone, here, there = Client(), "/c/faizers", f"/c/{other_club.organisation.slug}"
    phone.post(f"{here}{door(club.evening.door_code)}", {"first_name": "Nour", "last_name": "B"})
    assert club.evening.guest_requests.count() == 1
    assert f'href="{here}/ma-soiree/"' in phone.get(f"{here}/classement/").content.decode()
    assert "/ma-soiree/" not in phone.get(f"{there}/classement/").content.decode()


@pytest.mark.parametrize("second", ["ecran", "ecran-retirer"])
def test_an_older_page_does_not_end_the_link_that_was_opened_in_the_room(club, as_user, second):
    """Two arbiters, or one with two tabs: the second press came from a page with the link before."""
    desk = as_user(club.arbiter.user)
    screen.give(evening=club.evening, by=club.arbiter, at=club.at)
    day = {"day": club.evening.held_on.isoformat()}
    page = desk.get(reverse("pairings:control", kwargs=day)).content.decode()
    block = page[page.index('id="ecran"') :].partition("</section>")[0]
    assert re.findall(r'name="version" value="(\d+)"', block) == ["1", "1"]
    assert "key" not in re.findall(r'name="(\w+)"', block), "the address alone has the secret"
    first = reverse("pairings:evening_act", kwargs={**day, "act": "ecran"})
    again = reverse("pairings:evening_act", kwargs={**day, "act": second})
    desk.post(first, {"version": "1"})
    given = screen.key_of(Evening.objects.get(pk=club.evening.pk))
    answer = desk.post(again, {"version": "1"}, follow=True)
    assert "Le lien de l’écran vient de changer" in answer.content.decode()
    now = Evening.objects.get(pk=club.evening.pk)
    assert now.screen_open and screen.key_of(now) == given
    desk.post(again, {"version": "2"})
    assert not screen.opens(Evening.objects.get(pk=club.evening.pk), given)


def test_the_desk_is_told_whose_situation_has_changed(club, as_user):
    desk, member = as_user(club.arbiter.user), club.members[0]
    address = reverse("pairings:checkin_desk", kwargs={"day": club.evening.held_on.isoformat()})
    for said in ("départ noté", f"{member.full_name}\u00a0: sa situation vient de changer."):
        answer = desk.post(address, {"member": member.pk, "leave": "1"}, follow=True)
        assert said in answer.content.decode()


def test_the_desk_finds_who_is_of_the_club_without_accents_or_by_number(club, as_user):
    here, gone = club.join("Émile", "Œhler"), club.join("Emilia", "Rusu")
    members.leave(member=gone, by=club.committee, at=club.at, forget=False)
    desk, address = as_user(club.arbiter.user), reverse("pairings:checkin_desk", kwargs=day(club))
    for words in ("emil", str(here.number)):
        rows = desk.get(address, {"q": words}).context["rows"]
        assert [row["member"] for row in rows] == [here]


def test_a_code_of_spaces_is_asked_for_again(club):
    for code in ("", " ", "    "):
        answer = Client().post(reverse("pairings:checkin_code"), {"code": code})
        assert answer.status_code == 422 and "form" in answer.context, repr(code)


def test_no_page_offers_an_arrival_while_the_evening_closes(club, as_user):
    late = club.join("Tard", "Venu")
    desk, poster = as_user(club.arbiter.user), door(club.evening.door_code)
    room = reverse("pairings:checkin_desk", kwargs=day(club))
    arrival = f'name="member" value="{late.pk}"'
    assert arrival in desk.get(room).content.decode()
    assert 'name="number"' in Client().get(poster).content.decode()
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    pages = {"desk": desk.get(room), "door": Client().get(poster)}
    for name, answer in pages.items():
        page = answer.content.decode()
        assert "Les arrivées ne sont pas ouvertes pour cette soirée." in page, name
        assert 'name="first_name"' not in page and 'name="number"' not in page, name
    assert "Noter l’arrivée" not in pages["desk"].content.decode()
    here = as_user(club.members[0].user).get(poster).content.decode()
    assert f'href="{reverse("pairings:my_evening")}"' in here.split("<main")[1]
