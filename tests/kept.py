"""What many tests begin with is built once a worker, and put back as plain rows in the next ones.

A club made by its actions is 400 statements; its rows are twenty INSERTs.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
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
    rows: dict[type[Model], list[Model]]
    made: Any


_kept: dict[tuple[Any, ...], Kept] = {}


def once_a_worker(build: Callable[Given, Made]) -> Callable[Given, Made]:
    """Run `build` the first time it is asked with these arguments; later, put its rows back."""

    @wraps(build)
    def put(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        key = (build.__qualname__, args, tuple(sorted(kwargs.items())))
        with transaction.atomic():
            if key not in _kept:
                begin_keys_at((len(_kept) + 1) * ROOM)
                before = {model: keys(model) for model in tables()}
                made = build(*args, **kwargs)
                rows = {model: new_rows(model, known) for model, known in before.items()}
                _kept[key] = Kept({m: new for m, new in rows.items() if new}, copy.deepcopy(made))
                return made
            for model, rows in _kept[key].rows.items():
                model._base_manager.bulk_create(rows)
        return copy.deepcopy(_kept[key].made)

    return put


def forget() -> None:
    """Build everything anew: the database is about to count its keys from 1 again."""
    _kept.clear()


def tables() -> list[type[Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]


def keys(model: type[Model]) -> set[Any]:
    return set(model._base_manager.values_list("pk", flat=True))


def new_rows(model: type[Model], known: set[Any]) -> list[Model]:
    return [row for row in model._base_manager.order_by("pk") if row.pk not in known]


def begin_keys_at(number: int) -> None:
    """SQLite counts from 1 in each test; PostgreSQL's sequences only after a flush, see `forget`."""
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
