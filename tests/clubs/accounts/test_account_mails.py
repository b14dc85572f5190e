"""The mails of accounts, each read in the language of its reader."""

from __future__ import annotations

import re

import pytest
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.core import context
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import translation

NAMES = [
    "email_change_asked",
    "email_changed",
    "email_deleted",
    "password_changed",
    "password_reset",
    "login_code",
]
ABOUT = {"deleted_email": "a@x.org", "from_email": "a@x.org", "to_email": "b@x.org", "code": "K7"}


def mails(rf, language: str) -> dict[str, str]:
    """Return each mail's subject and text, by the name of its template."""
    request = rf.get("/")
    with context.request_context(request), translation.override(language):
        adapter = get_adapter(request)
        rendered = {n: adapter.render_mail(f"account/email/{n}", "a@x.org", ABOUT) for n in NAMES}
    return {name: f"{mail.subject}\n{mail.body}" for name, mail in rendered.items()}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "subject"),
    [
        ("fr", "Mot de passe réinitialisé"),
        ("en", "Password reset"),
        ("ro", "Parolă resetată"),
    ],
)
def test_the_mail_of_a_new_password_says_that_it_is_done(rf, language, subject):
    first_line = mails(rf, language)["password_reset"].partition("\n")[0]
    assert first_line.endswith(subject)


@pytest.mark.django_db
def test_a_romanian_mail_is_polite(rf):
    said = mails(rf, "ro")
    assert not [name for name, text in said.items() if re.search(r"\b(tău|tale|te)\b", text)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fr", ["Fait le 20\u00a0novembre 2026 à 20:00", "Prévenez tout de suite le comité"]),
        ("en", ["Done on 20\u00a0November 2026 at 20:00", "Tell your club’s committee at once"]),
        ("ro", ["20\u00a0noiembrie 2026, ora 20:00", "Anunțați imediat comitetul"]),
    ],
)
def test_the_mail_of_a_changed_account_names_the_device_and_what_to_do(club, language, words):
    user = club.members[0].user
    user.language = language
    user.save()
    client = Client(HTTP_USER_AGENT="Mozilla/5.0 (Windows NT 10.0; rv:127.0) Firefox/127.0")
    client.force_login(user)
    new = {"password1": "another-password-78", "password2": "another-password-78"}
    client.post(reverse("account_set_password"), new)
    [letter] = mail.outbox
    for said in [
        *words,
        "Firefox, Windows (",
        f"http://testserver{reverse('account_reset_password')}",
    ]:
        assert said in letter.body
    assert "Mozilla" not in letter.body


@pytest.mark.django_db
def test_both_addresses_are_written_to_in_the_accounts_language(club, settings):
    """Neither the new address nor, afterwards, the former one is that of an account."""
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    user = club.members[0].user
    user.language = "ro"
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    client = Client()
    client.force_login(user)
    client.cookies["django_language"] = "en"
    client.post(reverse("account_email"), {"action_add": "", "email": "new@example.org"})
    link = re.search(r"http://testserver(/\S+)", mail.outbox[-1].body)[1]
    client.post(link)
    said, asked, told = mail.outbox
    assert (said.to, asked.to, told.to) == ([user.email], ["new@example.org"], [user.email])
    assert "Se cere o altă adresă" in said.body
    assert "să devină adresa contului" in asked.body and "nu mai este" in told.body


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["fr", "en", "ro"])
def test_a_subject_has_one_capital(rf, language):
    """In these languages; others write each noun with a capital."""
    for text in mails(rf, language).values():
        subject = text.partition("\n")[0].partition("] ")[2]
        assert subject and subject[1:] == subject[1:].lower(), subject


def test_the_settings_say_for_what_the_language_is_chosen(club, as_user):
    page = as_user(club.members[0].user).get(f"/c/{club.organisation.slug}/moi/reglages/")
    assert "des e-mails et des notifications" in page.content.decode()
