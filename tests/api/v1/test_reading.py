"""Each reading address with every role, and what the answers hold."""

from __future__ import annotations

import pytest
from django.test import Client

from api.v1.views import club, lists, people, play, tournaments
from pairings.ranking import live as live_ranking
from pairings.tournaments.models import Entry
from tests.api.keys import key_of
from tests.permissions.access import API
from tests.permissions.conftest import site, world  # noqa: F401
from tests.permissions.test_permissions import address

pytestmark = pytest.mark.django_db
READING = [
    operation.view_func.__name__
    for part in (club, lists, people, play, tournaments)
    for view in part.router.path_operations.values()
    for operation in view.operations
    if "GET" in operation.methods
]


def read(url, key="", **headers):
    if key:
        headers["Authorization"] = f"Bearer {key}"
    return Client().get(url, headers=headers)


@pytest.fixture
def keys(site):  # noqa: F811
    """A key of each role, by its name; "" is a visitor's."""
    house = site.club
    members = {
        "player": house.members[0],
        "arbiter": house.arbiter.member,
        "committee": house.committee.member,
    }
    return {"visitor": ""} | {role: key_of(m, house.at, "read") for role, m in members.items()}


def url_of(site, name, **more):  # noqa: F811
    return address(site, "api", name, {**API[name][1], **more}, site.club)


def test_the_addresses_read_here_are_in_the_table_of_all():
    assert len(READING) == len(set(READING)) > 20
    assert set(READING) <= set(API)


@pytest.mark.parametrize("name", READING)
def test_every_role_reads_an_address_of_its_own_club(site, keys, name):  # noqa: F811
    url = url_of(site, name)
    for role, key in keys.items():
        answer = read(url, key)
        assert answer.status_code == 200, (role, answer.json())
        again = read(url, key, **{"If-None-Match": answer["ETag"]})
        assert again.status_code == 304, role
    theirs = key_of(site.neighbours.committee.member, site.club.at)
    assert read(url, theirs).json()["code"] == "token_of_another_club"
    deaf = key_of(site.club.members[0], site.club.at, "results")
    assert read(url, deaf).json()["code"] == "scope_needed"


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("ranking", 8),
        ("players", 8),
        ("player", 9),
        ("evenings", 6),
        ("evening", 9),
        ("evening_matches", 9),
        ("match", 7),
        ("tournament", 8),
        ("tournament_round", 10),
        ("tournament_standings", 9),
        ("rating_list", 10),
        ("competition", 12),
        ("editions", 6),
        ("change", 8),
    ],
)
def test_an_address_asks_few_queries(site, keys, name, most, django_assert_max_num_queries):  # noqa: F811
    url, key = url_of(site, name), keys["player"]
    read(url, key)
    with django_assert_max_num_queries(most):
        assert read(url, key).status_code == 200


def test_the_ranking_is_that_of_the_page(site, keys):  # noqa: F811
    found = live_ranking.ranking(site.club.organisation, at=site.club.at, live=True)
    body = read(url_of(site, "ranking"), keys["player"]).json()
    assert [row["player"]["id"] for row in body["items"]] == [
        row.member.public_id for row in found.rows[:50]
    ]
    assert [row["values"]["pr"] for row in body["items"]] == [
        str(row.values["pr"]) for row in found.rows[:50]
    ]
    assert body["live"] is True and body["evening"] == f"{site.words['day']}/1"


def test_the_evening_shows_its_tables_and_who_waits(site, keys):  # noqa: F811
    body = read(url_of(site, "evening")).json()
    tables = {match["id"]: match for match in body["tables"]}
    assert tables[site.words["called"]]["status"] == "proposed"
    assert body["state"] == "running" and body["waiting"] > 0
    assert body["present"] >= body["waiting"] + len(tables)


def test_the_reasons_of_a_change_add_up_to_it(site, keys):  # noqa: F811
    body = read(url_of(site, "change"), keys["player"]).json()
    assert body["reasons"] and all(reason["article"] for reason in body["reasons"])
    assert body["delta"] == body["after"] - body["before"] if body["before"] else True


def test_the_entries_of_a_tournament_say_who_came_late(site, keys):  # noqa: F811
    url = url_of(site, "tournament_entries")
    late = Entry.objects.filter(tournament__slug=url.split("/")[-2]).order_by("pk").last()
    Entry.objects.filter(pk=late.pk).update(first_round=2)
    found = {one["player"]["id"]: one["first_round"] for one in read(url).json()["items"]}
    assert found.pop(late.member.public_id) == 2 and set(found.values()) == {1}


def test_a_list_is_read_in_pages_to_its_end(site, keys):  # noqa: F811
    url, ranks = url_of(site, "rating_list") + "?limit=1", []
    while url:
        body = read(url).json()
        ranks += [row["player"]["name"] for row in body["items"]]
        url = body["next"]
    assert len(ranks) == len(set(ranks)) == body["total"] > 1


def test_a_person_who_hides_is_not_found_by_visitors_and_is_by_members(site, keys):  # noqa: F811
    member = site.club.members[5]
    type(member).objects.filter(pk=member.pk).update(visibility="members")
    url = url_of(site, "player", player=member.public_id)
    assert read(url).status_code == 404
    assert read(url, keys["player"]).json()["name"] == member.full_name
    found = [one["id"] for one in read(url_of(site, "players") + "?limit=100").json()["items"]]
    assert member.public_id not in found and len(found) > 5


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("match", {"match_id": 10**30}),
        ("edition", {"edition_number": 99}),
        ("player", {"player": "nobody"}),
        ("evening", {"nth": 9}),
        ("rule_version", {"version": 99}),
        ("rule_version", {"scope": "chess"}),
        ("tournament_round", {"round_number": 99}),
    ],
)
def test_what_does_not_exist_is_a_problem(site, name, given):  # noqa: F811
    answer = read(url_of(site, name, **given))
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
