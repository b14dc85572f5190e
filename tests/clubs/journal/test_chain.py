"""The journal's chain: each way to tamper is found and named; the tables refuse to be changed."""

from __future__ import annotations

import hashlib
import io
import json
from datetime import UTC

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from clubs.journal import chain as journal
from clubs.journal.append_only import AppendOnlyError
from clubs.journal.models import JournalEntry, JournalHead
from clubs.organisations.models import Organisation
from tests.clubs.journal.test_checks import tamper

TABLE = JournalEntry._meta.db_table
pytestmark = pytest.mark.django_db


def found(club) -> list[tuple[int, str]]:
    return [(breach.seq, breach.what) for breach in journal.verify(club.organisation)]


def command(club) -> tuple[int, str]:
    """(exit code, what it printed)."""
    out = io.StringIO()
    try:
        call_command("verify_journal", organisation=club.organisation.slug, stdout=out)
    except SystemExit as stop:
        return int(stop.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_an_untouched_chain_holds(club):
    seq, head = journal.head_of(club.organisation)
    assert seq > 10
    assert found(club) == []
    code, words = command(club)
    assert code == 0
    assert f"{seq} rows hold, head {head}" in words


CHANGED = {
    "at": "2020-01-01 00:00",
    "actor_id": "somebody",
    "member_id_of_actor": 7,
    "role": "other",
    "origin": "other",
    "verb": "x",
    "subject": "x:1",
    "before": '{"a": 1}',
    "after": '{"a": 1}',
    "reason": "autre motif",
    "rule_book_id_in_force": 7,
}


def test_each_column_of_the_journal_is_changed_below():
    place = {"id", "organisation_id", "seq", "previous_hash", "hash"}
    assert {field.column for field in JournalEntry._meta.concrete_fields} - place == set(CHANGED)


@pytest.mark.parametrize(("column", "value"), CHANGED.items())
def test_a_changed_row_is_named(club, column, value):
    if column == "actor_id":
        value = club.members[-1].user_id
    tamper(
        f"UPDATE {TABLE} SET {column} = %s WHERE organisation_id = %s AND seq = 5",
        value,
        club.organisation.pk,
    )
    assert found(club) == [(5, "changed")]
    code, words = command(club)
    assert code == 1
    assert "faizers: row 5: changed" in words


def test_a_changed_row_with_its_hash_made_anew_breaks_the_next_link(club):
    entry = JournalEntry.objects.get(organisation=club.organisation, seq=5)
    entry.reason = "autre motif"
    tamper(
        f"UPDATE {TABLE} SET reason = %s, hash = %s WHERE id = %s",
        entry.reason,
        journal.digest(entry),
        entry.pk,
    )
    assert found(club) == [(6, "link")]
    assert command(club)[0] == 1


def test_a_removed_row_is_named(club):
    tamper(f"DELETE FROM {TABLE} WHERE organisation_id = %s AND seq = 4", club.organisation.pk)
    assert found(club) == [(4, "removed")]
    code, words = command(club)
    assert code == 1
    assert "faizers: row 4: removed" in words


def test_an_inserted_row_is_named(club):
    """The keys leave one free place, before the first row."""
    forged = JournalEntry(
        organisation=club.organisation,
        seq=0,
        at=club.at,
        role="system",
        origin="web",
        verb="forged",
        subject="member:1",
        previous_hash="f" * 64,
    )
    forged.hash = journal.digest(forged)
    forged.save()
    assert found(club) == [(0, "inserted"), (1, "link")]
    code, words = command(club)
    assert code == 1
    assert "faizers: row 0: inserted" in words


def test_a_row_added_behind_the_journals_back_is_named(club):
    """Its hash and its link are right, but the head never heard of it."""
    last, _head = journal.head_of(club.organisation)
    previous = JournalEntry.objects.get(organisation=club.organisation, seq=last)
    forged = JournalEntry(
        organisation=club.organisation,
        seq=last + 1,
        at=club.at,
        role="system",
        origin="web",
        verb="forged",
        subject="member:1",
        previous_hash=previous.hash,
    )
    forged.hash = journal.digest(forged)
    forged.save()
    assert found(club) == [(last + 1, "tail")]
    code, words = command(club)
    assert code == 1
    assert f"faizers: row {last + 1}: tail" in words


def test_a_row_slipped_into_the_middle_is_named(club):
    """A forged row takes the place of the fifth, with a right hash and a right link."""
    organisation = club.organisation
    fourth = JournalEntry.objects.get(organisation=organisation, seq=4)
    fifth = JournalEntry.objects.get(organisation=organisation, seq=5)
    tamper(f"DELETE FROM {TABLE} WHERE id = %s", fifth.pk)
    forged = JournalEntry(
        organisation=organisation,
        seq=5,
        at=fifth.at,
        role="system",
        origin="web",
        verb="forged",
        subject="member:1",
        previous_hash=fourth.hash,
    )
    forged.hash = journal.digest(forged)
    forged.save()
    assert found(club) == [(6, "link")]
    assert command(club)[0] == 1


def test_a_cut_tail_is_named(club):
    last, _head = journal.head_of(club.organisation)
    tamper(
        f"DELETE FROM {TABLE} WHERE organisation_id = %s AND seq = %s", club.organisation.pk, last
    )
    assert found(club) == [(last, "tail")]
    code, words = command(club)
    assert code == 1
    assert f"faizers: row {last}: tail" in words


def test_a_lost_head_is_named(club):
    last, _head = journal.head_of(club.organisation)
    club.organisation.journal_head.delete()
    assert found(club) == [(last, "head_missing")]
    assert command(club)[0] == 1


def test_the_canonical_form_is_json_by_name(club):
    entry = journal.record(
        organisation=club.organisation,
        verb="odd",
        subject="x",
        by=club.committee,
        at=club.at,
        before={"b": 1, "a": "é"},
    )
    fields = vars(entry).items()
    names = {"actor_id": "actor", "member_id_of_actor": "member", "organisation_id": "organisation"}
    names |= {"previous_hash": "previous", "rule_book_id_in_force": "rule_book"}
    content = {names.get(n, n): v for n, v in fields if n not in ("id", "hash", "_state")}
    content["at"] = entry.at.astimezone(UTC).isoformat(timespec="microseconds")
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert entry.hash == hashlib.sha256(text.encode()).hexdigest()


def test_an_organisation_has_a_chain_from_its_first_moment(db):
    new = Organisation.objects.create(slug="neuf", name="Neuf")
    assert journal.head_of(new) == (0, journal.GENESIS)
    assert list(journal.verify(new)) == []
    new.name = "Neuf !"
    new.save()
    assert journal.head_of(new) == (0, journal.GENESIS)


def test_without_a_head_nothing_is_written(club):
    club.organisation.journal_head.delete()
    told = {"verb": "odd", "subject": "x", "by": club.committee, "at": club.at}
    before = JournalEntry.objects.count()
    with pytest.raises(JournalHead.DoesNotExist), transaction.atomic():
        journal.record(organisation=club.organisation, **told)
    assert JournalEntry.objects.count() == before


def test_one_broken_chain_does_not_accuse_the_neighbours(club, other_club):
    tamper(
        f"UPDATE {TABLE} SET reason = 'x' WHERE organisation_id = %s AND seq = 2",
        club.organisation.pk,
    )
    assert found(other_club) == []
    assert command(other_club)[0] == 0
    assert command(club)[0] == 1


def test_the_model_refuses_to_change_or_delete_a_line(club):
    entry = JournalEntry.objects.filter(organisation=club.organisation).latest("seq")
    entry.reason = "autre"
    with pytest.raises(AppendOnlyError):
        entry.save()
    with pytest.raises(AppendOnlyError):
        entry.delete()
    with pytest.raises(AppendOnlyError):
        JournalEntry.objects.filter(pk=entry.pk).update(reason="autre")
    with pytest.raises(AppendOnlyError):
        JournalEntry.objects.filter(pk=entry.pk).delete()
    assert JournalEntry.objects.get(pk=entry.pk).reason != "autre"


@pytest.mark.parametrize("table", [TABLE, "ratings_ledgerentry", "pairings_decision"])
@pytest.mark.parametrize("sql", ["UPDATE {} SET id = id", "DELETE FROM {}"])
def test_the_database_refuses_raw_sql(club, table, sql):
    club.played()
    club.close()

    def rows() -> int:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT COUNT(*) FROM {table}")
            return cursor.fetchone()[0]

    before = rows()
    assert before > 0
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.cursor().execute(sql.format(table))
    assert rows() == before
