"""For migrations: drop the index of a foreign key that nothing reads by or a longer one covers.

Not by altering the field in the database: SQLite would make the table anew, and lose its triggers.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations, models


def without_indexes(app: str, *fields: migrations.AlterField) -> Any:
    """One operation that drops the indexes of these, each told by `unindexed`."""
    dropped = [(field.model_name, field.name) for field in fields]
    return migrations.SeparateDatabaseAndState(
        database_operations=[migrations.RunPython(_drop(app, dropped), _make_again(app, dropped))],
        state_operations=list(fields),
    )


def unindexed(model: str, field: str, to: str, **options: Any) -> migrations.AlterField:
    """What Django is to remember of such a foreign key."""
    key = models.ForeignKey(to, db_index=False, on_delete=models.PROTECT, **options)
    return migrations.AlterField(model, field, key)


def _drop(app: str, dropped: list[tuple[str, str]]) -> Any:
    def drop(apps: Any, schema_editor: Any) -> None:
        connection, quote = schema_editor.connection, schema_editor.quote_name
        for table, column in _columns(apps, app, dropped):
            with connection.cursor() as cursor:
                known = connection.introspection.get_constraints(cursor, table)
            for name, told in known.items():
                is_own = told["index"] and not told["unique"] and not told["foreign_key"]
                if is_own and told["columns"] == [column]:
                    schema_editor.execute(f"DROP INDEX {quote(name)}")

    return drop


def _make_again(app: str, dropped: list[tuple[str, str]]) -> Any:
    def make_again(apps: Any, schema_editor: Any) -> None:
        quote = schema_editor.quote_name
        for table, column in _columns(apps, app, dropped):
            name = quote(schema_editor._create_index_name(table, [column]))
            schema_editor.execute(f"CREATE INDEX {name} ON {quote(table)} ({quote(column)})")

    return make_again


def _columns(apps: Any, app: str, dropped: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The table and the column of each."""
    found = []
    for name, field in dropped:
        model = apps.get_model(app, name)
        found.append((model._meta.db_table, model._meta.get_field(field).column))
    return found
