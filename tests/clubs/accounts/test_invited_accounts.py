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
from clubs.members.invitations import actions as invitations
from clubs.members.views_account import MORE_TRIES

pytestmark = pytest.mark.django_db
VICTIM, PASSWORD = "victim@example.org", "planted-password-77"


@pytest.fixture(autouse=True)
def mandatory(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


@pytest.fixture
def page(club, root) -> str:
    _invitation, token = invitations.invite(
        organisation=club.organisation, by=club.committee, at=timezone.now(), max_uses=2
    )
    return f"{root}/i/{token}/"


def ask_for_account(page: str, email: str):
    given = {"account": "1", "email": email, "password": PASSWORD}
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


@pytest.mark.parametrize("opens_the_link", [False, True])
def test_a_password_chosen_by_somebody_else_does_not_outlive_the_first_code(page, opens_the_link):
    assert ask_for_account(page, VICTIM).status_code == 302
    assert not is_opened_by_password(VICTIM)
    if opens_the_link:
        link = re.search(r"https?://[^/]+(/\S+)", mail.outbox[-1].body)
        Client().post(link[1])
    victim = open_by_code(VICTIM)
    assert "_auth_user_id" in victim.session
    assert "est effacé" in victim.get(page).content.decode()
    assert not is_opened_by_password(VICTIM)


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
