"""The tests really run on the database they say they run on."""

from __future__ import annotations

import os

import pytest
from django.conf import settings
from django.db import OperationalError, connection, transaction

from config import errors
from config.environment import database

VENDORS = {"sqlite": "sqlite", "postgres": "postgresql"}


@pytest.mark.django_db
def test_the_tests_run_on_the_database_that_was_asked_for() -> None:
    assert connection.vendor == VENDORS[os.environ.get("TEST_DATABASE", "sqlite")]


@pytest.mark.django_db
@pytest.mark.only_on("sqlite")
def test_sqlite_locks_at_begin_and_writes_ahead() -> None:
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.transaction_mode == "IMMEDIATE"


def test_a_site_on_sqlite_answers_once_its_disk_has_what_was_saved(monkeypatch) -> None:
    """Less than FULL would lose the last commits with the power; tests choose less for themselves."""
    monkeypatch.delenv("SQLITE_SYNCHRONOUS", raising=False)
    command = str(database("")["OPTIONS"]["init_command"])  # type: ignore[index]
    assert "PRAGMA synchronous=FULL;" in command and "PRAGMA journal_mode=WAL;" in command


@pytest.mark.only_on("postgres")
def test_with_postgresql_comes_the_shared_cache() -> None:
    assert settings.CACHES["default"]["BACKEND"] == "config.cache.SharedCache"


@pytest.mark.only_on("postgres")
@pytest.mark.django_db
def test_what_is_read_through_a_cursor_is_planned_to_its_end() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW cursor_tuple_fraction")
        assert cursor.fetchone() == ("1",)


@pytest.mark.only_on("postgres")
@pytest.mark.django_db
def test_a_statement_and_a_lock_are_waited_for_a_bounded_time() -> None:
    with connection.cursor() as cursor:
        for name, limit in [("statement_timeout", "30s"), ("lock_timeout", "10s")]:
            cursor.execute(f"SHOW {name}")
            assert cursor.fetchone() == (limit,)


def test_a_server_that_does_not_answer_is_given_up() -> None:
    options = database("postgresql://club@db.example.org/club")["OPTIONS"]
    assert options["connect_timeout"] == 5
    assert options["keepalives"] == 1
    silent = options["keepalives_idle"] + (
        options["keepalives_interval"] * options["keepalives_count"]
    )
    assert silent <= 60
    assert options["tcp_user_timeout"] <= 60_000


@pytest.mark.only_on("postgres")
@pytest.mark.django_db
def test_a_statement_that_was_cancelled_is_a_503() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 20")
        with pytest.raises(OperationalError) as cancelled, transaction.atomic():
            cursor.execute("SELECT pg_sleep(5)")
    assert errors.is_passing(cancelled.value)
