"""Where a change of an account ends: in the settings, with the word that it is done."""

from __future__ import annotations

import pytest
from django.urls import reverse

from clubs.accounts.models import User
from clubs.members.models import Member
from tests.clubhouse import make_club
from tests.clubs.accounts.test_own_account import PASSWORD, change, link_sent, sign_in
from tests.clubs.accounts.test_own_account import mandatory as mandatory
from tests.clubs.accounts.test_own_account import user as user

pytestmark = pytest.mark.django_db

NEW = "another-password-78"
SETTINGS, HOME = "/c/faizers/moi/reglages/", "/"


@pytest.fixture(params=["alone", "beside another"])
def site(request, club):
    """A site of one club, whose addresses have no prefix, and one of two."""
    if request.param == "alone":
        return "/moi/reglages/"
    make_club(slug="other")
    return SETTINGS


def main_of(answer) -> str:
    page = answer.content.decode()
    return page[page.index("<main") :]


def new_password(client, root=""):
    typed = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    return client.post(f"{root}/compte/password/change/", typed, follow=True)


def test_a_changed_password_leads_back_to_the_settings(user, site, clock):
    answer = new_password(sign_in(user))
    assert answer.request["PATH_INFO"] == site
    assert "Mot de passe changé." in main_of(answer)


def test_a_first_password_leads_there_too(user, site, clock):
    client = sign_in(user)
    user.set_unusable_password()
    User.objects.filter(pk=user.pk).update(password=user.password)
    client.force_login(user)
    typed = {"password1": NEW, "password2": NEW}
    answer = client.post(reverse("account_set_password"), typed, follow=True)
    assert answer.request["PATH_INFO"] == site
    assert "Mot de passe" in main_of(answer)


def test_a_confirmed_address_leads_there_too(user, site, clock, mandatory):
    client = sign_in(user)
    change(client, "new@example.org")
    client.get(reverse("account_email"))  # says that a link left
    answer = client.post(link_sent(), follow=True)
    assert answer.request["PATH_INFO"] == site
    assert main_of(answer).count("new@example.org") == 2  # the message, and the settings


def test_whoever_is_of_no_club_is_led_to_the_first_page(user, club, clock):
    client = sign_in(user)
    Member.objects.filter(user=user).update(left_at=club.at)
    assert new_password(client).request["PATH_INFO"] == HOME


def test_a_member_of_another_club_is_led_to_the_page_that_they_may_read(user, club, clock):
    make_club(slug="other")
    assert new_password(sign_in(user), "/c/other").request["PATH_INFO"] == "/c/other/"
