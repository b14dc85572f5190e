"""What many tests begin with is built once a worker, and put back as plain rows in the next ones.

A club made by its actions is 400 statements; its rows are twenty INSERTs, compiled once.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.apps import apps
from django.db import connection, transaction
from django.db.models import Model

Given = ParamSpec("Given")
Made = TypeVar("Made")
ROOM = 10_000
"""Keys left to each thing that is kept, so that rows a test made before it cannot be in its way."""


@dataclass
class Kept:
    """`made` is pickled, so that each test gets its own; the first put-back notes its `inserts`."""

    rows: dict[type[Model], list[Model]]
    made: bytes
    inserts: list[tuple[str, Any]] = field(default_factory=list)

    def highest_key(self) -> int:
        every = (row.pk for rows in self.rows.values() for row in rows)
        return max((pk for pk in every if isinstance(pk, int)), default=1)

    def put_back(self) -> None:
        if self.inserts:
            with connection.cursor() as cursor:
                for sql, params in self.inserts:
                    cursor.execute(sql, params)
                    if cursor.description:  # RETURNING
                        cursor.fetchall()
            return
        inserts = []

        def note(execute: Any, sql: str, params: Any, *rest: Any) -> Any:
            inserts.append((sql, params))
            return execute(sql, params, *rest)

        with connection.execute_wrapper(note):
            for model, rows in self.rows.items():
                model._base_manager.bulk_create(rows)
        self.inserts = inserts


_kept: dict[tuple[Any, ...], Kept] = {}
_sequences_at_1 = False


def once_a_worker(build: Callable[Given, Made]) -> Callable[Given, Made]:
    """Run `build` the first time it is asked with these arguments; later, put its rows back."""

    @wraps(build)
    def put(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        key = (build.__module__, build.__qualname__, args, tuple(sorted(kwargs.items())))
        with transaction.atomic():
            if _sequences_at_1:
                begin_sequences_behind_the_kept()
            if key not in _kept:
                begin_keys_at((len(_kept) + 1) * ROOM)
                before = {model: keys(model) for model in tables()}
                made = build(*args, **kwargs)
                rows = {model: new_rows(model, known) for model, known in before.items()}
                _kept[key] = Kept({m: new for m, new in rows.items() if new}, pickle.dumps(made))
                return made
            _kept[key].put_back()
        return pickle.loads(_kept[key].made)

    return put


def keys_begin_again() -> None:
    """Say that a test let the database count its keys from 1 again, where kept rows are put back."""
    global _sequences_at_1
    _sequences_at_1 = connection.vendor == "postgresql"


def begin_sequences_behind_the_kept() -> None:
    """On PostgreSQL; SQLite takes no key below one that is there."""
    global _sequences_at_1
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT setval(format('%%I.%%I', schemaname, sequencename)::regclass,"
            " greatest(last_value, %s)) FROM pg_sequences",
            [max((kept.highest_key() for kept in _kept.values()), default=1)],
        )
    _sequences_at_1 = False


def tables() -> list[type[Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]


def keys(model: type[Model]) -> set[Any]:
    return set(model._base_manager.values_list("pk", flat=True))


def new_rows(model: type[Model], known: set[Any]) -> list[Model]:
    return [row for row in model._base_manager.order_by("pk") if row.pk not in known]


def begin_keys_at(number: int) -> None:
    """SQLite counts from 1 in each test; PostgreSQL's sequences only after a flush, see above."""
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'")
        names = [name for (name,) in cursor.fetchall()]
        cursor.execute("SELECT name FROM sqlite_sequence")
        counted = {name for (name,) in cursor.fetchall()}
        for name in names:
            sql = "INSERT INTO sqlite_sequence (seq, name) VALUES (%s, %s)"
            if name in counted:
                sql = "UPDATE sqlite_sequence SET seq = max(seq, %s) WHERE name = %s"
            cursor.execute(sql, [number, name])
