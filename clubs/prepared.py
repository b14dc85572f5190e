"""Statements that Django writes once a connection instead of once a use.

Writing the SQL of a query costs Django ten times what the database takes to answer it. Where a
whole room does the same thing in the same minute that is most of the time. The SQL, the order of
its values and the way a row becomes an object are Django's own, kept from the first use: a column
added to a model is in them. Everywhere else, use the ordinary manager.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.models.sql import InsertQuery, UpdateQuery

M = TypeVar("M", bound=models.Model)
BLANKS: dict[str, Callable[[int], Any]] = {
    "int": lambda n: 7_310_000_000 + n,
    "str": lambda n: f"blank:{n}",
    "datetime": lambda n: datetime(1901, 1, 1, tzinfo=UTC) + timedelta(days=n),
}


def _blanks(build: Callable[..., Any]) -> list[Any]:
    """What stands for each argument while Django writes the statement."""
    kinds = [one.annotation for one in inspect.signature(build).parameters.values()]
    return [BLANKS[kind](n) for n, kind in enumerate(kinds)]


class _Text:
    """SQL and its values, some of which are blanks to fill in."""

    def __init__(self, sql: str, params: Sequence[Any], blanks: list[Any], connection: Any) -> None:
        self.connection = connection
        self.sql = sql
        self.values = list(params)
        blanks = self._fitting(blanks)
        self.places = [(n, blanks.index(v)) for n, v in enumerate(params) if v in blanks]

    def _fitting(self, given: Sequence[Any]) -> list[Any]:
        """As the database takes them: SQLite wants instants without a zone."""
        fit = self.connection.ops.adapt_datetimefield_value
        return [fit(value) if isinstance(value, datetime) else value for value in given]

    def filled(self, given: Sequence[Any]) -> list[Any]:
        assert None not in given, "a blank is for a value: NULL is another statement"
        given, values = self._fitting(given), list(self.values)
        for place, blank in self.places:
            values[place] = given[blank]
        return values


class _Rows(_Text):
    """A question, and how its rows become objects."""

    def __init__(self, queryset: Any, blanks: list[Any], connection: Any) -> None:
        compiler = queryset.query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        super().__init__(sql, params, blanks, connection)
        columns = [column for column, _text, _alias in compiler.select]
        self.model: Any = queryset.model
        self.names = [column.target.attname for column in columns]
        self.converters = list(compiler.get_converters(columns).items())

    def ask(self, given: Sequence[Any]) -> list[Any]:
        with self.connection.cursor() as cursor:
            cursor.execute(self.sql, self.filled(given))
            return [self._object(list(row)) for row in cursor.fetchall()]

    def _object(self, row: list[Any]) -> Any:
        for place, (functions, expression) in self.converters:
            for convert in functions:
                row[place] = convert(row[place], expression, self.connection)
        return self.model.from_db(DEFAULT_DB_ALIAS, self.names, row)


class _Change(_Text):
    """A guarded update."""

    def __init__(self, changes: tuple[Any, dict[str, Any]], blanks: list[Any], connection: Any):
        queryset, values = changes
        query = queryset.query.chain(UpdateQuery)
        query.add_update_values(values)
        sql, params = query.get_compiler(connection=connection).as_sql()
        super().__init__(sql, params, blanks, connection)

    def ask(self, given: Sequence[Any]) -> int:
        return _count(self.connection, self.sql, self.filled(given))


def _count(connection: Any, sql: str, values: Sequence[Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return int(cursor.rowcount)


def _known(key: Any, write: Callable[[Any], Any]) -> Any:
    """What was written for this connection, or is written now."""
    connection = connections[DEFAULT_DB_ALIAS]
    texts = connection.__dict__.setdefault("prepared", {})
    if key not in texts:
        texts[key] = write(connection)
    return texts[key]


class Question(Generic[M]):
    """The rows of the queryset that `build` makes of its arguments (`int`, `str`, `datetime`).

    Rows of one model: `select_related` is not for here.
    """

    def __init__(self, build: Callable[..., models.QuerySet[M]]) -> None:
        self.build, self.blanks = build, _blanks(build)

    def __call__(self, *given: Any) -> list[M]:
        rows: list[M] = _known(self, self._write).ask(given)
        return rows

    def first(self, *given: Any) -> M | None:
        return next(iter(self(*given)), None)

    def _write(self, connection: Any) -> _Rows:
        return _Rows(self.build(*self.blanks), self.blanks, connection)


class Change:
    """`build` makes a queryset and what to set in it; a call says how many rows were changed."""

    def __init__(self, build: Callable[..., tuple[models.QuerySet[Any], dict[str, Any]]]) -> None:
        self.build, self.blanks = build, _blanks(build)

    def __call__(self, *given: Any) -> int:
        return int(_known(self, self._write).ask(given))

    def later(self, *given: Any) -> None:
        """The same with the other changes of a `together`, where nobody asks how many."""
        text = _known(self, self._write)
        _later(text.connection, _Part(text.sql, text.filled(given)))

    def _write(self, connection: Any) -> _Change:
        return _Change(self.build(*self.blanks), self.blanks, connection)


@dataclass(frozen=True)
class _Part:
    """One change that waits; `otherwise` is raised where it does not change exactly one row. A
    part that has a name is known by it to those after it."""

    sql: str
    values: list[Any]
    otherwise: Exception | None = None
    name: str = ""


@contextmanager
def together() -> Iterator[None]:
    """Send what is changed `later` inside as one statement, in the caller's transaction.

    A confirmation changes nine tables, and to PostgreSQL each statement is a journey there and
    back while others wait for the same rows. Whatever else is asked of the database inside comes
    after what waits. Changes that wait together must be of different rows. SQLite has no journey:
    there each change is made where it stands.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor != "postgresql" or "waiting" in connection.__dict__:
        yield
        return
    connection.__dict__["waiting"] = []

    def in_order(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        _send(connection)
        return execute(sql, params, many, context)

    try:
        with connection.execute_wrapper(in_order):
            yield
            _send(connection)
    finally:
        del connection.__dict__["waiting"]


def are_waiting() -> bool:
    """Are changes sent together here, on PostgreSQL, so that `chained_later` may be used?"""
    return "waiting" in connections[DEFAULT_DB_ALIAS].__dict__


def chained_later(*parts: tuple[str, str, Sequence[Any]], otherwise: Exception) -> None:
    """Parts (name, PostgreSQL, values) of which each may use the rows of those before it; the last
    must change exactly one row."""
    connection = connections[DEFAULT_DB_ALIAS]
    if any(parts[0][1] == other.sql for other in connection.__dict__["waiting"]):
        _send(connection)
    for name, sql, values in parts:
        guard = otherwise if name == parts[-1][0] else None
        connection.__dict__["waiting"].append(_Part(sql, list(values), guard, name))


def _later(connection: Any, part: _Part) -> None:
    waiting = connection.__dict__.get("waiting")
    if waiting is not None:
        if any(part.sql == other.sql for other in waiting):
            _send(connection)  # the parts of a WITH have no order: rows of one table keep theirs
        waiting.append(part)
    elif _count(connection, part.sql, part.values) != 1 and part.otherwise is not None:
        raise part.otherwise


def _send(connection: Any) -> None:
    """What waits, as the parts of one WITH: PostgreSQL makes each of them once."""
    parts: list[_Part] = list(connection.__dict__["waiting"])
    connection.__dict__["waiting"].clear()
    if not parts:
        return
    names = [part.name or f"part{place}" for place, part in enumerate(parts)]
    guarded = [place for place, part in enumerate(parts) if part.otherwise is not None]
    texts = [
        f"{names[place]} AS ({part.sql}{' RETURNING 1' if place in guarded else ''})"
        for place, part in enumerate(parts)
    ]
    counts = [f"(SELECT count(*) FROM {names[place]})" for place in guarded] or ["1"]
    with connection.numbered_cursor() as cursor:
        cursor.execute(
            f"WITH {', '.join(texts)} SELECT {', '.join(counts)}",
            [value for part in parts for value in part.values],
        )
        found = cursor.fetchone()
    for place, count in zip(guarded, found, strict=False):
        otherwise = parts[place].otherwise
        if count != 1 and otherwise is not None:
            raise otherwise


def update_later(
    model: type[models.Model],
    where: dict[str, Any],
    values: dict[str, Any],
    *,
    otherwise: Exception,
) -> None:
    """Set `values` (by attribute, `by_id`) in the row whose columns are `where`.

    Raises `otherwise` where it is not exactly one row, at the latest when the `together` ends.
    """
    set_now = {name: value for name, value in values.items() if value is not None}
    key = (model, *where, None, *values, None, *set_now)

    def write(connection: Any) -> tuple[str, list[tuple[str, Any]]]:
        query: Any = model._default_manager.filter(**where).query.chain(UpdateQuery)
        query.add_update_values(values)
        sql, params = query.get_compiler(connection=connection).as_sql()
        # Django 5.2 writes NULL into the text, 6.1 passes it like any other value.
        passed = values if len(params) == len(values) + len(where) else set_now
        fields = {field.attname: field for field in model._meta.concrete_fields}
        return sql, [(name, fields[name]) for name in (*passed, *where)]

    connection = connections[DEFAULT_DB_ALIAS]
    sql, fields = _known(key, write)
    given = [values[name] for name, _field in fields[: -len(where)]] + list(where.values())
    ready = [
        field.get_db_prep_save(value, connection)
        for (_name, field), value in zip(fields, given, strict=True)
    ]
    _later(connection, _Part(sql, ready, otherwise))


def values_of(item: models.Model, fields: Sequence[Any]) -> list[Any]:
    """What a new row's fields hold, as the database takes it."""
    connection = connections[DEFAULT_DB_ALIAS]
    return [field.get_db_prep_save(field.pre_save(item, True), connection) for field in fields]


def _row(item: models.Model) -> tuple[Any, str, list[Any]]:
    """The connection, the INSERT and its values of a row that is not stored yet."""
    assert item._state.adding, "a row is added once"
    model = type(item)

    def write(connection: Any) -> tuple[Any, str, list[Any]]:
        fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
        query = InsertQuery(model)
        query.insert_values(fields, [item])
        compiler = query.get_compiler(connection=connection)
        compiler.returning_fields = [model._meta.pk]
        return connection, compiler.as_sql()[0][0], fields

    connection, sql, fields = _known(model, write)
    return connection, sql, values_of(item, fields)


def insert(item: M) -> M:
    """Add one row, as `save()` would; its key is set."""
    connection, sql, values = _row(item)
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        item.pk = cursor.fetchone()[0]
    item._state.adding, item._state.db = False, DEFAULT_DB_ALIAS
    return item


def insert_later(item: models.Model) -> None:
    """The same with the other changes of a `together`, where nobody needs its key."""
    connection, sql, values = _row(item)
    _later(connection, _Part(sql, values))
