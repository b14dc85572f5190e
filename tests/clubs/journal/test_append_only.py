"""Raw SQL against append-only rows: REPLACE on SQLite, TRUNCATE on PostgreSQL, adopted rules."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import DatabaseError, IntegrityError, connection, transaction

from clubs.journal.models import JournalEntry
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook

pytestmark = pytest.mark.django_db
ADDED_ONLY = sorted(
    model._meta.db_table for model in apps.get_models() if getattr(model, "append_only", False)
)
MIGRATIONS = [
    import_module(f"{app}.migrations.{name}_guards_against_replace")
    for app, name in (("clubs", "0006"), ("ratings", "0008"), ("pairings", "0008"))
]


def run(sql: str, *values) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)


def refused(sql: str, *values) -> None:
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        run(sql, *values)


def rows_of(sql: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


@pytest.fixture(params=["ON", "OFF"])
def recursive_triggers(request):
    """A connection of the site, and one of a program that knows nothing of the site."""
    run(f"PRAGMA recursive_triggers = {request.param}")
    yield request.param
    run("PRAGMA recursive_triggers = ON")


@pytest.fixture
def any_row():
    """Rows of any table may be written: checks are off, and nothing of it is kept."""
    run("PRAGMA ignore_check_constraints = ON")
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    run("PRAGMA ignore_check_constraints = OFF")


def keys_of(table: str) -> list[list[str]]:
    unique = [row[1] for row in rows_of(f"PRAGMA index_list({table})") if row[2]]
    return [["id"], *([row[2] for row in rows_of(f"PRAGMA index_info({one})")] for one in unique)]


def row_for(table: str, key: list[str], variant: int) -> dict[str, object]:
    """A row with every needed column; two variants differ in all but the columns of `key`."""
    row: dict[str, object] = {}
    for _cid, name, kind, needed, _default, is_pk in rows_of(f"PRAGMA table_info({table})"):
        if needed or is_pk or name in key:
            number = 1_000_000 + (0 if name in key else variant)
            row[name] = number if "int" in kind.lower() or kind == "bool" else f'"{number}"'
    return row


def write(verb: str, table: str, row: dict[str, object]) -> tuple[str, ...]:
    names = ", ".join(f'"{name}"' for name in row)
    marks = ", ".join(["%s"] * len(row))
    return (f"{verb} INTO {table} ({names}) VALUES ({marks})", *row.values())


@pytest.mark.only_on("sqlite")
def test_every_connection_of_the_site_fires_triggers_on_replace():
    assert rows_of("PRAGMA recursive_triggers") == [(1,)]


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("table", ADDED_ONLY)
def test_no_key_of_an_append_only_row_can_be_replaced(table, recursive_triggers, any_row):
    for key in keys_of(table):
        with transaction.atomic():
            run(*write("INSERT", table, row_for(table, key, 0)))
            before = rows_of(f"SELECT * FROM {table}")
            refused(*write("INSERT OR REPLACE", table, row_for(table, key, 1)))
            refused(*write("REPLACE", table, row_for(table, key, 1)))
            refused(f"UPDATE OR REPLACE {table} SET id = id + 1")
            refused(f"UPDATE {table} SET id = id")
            refused(f"DELETE FROM {table}")
            assert rows_of(f"SELECT * FROM {table}") == before
            transaction.set_rollback(True)


@pytest.mark.only_on("sqlite")
def test_the_pragma_alone_refuses_a_replace_too(club):
    run("DROP TRIGGER clubs_journalentry_no_insert")
    last = JournalEntry.objects.order_by("-pk")[0]
    columns = [field.column for field in JournalEntry._meta.fields]
    refused(
        f"INSERT OR REPLACE INTO clubs_journalentry ({', '.join(columns)}) "
        f"SELECT {', '.join(columns)} FROM clubs_journalentry WHERE id = %s",
        last.pk,
    )


@pytest.mark.only_on("postgres")
@pytest.mark.parametrize("table", [*ADDED_ONLY, "clubs_rulebook"])
@pytest.mark.parametrize("named", ["{}", "clubs_organisation"])
def test_an_append_only_table_cannot_be_truncated(table, named):
    refused(f"TRUNCATE {named.format(table)} CASCADE")


def book(club, *, adopted: bool) -> RuleBook:
    draft = club.draft_rules({})
    if adopted:
        club.adopt(draft, club.at + timedelta(days=1), voted_by="AG")
    return draft


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE clubs_rulebook SET effective_from = adopted_at WHERE id = %s",
        "UPDATE clubs_rulebook SET adopted_at = NULL WHERE id = %s",
        "DELETE FROM clubs_rulebook WHERE id = %s",
    ],
)
def test_an_adopted_rule_book_is_neither_changed_nor_deleted(club, change):
    version = book(club, adopted=True)
    refused(change, version.pk)
    with pytest.raises(DatabaseError), transaction.atomic():
        RuleBook.objects.filter(pk=version.pk).update(reason="autre")
    with pytest.raises(DatabaseError), transaction.atomic():
        version.delete()
    assert RuleBook.objects.get(pk=version.pk).reason == "vote"


@pytest.mark.only_on("sqlite")
def test_an_adopted_rule_book_is_not_replaced(club, recursive_triggers):
    version = book(club, adopted=True)
    draft = book(club, adopted=False)
    columns = [field.column for field in RuleBook._meta.fields if field.column != "id"]
    told = ", ".join(f'"{column}"' for column in columns)
    for first in (f"{version.pk}", "NULL"):  # by its id, and by its number alone
        refused(
            f"INSERT OR REPLACE INTO clubs_rulebook (id, {told}) "
            f"SELECT {first}, {told} FROM clubs_rulebook WHERE id = %s",
            version.pk,
        )
    refused(f"UPDATE OR REPLACE clubs_rulebook SET id = {version.pk} WHERE id = {draft.pk}")
    refused(f"UPDATE OR REPLACE clubs_rulebook SET number = {version.number} WHERE id = {draft.pk}")
    assert RuleBook.objects.filter(pk__in=[version.pk, draft.pk]).count() == 2


def test_a_draft_of_the_rules_is_changed_and_deleted_as_before(club):
    draft = book(club, adopted=False)
    run("UPDATE clubs_rulebook SET reason = 'relu' WHERE id = %s", draft.pk)
    run("DELETE FROM clubs_rulebook WHERE id = %s", draft.pk)
    rulebooks.drop(draft=book(club, adopted=False), by=club.committee, at=club.at)
    assert RuleBook.objects.get().dropped_at == club.at


def triggers() -> set[str]:
    return {
        name
        for (name,) in rows_of(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            if connection.vendor == "sqlite"
            else "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
        )
    }


@pytest.mark.parametrize("module", MIGRATIONS, ids=lambda module: module.__name__.partition(".")[0])
def test_the_way_back_leaves_the_guards_of_rows_and_the_way_forth_adds_the_others(module):
    before, editor = triggers(), SimpleNamespace(connection=connection)
    for step in reversed(module.Migration.operations):
        step.reverse_code(apps, editor)
    guarded = getattr(module, "TABLES", ("clubs_journalentry",))
    gone = before - triggers()
    whole = "insert" if connection.vendor == "sqlite" else "truncate"
    assert {f"{table}_no_{whole}" for table in guarded} <= gone
    assert {f"{table}_no_{event}" for table in guarded for event in ("update", "delete")} <= (
        triggers()
    )
    for step in module.Migration.operations:
        step.code(apps, editor)
    assert triggers() == before
