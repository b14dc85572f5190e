"""The database's own refusal to edit or delete append-only rows: triggers on both databases.

Raw SQL, `QuerySet.update` on another manager and a database shell meet the same wall as the
model does. Used by migrations; `remove` is there for a migration's way back and for tests that
must empty the tables.
"""

from __future__ import annotations

from typing import Any

EVENTS = ("UPDATE", "DELETE")


def install(connection: Any, table: str) -> None:
    """Make `table` refuse UPDATE and DELETE. Running it twice changes nothing."""
    remove(connection, table)
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for event in EVENTS:
                cursor.execute(
                    f"CREATE TRIGGER {_name(table, event)} BEFORE {event} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
                )
        elif connection.vendor == "postgresql":
            cursor.execute(
                "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger AS $$ "
                "BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME "
                "USING ERRCODE = 'integrity_constraint_violation'; END $$ LANGUAGE plpgsql"
            )
            for event in EVENTS:
                cursor.execute(
                    f"CREATE TRIGGER {_name(table, event)} BEFORE {event} ON {table} "
                    "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
                )


def remove(connection: Any, table: str) -> None:
    """Take the triggers of `table` away, if they are there."""
    on_table = f" ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        for event in EVENTS:
            cursor.execute(f"DROP TRIGGER IF EXISTS {_name(table, event)}{on_table}")


def protect(*tables: str) -> tuple[Any, Any]:
    """The two functions of a `migrations.RunPython` that guards these tables."""

    def forwards(apps: Any, schema_editor: Any) -> None:
        for table in tables:
            install(schema_editor.connection, table)

    def backwards(apps: Any, schema_editor: Any) -> None:
        for table in tables:
            remove(schema_editor.connection, table)

    return forwards, backwards


def _name(table: str, event: str) -> str:
    return f"{table}_no_{event.lower()}"
