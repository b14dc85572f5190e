"""Nobody opens an account without an invitation; invitations and requests to join still work."""

from __future__ import annotations

import pytest
from django.utils import timezone

from clubs.accounts.models import User
from clubs.members.forms import AcceptForm, JoinForm
from clubs.members.models import Member
from clubs.members.models_access import JoinRequest
from pairings.matches.forms import GuestForm

pytestmark = pytest.mark.django_db
NEWCOMER = "newcomer@example.org"


@pytest.mark.parametrize("within_a_club", [True, False])
def test_the_sign_up_address_makes_no_account_and_says_how_to_get_one(
    root, as_user, within_a_club, neighbours
):
    browser, address = as_user(), f"{root if within_a_club else ''}/compte/signup/"
    page = browser.get(address)
    assert page.status_code == 200
    assert "Un compte se crée avec une invitation" in page.content.decode()
    assert ("/rejoindre/" in page.content.decode()) is within_a_club
    before = User.objects.count()
    browser.post(
        address, {"email": NEWCOMER, "password1": "Vingt-7-zebus!", "password2": "Vingt-7-zebus!"}
    )
    assert User.objects.count() == before


def test_an_invitation_still_makes_an_account_and_a_member(club, root, as_user):
    _invitation, token = club.invite(email=NEWCOMER, at=timezone.now())
    browser, address = as_user(), f"{root}/i/{token}/"
    browser.post(address, {"account": "1", "email": NEWCOMER, "password": "Vingt-7-zebus!"})
    browser.post(
        address, {"first_name": "Nina", "last_name": "Nouvelle", "visibility": Member.MEMBERS}
    )
    made = Member.objects.get(organisation=club.organisation, first_name="Nina")
    assert made.user == User.objects.get(email=NEWCOMER)


@pytest.mark.parametrize("form", [JoinForm, AcceptForm, GuestForm])
def test_a_browser_fills_in_the_name_and_address_of_whom_it_belongs_to(form):
    kinds = {"first_name": "given-name", "last_name": "family-name", "email": "email"}
    fields = {name: field for name, field in form.base_fields.items() if name in kinds}
    told = {name: field.widget.attrs.get("autocomplete") for name, field in fields.items()}
    assert told == {name: kinds[name] for name in fields}


def test_a_request_to_join_still_reaches_the_committee(root, as_user):
    asked = {"first_name": "Nina", "last_name": "Nouvelle", "email": NEWCOMER}
    assert as_user().post(f"{root}/rejoindre/", asked).status_code == 200
    assert JoinRequest.objects.filter(email=NEWCOMER).exists()
