"""A session that ends while somebody types: what they sent is offered again after signing in."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from clubs.accounts import reauthentication
from clubs.accounts.reauthentication import KEPT, KEPT_BYTES, KEPT_FOR, OF_A_VISITOR
from pairings.arbitration.models import Contest
from tests.clubs.accounts.test_reauthentication import PASSWORD, code_sent, hidden, sign_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def entered(club):
    """A match whose result the first player has entered; the second is signed in elsewhere."""
    match, (first, second) = club.match()
    player = sign_in(first.user)
    player.post(f"/matchs/{match.pk}/saisir/", {"mine": "400", "theirs": "350"})
    match.refresh_from_db()
    return match, second


def end_session(client: Client) -> None:
    Session.objects.all().delete()


def sign_in_again(client: Client, answer, user) -> str:
    """Sign in on the page that the answer leads to; return where that leads."""
    assert "/compte/login/" in answer["Location"]
    return client.post(answer["Location"], {"login": user.email, "password": PASSWORD})["Location"]


def test_a_contest_that_was_typed_is_sent_after_signing_in_again(club, entered):
    match, second = entered
    client, page = sign_in(second.user), f"/matchs/{match.pk}/contester/"
    typed = {
        "version": str(match.version),
        "subject": Contest.Subject.WRONG_SCORE.value,
        "mine": "390",
        "theirs": "400",
        "words": "Le dernier coup n’est pas compté.",
    }
    end_session(client)
    asks = client.post(page, typed)
    assert not Contest.objects.exists()
    assert "Votre connexion a pris fin." in client.get(asks["Location"]).content.decode()
    assert sign_in_again(client, asks, second.user) == page
    offered = client.get(page).content.decode()
    assert typed["words"] in offered[: offered.index("<form", offered.index("<main"))]
    assert second.member.full_name in offered[offered.index("<main") :]
    assert dict(hidden(offered)) == typed
    client.post(page, dict(hidden(offered)))
    assert Contest.objects.get().words == typed["words"]
    assert client.get(page)["Location"] == f"/matchs/{match.pk}/"  # once


def test_what_one_person_typed_is_not_shown_to_the_next_who_signs_in(club, entered):
    match, second = entered
    client, page = sign_in(second.user), f"/matchs/{match.pk}/contester/"
    end_session(client)
    asks = client.post(page, {"words": "Thomas a compté deux fois le dernier coup."})
    sign_in(club.arbiter.user)  # gives the account its password
    sign_in_again(client, asks, club.arbiter.user)
    shown = client.get(page, follow=True).content.decode()
    assert "Thomas a compté" not in shown and "n’est montré qu’à elle" in shown
    assert KEPT not in client.session


def test_a_form_of_an_unknown_browser_is_offered_to_who_signs_in(club, entered):
    match, second = entered
    client, page = Client(), f"/matchs/{match.pk}/contester/"
    client.cookies["last"] = "7:forged"
    asks = client.post(page, {"words": "Une phrase à envoyer."})
    sign_in(second.user)
    sign_in_again(client, asks, second.user)
    assert "Une phrase à envoyer." in client.get(page).content.decode()


def test_what_an_arbiter_decided_is_kept_too(club, entered):
    match, second = entered
    player = sign_in(second.user)
    typed = {
        "version": str(match.version),
        "subject": Contest.Subject.OTHER,
        "words": "La pendule.",
    }
    player.post(f"/matchs/{match.pk}/contester/", typed)
    contest = Contest.objects.get()
    arbiter, page = sign_in(club.arbiter.user), f"/arbitrage/litiges/{contest.pk}/"
    end_session(arbiter)
    asks = arbiter.post(page, {"decide": "1", "reason": "Feuille relue, score juste."})
    assert sign_in_again(arbiter, asks, club.arbiter.user) == page
    assert dict(hidden(arbiter.get(page).content.decode())) == {
        "decide": "1",
        "reason": "Feuille relue, score juste.",
    }


def test_the_page_says_that_a_file_is_not_kept(club, entered):
    match, second = entered
    client, page = sign_in(second.user), f"/matchs/{match.pk}/contester/"
    said = "n’est pas gardé"
    for files, expected in (({"photo": SimpleUploadedFile("a.jpg", b"x")}, True), ({}, False)):
        end_session(client)
        asks = client.post(page, {"words": "Voir la feuille.", **files})
        sign_in_again(client, asks, second.user)
        assert (said in client.get(page).content.decode()) is expected


def next_of(answer) -> str:
    return parse_qs(urlsplit(answer["Location"]).query)["next"][0]


def test_what_a_script_sends_is_not_kept_and_takes_nothing_away(club, entered):
    match, _second = entered
    client, page = Client(), f"/matchs/{match.pk}/contester/"
    client.post(page, {"words": "Une phrase."})
    client.post("/ma-soiree/pause/", {"endpoint": "x"}, headers={"Sec-Fetch-Mode": "cors"})
    assert client.session[KEPT]["path"] == page


def test_a_button_without_a_field_leads_back_to_its_page(club):
    client = Client()
    sent = client.post("/ma-soiree/revenir/", headers={"Referer": "http://testserver/ma-soiree/"})
    assert next_of(sent) == "http://testserver/ma-soiree/"
    assert KEPT not in client.session


def test_a_link_leads_who_signs_in_to_its_own_page(club):
    followed = Client().get("/moi/donnees/", headers={"Referer": "http://testserver/aide/"})
    assert next_of(followed) == "/moi/donnees/"


@pytest.mark.parametrize(("length", "kept"), [(-1, True), (0, True), (1, False)])
def test_little_is_stored_of_a_visitor(club, length, kept):
    client = Client()
    client.post("/moi/donnees/", {"words": "x" * (KEPT_BYTES + length)})
    assert (KEPT in client.session) is kept


def test_seldom_for_one_address_and_for_an_hour(club, monkeypatch):
    monkeypatch.setattr(reauthentication, "OF_A_VISITOR", replace(OF_A_VISITOR, amount=3))
    for number in range(4):
        client = Client()
        client.post("/moi/donnees/", {"words": "Une phrase."})
        assert (KEPT in client.session) is (number < 3), number
        assert number == 3 or client.session.get_expiry_age() == KEPT_FOR


@pytest.mark.parametrize("by_code", [False, True])
def test_a_session_that_began_with_a_kept_form_lasts_as_every_other(club, entered, by_code):
    match, second = entered
    second.user.set_password(PASSWORD)
    second.user.save()
    client = Client()
    asks = client.post(f"/matchs/{match.pk}/contester/", {"words": "Une phrase."})
    if by_code:
        client.post(reverse("account_request_login_code"), {"email": second.user.email})
        client.post(reverse("account_confirm_login_code"), {"code": code_sent()})
    else:
        sign_in_again(client, asks, second.user)
    assert client.session["_auth_user_id"] == str(second.user.pk)
    assert client.session.get_expiry_age() == settings.SESSION_COOKIE_AGE
    assert KEPT in client.session
