"""The page that lists the clubs says what is on in each, with the names that anybody may read."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from clubs.accounts.device import remember_device
from clubs.members.models import Member
from pairings.evenings import actions as evenings
from pairings.evenings.admission import presence
from pairings.evenings.models import Evening

pytestmark = pytest.mark.django_db


def portal(club, client) -> str:
    with time_machine.travel(club.at + timedelta(minutes=1), tick=False):
        return client.get("/").content.decode()


def played(club) -> None:
    club.played(club.members[0], club.members[1], scores=(400, 300))


def test_an_evening_in_progress_leads_to_its_wall_and_its_ranking(club, other_club, client):
    other_club.close()
    page = portal(club, client)
    day = club.evening.held_on.isoformat()
    assert f'href="/c/faizers/soirees/{day}/ecran/"' in page
    assert f'href="/c/faizers/soirees/{day}/"' in page
    assert 'href="/c/faizers/classement/"' in page
    assert "/c/voisins/soirees/" not in page
    assert page.index("Club faizers") < page.index("Club voisins")


def second_room(club, place="Salle B"):
    found = club.announce(club.at + timedelta(hours=1), place=place)
    return evenings.open_doors(evening=found, by=club.committee, at=club.at)


def guest_with_a_phone(club, client):
    guest = presence.welcome_guest(
        evening=club.evening, first_name="Léo", last_name="", by=club.arbiter, at=club.at
    ).member
    answer = HttpResponse()
    remember_device(answer, guest)
    client.cookies.update(answer.cookies)
    return guest


@pytest.mark.parametrize("who", ["member", "guest"])
def test_who_is_at_an_evening_finds_it_on_the_first_page(club, other_club, as_user, client, who):
    own = 'href="/c/faizers/ma-soiree/"'
    assert own not in portal(club, client)
    member, phone = club.members[0], as_user(club.members[0].user)
    if who == "guest":
        member, phone = guest_with_a_phone(club, client), client
    page = portal(club, phone)
    assert own in page and "/c/voisins/ma-soiree/" not in page
    presence.go_home(evening=club.evening, member=member, by=club.arbiter, at=club.at)
    assert own not in portal(club, phone)


def test_only_who_is_no_member_is_led_to_join(club, other_club, as_user, client):
    joins = [f'href="/c/{slug}/rejoindre/"' for slug in ("faizers", "voisins")]
    assert all(join in portal(club, client) for join in joins)
    page = portal(club, as_user(club.members[0].user))
    assert joins[0] not in page and joins[1] in page


@pytest.mark.parametrize("who", ["member", "guest", "visitor"])
def test_the_page_of_a_club_leads_first_to_what_its_reader_does_tonight(club, as_user, client, who):
    reader, first = client, "Ma soirée"
    if who == "member":
        reader = as_user(club.members[0].user)
    elif who == "guest":
        guest_with_a_phone(club, client)
    else:
        first = "Voir en direct"
    with time_machine.travel(club.at + timedelta(minutes=1), tick=False):
        page = reader.get("/c/faizers/").content.decode()
    filled = re.findall(r'class="btn btn--primary"\s+href="[^"]*">\s*([^<]*?)\s*</a>', page)
    assert filled == [first]


def test_each_room_in_progress_is_named_with_its_wall(club, other_club, client):
    other_club.close()
    page = portal(club, client)
    assert "Salle B" not in page and page.count('href="/c/faizers/classement/"') == 2
    room = second_room(club)
    page = portal(club, client)
    day = club.evening.held_on.isoformat()
    for address in (day, f"{day}/2"):
        assert f'href="/c/faizers/soirees/{address}/ecran/"' in page
        assert f'href="/c/faizers/soirees/{address}/"' in page
    local = room.starts_at.astimezone(club.organisation.zone)
    assert f"{local:%H:%M}, Salle B" in page and "0 présent" in page
    assert page.count('href="/c/faizers/classement/"') == 3
    live = re.findall(r'class="btn( btn--primary)?" href="/c/faizers/soirees/[-0-9/]+">', page)
    assert live == [" btn--primary", ""]


def test_more_rooms_ask_no_more(club, other_club, client, django_assert_num_queries):
    portal(club, client)
    with CaptureQueriesContext(connection) as one_room:
        portal(club, client)
    asked = len(one_room)
    second_room(club)
    portal(club, client)
    with django_assert_num_queries(asked):
        portal(club, client)


def test_the_next_evening_is_told_in_the_clubs_own_hour(club, other_club, client):
    type(club.organisation).objects.filter(pk=other_club.organisation.pk).update(
        time_zone="Pacific/Auckland"
    )
    other_club.organisation.refresh_from_db()
    starts = club.at + timedelta(days=3)
    other_club.announce(starts, at=club.at)
    local = starts.astimezone(other_club.organisation.zone)
    assert f", {local:%H:%M}" in portal(club, client)
    page = client.get(f"/c/{other_club.organisation.slug}/soirees/").content.decode()
    assert f"{local:%H:%M}" in page and f"{starts:%H:%M}" not in page
    assert timezone.get_current_timezone() == timezone.get_default_timezone()


@pytest.mark.parametrize("reader", ["visitor", "member"])
def test_the_first_five_show_the_name_that_each_chose(club, other_club, as_user, reader):
    played(club)
    hidden, seen = club.members[0], club.members[1]
    club.edit(hidden, {"first_name": "Zazoune", "last_name": "Fayo", "visibility": Member.INITIALS})
    club.edit(seen, {"visibility": Member.EVERYBODY})
    page = portal(club, as_user(club.members[2].user if reader == "member" else None))
    assert "Z.F." in page and "Zazoune" not in page
    assert seen.full_name in page


def test_a_site_without_a_club_still_answers(client, db):
    assert client.get("/").status_code == 200


def test_more_clubs_ask_no_more_than_their_own_ranking(
    club, other_club, client, django_assert_max_num_queries
):
    portal(club, client)
    with django_assert_max_num_queries(8):
        portal(club, client)


def test_during_an_evening_a_clubs_page_still_invites_to_the_next(club, client, as_user):
    club.announce(club.at + timedelta(days=7), place="Salle Baize")
    played(club)
    page = client.get("/c/faizers/").content.decode()
    day = club.evening.held_on.isoformat()
    running, coming, top = (
        page.index(f'href="/c/faizers/soirees/{day}/ecran/"'),
        page.index("Salle Baize"),
        page.index("Tête du classement"),
    )
    assert running < coming < top
    assert 'href="/c/faizers/rejoindre/"' in page[coming:top]
    of_member = as_user(club.members[0].user).get("/c/faizers/").content.decode()
    assert "Salle Baize" in of_member and "Venir essayer" not in of_member
    assert of_member.count("is-own") == 1


def test_before_its_first_evening_a_club_says_when_the_season_begins(club, client):
    Evening.objects.filter(pk=club.evening.pk).update(state=Evening.State.CANCELLED)
    club.announce(club.at + timedelta(days=7), place="")
    page = " ".join(client.get("/c/faizers/").content.decode().split())
    assert (
        "Le classement de la saison commencera à la soirée du 27 novembre 2026." in page
        and "Tête du classement" not in page
    )
