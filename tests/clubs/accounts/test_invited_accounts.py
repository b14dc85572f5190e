"""An invitation's page makes an account for any address typed: it opens nothing of anybody else."""

from __future__ import annotations

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from clubs.accounts.models import User
from clubs.members.invitations import actions as invitations
from clubs.members.views_account import MORE_TRIES

pytestmark = pytest.mark.django_db
PASSWORD = "planted-password-77"


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


def test_a_link_mails_no_more_strangers_than_it_invites(page):
    answers = [ask_for_account(page, f"stranger{n}@example.org") for n in range(MORE_TRIES + 4)]
    assert [answer.status_code for answer in answers[-3:]] == [302, 429, 429]
    assert len(mail.outbox) == MORE_TRIES + 2
    assert User.objects.filter(email__startswith="stranger").count() == MORE_TRIES + 2
