"""A site of 0.1, then of 0.2, brought to the newest: what its rows mean is still there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def empty_database() -> Iterator[str]:
    """The address of a database without a table; on SQLite none, for a file in DATA_DIR."""
    if connection.vendor == "sqlite":
        yield ""
        return
    server = connection.settings_dict
    name = f"old_site_{os.getpid()}"
    where = f"{server['HOST']}:{server['PORT']}"
    with psycopg.connect(
        host=server["HOST"],
        port=server["PORT"],
        user=server["USER"],
        dbname="postgres",
        autocommit=True,
    ) as clerk:
        clerk.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            yield f"postgresql://{server['USER']}@{where}/{name}"
        finally:
            clerk.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.django_db
def test_a_site_begun_on_0_1_and_used_on_0_2_keeps_its_meaning(tmp_path, empty_database):
    env = {"DATA_DIR": str(tmp_path), "DATABASE_URL": empty_database, "REDIS_URL": ""}
    done = subprocess.run(
        [sys.executable, "-m", "tests.config.old_site"],
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "members": [["Ana", "chair@example.org"], ["Ion", None]],
        "public ids": 2,
        "committee": ["ana"],
        "ranking": ["Ion", "Ana"],
        "score": [300, 410, "final"],
        "season's version": [True, True],
        "period": ["evening", True],
        "rating": [["ion", 1000, 1016]],
        "sanction": [["ana", "proposed"]],
        "journal": [2, []],
        "person": [["0001", "ana"]],
        "phone": 1,
        "jobs": [
            [1, "trial", 1, "done", "", {"rows": []}],
            [6, "members_in", 1, "done", "", {}],
            [11, "dry", 1, "done", "", {"moves": [], "version": 3}],
            [12, "check", 1, "failed", "Le calcul s’est arrêté.", {}],
            [13, "check", 1, "running", "", {}],
            [14, "check", 1, "cancelled", "", {}],
        ],
        "next job": 15,
        "evenings": [[20, 1], [20, 2]],
    }


@pytest.mark.django_db
@pytest.mark.parametrize("command", [["verify"], ["archive", "site.zip"]])
def test_a_command_on_a_database_without_tables_says_what_to_run(tmp_path, empty_database, command):
    env = {"DATA_DIR": str(tmp_path), "DATABASE_URL": empty_database, "REDIS_URL": ""}
    done = subprocess.run(
        [sys.executable, ROOT / "manage.py", *command],
        cwd=tmp_path,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    lacks = "manage.py: the database lacks tables of this version: run manage.py migrate first.\n"
    assert done.stderr == lacks
    assert not list(tmp_path.glob("*.zip*"))
