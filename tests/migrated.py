"""The test database is migrated once for all workers: sixty migrations take ten seconds of processor.

SQLite's is kept as a file beside the installed packages, also for the next run: it is named after
what the migrations are made of, so a new migration makes a new one. PostgreSQL's lives as long as
the server of the run; each worker's database is a copy of it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import django
import pytest
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = "migrated"
MADE_OF = ("*/migrations/*.py", "clubs/journal/triggers.py", "requirements.txt")


def kept_file() -> Path:
    made_of = hashlib.sha256(django.__version__.encode())
    for pattern in MADE_OF:
        for path in sorted(ROOT.glob(pattern)):
            made_of.update(path.read_bytes())
    return Path(sys.prefix) / "scratch" / f"migrated-{made_of.hexdigest()[:16]}.sqlite3"


def to_the_newest() -> None:
    """Migrate every app forward again: going back in one takes along what depends on it."""
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


@contextmanager
def one_at_a_time() -> Iterator[Path]:
    """Inside, the other workers of this run wait. Yields the run's folder."""
    folder = settings.DATA_DIR.parent
    with (folder / "migrating.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def make_kept_file(folder: Path) -> None:
    """Migrate a new SQLite file, in this worker's own database for as long as that takes."""
    kept = kept_file()
    kept.parent.mkdir(exist_ok=True)
    making = folder / kept.name
    _migrate_a_database(str(making))
    shutil.copyfile(making, arriving := kept.with_suffix(f".{os.getpid()}"))
    arriving.replace(kept)


def _migrate_a_database(name: str) -> None:
    """Make a test database of that name and leave it, complete and closed."""
    own, own_test = connection.settings_dict["NAME"], connection.settings_dict["TEST"]["NAME"]
    connection.settings_dict["TEST"]["NAME"] = name
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    finally:
        connection.close()
        if connection.vendor == "postgresql":
            connection.close_pool()
        connection.settings_dict["NAME"] = settings.DATABASES["default"]["NAME"] = own
        connection.settings_dict["TEST"]["NAME"] = own_test


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None, django_db_blocker: Any) -> bool:
    """pytest-django then migrates what is there: nothing is left to do."""
    with one_at_a_time() as folder, django_db_blocker.unblock():
        if connection.vendor == "sqlite":
            if not kept_file().exists():
                make_kept_file(folder)
            shutil.copyfile(kept_file(), connection.settings_dict["TEST"]["NAME"])
            return True
        if not (folder / TEMPLATE).exists():
            _migrate_a_database(TEMPLATE)
            (folder / TEMPLATE).touch()
        connection.settings_dict["TEST"]["TEMPLATE"] = TEMPLATE
    return False
