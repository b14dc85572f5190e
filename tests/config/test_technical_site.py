"""`/gestion/technique/`: the site's own sign-in, a second factor, no act and no secret."""

from __future__ import annotations

import re
import time

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret, hotp_value
from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils.http import urlencode

from clubs.accounts.models import User
from clubs.members import pins
from clubs.members.models import Member
from clubs.members.models_access import Invitation

pytestmark = pytest.mark.django_db

PASSWORD = "planted-password-77"
INDEX = "/gestion/technique/"


def code_of(secret: str) -> str:
    return f"{hotp_value(secret, int(time.time()) // 30):06d}"


@pytest.fixture
def staff(club) -> User:
    """Somebody with every right, an address that is theirs, and no second factor yet."""
    user = User.objects.create_superuser("technique@example.org", PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


@pytest.fixture
def secret(staff) -> str:
    """The secret of the second factor they set up."""
    made = generate_totp_secret()
    TOTP.activate(staff, made)
    return made


def sign_in(client: Client, user: User, password: str = PASSWORD):
    return client.post(reverse("account_login"), {"login": user.email, "password": password})


def signed_in(user: User, secret: str) -> Client:
    """A client that gave the password and then the code."""
    client = Client()
    assert sign_in(client, user)["Location"] == reverse("mfa_authenticate")
    client.post(reverse("mfa_authenticate"), {"code": code_of(secret)})
    return client


def test_people_sign_in_on_the_sites_own_page(staff):
    """Its limits hold there: the admin's own form has none."""
    for address in (INDEX, f"{INDEX}login/"):
        answer = Client().get(address, follow=True)
        assert answer.redirect_chain[-1][0].startswith(reverse("account_login"))
    posted = Client().post(f"{INDEX}login/", {"username": staff.email, "password": PASSWORD})
    assert posted["Location"].startswith(reverse("account_login"))


def test_the_26th_wrong_password_is_refused_and_so_is_the_right_one_after_it(staff, secret):
    client = Client()
    for number in range(26):
        wrong = f"wrong-{number}-wrong"
        assert sign_in(client, staff, wrong).status_code in (200, 429)
        client.post(f"{INDEX}login/", {"username": staff.email, "password": wrong})
    assert sign_in(client, staff).status_code in (200, 429)  # no redirect: nobody came in
    client.post(f"{INDEX}login/", {"username": staff.email, "password": PASSWORD})
    assert client.get(INDEX).status_code == 302
    assert "_auth_user_id" not in client.session


def shown() -> list[type[Model]]:
    return [model for model in apps.get_models() if admin.site.is_registered(model)]


def test_staff_without_a_second_factor_are_led_to_its_set_up(staff):
    client = Client()
    sign_in(client, staff)
    answer = client.get(INDEX, follow=True)
    assert answer.redirect_chain[-1][0] == reverse("mfa_index")
    assert "double vérification" in answer.content.decode()
    for model in shown():
        meta = model._meta
        listing = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
        assert client.get(listing).status_code == 302, listing


@pytest.mark.django_db(transaction=True)  # allauth tells of a new factor once it is committed
def test_the_last_page_of_a_set_up_leads_back_until_somebody_is_there(staff):
    client = Client()
    sign_in(client, staff)
    client.get(INDEX, follow=True)
    set_up, codes = reverse("mfa_activate_totp"), reverse("mfa_view_recovery_codes")
    secret = client.get(set_up).context["form"].secret
    assert client.post(set_up, {"code": code_of(secret)})["Location"] == codes
    way_back = f"{INDEX}login/?{urlencode({'next': INDEX})}"
    assert way_back in client.get(codes).content.decode()
    there = client.get(way_back, follow=True)
    assert (there.status_code, there.redirect_chain[-1][0]) == (200, INDEX)
    assert way_back not in client.get(codes).content.decode()


def test_a_password_and_a_code_open_it(staff, secret):
    assert signed_in(staff, secret).get(INDEX).status_code == 200


def test_a_session_older_than_the_factor_proves_it_first(staff):
    client = Client()
    sign_in(client, staff)
    made = generate_totp_secret()
    TOTP.activate(staff, made)
    page = reverse("admin:clubs_member_changelist")
    asked = client.get(page, follow=True)
    assert asked.redirect_chain[-1][0].startswith(reverse("mfa_reauthenticate"))
    back = client.post(asked.redirect_chain[-1][0], {"code": code_of(made)})
    assert back["Location"] == page
    assert client.get(page).status_code == 200


def test_a_recovery_code_opens_nothing_once_no_factor_is_left(staff, secret):
    client = Client()
    sign_in(client, staff)
    code = RecoveryCodes.activate(staff).get_unused_codes()[0]
    client.post(reverse("mfa_authenticate"), {"code": code})
    assert client.get(INDEX).status_code == 200
    Authenticator.objects.filter(user=staff, type=Authenticator.Type.TOTP).delete()
    answer = client.get(INDEX, follow=True)
    assert answer.redirect_chain[-1][0] == reverse("mfa_index")
    assert client.get(reverse("admin:clubs_member_changelist")).status_code == 302


def test_a_member_of_the_committee_who_is_no_staff_stays_outside(club, as_user):
    answer = as_user(club.committee.user).get(f"{INDEX}login/")
    assert answer.status_code == 403


def test_no_page_of_it_shows_a_secret_or_offers_a_change(club, staff, secret):
    member = club.members[0]
    pins.set_pin(member=member, pin="7391", by=club.player(member), at=club.at)
    invitation, token = club.invite(member=member)
    client = signed_in(staff, secret)
    planted = {
        Member.objects.get(pk=member.pk).pin_hash,
        User.objects.get(pk=staff.pk).password,
        Invitation.objects.get(pk=invitation.pk).token_hash,
        token,
        secret,
        client.session.session_key,
        *(str(held.data) for held in Authenticator.objects.all()),
    }
    assert all(len(value) > 5 for value in planted)
    seen = crawl(client, INDEX)
    assert len(seen) > 2 * len(shown())  # each list, and a row of each that has one
    for address, page in seen.items():
        for value in planted:
            assert value not in page, address
        assert 'name="_save"' not in page, address
        assert "/add/" not in page and "/delete/" not in page, address


def crawl(client: Client, start: str) -> dict[str, str]:
    """Every page below `start` that links lead to, by address; each list once, unsorted."""
    seen: dict[str, str] = {}
    left = [start]
    while left:
        address = left.pop()
        if address in seen or "logout" in address or "password_change" in address:
            continue
        answer = client.get(address)
        assert answer.status_code == 200, address
        seen[address] = page = answer.content.decode()
        links = re.findall(r'href="([^"]+)"', page)
        left += [link for link in links if link.startswith(start) and "?" not in link]
    return seen
