"""A mail server that takes no mail: the pages of an account say so instead of failing."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from smtplib import SMTPRecipientsRefused
from unittest import mock

import pytest
from allauth.account.models import EmailAddress
from django.core.mail.backends.locmem import EmailBackend
from django.urls import reverse

SAID = "L’e-mail n’a pas pu être envoyé. Réessayez dans quelques minutes."
PASSWORD = "phrase-de-passe-2026"


@pytest.fixture(params=[ConnectionRefusedError(111), SMTPRecipientsRefused({"x@x": (550, b"")})])
def mail_is_away(request: pytest.FixtureRequest) -> Iterator[None]:
    with mock.patch.object(EmailBackend, "send_messages", side_effect=request.param):
        yield


@pytest.fixture
def account(club, settings):
    """A member whose address nobody has confirmed."""
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    user = club.members[0].user
    user.set_password(PASSWORD)
    user.save()
    EmailAddress.objects.filter(user=user).delete()
    return user


@pytest.mark.parametrize("address", ["login", "login/code", "password/reset"])
def test_a_page_that_writes_says_that_its_mail_could_not_leave(
    mail_is_away, account, as_user, address, caplog
):
    browser = as_user()
    fields = {"email": account.email, "login": account.email, "password": PASSWORD}
    with caplog.at_level(logging.ERROR):
        answer = browser.post(f"/compte/{address}/?next=/aide/", fields, follow=True)
    assert answer.status_code == 200
    assert answer.redirect_chain == [(f"/compte/{address}/?next=/aide/", 302)]
    assert SAID in answer.content.decode()
    assert account.email not in caplog.text
    assert caplog.messages == ["the mail server takes no mail"]


def test_who_proves_themselves_by_a_code_reads_that_it_could_not_leave(
    mail_is_away, account, as_user
):
    browser = as_user(account)
    answer = browser.post(reverse("reauthenticate_by_code"), {"send": "1"}, follow=True)
    words = answer.content.decode()
    assert SAID in words
    assert "Envoyer le code" in words
    assert 'name="code"' not in words
