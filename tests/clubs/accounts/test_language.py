"""Whose language a page is in: the address's, the device's, the account's, the browser's, the club's."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from tests.our_code import NO_LANGUAGE_OF_OURS

pytestmark = pytest.mark.django_db
PAGE = "/c/faizers/confidentialite/"


@pytest.fixture
def english(club):
    club.organisation.language = "en"
    club.organisation.save()
    return club


def language_of(client, page=PAGE, **headers):
    answer = client.get(page, headers=headers)
    assert f'<html lang="{answer["Content-Language"]}"' in answer.content.decode()
    assert "Accept-Language" in answer["Vary"]
    return answer["Content-Language"]


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("", "en"),
        (f"{NO_LANGUAGE_OF_OURS}-VA,{NO_LANGUAGE_OF_OURS};q=0.9", "en"),
        ("*", "en"),
        ("fr-CA", "fr"),
        (f"{NO_LANGUAGE_OF_OURS},fr;q=0.5", "fr"),
        (f"{NO_LANGUAGE_OF_OURS},ro;q=0.5,fr;q=0.1", "ro"),
    ],
)
def test_a_browser_of_none_of_the_languages_reads_a_club_in_the_clubs(english, asked, language):
    assert language_of(Client(), **{"accept-language": asked}) == language


def test_a_page_that_is_not_there_is_in_the_clubs_language_too(english):
    answer = Client().get(
        "/c/faizers/nulle-part/", headers={"accept-language": NO_LANGUAGE_OF_OURS}
    )
    assert answer.status_code == 404
    assert '<html lang="en"' in answer.content.decode()


def test_a_page_of_no_club_is_in_french(english, other_club):
    assert language_of(Client(), "/", **{"accept-language": NO_LANGUAGE_OF_OURS}) == "fr"


def test_a_member_and_a_device_keep_the_language_they_chose(english, as_user):
    user = english.members[0].user
    user.language = "ro"
    user.save()
    assert language_of(as_user(user), **{"accept-language": NO_LANGUAGE_OF_OURS}) == "ro"
    chosen = Client()
    chosen.cookies["django_language"] = "fr"
    assert language_of(chosen, **{"accept-language": NO_LANGUAGE_OF_OURS}) == "fr"


RANKING = "/c/faizers/classement/"


@pytest.mark.parametrize(
    ("asked", "language"), [("en", "en"), ("ro", "ro"), ("xx", "fr"), ("", "fr"), ("EN", "fr")]
)
def test_an_address_may_name_the_language_of_a_visitor(club, asked, language):
    visitor = Client()
    visitor.cookies["django_language"] = "fr"
    for page in (RANKING, "/c/faizers/api/v1/docs"):
        assert language_of(visitor, f"{page}?lang={asked}") == language
        assert language_of(visitor, page) == "fr"


def test_a_fragment_is_in_the_language_of_its_pages_address(club):
    page = {
        "hx-current-url": f"https://example.org{RANKING}?tri=points&lang=ro#[",
        "hx-request": "true",
    }
    rows = Client().get(f"{RANKING}lignes/", headers=page)
    assert rows["Content-Language"] == "ro"


def test_an_account_reads_its_own_language_at_each_address(club, as_user):
    reader = as_user(club.members[0].user)
    assert language_of(reader, f"{PAGE}?lang=en") == "fr"
    reader.cookies["django_language"] = "ro"
    assert language_of(reader, f"{PAGE}?lang=en") == "ro"


def test_the_choice_of_a_language_leads_to_an_address_that_names_none(club):
    visitor = Client()
    page = visitor.get(f"{RANKING}?categorie=rubis&lang=en").content.decode()
    fields = re.findall(r'name="next" value="([^"]*)"', page)
    assert set(fields) == {f"{RANKING}?categorie=rubis"}
    led = visitor.post("/langue/setlang/", {"language": "ro", "next": fields[0]})
    assert language_of(visitor, led["Location"]) == "ro"


def test_a_public_page_leads_search_engines_to_each_language(club, as_user):
    languages = re.compile(r'rel="alternate" hreflang="([^"]+)" href="([^"]+)"')
    address = f"http://testserver{RANKING}"
    for asked in ("", "?lang=en"):
        assert languages.findall(Client().get(f"{RANKING}{asked}").content.decode()) == [
            *((code, f"{address}?lang={code}") for code in ("fr", "en", "ro")),
            ("x-default", address),
        ]
    for reader, page in (
        (Client(), f"{RANKING}?categorie=rubis"),  # there are many, and ever new ones
        (as_user(club.members[0].user), RANKING),
    ):
        assert not languages.findall(reader.get(page).content.decode())
