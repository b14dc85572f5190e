"""The tests really run on the database they say they run on."""

from __future__ import annotations

import os

import pytest
from django.conf import settings
from django.db import connection

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


@pytest.mark.only_on("postgres")
def test_with_postgresql_comes_the_shared_cache() -> None:
    assert settings.CACHES["default"]["BACKEND"] == "config.cache.SharedCache"


@pytest.mark.only_on("postgres")
@pytest.mark.django_db
def test_what_is_read_through_a_cursor_is_planned_to_its_end() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW cursor_tuple_fraction")
        assert cursor.fetchone() == ("1",)
