"""Addresses without a club's prefix, which date from when it was the only one of the site."""

from __future__ import annotations

import pytest
from django.test import Client

from clubs.members.models import Member
from tests.clubhouse import make_club

pytestmark = pytest.mark.django_db


def test_a_form_opened_while_the_club_was_alone_is_sent_on_to_it_with_what_was_typed(club):
    make_club(slug="other")
    page = Client().get("/classement/")
    assert (page.status_code, page.url) == (302, "/c/faizers/classement/")
    page = Client().post("/gestion/roles/?par=a", {"member": 1})
    assert (page.status_code, page.url) == (307, "/c/faizers/gestion/roles/?par=a")


def test_no_form_is_sent_on_from_an_address_that_names_its_club(club):
    make_club(slug="other")
    assert Client().post("/c/other/nowhere/", {"member": 1}).status_code == 404


@pytest.mark.parametrize("address", ["/s/", "/s/ABCD2345/", "/j/7/", "/i/a-token/"])
def test_what_an_old_address_names_is_of_the_first_club_for_a_member_of_another_one(
    club, as_user, address
):
    other = make_club(slug="other")
    page = as_user(other.committee.user).get(address)
    assert (page.status_code, page.url) == (302, f"/c/faizers{address}")


def test_an_old_address_that_names_nothing_is_of_the_readers_own_club(club, as_user):
    other = make_club(slug="other")
    page = as_user(other.committee.user).get("/ma-soiree/")
    assert (page.status_code, page.url) == (302, "/c/other/ma-soiree/")


def test_a_club_that_its_reader_left_is_not_their_own_any_more(club, as_user):
    user = make_club(slug="other").committee.user
    Member.objects.filter(pk=club.members[0].pk).update(user=user)
    assert as_user(user).get("/ma-soiree/").url == "/c/faizers/ma-soiree/"  # joined first
    Member.objects.filter(pk=club.members[0].pk).update(left_at=club.at)
    assert as_user(user).get("/ma-soiree/").url == "/c/other/ma-soiree/"


def test_a_message_waits_for_the_page_of_the_readers_own_club(club, as_user):
    make_club(slug="other")
    reader = as_user(club.committee.user)
    reader.post("/compte/sessions/")  # says that the other devices are signed out
    assert "/c/faizers/" in reader.get("/moi/reglages/").url
    shown = reader.get("/c/faizers/moi/reglages/").content.decode()
    assert 'class="messages"' in shown
