"""A password may be tried a few times from one address; nobody's tries lock anybody else out."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.test import Client
from django.urls import reverse

from clubs.accounts import rate_limits
from config.auth.account_adapter import (
    OF_AN_ACCOUNT,
    OF_AN_ACCOUNT_A_DAY,
    OF_AN_ADDRESS,
    TO_A_STRANGER,
    TO_STRANGERS,
)
from tests.clubhouse import NOW

pytestmark = pytest.mark.django_db
of_both_pages = pytest.mark.parametrize(
    "page", ["account_request_login_code", "account_reset_password"]
)

PASSWORD = "a-good-password-19"
HOME, STRANGER = "192.0.2.10", "198.51.100.66"


@pytest.fixture(autouse=True)
def one_span(monkeypatch, settings):
    """Every try of a test falls into one span, and only our own limits count them."""
    settings.ACCOUNT_RATE_LIMITS = {"login": ""}
    monkeypatch.setattr("config.auth.account_adapter.received_at", lambda _request: NOW)


@pytest.fixture
def account(club):
    user = club.members[0].user
    user.set_password(PASSWORD)
    user.save()
    return user


def tried(user, password: str, address: str, *, typed: str = "") -> bool:
    """Does this password sign in from that address? `typed`: the account, if not as it is stored."""
    client = Client(REMOTE_ADDR=address)
    client.post(reverse("account_login"), {"login": typed or user.email, "password": password})
    return "_auth_user_id" in client.session


@pytest.mark.parametrize(("wrong", "comes_in"), [(3, True), (4, True), (5, False)])
def test_five_wrong_passwords_close_the_account_to_that_address(account, wrong, comes_in):
    """However the account is written: a capital letter opens no further tries."""
    for number in range(wrong):
        email = account.email
        typed = email[:number].upper() + email[number:]
        assert not tried(account, f"wrong-{number}", STRANGER, typed=typed)
    assert tried(account, PASSWORD, STRANGER) is comes_in


def test_a_stranger_who_goes_on_guessing_does_not_lock_the_owner_out(account):
    for number in range(30):
        assert not tried(account, f"wrong-{number}", STRANGER)
    assert tried(account, PASSWORD, HOME)


def test_somebody_else_at_the_same_address_is_not_locked_out(account, club):
    other = club.members[1].user
    other.set_password(PASSWORD)
    other.save()
    for number in range(6):
        tried(account, f"wrong-{number}", HOME)
    assert tried(other, PASSWORD, HOME)


def test_right_passwords_use_nothing_up(account):
    assert all(tried(account, PASSWORD, HOME) for _time in range(7))


def test_an_address_that_tries_every_account_is_stopped(account):
    limits_of = [rate_limits.count(OF_AN_ADDRESS, STRANGER, at=NOW) for _try in range(100)]
    assert limits_of[-1] == OF_AN_ADDRESS.amount
    assert not tried(account, PASSWORD, STRANGER)


def test_five_a_span_add_up_to_a_bound_a_day(account, monkeypatch):
    """Patience gives no more: after 30 wrong ones that address waits for tomorrow."""
    at = NOW.replace(hour=0, minute=0)
    for number in range(OF_AN_ACCOUNT_A_DAY.amount):
        moment = at + (number // OF_AN_ACCOUNT.amount) * timedelta(minutes=5)
        monkeypatch.setattr(
            "config.auth.account_adapter.received_at", lambda _r, moment=moment: moment
        )
        assert not tried(account, f"wrong-{number}", STRANGER)
    later = at + timedelta(hours=9)
    monkeypatch.setattr("config.auth.account_adapter.received_at", lambda _request: later)
    assert not tried(account, PASSWORD, STRANGER)
    assert tried(account, PASSWORD, HOME)
    tomorrow = at + timedelta(days=1)
    monkeypatch.setattr("config.auth.account_adapter.received_at", lambda _request: tomorrow)
    assert tried(account, PASSWORD, STRANGER)


def test_the_tries_of_a_second_factor_keep_allauths_own_limit():
    from allauth.account import app_settings

    assert app_settings.RATE_LIMITS["login_failed"]


# Mails to people without an account


@pytest.fixture
def asked(settings):
    """Ask for a code, or a new password, for an address without an account; count the mails."""
    settings.ACCOUNT_RATE_LIMITS = {"request_login_code": "", "reset_password": ""}

    def ask(email: str, page: str = "account_request_login_code", address: str = STRANGER) -> int:
        answer = Client(REMOTE_ADDR=address).post(reverse(page), {"email": email})
        assert answer.status_code == 302
        return len(mail.outbox)

    return ask


def test_nobody_without_an_account_gets_mail_after_mail(db, asked):
    email = "nobody@example.org"
    for number in range(TO_A_STRANGER.amount):
        assert asked(email, address=f"192.0.2.{number}") == number + 1
    for page in ("account_request_login_code", "account_reset_password"):
        assert asked(email.upper(), page, HOME) == TO_A_STRANGER.amount
    assert {letter.to[0].lower() for letter in mail.outbox} == {email}


def test_one_address_makes_the_site_write_to_few_strangers(db, asked):
    for number in range(TO_STRANGERS.amount):
        assert asked(f"nobody{number}@example.org") == number + 1
    assert asked("one-more@example.org") == TO_STRANGERS.amount
    assert asked("one-more@example.org", address=HOME) == TO_STRANGERS.amount + 1


def test_an_account_gets_its_code_whatever_is_asked_for_strangers(account, asked):
    for number in range(TO_STRANGERS.amount + 1):
        asked(f"nobody{number}@example.org")
    before = len(mail.outbox)
    assert asked(account.email) == before + 1
    assert mail.outbox[-1].to == [account.email]


@of_both_pages
def test_an_account_is_written_to_in_its_own_language(club, asked, page):
    """The browser that asks may be a borrowed one: here it says French."""
    account = club.members[1].user
    account.language = "ro"
    account.save(update_fields=["language"])
    asked(account.email, page)
    assert mail.outbox[-1].body.startswith("Bună ziua")


@of_both_pages
def test_a_closed_account_gets_neither_code_nor_link(account, asked, page):
    account.is_active = False
    account.save(update_fields=["is_active"])
    for email in (account.email, "nobody@example.org"):
        asked(email, page)
    assert mail.outbox[0].subject == mail.outbox[1].subject


def test_an_address_without_an_account_is_answered_as_a_wrong_password(account, monkeypatch):
    """In the same words, and after the same work: the password is hashed once for either."""
    hashed, said, usual = [], [], MD5PasswordHasher.encode

    def encode(self, password, salt):
        hashed.append(password)
        return usual(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", encode)  # the tests' own
    for email in (account.email, "nobody@example.org"):
        answer = Client().post(reverse("account_login"), {"login": email, "password": "wrong"})
        said.append(answer.context["form"].errors.as_text())
    assert said[0] == said[1] != ""
    assert hashed == ["wrong", "wrong"]


@of_both_pages
def test_an_address_that_a_database_takes_for_the_accounts_is_written_nothing(account, asked, page):
    """PostgreSQL writes ı as I in capitals: a domain with one is another domain."""
    account.email, account.language = "karim@mail.example.org", "ro"
    account.save(update_fields=["email", "language"])
    asked("karim@maıl.example.org", page)
    asked("karım@mail.example.org", page)
    texts = "".join(letter.body for letter in mail.outbox)
    assert "/password/reset/key/" not in texts and len(mail.outbox) == 2
    assert all("aucun compte" in letter.body for letter in mail.outbox)


@of_both_pages
def test_a_code_and_a_link_leave_for_the_address_of_the_account(account, asked, page):
    """allauth reads it in small letters, in which the sign of a kelvin is k; it might be another mailbox."""
    account.email = "karim@mail.example.org"
    account.save(update_fields=["email"])
    asked("\u212aARIM@mail.example.org", page)
    asked("KARIM@mail.example.org", page)
    assert [letter.to for letter in mail.outbox] == [[account.email]] * 2
