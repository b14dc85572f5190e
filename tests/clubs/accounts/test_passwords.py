"""Which passwords an account may have: long enough, not common, not one's own address; any signs."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.password_validation import validate_password
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client

from clubs.accounts.models import User
from config.auth.hashers import ClubArgon2PasswordHasher
from tests.clubhouse import NOW

BUTTON = re.compile(r'class="btn\s[^"]*btn--primary[^"]*"\s+name="action"')
SOMEBODY = User(email="amelie.rousseau@example.org")


@pytest.mark.parametrize(
    "password", ["", "neuf-lett", "1234567890", "password123", "amelie.rousseau", "Rousseau.Amelie"]
)
def test_a_password_that_is_short_common_or_ones_own_address_is_refused(password):
    with pytest.raises(ValidationError):
        validate_password(password, SOMEBODY)


@pytest.mark.parametrize(
    "password",
    ["dix-signes", "tout en minuscules", "phrase de passe " * 8, "пароль-без-латиницы", "🎲" * 10],
)
def test_any_signs_make_a_password_and_a_long_one_is_not_cut(password):
    validate_password(password, SOMEBODY)
    hasher = ClubArgon2PasswordHasher()
    stored = hasher.encode(password, "a-salt-of-this-test")
    assert stored.startswith("argon2$argon2id$") and "m=32768,t=2,p=1" in stored
    assert hasher.verify(password, stored)
    assert not hasher.verify(password[:-1], stored)
    assert not hasher.verify(password.upper().swapcase() + " ", stored)


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["login", "login/code", "password/reset"])
def test_a_field_to_sign_in_says_its_name_once(client, page):
    shown = client.get(f"/compte/{page}/").content.decode()
    assert "<label" in shown and "placeholder" not in shown


def test_the_field_for_a_mailed_code_says_its_name_once(client, club):
    asked = {"email": club.members[0].user.email}
    shown = client.post("/compte/login/code/", asked, follow=True).content.decode()
    assert 'name="code"' in shown and "placeholder" not in shown


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fr", ["Prévenez votre comité", "prévenez votre comité", "Ce lien n’est plus valable"]),
        ("en", ["tell your committee", "tell your committee", "This link no longer works"]),
        ("ro", ["Anunțați comitetul", "anunțați comitetul", "Acest link nu mai este valabil"]),
    ],
)
def test_who_forgot_a_password_reads_whom_to_ask(client, language, words):
    client.cookies["django_language"] = language
    pages = ["", "done/", "key/1-bad/"]
    for page, said in zip(pages, words, strict=True):
        shown = client.get(f"/compte/password/reset/{page}").content.decode()
        assert said in shown
        assert "key" not in page or said in shown.partition("</title>")[0]
        assert not [
            of_nobody for of_nobody in ("contact", "jeton", "Scrieți-ne") if of_nobody in shown
        ]


@pytest.mark.django_db
def test_the_page_after_a_new_password_leads_to_the_sign_in(client):
    shown = client.get("/compte/password/reset/key/done/").content.decode()
    assert 'href="/compte/login/"' in shown[shown.index("<main") :]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "button", "rule", "said", "done"),
    [
        (
            "fr",
            "Choisir un mot de passe",
            "10 caractères au moins\u00a0; ni un mot de passe courant, ni votre adresse e-mail.",
            "Mot de passe enregistré.",
            "Votre nouveau mot de passe",
        ),
        (
            "en",
            "Choose a password",
            "At least 10 characters;",
            "Password saved.",
            "Your new password",
        ),
        (
            "ro",
            "Alege o parolă",
            "Cel puțin 10 caractere;",
            "Parola este salvată.",
            "Parola dumneavoastră nouă",
        ),
    ],
)
def test_a_first_and_a_forgotten_password_are_chosen_on_pages_alike(
    client, club, language, button, rule, said, done
):
    user, typed = club.members[0].user, dict.fromkeys(("password1", "password2"), "dix-signes-1")
    user.set_unusable_password()
    user.save()
    client.force_login(user)
    client.cookies["django_language"] = language
    first = client.get("/compte/password/set/").content.decode()
    assert button in first and "placeholder" not in first and BUTTON.search(first)
    assert said in client.post("/compte/password/set/", typed, follow=True).content.decode()
    change = client.get("/compte/password/change/").content.decode()
    out = client.post("/compte/logout/", follow=True).content.decode()
    assert ("Déconnexion réussie." in out) is (language == "fr")
    client.post("/compte/password/reset/", {"email": user.email})
    link = re.search(r"https?://[^/]+(/\S+)", mail.outbox[-1].body)[1]
    form = client.get(link, follow=True)
    shown = form.content.decode()
    assert "placeholder" not in shown and BUTTON.search(shown)
    for page in (first, change, shown):
        assert page.count(rule) == 1
    page = client.post(form.request["PATH_INFO"], typed, follow=True).content.decode()
    assert f"<h1>{done}</h1>" in page


@pytest.mark.django_db
def test_a_link_to_a_new_password_works_once_and_for_three_days(club, clock):
    user = club.members[0].user
    Client().post("/compte/password/reset/", {"email": user.email})
    link = re.search(r"https?://[^/]+(/\S+)", mail.outbox[-1].body)[1]
    over = "Ce lien n’est plus valable"
    for span, is_over in ((timedelta(days=3), False), (timedelta(days=3, seconds=2), True)):
        with time_machine.travel(NOW + span, tick=False):
            shown = Client().get(link, follow=True).content.decode()
            assert (over in shown) is is_over
    reader = Client()
    typed = dict.fromkeys(("password1", "password2"), "dix-signes-1")
    reader.post(reader.get(link, follow=True).request["PATH_INFO"], typed)
    assert over in reader.get(link, follow=True).content.decode()
