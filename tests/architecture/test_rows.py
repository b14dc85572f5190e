"""What was written down stays: no cascade, no update, no delete; and migrations say what models say."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command
from django.db import connection, models

from tests.our_code import tables

ADDED_ONLY = [m for m in tables() if getattr(m, "append_only", False)]
LINKS = [
    (model, field)
    for model in tables()
    for field in model._meta.get_fields()
    if isinstance(field, models.ForeignKey)
]


def test_journal_and_ledger_are_only_added_to() -> None:
    assert {"JournalEntry", "LedgerEntry"} <= {model.__name__ for model in ADDED_ONLY}


@pytest.mark.parametrize(
    ("model", "field"),
    [(m, f) for m, f in LINKS if m in ADDED_ONLY],
    ids=lambda value: getattr(value, "__name__", getattr(value, "name", "")),
)
def test_no_delete_elsewhere_takes_such_a_row_along(model: type[models.Model], field: models.ForeignKey) -> None:  # type: ignore[type-arg]  # fmt: skip
    assert field.remote_field.on_delete in (models.PROTECT, models.RESTRICT), (
        f"{model.__name__}.{field.name} must be PROTECT"
    )


@pytest.mark.parametrize(
    ("model", "field"),
    [
        (m, f)
        for m, f in LINKS
        if getattr(f.remote_field.model, "__name__", "") in ("Member", "Match", "Organisation")
    ],
    ids=lambda value: getattr(value, "__name__", getattr(value, "name", "")),
)
def test_people_matches_and_clubs_take_no_row_with_them(model: type[models.Model], field: models.ForeignKey) -> None:  # type: ignore[type-arg]  # fmt: skip
    assert field.remote_field.on_delete in (models.PROTECT, models.RESTRICT), (
        f"{model.__name__}.{field.name} must be PROTECT"
    )


@pytest.mark.django_db
@pytest.mark.parametrize("model", ADDED_ONLY, ids=lambda model: model.__name__)
def test_the_database_itself_guards_such_a_table(model: type[models.Model]) -> None:
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "SELECT sql FROM sqlite_master WHERE type='trigger' AND tbl_name=%s", [table]
            )
        else:
            cursor.execute(
                "SELECT pg_get_triggerdef(oid) FROM pg_trigger "
                "WHERE NOT tgisinternal AND tgrelid = %s::regclass",
                [table],
            )
        triggers = " ".join(row[0] for row in cursor.fetchall())
    assert {"UPDATE", "DELETE"} <= set(triggers.replace("\n", " ").split()), (
        f"begin and end the migration that changes {table} with `migrations.RunPython(again, again)`, "
        f"where `again` is `protect({table!r})[0]` of clubs/journal/triggers.py: SQLite makes a table "
        "anew for a new column, without its triggers, on the way back too"
    )


@pytest.mark.django_db
def test_migrations_are_current() -> None:
    output = io.StringIO()
    try:
        call_command("makemigrations", check=True, dry_run=True, stdout=output)
    except SystemExit:
        pytest.fail(f"run makemigrations:\n{output.getvalue()}")


@pytest.mark.parametrize(
    "model",
    tables(),
    ids=lambda model: model.__name__,
)
def test_order_is_said_where_it_matters(model: type[models.Model]) -> None:
    assert not model._meta.ordering, f"{model.__name__} has Meta.ordering"
