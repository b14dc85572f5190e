"""What `config.postgres` does otherwise than Django: a lost line is noticed, long texts are kept."""

from __future__ import annotations

import time

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.only_on("postgres")]


@pytest.fixture
def asked(monkeypatch):
    """What is asked of the server to know whether it is there."""
    from django.db.backends.postgresql import base

    questions = []
    own = base.DatabaseWrapper.is_usable

    def counted(self) -> bool:
        questions.append(1)
        return own(self)

    monkeypatch.setattr(base.DatabaseWrapper, "is_usable", counted)
    return questions


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def run_elsewhere(sql: str, *values) -> None:
    with psycopg.connect(connection.connection.info.dsn, autocommit=True) as other:
        other.execute(sql, values)


def test_a_line_with_nothing_to_say_is_taken_for_good(asked):
    backend()
    assert connection.is_usable()
    assert asked == []


def test_a_line_that_the_server_closed_is_noticed_before_the_request(asked):
    lost = backend()
    run_elsewhere("SELECT pg_terminate_backend(%s, 5000)", lost)
    assert not connection.is_usable()
    assert asked == [1]
    connection.health_check_enabled, connection.health_check_done = True, False
    connection.close_if_health_check_failed()  # as before each request
    assert backend() != lost


def test_a_line_with_something_to_say_is_asked(asked):
    with connection.cursor() as cursor:
        cursor.execute("LISTEN news")
    run_elsewhere("NOTIFY news")
    until = time.monotonic() + 20
    while not asked and time.monotonic() < until:
        assert connection.is_usable()
        time.sleep(0.01)
    assert asked, "the news never came"
    with connection.cursor() as cursor:
        cursor.execute("UNLISTEN news")


def test_a_closed_connection_is_of_no_use():
    backend()
    connection.connection.close()
    assert not connection.is_usable()
    connection.close()
    assert not connection.is_usable()


def test_a_text_with_many_values_is_numbered_and_told_to_who_listens():
    with CaptureQueriesContext(connection) as said, connection.numbered_cursor() as cursor:
        marks = " + ".join(["%s::int"] * 70)
        cursor.execute(f"SELECT {marks}, '50 %%', 'a' LIKE '%%'", list(range(70)))
        assert cursor.fetchone() == (sum(range(70)), "50 %", True)
    assert len(said) == 1 and "$" not in said[0]["sql"]
