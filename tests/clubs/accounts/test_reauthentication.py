"""Decisions of weight ask again who one is; nothing typed is lost."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from html import unescape

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import hotp_value
from django.contrib.messages import get_messages
from django.core import mail
from django.test import Client
from django.urls import reverse

from clubs.accounts.models import User
from clubs.members.models import RoleGrant

pytestmark = pytest.mark.django_db
PASSWORD = "planted-password-77"
LATER = timedelta(minutes=16)


@pytest.fixture(autouse=True)
def asked(settings):
    settings.SECOND_FACTOR = True


def sign_in(user: User) -> Client:
    user.set_password(PASSWORD)
    user.save()
    client = Client()
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    return client


def prove(client: Client, root: str) -> None:
    client.post(f"{root}{reverse('account_reauthenticate')}", {"password": PASSWORD})


def hidden(page: str) -> list[tuple[str, str]]:
    form = page[page.index("<main") : page.index("</main>")]
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)
    return [(name, unescape(text)) for name, text in found if name != "csrfmiddlewaretoken"]


def test_who_has_just_signed_in_is_not_asked_again(club, root, clock):
    client = sign_in(club.committee.user)
    given = {"member": club.members[3].pk, "role": "arbiter"}
    assert client.post(f"{root}/gestion/roles/", given)["Location"] == f"{root}/gestion/roles/"
    assert RoleGrant.objects.filter(member=club.members[3], revoked_at=None).exists()


@pytest.mark.parametrize(("seconds", "asks"), [(899, False), (900, True), (901, True)])
def test_a_proof_holds_for_fifteen_minutes(club, root, clock, seconds, asks):
    client, page = sign_in(club.committee.user), f"{root}/gestion/roles/"
    clock.shift(timedelta(seconds=seconds))
    given = {"member": club.members[3].pk, "role": "arbiter"}
    assert (client.post(page, given)["Location"] != page) is asks


@pytest.mark.parametrize(("seconds", "offered"), [(3599, True), (3600, True), (3601, False)])
def test_a_kept_form_is_offered_for_an_hour(club, root, clock, seconds, offered):
    client, page = sign_in(club.committee.user), f"{root}/gestion/roles/"
    clock.shift(LATER)
    client.post(page, {"member": club.members[3].pk, "role": "arbiter", "note": "two words"})
    clock.shift(timedelta(seconds=seconds))
    prove(client, root)
    quoted = re.findall(r"<blockquote[^>]*>([^<]*)<", client.get(page).content.decode())
    assert quoted == (["two words"] if offered else [])


def test_a_role_is_given_after_the_password_and_what_was_typed_is_offered_again(club, root, clock):
    client, page = sign_in(club.committee.user), f"{root}/gestion/roles/"
    clock.shift(LATER)
    given = {"member": str(club.members[3].pk), "role": "arbiter", "note": 'a "word" & more'}
    assert client.get(page).status_code == 200  # reading is free
    asks = client.post(page, given)
    assert asks["Location"].startswith(f"{root}{reverse('account_reauthenticate')}?next=")
    assert not RoleGrant.objects.filter(member=club.members[3]).exists()
    assert client.post(asks["Location"], {"password": "wrong-password-1"}).status_code == 200
    back = client.post(asks["Location"], {"password": PASSWORD})
    assert back["Location"] == page
    offered = client.get(page).content.decode()
    assert dict(hidden(offered)) == given
    client.post(page, dict(hidden(offered)))
    assert RoleGrant.objects.filter(member=club.members[3], revoked_at=None).exists()
    assert not hidden(client.get(page).content.decode())  # once


def test_nothing_stands_between_the_label_and_the_field_of_the_password(club, root, clock):
    client = sign_in(club.committee.user)
    clock.shift(LATER)
    page = client.get(f"{root}{reverse('account_reauthenticate')}").content.decode()
    assert 'name="password"' in page and "password/reset/" not in page
    assert reverse("reauthenticate_by_code") in page  # for who has forgotten it


def test_a_key_that_fails_is_asked_for_again_and_what_waits_is_not_lost(club, root, clock):
    client, page = sign_in(club.committee.user), f"{root}/gestion/roles/"
    Authenticator.objects.create(user=club.committee.user, type="webauthn", data={"name": "key"})
    clock.shift(LATER)
    asks = client.post(page, {"member": str(club.members[3].pk), "role": "arbiter"})["Location"]
    assert asks.startswith(f"{root}{reverse('mfa_reauthenticate_webauthn')}?next=")
    for wrong in ("{}", '{"id": "x"}'):
        answer = client.post(asks, {"credential": wrong})
        assert answer["Location"] == asks
        said = [str(message) for message in get_messages(answer.wsgi_request)]
        assert said[-1].startswith("Cette clé n’est pas acceptée. Réessayez")
    assert Client().post(asks, {"credential": "{}"})["Location"].startswith(root + "/compte/login/")


def test_a_kept_form_can_be_given_up_and_ends_after_an_hour(club, root, clock):
    client, page = sign_in(club.committee.user), f"{root}/gestion/roles/"
    for way in ("given up", "too late"):
        clock.shift(LATER)
        client.post(page, {"member": "1", "role": "arbiter"})
        assert not hidden(client.get(page).content.decode()), way  # not before the proof
        if way == "given up":
            assert client.get(page, {"abandonner": "1"})["Location"] == page
        else:
            clock.shift(timedelta(hours=1, minutes=1))
        prove(client, root)
        assert not hidden(client.get(page).content.decode()), way


def test_a_code_of_another_person_is_not_kept(club, root, clock):
    client, page = sign_in(club.committee.user), f"{root}/gestion/roles/"
    clock.shift(LATER)
    client.post(page, {"member": "1", "approver_pin": "1234"})
    prove(client, root)
    assert hidden(client.get(page).content.decode()) == [("member", "1")]


WEIGHTY_PAGES = ["/gestion/regles/adopter/", "/gestion/classement/publier/"]


@pytest.mark.parametrize("path", WEIGHTY_PAGES)
def test_pages_of_a_decision_ask_before_anything_is_typed(club, root, clock, path):
    client = sign_in(club.committee.user)
    usual = client.get(root + path)
    assert "reauthenticate" not in usual.get("Location", "")
    clock.shift(LATER)
    assert reverse("account_reauthenticate") in client.get(root + path)["Location"]


def test_forcing_a_closing_taking_the_archive_and_a_correction_ask(club, root, clock):
    club.match()
    arbiter, officer = sign_in(club.arbiter.user), sign_in(club.committee.user)
    clock.shift(LATER)
    day = club.evening.held_on.isoformat()
    assert "reauthenticate" in arbiter.get(f"{root}/soirees/{day}/cloture/forcer/")["Location"]
    assert "reauthenticate" in officer.post(f"{root}/gestion/etat/archive/")["Location"]


def test_forgetting_a_person_asks_and_leaving_alone_does_not(club, root, clock):
    officer, player = sign_in(club.committee.user), sign_in(club.members[0].user)
    clock.shift(LATER)
    row = f"{root}/gestion/membres/{club.members[2].pk}/"
    for client, path in ((officer, row), (player, f"{root}/moi/donnees/")):
        asks = client.post(path, {"leave": "1", "forget": "1"})
        assert reverse("account_reauthenticate") in asks["Location"], path
    assert "reauthenticate" not in officer.post(row, {"leave": "1"}).get("Location", "")


def test_nobody_is_asked_for_what_they_may_not_do_nor_where_the_site_does_not_ask(
    club, root, clock, settings
):
    player, officer = sign_in(club.members[0].user), sign_in(club.committee.user)
    clock.shift(LATER)
    assert player.post(f"{root}/gestion/roles/", {}).status_code == 403
    assert "login" in Client().post(f"{root}/gestion/roles/", {})["Location"]
    settings.SECOND_FACTOR = False
    assert officer.post(f"{root}/gestion/etat/archive/").status_code == 200


# Without a password: a code by mail


@pytest.fixture
def by_mail(club, root, clock):
    """A client that waits on the page of codes, and the address of that page."""
    client = sign_in(club.committee.user)
    clock.shift(LATER)
    asks = client.post(f"{root}/gestion/roles/", {})
    page = asks["Location"].replace(
        reverse("account_reauthenticate"), reverse("reauthenticate_by_code")
    )
    assert "Recevoir un code par e-mail" in client.get(asks["Location"]).content.decode()
    return client, page


def code_sent() -> str:
    return re.search(r"^[A-Z0-9-]{5,9}$", mail.outbox[-1].body, re.MULTILINE)[0]


def test_a_code_by_mail_proves_it_too(by_mail, club, root):
    client, page = by_mail
    assert client.get(page).status_code == 200
    assert not mail.outbox  # reading sends nothing
    client.post(page, {"send": "1"})
    assert mail.outbox[-1].to == [club.committee.user.email]
    assert client.post(page, {"code": code_sent()})["Location"] == f"{root}/gestion/roles/"
    assert client.post(f"{root}/gestion/roles/", {}).status_code == 200  # the page itself


@pytest.mark.parametrize(("wrong", "holds"), [(1, True), (2, True), (3, False)])
def test_a_code_holds_for_three_tries(by_mail, root, wrong, holds):
    client, page = by_mail
    client.post(page, {"send": "1"})
    code = code_sent()
    for _try in range(wrong):
        client.post(page, {"code": "WRONG1"})
    client.post(page, {"code": code})
    assert ("Location" not in client.post(f"{root}/gestion/roles/", {})) is holds


def test_a_code_ends_after_three_wrong_tries_and_with_its_time(by_mail, root, clock):
    client, page = by_mail
    client.post(page, {"send": "1"})
    code = code_sent()
    for _try in range(3):
        client.post(page, {"code": "WRONG1"})
    client.post(page, {"code": code})  # a new one is sent instead
    assert code_sent() != code
    assert "reauthenticate" in client.post(f"{root}/gestion/roles/", {})["Location"]
    code = code_sent()
    clock.shift(LATER)
    client.post(page, {"code": code})
    assert "reauthenticate" in client.post(f"{root}/gestion/roles/", {})["Location"]


def test_five_codes_an_hour(by_mail, clock):
    client, page = by_mail
    answers = [client.post(page, {"send": "1"}).status_code for _code in range(6)]
    assert answers == [302, 302, 302, 302, 302, 429]
    assert len(mail.outbox) == 5


@pytest.mark.parametrize("way", ["reauthenticate_by_code", "account_reauthenticate"])
def test_neither_code_nor_password_is_a_way_round_a_second_factor(club, root, clock, way):
    from tests.clubs.accounts.test_second_factor import factor_of

    user, page = club.committee.user, f"{root}/gestion/roles/"
    secret = factor_of(user)
    client = Client()
    client.force_login(user)
    code = f"{hotp_value(secret, int(time.time()) // 30):06d}"
    client.post(f"{root}{reverse('mfa_reauthenticate')}", {"code": code})
    clock.shift(LATER)
    given = {"member": str(club.members[3].pk), "role": "arbiter"}
    asks = client.post(page, given)
    assert asks["Location"].startswith(f"{root}{reverse('mfa_reauthenticate')}?next=")
    assert "/code/" not in client.get(asks["Location"]).content.decode()
    leads = client.post(f"{root}{reverse(way)}", {"password": PASSWORD})
    assert reverse("mfa_reauthenticate") in leads["Location"]
    assert client.post(page, given)["Location"] == asks["Location"]
    code = f"{hotp_value(secret, int(time.time()) // 30):06d}"
    client.post(asks["Location"], {"code": code})
    client.post(page, given)
    assert RoleGrant.objects.filter(member=club.members[3], revoked_at=None).exists()
    assert "login" in Client().get(f"{root}{reverse(way)}")["Location"]
