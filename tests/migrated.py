"""The SQLite test database is migrated once and kept beside the installed packages, as a file.

Sixty migrations take ten seconds of processor, and every run and every worker began with them. The
file is named after what the migrations are made of, so a new migration makes a new one.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django
import pytest
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

ROOT = Path(__file__).resolve().parents[1]
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


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None) -> bool:
    """pytest-django then migrates what is there: nothing is left to do."""
    kept = kept_file()
    if connection.vendor != "sqlite" or not kept.exists():
        return False
    shutil.copyfile(kept, settings.DATABASES["default"]["TEST"]["NAME"])
    return True


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_keepdb: bool, django_db_blocker: Any
) -> Iterator[None]:
    kept = kept_file()
    if connection.vendor == "sqlite" and not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        making = kept.with_name(f"{settings.DATA_DIR.name}-{kept.name}")
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(making)])
        making.replace(kept)
    yield
