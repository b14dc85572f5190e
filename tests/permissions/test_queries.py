"""How many queries the main pages ask, however many members the club has.

Everything counts, the session, the user, the organisation and the membership of every page included;
what is cached for all readers was read once before.
"""

from __future__ import annotations

import pytest

from tests.permissions.access import PAIRINGS
from tests.permissions.test_permissions import address, signed_in

# Both databases are asked the same queries.
pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]
CARDS = {
    "called": "called",
    "late": "called",
    "entered": "sent",
    "to_confirm": "to_confirm",
    "absence": None,
    "imposed": None,
    "open": None,
}


def assert_asks(most, client, url, django_assert_max_num_queries):
    client.get(url)
    with django_assert_max_num_queries(most):
        answer = client.get(url)
    assert answer.status_code == 200
    return answer


@pytest.mark.parametrize("word", CARDS)
def test_the_card_of_the_evening_asks_each_thing_once(site, word, django_assert_max_num_queries):
    client = signed_in(site, site.owners[word])
    url = f"/c/{site.club.organisation.slug}/ma-soiree/"
    answer = assert_asks(8, client, url, django_assert_max_num_queries)
    assert CARDS[word] in (None, answer.context["card"].state)


def test_every_player_of_the_evening_has_such_a_card(site, django_assert_max_num_queries):
    states = set()
    for member in site.club.members[::2]:
        client = signed_in(site, member.user)
        url = f"/c/{site.club.organisation.slug}/ma-soiree/"
        answer = assert_asks(8, client, url, django_assert_max_num_queries)
        states.add(answer.context["card"].state)
    assert {"waiting", "called", "contested", "result"} <= states


@pytest.mark.parametrize(
    ("name", "words", "most"),
    [
        ("match", {"match_id": "called"}, 8),
        ("match", {"match_id": "entered"}, 8),
        ("match", {"match_id": "over"}, 8),
        ("match", {"match_id": "match"}, 8),
        ("result_enter", {"match_id": "called"}, 8),
        ("ranking", {}, 8),
        ("evening", {"day": "day"}, 8),
        ("player", {"slug": "slug"}, 12),
        ("my_recap", {"day": "last_week"}, 12),
        ("board", {"day": "last_week"}, 12),
        ("head_to_head", {"slug": "slug", "other": "other"}, 12),
        ("calendar_feed", {}, 6),
    ],
)
def test_a_main_page_asks_few_queries(site, name, words, most, django_assert_max_num_queries):
    reader = site.owners["called" if name == "result_enter" else "match"]
    url = address(site, "pairings", name, words, site.club)
    assert name in PAIRINGS
    client = signed_in(site, reader)
    assert_asks(most, client, url, django_assert_max_num_queries)
    sent = client.get(url, headers={"Accept-Encoding": "gzip"})
    # With fonts, styles and scripts (tests/clubs/ui/test_look.py) a first visit stays under 160 kB.
    assert sent["Content-Encoding"] == "gzip" and len(sent.content) < 20_000
