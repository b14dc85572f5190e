"""A form opened before its reader signed in again: a sentence, and nothing written."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from clubs.accounts.reauthentication import KEPT
from pairings.matches.models import Match
from tests.clubs.accounts.test_reauthentication import PASSWORD, hidden
from tests.plugins.clock import NOW

pytestmark = pytest.mark.django_db


def test_a_form_of_an_earlier_sign_in_is_refused_in_the_readers_language(club):
    match, (a, _b) = club.match()
    phone = Client(enforce_csrf_checks=True, headers={"Accept-Language": "fr"})
    phone.force_login(a.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    url = f"/matchs/{match.pk}/saisir/"
    phone.get(url)
    sent = {"mine": "400", "theirs": "350", "csrfmiddlewaretoken": "x" * 64}
    answer = phone.post(url, sent)
    text = answer.content.decode()
    assert answer.status_code == 403
    assert "Cette page n’est plus à jour" in text
    assert "data-stale-page" in text, "static/js/entry.js looks for it and asks for a new token"
    assert Match.objects.get(pk=match.pk).status == "proposed"


OWN_PAGE = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}


@pytest.fixture
def phone(club) -> Client:
    """A player who has just signed in."""
    user = club.members[0].user
    user.set_password(PASSWORD)
    user.save()
    phone = Client(enforce_csrf_checks=True)
    sign_in = phone.get(reverse("account_login"))
    given = {"login": user.email, "password": PASSWORD, **token_of(sign_in)}
    phone.post(reverse("account_login"), given)
    return phone


@pytest.mark.parametrize(
    ("headers", "offered"),
    [
        (OWN_PAGE, True),
        (OWN_PAGE | {"Sec-Fetch-Site": "cross-site"}, False),
        (OWN_PAGE | {"Sec-Fetch-Site": "same-site"}, False),
        (OWN_PAGE | {"Sec-Fetch-Mode": "cors"}, False),
        ({}, False),
    ],
)
def test_what_a_page_of_this_site_sent_is_offered_to_who_has_just_signed_in(
    club, phone, headers, offered
):
    match, _players = club.match()
    url = f"/matchs/{match.pk}/contester/"
    typed = {"words": "Le dernier coup manque.", "pin": "1234"}
    answer = phone.post(url, typed | {"csrfmiddlewaretoken": "x" * 64}, headers=headers)
    assert answer.status_code == (302 if offered else 403)
    page = phone.get(url)
    assert ("Envoyer ce que vous aviez saisi" in page.content.decode()) is offered
    if offered:
        assert dict(hidden(page.content.decode())) == {"words": typed["words"]}
        assert (
            phone.post(url, typed | token_of(page)).status_code == 422
        )  # it is asked what is wrong


def test_who_has_signed_in_some_time_ago_is_offered_nothing(club, phone, time_machine):
    match, _players = club.match()
    url = f"/matchs/{match.pk}/contester/"
    time_machine.move_to(NOW + timedelta(minutes=16))
    typed = {"words": "Le dernier coup manque.", "csrfmiddlewaretoken": "x" * 64}
    assert phone.post(url, typed, headers=OWN_PAGE).status_code == 403
    assert KEPT not in phone.session


def test_what_a_page_without_a_guard_sent_is_not_offered(phone):
    typed = {"first_name": "Ana", "email": "ana@example.org", "csrfmiddlewaretoken": "x" * 64}
    assert phone.post("/rejoindre/", typed, headers=OWN_PAGE).status_code == 403
    assert KEPT not in phone.session


def token_of(page) -> dict[str, str]:
    return {"csrfmiddlewaretoken": str(page.context["csrf_token"])}
