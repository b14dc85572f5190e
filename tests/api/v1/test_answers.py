"""The form of answers: problems in three languages, ETags, pages, and the documentation."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64encode
from datetime import date, timedelta
from html import unescape

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import translation

from api.v1 import problems
from api.v1.once import HEADER as KEY
from api.v1.urls import site
from api.v1.views import club as club_views
from clubs.accounts.actor import Refused
from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Season
from tests.our_code import LANGUAGES

pytestmark = pytest.mark.django_db


def problem_of(answer, status, code):
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert answer.status_code == body["status"] == status
    assert body["code"] == code and body["title"] and body["type"]
    assert answer["Cache-Control"] == "no-store"
    return body


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_problem_is_in_the_readers_language(ask, language):
    answer = ask("seasons?limit=0", language=language)
    body = problem_of(answer, 422, "invalid")
    assert answer["Content-Language"] == language
    (error,) = body["errors"]
    assert error["field"] == "query.limit" and "1" in error["message"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_is_the_one_of_the_language_asked_for(ask, language):
    told = ask("nothing", language=language).json()["detail"]
    with translation.override(language):
        assert told == translation.gettext("Rien de tel à cette adresse.")


def test_an_unknown_address_and_method_are_problems(club, ask):
    problem_of(ask("nothing/here"), 404, "not_found")
    client = Client()
    answer = client.post("/c/faizers/api/v1/seasons", {})
    problem_of(answer, 405, "method_not_allowed")
    assert answer["Allow"] == "GET, HEAD"
    problem_of(client.post("/c/faizers/api/v1/openapi.json"), 405, "method_not_allowed")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (RuntimeError("boom"), 500, "failed"),
        (OperationalError("gone"), 503, "unavailable"),
        (Refused("Non.", code="why"), 409, "why"),
    ],
)
def test_failures_and_refusals_are_problems(ask, monkeypatch, error, status, code):
    def fails(request):
        raise error

    monkeypatch.setattr(club_views, "club_of", fails)
    body = problem_of(ask("seasons"), status, code)
    assert "boom" not in str(body) and (status != 409 or body["detail"] == "Non.")


def test_a_site_with_several_clubs_asks_for_the_prefix(club, neighbours):
    client = Client()
    problem_of(client.get("/api/v1/seasons"), 400, "club_needed")
    held = client.get("/api/v1/organisations").json()["items"]
    assert [one["slug"] for one in held] == ["faizers", "voisins"]


def test_what_has_not_changed_is_not_sent_again(club, ask):
    first = ask("seasons")
    assert first["Cache-Control"] == "no-cache, private" or "no-cache" in first["Cache-Control"]
    assert {"Authorization", "Accept-Language"} <= set(first["Vary"].split(", "))
    again = ask("seasons", **{"If-None-Match": first["ETag"]})
    assert again.status_code == 304 and not again.content
    Season.objects.update(name="autre")
    assert ask("seasons", **{"If-None-Match": first["ETag"]}).status_code == 200


def test_pages_follow_each_other_without_gap_or_double(club, ask):
    for year in (2020, 2021, 2022, 2023):
        club.season(
            str(year), date(2020, 1, 1) if year < 2022 else date(year, 1, 1), date(year, 12, 31)
        )
    names, path = [], "seasons?limit=2"
    while path:
        body = ask(path).json()
        names += [season["name"] for season in body["items"]]
        path = (body["next"] or "").partition("/api/v1/")[2]
    assert names == ["2026", "2023", "2022", "2021", "2020"]


def test_a_row_that_is_added_meanwhile_repeats_and_hides_none(club, ask):
    for year in (2024, 2025):
        club.season(str(year), date(year, 1, 1), date(year, 12, 31))
    first = ask("seasons?limit=1").json()
    club.season("2028", date(2028, 1, 1), date(2028, 12, 31))
    rest = ask(first["next"].partition("/api/v1/")[2].replace("limit=1", "limit=9")).json()
    names = [season["name"] for season in first["items"] + rest["items"]]
    assert names == ["2026", "2025", "2024"]


@pytest.mark.parametrize("after", ["x", "bm9wZQ", "WzFd", "WyJhIiwiYiJd", "Wzk5OTk5OTk5OTk5LDFd"])
def test_a_place_that_this_site_did_not_give_is_refused(club, ask, after):
    assert ask(f"seasons?after={after}").status_code == 422


@pytest.mark.parametrize(
    "values",
    [[None], [True], [1.5], [[]], [{}], ["\0"], ["a\ud800"], [7]],
    ids=["null", "boolean", "fraction", "list", "object", "NUL", "half a pair", "number"],
)
@pytest.mark.parametrize("path", ["players", "organisations", "editions"])
def test_a_place_of_other_types_is_refused(club, ask, path, values):
    after = urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")
    if (path, values) == ("editions", [7]):  # counted, not named
        assert ask(f"{path}?after={after}").status_code == 200
    else:
        told = problem_of(ask(f"{path}?after={after}"), 422, "invalid")
        assert [error["field"] for error in told["errors"]] == ["query.after"]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_place_outside_the_years_of_a_date_is_refused(club, ask, moment):
    after = urlsafe_b64encode(json.dumps([moment, 1]).encode()).decode().rstrip("=")
    told = problem_of(ask(f"evenings?after={after}"), 422, "invalid")
    assert [error["field"] for error in told["errors"]] == ["query.after"]


def test_an_idempotency_key_that_is_too_long_is_named_by_its_header(club, send):
    told = problem_of(
        send(
            "members", {"first_name": "Ada", "last_name": "N"}, club.committee.member, once="k" * 61
        ),
        422,
        "invalid",
    )
    assert [error["field"] for error in told["errors"]] == ["header.Idempotency-Key"]
    assert told["errors"][0]["message"] == told["detail"]


@pytest.mark.parametrize(("limit", "status"), [(99, 200), (100, 200), (101, 422)])
def test_a_page_has_at_most_a_hundred_rows(club, ask, limit, status):
    assert ask(f"seasons?limit={limit}").status_code == status


def test_the_documentation_is_one_page_of_this_site(club, as_user):
    answer = as_user(None).get("/c/faizers/api/v1/docs")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "/c/faizers/api/v1/seasons" in page and "SeasonOut" in page
    assert "taken from <code>next</code>" in page and "`" not in page
    assert "cdn" not in page and "swagger" not in page
    loaded = re.findall(
        r"<(?:script|link(?! rel=\"alternate)|img)\b[^>]*?(?:src|href)=\"([^\"]*)\"", page
    )
    assert loaded and all(re.match(r"/(?!/)", address) for address in loaded)
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*(?:src|nonce)=)", page)
    policy = answer["Content-Security-Policy"]
    assert "'unsafe" not in policy and "http" not in policy
    assert as_user(None).get("/c/faizers/api/v1/").status_code == 302


def operations():
    document = site.get_openapi_schema()
    return [
        (method, path.partition("/api/v1/")[2], told)
        for path, methods in document["paths"].items()
        for method, told in methods.items()
    ]


@pytest.mark.parametrize(("method", "header"), [("get", "If-None-Match"), ("post", KEY)])
def test_the_document_names_the_headers_that_are_read(method, header):
    for one, path, told in operations():
        named = {
            parameter["name"] for parameter in told["parameters"] if parameter["in"] == "header"
        }
        assert named == {header} if one == method else header not in named or one == "patch", path


def test_the_document_says_which_answers_there_are(club, ask):
    """304 to a reading, 413 to what is sent; no 405, which only another method gets."""
    for method, _path, told in operations():
        statuses = {int(status) for status in told["responses"]}
        assert (304 in statuses) is (method == "get")
        assert (413 in statuses) is (method != "get")
        assert 405 not in statuses
    etag = ask("seasons")["ETag"]
    again = ask("seasons", **{"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")


def test_the_document_says_what_each_parameter_means():
    for method, path, told in operations():
        for one in told["parameters"]:
            assert one["schema"].get("description"), (method, path, one["name"])


def test_the_document_asks_a_key_only_where_one_is_needed(club, ask):
    """A generated client would refuse to read a public page without one."""
    for method, path, told in operations():
        if method == "get" and "{" not in path:
            query = "?first=a&second=b" if "by-hand" in path else ""
            is_open = ask(path + query).status_code != 401
            assert ({} in told["security"]) is is_open, path
        elif method != "get":
            assert told["security"] == [{"Bearer": []}]


def test_the_document_says_how_long_to_wait():
    for _method, path, told in operations():
        assert "Retry-After" in told["responses"][429]["headers"], path


def test_the_documentation_page_says_limits_and_leads_to_its_values(club, as_user):
    page = as_user(None).get("/c/faizers/api/v1/docs").content.decode()
    assert "(query, integer from 1 to 100)" in page and "of at most 60 characters" in page
    assert '("" | keep | take | other' in unescape(page)
    assert "list of [integer from -100000 to 100000, integer from -100000 to 100000]" in page
    led = set(re.findall(r'href="#(\w+)"><code>', page))
    assert {"ProblemOut", "ResultIn"} < led
    assert led <= set(re.findall(r'id="(\w+)"', page))


def test_every_operation_is_on_the_documentation_page(club, as_user):
    page = unescape(as_user(None).get("/c/faizers/api/v1/docs").content.decode())
    for method, path, told in operations():
        assert f"/c/faizers/api/v1/{path}" in page and told["summary"] in page, (method, path)
    assert KEY in page and "If-None-Match" in page and "Nothing has changed" in page


@pytest.mark.parametrize(
    ("path", "body", "fields"),
    [
        ("arrivals", {"code": "X", "member": 1}, ["body.member"]),
        ("arrivals", {}, ["body.code"]),
        ("arrivals", [1], ["body"]),
        (
            "tournaments/x/rounds/1/results",
            {"results": [{"match": -1, "version": "x"}]},
            ["body.results.0.match", "body.results.0.version"],
        ),
    ],
)
def test_a_wrong_value_is_named_by_its_place_in_the_body(club, send, path, body, fields):
    told = problem_of(send(path, body, club.committee.member), 422, "invalid")
    assert [error["field"] for error in told["errors"]] == fields


@pytest.mark.parametrize(
    ("language", "choices", "length"),
    [
        ("fr", "Choisissez parmi\u00a0: a, b, c.", "longueur minimale 1."),
        ("en", "Choose among: a, b, c.", "minimum length 1."),
        ("ro", "Alegeți dintre: a, b, c.", "lungimea minimă 1."),
    ],
)
def test_what_a_value_must_be_is_said_in_the_readers_language_alone(language, choices, length):
    """The library that checks them joins choices with an English "or"."""
    wrong = {"type": "literal_error", "ctx": {"expected": "'a', 'b' or 'c'"}}
    short = {"type": "string_too_short", "ctx": {"min_length": 1}}
    with translation.override(language):
        assert problems.message_of(wrong) == choices
        assert problems.message_of(short).endswith(length)


def test_a_list_is_named_as_the_pages_of_the_reader_name_it(club, ask):
    club.played()
    club.close()
    player = f"players/{club.members[0].public_id}"
    for language, name in (("fr", "Échelle FAIZERS"), ("ro", "Scara FAIZERS")):
        assert ask("lists", language=language).json()["items"][0]["name"] == name
        assert ask(player, language=language).json()["lists"][0]["name"] == name


def test_a_guest_merged_with_a_member_is_that_member_in_their_matches(club, ask):
    match, _players = club.played()
    guest, member = match.first, club.members[5]
    Member.objects.filter(pk=guest.pk).update(user=None, is_guest=True)
    guest.refresh_from_db()
    how = {"reason": "Même personne", "by": club.committee, "at": club.at}
    merging.mark_merged(guest=guest, into=member, **how)
    [row] = ask(f"players/{member.public_id}/matches").json()["items"]
    assert row["first"] == {"id": member.public_id, "name": guest.full_name}
    assert ask(f"matches/{match.pk}").json()["first"] == row["first"]


@pytest.mark.parametrize(("language", "unit"), [("fr", "secondes"), ("en", "seconds")])
def test_a_unit_of_the_rules_is_in_the_readers_language(ask, language, unit):
    lines = ask("rules/faizers/0", language=language).json()["lines"]
    (window,) = [line for line in lines if line["name"] == "contest_window_s"]
    assert (window["value"], window["unit"]) == ("300", unit)


@pytest.mark.parametrize(("days", "closed"), [(-1, True), (0, False), (1, False)])
def test_a_season_is_closed_after_its_last_day(ask, club, days, closed):
    Season.objects.update(ends_on=club.at.date() + timedelta(days=days))
    assert [season["closed"] for season in ask("seasons").json()["items"]] == [closed]
