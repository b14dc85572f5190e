"""A body with characters that no database stores is refused as a whole, and says where they are."""

from __future__ import annotations

import json

import pytest

from api.v1 import problems
from clubs.members.models import Member
from pairings.evenings.models import Evening
from tests.api.v1.test_schema import OPERATIONS, PLACES

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("blot", ["\0", "\ud800"], ids=["NUL", "half a pair"])
@pytest.mark.parametrize(("method", "path"), [one for one in OPERATIONS if one[0] != "get"])
def test_each_body_refuses_what_cannot_be_stored(club, send, method, path, blot):
    names = {"match_id": 1, "slug": "liste", "round_number": 1, "member": "nobody"}
    names |= {"day": "2026-11-20", "nth": 1, "request_id": 1, "contest_id": 1}
    assert path in PLACES
    body = {"first": f"a{blot}", "inner": [{"good": "é😀", "worse": blot}], "deep": {blot: 1}}
    answer = send(
        path.format(**names), json.dumps(body), club.committee.member, method=method, once="k"
    )
    told = answer.json()
    assert (answer.status_code, told["code"]) == (422, "invalid")
    fields = [error["field"] for error in told["errors"]]
    assert fields == ["body.first", "body.inner.0.worse", "body.deep"]


@pytest.mark.parametrize("depth", [100, 300, 600, 900, 1200, 9000])
@pytest.mark.parametrize("ends", ["[]", ('{"a":', "}")], ids=["lists", "objects"])
def test_values_within_each_other_are_refused_however_deep(club, send, depth, ends):
    body = f'{{"first_name": {ends[0] * depth}1{ends[1] * depth}, "last_name": "Nova"}}'
    answer = send("members", body, club.committee.member, "office")
    assert answer.status_code in (400, 422)
    assert answer["Content-Type"] == "application/problem+json"
    assert not Member.objects.filter(last_name="Nova").exists()


def test_a_pair_of_halves_is_a_character_and_is_taken(club, send):
    body = r'{"first_name": "\ud83d\ude00", "last_name": "Nova", "number": 88}'
    assert send("members", body, club.committee.member, "office").status_code == 201
    assert Member.objects.get(number=88).first_name == "😀"


@pytest.mark.parametrize("name", ["user_id", "organisation", "role", "visibility_of_others"])
def test_a_name_that_an_act_does_not_know_is_refused(club, send, name):
    """What a table has, or will have, is not open to whoever sends it."""
    body = {"first_name": "Ada", "last_name": "Nova", name: 1}
    answer = send("members", body, club.committee.member, "office")
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [f"body.{name}"]
    assert not Member.objects.filter(last_name="Nova").exists()


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ([], "body", "Donnez un objet JSON."),
        ({"results": 5}, "body.results", "Donnez une liste."),
        ({"results": []}, "body.results", "Liste trop courte\u00a0: longueur minimale 1."),
    ],
)
def test_a_value_of_another_form_is_told_which_one_is_expected(club, send, body, field, message):
    answer = send("tournaments/open/rounds/1/results", body, club.arbiter.member)
    assert answer.json()["errors"] == [{"field": field, "message": message}]


@pytest.mark.parametrize("day", [1795910400, "1795910400", "2026-11-28T00:00:00", 1.5, "20261128"])
def test_a_day_is_written_as_the_document_says(club, send, day):
    """A number was read as seconds since 1970, and announced an evening of that day."""
    hour = {"hour": "19:30"}
    answer = send("evenings", {"day": day, **hour}, club.committee.member, "office")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    (error,) = answer.json()["errors"]
    assert (error["field"], error["message"]) == ("body.day", "Donnez une date (2026-11-20).")
    assert Evening.objects.of(club.organisation).count() == 1
    right = send("evenings", {"day": "2026-11-28", **hour}, club.committee.member, "office")
    assert right.status_code == 201


def test_a_match_whose_number_no_database_stores_is_refused(club, send):
    line = {"match": 10**30, "version": 0, "first": 400, "second": 350}
    path = "tournaments/open/rounds/1/results"
    answer = send(path, {"results": [line]}, club.arbiter.member, "direct")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == ["body.results.0.match"]


def test_the_first_hundred_wrong_values_are_named(club, send):
    """A body of 3 MB may hold 200,000 names that nobody knows: its answer had four times as much."""
    body = {f"unknown{number}": 1 for number in range(150)}
    answer = send("members", body, club.committee.member, "office")
    assert answer.status_code == 422
    assert len(answer.json()["errors"]) == problems.MOST_ERRORS
