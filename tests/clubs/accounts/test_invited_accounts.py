"""An invitation's page makes an account for any address typed: it opens nothing of anybody else."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from clubs.accounts.models import User
from clubs.accounts.sessions import INVITED_AT
from clubs.members.views_account import MORE_TRIES

pytestmark = pytest.mark.django_db
VICTIM, PASSWORD = "victim@example.org", "planted-password-77"


@pytest.fixture(autouse=True)
def mandatory(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


@pytest.fixture
def page(club, root) -> str:
    _invitation, token = club.invite(at=timezone.now(), max_uses=2)
    return f"{root}/i/{token}/"


def ask_for_account(page: str, email: str, password: str = PASSWORD):
    given = {"account": "1", "email": email, "password": password}
    return Client().post(page, given)


def open_by_code(email: str) -> Client:
    client = Client()
    client.post(reverse("account_request_login_code"), {"email": email})
    code = re.search(r"^([A-Z0-9]+-[A-Z0-9]+)$", mail.outbox[-1].body, re.MULTILINE)
    client.post(reverse("account_confirm_login_code"), {"code": code[1]})
    return client


def is_opened_by_password(email: str) -> bool:
    client = Client()
    client.post(reverse("account_login"), {"login": email, "password": PASSWORD})
    return "_auth_user_id" in client.session


def confirm(client: Client):
    """Open the link of the newest mail and press its button."""
    link = re.search(r"https?://[^/]+(/\S+)", mail.outbox[-1].body)
    assert client.get(link[1]).status_code == 200
    return client.post(link[1], follow=True)


@pytest.mark.parametrize("opens_the_link", [False, True])
def test_a_password_chosen_by_somebody_else_does_not_outlive_the_first_code(page, opens_the_link):
    assert ask_for_account(page, VICTIM).status_code == 302
    assert not is_opened_by_password(VICTIM)
    if opens_the_link:
        confirm(Client())
    victim = open_by_code(VICTIM)
    assert "_auth_user_id" in victim.session
    assert ("est effacé" in victim.get(page).content.decode()) is not opens_the_link
    assert not is_opened_by_password(VICTIM)


def test_a_link_opened_elsewhere_leaves_no_password_of_whoever_typed_the_address(page):
    ask_for_account(page, VICTIM)
    answer = confirm(Client())
    [(target, _status)] = answer.redirect_chain
    assert target.endswith(reverse("account_request_login_code"))
    shown = answer.content.decode()
    assert "est effacé" in shown and "rouvrez le lien de votre invitation" in shown
    assert EmailAddress.objects.get(email=VICTIM).verified
    assert not is_opened_by_password(VICTIM)
    assert "_auth_user_id" in open_by_code(VICTIM).session


@pytest.mark.parametrize("signs_in_first", [False, True])
def test_who_confirms_in_the_browser_that_typed_the_password_keeps_it(page, signs_in_first):
    """The invitation's page, or a day later the page to sign in, which mails the link again."""
    client = ask_for_account(page, VICTIM).client
    if signs_in_first:
        client = Client()
        client.post(reverse("account_login"), {"login": VICTIM, "password": PASSWORD})
    assert "est effacé" not in confirm(client).content.decode()
    assert is_opened_by_password(VICTIM)


def test_a_wrong_password_proves_nothing_of_a_browser(page):
    ask_for_account(page, VICTIM)
    client = Client()
    client.post(reverse("account_login"), {"login": VICTIM, "password": "another-password-77"})
    confirm(client)
    assert not is_opened_by_password(VICTIM)


def test_opening_the_link_of_another_account_signs_nobody_out(page, club):
    ask_for_account(page, VICTIM)
    reader = Client()
    reader.force_login(club.committee.user)
    assert "Ouvrez ce lien pour confirmer votre adresse" in mail.outbox[-1].body
    link = re.search(r"/compte/confirm-email/[-:\w]+/", mail.outbox[-1].body)[0]
    assert "connecté au compte" not in Client().get(link).content.decode()
    shown = reader.get(link).content.decode()
    assert f"connecté au compte {club.committee.user.email}\u00a0:" in shown
    assert "_auth_user_id" in reader.session
    confirm(reader)
    assert EmailAddress.objects.get(email=VICTIM).verified
    assert "_auth_user_id" not in reader.session


def test_another_address_confirmed_elsewhere_leaves_the_password_of_an_account_in_use(page):
    owner = ask_for_account(page, VICTIM).client
    confirm(owner)
    owner.post(reverse("account_login"), {"login": VICTIM, "password": PASSWORD})
    owner.post(reverse("account_email"), {"email": "new@example.org", "action_add": ""})
    assert mail.outbox[-1].to == ["new@example.org"]
    confirm(Client())
    assert is_opened_by_password("new@example.org")


def test_a_password_that_opened_the_account_before_stays(page):
    ask_for_account(page, VICTIM)
    EmailAddress.objects.update(verified=True)
    assert is_opened_by_password(VICTIM)
    assert "_auth_user_id" in open_by_code(VICTIM).session
    assert is_opened_by_password(VICTIM)


def test_a_link_mails_no_more_strangers_than_it_invites(page):
    answers = [ask_for_account(page, f"stranger{n}@example.org") for n in range(MORE_TRIES + 4)]
    assert [answer.status_code for answer in answers[-3:]] == [302, 429, 429]
    assert len(mail.outbox) == MORE_TRIES + 2
    assert User.objects.filter(email__startswith="stranger").count() == MORE_TRIES + 2


def test_ones_own_address_is_no_password_of_an_invited_account(page):
    answer = ask_for_account(page, VICTIM, VICTIM)
    assert answer.status_code == 422 and "trop semblable" in answer.content.decode()
    assert not User.objects.filter(email=VICTIM).exists()
    assert ask_for_account(page, "no address", "short").status_code == 422


def test_whoever_confirms_in_the_same_browser_comes_back_to_the_invitation(page):
    client = ask_for_account(page, VICTIM).client
    answer = confirm(client)
    assert "rouvrez le lien" not in answer.content.decode()
    sign_in = answer.redirect_chain[-1][0]
    back = client.post(sign_in, {"login": VICTIM, "password": PASSWORD, "next": page}, follow=True)
    assert f'name="next" value="{page}"' in answer.content.decode()
    assert back.request["PATH_INFO"] == page and "Qui voit votre nom" in back.content.decode()
    given = {"first_name": "Ada", "visibility": "everybody"}
    assert client.post(page, given).status_code == 302
    assert INVITED_AT not in client.session


def test_a_member_who_confirms_another_address_elsewhere_reads_of_no_invitation(page, club):
    user = club.members[0].user
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    client = Client()
    client.force_login(user)
    client.post(reverse("account_email"), {"email": "new@example.org", "action_add": ""})
    assert "rouvrez le lien" not in confirm(Client()).content.decode()
