"""Errors from outside the API's own views: a program gets a problem, a person a page."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.db import OperationalError
from django.test import Client
from django.utils import translation

from clubs.organisations.models import Organisation
from tests.api.keys import key_of
from tests.our_code import LANGUAGES

pytestmark = pytest.mark.django_db
API, PAGE = "/c/faizers/api/v1/members", "/c/faizers/gestion/import/"
HTML = "text/html; charset=utf-8"


def send(path, length, client=None, **headers):
    """A request that announces a body of that length."""
    client = client or Client(raise_request_exception=False)
    kind = "application/json"
    return client.generic("POST", path, b"{}", kind, CONTENT_LENGTH=str(length), headers=headers)


def problem_of(answer):
    assert answer["Content-Type"] == "application/problem+json", answer.content
    assert answer["Cache-Control"] == "no-store"
    body = answer.json()
    assert body["status"] == answer.status_code and body["detail"] and body["title"]
    return body["status"], body["code"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_body_that_is_too_large_is_a_problem_in_the_readers_language(club, language):
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    answer = send(API, most + 1, **{"Accept-Language": language})
    assert problem_of(answer) == (413, "too_large")
    with translation.override(language):
        assert answer.json()["title"] == translation.gettext("Trop long")


@pytest.mark.parametrize(("over", "status"), [(-1, 401), (0, 401), (1, 413)])
def test_a_session_lets_no_larger_body_through(club, as_user, over, status):
    client = as_user(club.committee.user)
    answer = send(API, settings.DATA_UPLOAD_MAX_MEMORY_SIZE + over, client)
    assert answer.status_code == status


def test_a_tournament_of_more_than_a_megabyte_is_read(club, other_club):
    key = key_of(club.committee.member, club.at)
    body = {"format": "json", "content": " " * (settings.LARGEST_BODY + 1)}
    answer = Client().post(
        "/c/faizers/api/v1/tournament-files",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert problem_of(answer) == (422, "bad_file")


@pytest.mark.parametrize("body", [b"{", b'{"unknown": 1}', b"\xff", b""])
def test_nothing_is_said_of_a_body_without_a_key(club, body):
    answer = Client().generic("POST", API, body, "application/json")
    assert problem_of(answer) == (401, "token_needed")
    answer = Client().generic(
        "POST", API, body, "application/json", headers={"Authorization": "Bearer club_x"}
    )
    assert problem_of(answer) == (401, "token_unknown")


@pytest.mark.parametrize(
    ("path", "headers", "expected"),
    [
        ("/c/nowhere/api/v1/seasons", {}, (404, "not_found")),
        ("/c/faizers/api/v2/seasons", {}, (404, "not_found")),
        ("/api/v2/seasons", {}, (404, "not_found")),
        ("/c/faizers/api/v1/seasons", {"Host": "elsewhere.example"}, (400, "unreadable")),
    ],
)
def test_an_address_or_a_host_that_is_not_there_is_a_problem(
    club, settings, path, headers, expected
):
    settings.ALLOWED_HOSTS = ["testserver"]
    assert problem_of(Client().get(path, headers=headers)) == expected


def test_a_length_that_is_no_number_is_a_problem(club):
    assert problem_of(send(API, "²")) == (400, "unreadable")


def test_a_database_that_is_away_from_the_first_query_on_is_a_problem(club, monkeypatch):
    def away(*_arguments, **_named):
        raise OperationalError("gone")

    monkeypatch.setattr(Organisation.objects, "filter", away)
    client = Client(raise_request_exception=False)
    answer = client.get("/c/faizers/api/v1/seasons", headers={"Accept-Language": "ro"})
    assert problem_of(answer) == (503, "unavailable")
    assert answer["Retry-After"] and "gone" not in answer.content.decode()
    page = client.get("/c/faizers/classement/", headers={"Accept-Language": "ro"})
    assert (page.status_code, page["Content-Type"]) == (503, HTML)
    assert page["Content-Language"] == "ro" and '<html lang="ro"' in page.content.decode()


def test_a_program_is_not_sent_from_one_club_to_another(club, other_club):
    answer = Client().get("/api/v1/nothing")
    assert problem_of(answer) == (404, "not_found")


@pytest.mark.parametrize(
    ("path", "length", "status"), [(PAGE, 10**8, 413), (PAGE, "²", 400), ("/c/faizers/x/", 2, 404)]
)
def test_a_person_still_reads_a_page(club, path, length, status):
    answer = send(path, length)
    assert (answer.status_code, answer["Content-Type"]) == (status, HTML)


@pytest.mark.parametrize("path", ["/c/faizers/joueurs/", "/compte/login/", "/c/faizers/api/v1/"])
def test_an_address_with_more_fields_than_are_read_is_no_fault_of_the_site(club, path):
    many = "&".join("a=1" for _field in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1))
    assert Client(raise_request_exception=False).get(f"{path}?{many}").status_code == 400


def test_an_address_that_takes_a_form_alone_has_a_page_for_who_comes_by_the_history(club, as_user):
    player = as_user(club.members[0].user)
    answer = player.get("/c/faizers/ma-soiree/revenir/")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "Rien à lire ici" in answer.content.decode()
    program = player.get("/c/faizers/api/v1/matches/1/confirmation")
    assert program.status_code == 405 and b"<html" not in program.content


def test_who_was_signed_out_comes_back_to_the_page_of_the_form(club):
    pressed = "/c/faizers/ma-soiree/revenir/"
    for page, back in [
        ("http://testserver/c/faizers/ma-soiree/?x=1", "http%3A//testserver/c/faizers/ma-soiree/"),
        ("https://elsewhere.example/", pressed),
        (None, pressed),
    ]:
        answer = Client().post(pressed, headers={"Referer": page} if page else {})
        assert answer["Location"].partition("next=")[2].startswith(back), page


def test_a_sign_in_leads_to_the_page_of_the_form_that_was_pressed(club):
    user, password = club.members[0].user, "planted-password-77"
    user.set_password(password)
    user.save()
    player, page = Client(), "http://testserver/c/faizers/moi/?x=1"
    sent = player.post("/c/faizers/ma-soiree/revenir/", headers={"Referer": page})
    answer = player.post(sent["Location"], {"login": user.email, "password": password})
    assert answer["Location"] == page
