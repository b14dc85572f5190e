"""A search uses five words at most, whatever is written in its address."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clubs.search import search_words
from tests.ratings.lists.test_views import example

pytestmark = pytest.mark.django_db

WORDS = 8_000
CONDITION = re.compile(r'search_name"(?:::text)? (?:LIKE|~~)')


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("a b c d", ["a", "b", "c", "d"]),
        ("a b c d e", ["a", "b", "c", "d", "e"]),
        ("a b c d e f", ["a", "b", "c", "d", "e"]),
        ("x" * 99, ["x" * 99]),
        ("x" * 100, ["x" * 100]),
        ("x" * 101, ["x" * 100]),
        ("Œuvre-d’Été", ["oeuvre", "d", "ete"]),
        ("a\x00b", ["a", "b"]),
        (" ", []),
    ],
)
def test_a_search_keeps_five_words_of_a_hundred_characters(typed, kept):
    assert search_words(typed) == kept


@pytest.fixture
def pages(club):
    """Every page with a search: its address, who reads it, and the list of what it shows."""
    club.played(scores=(400, 300))
    held, _period = example(club)
    day = club.evening.held_on.isoformat()
    return {
        "players": ("/joueurs/", None),
        "ranking": ("/classement/", None),
        "ranking rows": ("/classement/lignes/", None),
        "list": (f"/cotes/{held.slug}/", None),
        "members": ("/gestion/membres/", club.committee.user),
        "journal": ("/gestion/journal/", club.committee.user),
        "desk": (f"/soirees/{day}/accueil/", club.arbiter.user),
    }


@pytest.mark.parametrize(
    "page", ["players", "ranking", "ranking rows", "list", "members", "journal", "desk"]
)
def test_eight_thousand_words_make_five_conditions(pages, page, as_user):
    path, user = pages[page]
    field = "qui" if page == "journal" else "q"
    with CaptureQueriesContext(connection) as asked:
        answer = as_user(user).get(f"/c/faizers{path}", {field: "zz " * WORDS})
    assert answer.status_code == 200
    assert max(len(CONDITION.findall(query["sql"])) for query in asked) <= 5


@pytest.mark.parametrize("page", ["players", "ranking", "ranking rows", "list", "members", "desk"])
def test_the_words_after_the_fifth_narrow_nothing(pages, page, as_user):
    path, user = pages[page]
    name = "Joueur" if page == "list" else "Nom1"
    client = as_user(user)

    def shown(words):
        return client.get(f"/c/faizers{path}", {"q": words}).content.decode().count(name)

    assert shown(f"{name} " * 5 + "nobody " * WORDS) >= shown(f"{name} " * 5) > shown("nobody")


def test_the_published_ranking_is_searched_by_five_words(club, as_user):
    club.played(scores=(400, 300))
    club.close()
    club.publish_edition("Novembre")

    def rows(words):
        page = as_user().get("/c/faizers/classement/", {"etat": "publie", "q": words})
        return len(page.context["page"].object_list)

    name = f"{club.members[0].last_name} "
    assert rows(name * 5 + "nobody " * WORDS) == rows(name) > rows("nobody") == 0
