"""The database's own refusal to edit or delete append-only rows: triggers on both databases.

Raw SQL, `QuerySet.update` on another manager and a database shell are refused as the model is.
SQLite deletes the row that `INSERT OR REPLACE` replaces without its DELETE triggers, unless the
connection asked for them (`PRAGMA recursive_triggers`, in the settings): a trigger on INSERT
refuses the key of an existing row, whatever the connection. PostgreSQL has TRUNCATE, which fires no
trigger of rows.

Used by migrations; `remove` is for reversing a migration and for tests that must empty or change
the tables. A migration that creates a table anew on SQLite (AlterField, AddConstraint) loses its
triggers, and one that adds a unique index widens what they must compare: it must install them
again, last on the way forward and last on the way back. Reversed, what `protect` returns removes
them: only the migration that protects a table first has both of its functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

Step = Callable[[object, BaseDatabaseSchemaEditor], None]
"""A function of a `migrations.RunPython`: it takes the apps and a schema editor."""
ROWS = ("UPDATE", "DELETE")
WHOLE = {"sqlite": "INSERT", "postgresql": "TRUNCATE"}
"""Statements that bypass row triggers, on each database."""


def install(connection: BaseDatabaseWrapper, table: str, *, once: str = "") -> None:
    """Make `table` refuse UPDATE, DELETE, REPLACE and TRUNCATE. Twice changes nothing.

    `once` names a column: a row is protected from the moment that column is set.
    """
    remove(connection, table)
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            keys = list(_keys(cursor, table))
            for event in (*ROWS, "INSERT"):
                cursor.execute(_sqlite(table, event, once, keys))
        elif connection.vendor == "postgresql":
            cursor.execute(
                "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger AS $$ "
                "BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME "
                "USING ERRCODE = 'integrity_constraint_violation'; END $$ LANGUAGE plpgsql"
            )
            when = f"WHEN (OLD.{once} IS NOT NULL) " if once else ""
            for event in ROWS:
                cursor.execute(
                    f"CREATE TRIGGER {_name(table, event)} BEFORE {event} ON {table} "
                    f"FOR EACH ROW {when}EXECUTE FUNCTION refuse_change()"
                )
            cursor.execute(
                f"CREATE TRIGGER {_name(table, 'TRUNCATE')} BEFORE TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )


def remove(connection: BaseDatabaseWrapper, table: str, *, rows: bool = True) -> None:
    """Drop the triggers of `table` if they exist; without `rows`, leave those of rows."""
    on_table = f" ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        for event in (*(ROWS if rows else ()), WHOLE[connection.vendor]):
            cursor.execute(f"DROP TRIGGER IF EXISTS {_name(table, event)}{on_table}")


def protect(*tables: str, once: str = "") -> tuple[Step, Step]:
    """Return the two functions of a `migrations.RunPython` that protects these tables."""

    def forwards(apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for table in tables:
            install(schema_editor.connection, table, once=once)

    def backwards(apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for table in tables:
            remove(schema_editor.connection, table)

    return forwards, backwards


def protect_whole(*tables: str) -> tuple[Step, Step]:
    """Return as `protect`, for tables whose rows are protected already: reversing keeps that."""

    def backwards(apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for table in tables:
            remove(schema_editor.connection, table, rows=False)

    return protect(*tables)[0], backwards


def _name(table: str, event: str) -> str:
    return f"{table}_no_{event.lower()}"


def _sqlite(table: str, event: str, once: str, keys: list[tuple[list[str], str]]) -> str:
    """Create one event's trigger: refuse a protected row, and a row that takes its key."""
    guarded = f"OLD.{once} IS NOT NULL" if once else ""
    if event == "DELETE" or (event == "UPDATE" and not once):
        conditions = [guarded] if guarded else []
    else:
        others = " AND ".join(
            ([f"held.{once} IS NOT NULL"] if once else [])
            + (["held.rowid <> OLD.rowid"] if event == "UPDATE" else [])
        )
        conditions = [guarded] if event == "UPDATE" else []
        conditions += [_taken(table, columns, where, others) for columns, where in keys]
    when = f"WHEN {' OR '.join(conditions)} " if conditions else ""
    return (
        f"CREATE TRIGGER {_name(table, event)} BEFORE {event} ON {table} {when}"
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    )


def _taken(table: str, columns: list[str], where: str, others: str) -> str:
    """Return the condition that a row of the table has the key of the new row."""
    same = [f'held."{column}" = NEW."{column}"' for column in columns]
    if where:
        same += [re.sub(r'"(\w+)"', rf'{row}."\1"', f"({where})") for row in ("held", "NEW")]
    if others:
        same.append(others)
    return f"EXISTS (SELECT 1 FROM {table} AS held WHERE {' AND '.join(same)})"


def _keys(cursor: Any, table: str) -> Iterator[tuple[list[str], str]]:
    """Return the primary key and each unique index of a SQLite table: columns and condition."""
    cursor.execute(f"PRAGMA table_info({table})")
    yield [row[1] for row in cursor.fetchall() if row[5]], ""
    cursor.execute(f"PRAGMA index_list({table})")
    for name in [row[1] for row in cursor.fetchall() if row[2]]:
        cursor.execute(f"PRAGMA index_info({name})")
        columns = [row[2] for row in cursor.fetchall()]
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [name])
        definition = cursor.fetchone()
        yield columns, ((definition and definition[0]) or "").partition(" WHERE ")[2]
