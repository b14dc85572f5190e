"""A request that the proxy sends to a second process is done once, or its reader is told to look."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.cache import caches
from django.db import connection, transaction
from django.test import Client
from django.utils import translation

from clubs.members.models_access import JoinRequest
from config.middleware import SecondArrivalMiddleware
from tests.clubhouse import make_club
from tests.deployed import Deployed, needs_a_proxy
from tests.faults.test_killed_web import workers_of
from tests.our_code import LANGUAGES

FIRST, OTHER = "0123456789abcdef0123456789abcdef", "f" * 32
JOIN = "/c/faizers/rejoindre/"
ANA = {"first_name": "Ana", "last_name": "Ionescu", "email": "ana@example.org"}
KEY = {"Authorization": "Bearer club_x"}


@pytest.fixture
def behind_a_proxy(club, settings):
    settings.TRUST_PROXY = settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1


def send(path=JOIN, number=FIRST, body=ANA, method="post", client=None, **options):
    headers = {"X-Request-ID": number, **options.pop("headers", {})}
    return getattr(client or Client(), method)(path, body, headers=headers, **options)


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("fr", "Votre envoi a peut-être été enregistré"),
        ("en", "What you sent may have been saved already"),
        ("ro", "Ce ați trimis a fost poate deja salvat"),
    ],
)
def test_a_second_arrival_is_a_page_in_the_readers_language(behind_a_proxy, language, title):
    headers = {"Accept-Language": language}
    assert send(headers=headers).status_code == 200
    again = send(headers=headers)
    page = again.content.decode()
    assert again.status_code == 409 and f"<h1>{title}</h1>" in page
    assert again["Cache-Control"] == "no-store" and FIRST in page
    assert JoinRequest.objects.count() == 1
    assert send(number=OTHER, headers=headers).status_code == 200


def test_a_member_reads_of_a_second_arrival_in_the_language_of_the_account(
    behind_a_proxy, club, as_user
):
    user = club.members[0].user
    user.language = "ro"
    user.save()
    session = as_user(user).cookies["sessionid"].value
    for _arrival in range(2):
        phone = Client()
        phone.cookies["sessionid"] = session
        again = send(client=phone, headers={"Accept-Language": "fr"})
    assert again.status_code == 409
    assert "Ce ați trimis a fost poate deja salvat" in again.content.decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_is_answered_a_problem(behind_a_proxy, language):
    path, options = "/c/faizers/api/v1/arrivals", {"content_type": "application/json"}
    headers = {**KEY, "Accept-Language": language}
    assert send(path, body={"code": "x"}, headers=headers, **options).status_code == 401
    again = send(path, body={"code": "x"}, headers=headers, **options)
    assert again["Content-Type"] == "application/problem+json"
    assert (again.status_code, again.json()["code"]) == (409, "perhaps_done")
    with translation.override(language):
        detail = "Votre envoi a peut-être été enregistré\N{NO-BREAK SPACE}: regardez avant de recommencer."
        assert again.json()["detail"] == translation.gettext(detail)


@pytest.mark.parametrize(
    ("path", "options"),
    [
        (JOIN, {"body": {**ANA, "version": "0"}}),
        (JOIN, {"body": {**ANA, "key": "d3b07384"}}),
        (JOIN, {"headers": {"Idempotency-Key": "d3b07384"}}),
        ("/c/faizers/api/v1/arrivals", {"headers": {**KEY, "Idempotency-Key": "d3b07384"}}),
        (
            "/c/faizers/api/v1/matches/1/confirmation",
            {"headers": KEY, "body": {"version": 0}, "content_type": "application/json"},
        ),
        (
            "/c/faizers/api/v1/tournaments/open/rounds/1/results",
            {
                "headers": KEY,
                "body": {"results": [{"match": 1, "version": 0}, {"match": 2, "version": 3}]},
                "content_type": "application/json",
            },
        ),
        (JOIN, {"body": {**ANA, "m1-version": "0"}}),
    ],
)
def test_an_act_that_guards_itself_passes(behind_a_proxy, path, options):
    first = send(path, **options)
    assert send(path, **options).status_code == first.status_code != 409


@pytest.mark.parametrize("body", [{"key": ""}, {"version": ""}, {"m1-version": ""}])
def test_an_empty_version_or_key_guards_nothing(behind_a_proxy, body):
    send(body={**ANA, **body})
    assert send(body={**ANA, **body}).status_code == 409


@pytest.mark.parametrize(
    "body",
    [
        *("[]", "{", '{"code": "version"}', '{"results": []}', '{"results": "version"}'),
        *('{"results": [{"version": 0}, {"match": 1}]}', "[" * 3000 + "]" * 3000),
    ],
)
def test_a_body_of_a_program_without_a_version_guards_nothing(behind_a_proxy, body):
    path, options = "/c/faizers/api/v1/arrivals", {"content_type": "application/json"}
    send(path, body=body, **options)
    assert send(path, body=body, **options).status_code == 409


def test_a_page_that_is_read_twice_is_shown_twice(behind_a_proxy):
    for method in ("get", "head", "options"):
        assert (
            send(method=method, body=None).status_code == send(method=method, body=None).status_code
        )
    assert send(method="get", body=None).status_code == 200


@pytest.mark.parametrize("number", ["", "short"])
def test_without_a_number_of_the_proxy_each_arrival_is_a_request_of_its_own(behind_a_proxy, number):
    assert [send(number=number).status_code for _again in range(2)] == [200, 200]


def test_where_no_proxy_is_trusted_its_header_means_nothing(club, settings):
    settings.TRUST_PROXY = 0
    assert [send().status_code for _again in range(2)] == [200, 200]


@pytest.mark.parametrize("others", ["session", "key", "address", "path"])
def test_nobody_is_held_up_by_the_number_that_somebody_else_chose(
    behind_a_proxy, club, as_user, others
):
    send()
    client, path, options = Client(), JOIN, {}
    if others == "session":
        client = as_user(club.members[0].user)
    elif others == "key":
        options["headers"] = KEY
    elif others == "address":
        options["headers"] = {"X-Forwarded-For": "192.0.2.7"}
    else:
        path = "/c/faizers/contact/"
    assert send(path, client=client, **options).status_code != 409


def test_the_number_is_forgotten_after_the_proxys_last_try(behind_a_proxy, monkeypatch):
    noted = []

    class Cache:
        def add(self, key, value, seconds):
            noted.append((key, seconds))
            return True

    monkeypatch.setattr("config.middleware.cache", Cache())
    send()
    ((key, seconds),) = noted
    assert seconds == SecondArrivalMiddleware.KEPT_S and FIRST not in key


@pytest.mark.only_on("postgres")
def test_while_the_cache_is_away_every_request_passes(behind_a_proxy, monkeypatch):
    """Two processes have two memories then."""
    from redis import RedisError

    def away(*_arguments, **_named):
        raise RedisError("away")

    monkeypatch.setattr(type(caches["redis"]), "add", away)
    for _process in range(2):
        caches["spare"].clear()
        assert send().status_code == 200


def process_that_waits_for_a_lock() -> str:
    """The name that `Deployed` gave the process; empty while none waits.

    Of this test's database: another worker's tests have processes of the same names.
    """
    with connection.cursor() as cursor:
        # A transaction sees the activity of its first look until it asks anew.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT application_name FROM pg_stat_activity"
            " WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        waiting = cursor.fetchall()
    return waiting[0][0] if waiting else ""


@pytest.mark.django_db(transaction=True)
@pytest.mark.real_clock
@pytest.mark.only_on("postgres")
@needs_a_proxy
def test_a_form_whose_process_is_killed_is_not_done_again(tmp_path: Path) -> None:
    """The form waits for a lock in one process, which dies; the proxy tries the other one."""
    make_club("faizers", size=2)
    site = Deployed.of_the_test(tmp_path)
    try:
        site.manage("prepare")
        site.start("web-1")
        site.start("web-2")
        site.proxy()
        with (
            ThreadPoolExecutor(1) as phone,
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute("LOCK TABLE clubs_joinrequest IN ACCESS EXCLUSIVE MODE")
            answer = phone.submit(site.status, JOIN, given=ANA)
            until = time.monotonic() + 60
            while not (name := process_that_waits_for_a_lock()):
                assert time.monotonic() < until and not answer.done()
                time.sleep(0.02)
            for pid in workers_of(site.running[name].pid):
                os.kill(pid, signal.SIGKILL)
            assert answer.result(60) == 409
        assert JoinRequest.objects.count() <= 1
    finally:
        for name in list(site.running):
            site.stop(name)
