"""Indexes that nothing reads by, or that a longer one covers, are dropped from the largest tables.

Not by altering the fields: SQLite would make the tables anew, and lose their triggers.
"""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

DROPPED = {
    "ratedgame": ("period",),
    "ratedplacing": ("period",),
    "ledgerentry": ("rating_list", "member", "rule_book", "written_by"),
}


def drop(apps: Any, schema_editor: Any) -> None:
    connection, quote = schema_editor.connection, schema_editor.quote_name
    for table, column in _columns(apps):
        with connection.cursor() as cursor:
            known = connection.introspection.get_constraints(cursor, table)
        for name, told in known.items():
            is_own = told["index"] and not told["unique"] and not told["foreign_key"]
            if is_own and told["columns"] == [column]:
                schema_editor.execute(f"DROP INDEX {quote(name)}")


def make_again(apps: Any, schema_editor: Any) -> None:
    quote = schema_editor.quote_name
    for table, column in _columns(apps):
        name = quote(schema_editor._create_index_name(table, [column]))
        schema_editor.execute(f"CREATE INDEX {name} ON {quote(table)} ({quote(column)})")


def _columns(apps: Any) -> list[tuple[str, str]]:
    return [
        (model._meta.db_table, model._meta.get_field(field).column)
        for name, fields in DROPPED.items()
        for model in [apps.get_model("ratings", name)]
        for field in fields
    ]


def _unindexed(model: str, field: str, to: str, **options: Any) -> migrations.AlterField:
    key = models.ForeignKey(
        to, db_index=False, on_delete=django.db.models.deletion.PROTECT, **options
    )
    return migrations.AlterField(model, field, key)


class Migration(migrations.Migration):
    dependencies = [("ratings", "0006_trials")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(drop, make_again)],
            state_operations=[
                _unindexed("ratedgame", "period", "ratings.period", related_name="games"),
                _unindexed("ratedplacing", "period", "ratings.period", related_name="placings"),
                _unindexed(
                    "ledgerentry", "rating_list", "ratings.ratinglist", related_name="entries"
                ),
                _unindexed("ledgerentry", "member", "clubs.member", related_name="ledger_entries"),
                _unindexed(
                    "ledgerentry", "rule_book", "clubs.rulebook", null=True, related_name="+"
                ),
                _unindexed(
                    "ledgerentry",
                    "written_by",
                    settings.AUTH_USER_MODEL,
                    null=True,
                    related_name="+",
                ),
            ],
        ),
    ]
