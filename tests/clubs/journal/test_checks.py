"""The journal is verified by a task; pages print its stored result, whatever the journal's length."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.journal import checks as journal_checks
from clubs.journal import tasks, triggers
from clubs.journal.models import JournalEntry, JournalHead
from clubs.upkeep import sweeps
from clubs.upkeep.models import JournalCheck, SweepRun

TABLE = JournalEntry._meta.db_table
pytestmark = pytest.mark.django_db
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def more_lines(club, number: int) -> None:
    for n in range(number):
        journal.record(
            organisation=club.organisation,
            verb="settings_saved",
            subject=f"organisation:{club.organisation.pk}",
            by=Actor.system("test"),
            at=club.at,
            after={"n": n},
        )


def tamper(sql: str, *values: object) -> None:
    """Run raw SQL on the journal as somebody would who owns the database."""
    triggers.remove(connection, TABLE)
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        assert cursor.rowcount == 1
    triggers.install(connection, TABLE)


def rewrite(club, seq: int) -> None:
    tamper(
        f"UPDATE {TABLE} SET reason = 'forged' WHERE organisation_id = %s AND seq = %s",
        club.organisation.pk,
        seq,
    )


def walked(club, at, **more) -> tuple[JournalCheck, int]:
    """A check, and how many rows it hashed."""
    hashed = 0
    usual = journal.digest

    def count(entry):
        nonlocal hashed
        hashed += 1
        return usual(entry)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal, "digest", count)
        return journal_checks.check(club.organisation, at=at), hashed


def test_a_check_goes_on_from_the_row_that_the_last_one_verified(club, other_club):
    theirs = journal_checks.check(other_club.organisation, at=club.at)
    assert (theirs.seq, theirs.hash, theirs.holds) == (*journal.head_of(theirs.organisation), True)
    first, hashed = walked(club, club.at)
    length, head = journal.head_of(club.organisation)
    assert (first.seq, first.hash, first.holds, hashed) == (length, head, True, length)
    more_lines(club, 3)
    second, hashed = walked(club, club.at + MINUTE)
    assert (second.seq, second.hash) == journal.head_of(club.organisation)
    assert (second.seq, hashed) == (length + 3, 3)
    assert second.checked_at == club.at + MINUTE
    assert second.complete_at == club.at
    kept = journal_checks.last(other_club.organisation)
    assert (kept.hash, kept.checked_at) == (theirs.hash, club.at)


@pytest.mark.parametrize(("age", "whole"), [(DAY - MINUTE, False), (DAY, True), (DAY + MINUTE, True)])  # fmt: skip
def test_the_whole_chain_is_walked_once_a_day(club, age, whole):
    journal_checks.check(club.organisation, at=club.at)
    rewrite(club, 2)  # behind what was verified: only a whole walk can see it
    result, hashed = walked(club, club.at + age)
    assert result.holds is not whole
    assert (result.breach_seq, result.breach_what) == ((2, "changed") if whole else (None, ""))
    assert (hashed > 0) is whole


@pytest.mark.parametrize("wait", [MINUTE, DAY], ids=["new rows", "whole"])
def test_a_forged_row_among_the_new_ones_is_found_within_the_minute(club, wait):
    journal_checks.check(club.organisation, at=club.at)
    more_lines(club, 2)
    seq = journal.head_of(club.organisation)[0]
    rewrite(club, seq)
    result = journal_checks.check(club.organisation, at=club.at + wait)
    assert (result.breach_seq, result.breach_what) == (seq, "changed")
    assert result.seq == seq - 2


def test_a_chain_rewritten_with_new_hashes_is_found_by_what_was_verified_before(club):
    """Who holds the database can make a chain that is consistent; its last row is another one."""
    journal_checks.check(club.organisation, at=club.at)
    last = JournalEntry.objects.filter(organisation=club.organisation).order_by("seq").last()
    last.reason = "forged"
    forged = journal.digest(last)
    tamper(
        f"UPDATE {TABLE} SET reason = 'forged', hash = %s WHERE id = %s",
        forged,
        last.pk,
    )
    JournalHead.objects.filter(pk=club.organisation.pk).update(hash=forged)
    assert list(journal.verify(club.organisation)) == []
    result = journal_checks.check(club.organisation, at=club.at + MINUTE)
    assert (result.breach_seq, result.breach_what) == (last.seq, "rewritten")


def test_a_breach_stays_until_a_whole_walk_holds_again(club):
    journal_checks.check(club.organisation, at=club.at)
    more_lines(club, 1)
    entry = JournalEntry.objects.filter(organisation=club.organisation).order_by("seq").last()
    rewrite(club, entry.seq)
    assert not journal_checks.check(club.organisation, at=club.at + MINUTE).holds
    tamper(f"UPDATE {TABLE} SET reason = %s WHERE id = %s", entry.reason, entry.pk)
    result, hashed = walked(club, club.at + 2 * MINUTE)
    assert not result.holds and hashed == 0
    result, hashed = walked(club, club.at + MINUTE + journal_checks.BROKEN_EVERY)
    assert result.holds and hashed >= entry.seq
    assert result.seq == entry.seq


def test_a_row_written_while_the_chain_is_walked_is_no_breach(club, monkeypatch):
    """The end is read before the rows, so a writer in between does not look like a forger."""
    usual, written = journal.digest, []

    def write_once(entry):
        if not written:
            written.append(entry.seq)
            more_lines(club, 1)
        return usual(entry)

    # `record` makes a digest too, for the row it adds.
    monkeypatch.setattr(journal, "digest", write_once)
    assert list(journal.verify(club.organisation)) == []
    assert written


def test_the_task_checks_every_organisation_and_says_when_it_ran(club, other_club):
    rewrite(other_club, 3)
    assert tasks.verify_journals() == 1
    assert JournalCheck.objects.get(organisation=club.organisation).holds
    broken = JournalCheck.objects.get(organisation=other_club.organisation)
    assert (broken.breach_seq, broken.breach_what) == (3, "changed")
    assert SweepRun.objects.filter(name="journal").exists()


def test_a_club_whose_check_fails_is_named_and_the_others_are_checked(
    club, other_club, monkeypatch, caplog
):
    usual = journal_checks.check
    first, second = sorted((club, other_club), key=lambda one: one.organisation.pk)

    def fails_once(organisation, *, at):
        if organisation == first.organisation:
            raise RuntimeError("boom")
        return usual(organisation, at=at)

    monkeypatch.setattr(journal_checks, "check", fails_once)
    rewrite(second, 3)
    assert tasks.verify_journals() == 1
    assert (
        f"task journal failed for {first.organisation.slug}" in caplog.text
        and "boom" in caplog.text
    )
    seen = states()
    assert seen.ended_at == seen.failed_at is not None
    monkeypatch.undo()
    SweepRun.objects.update(ended_at=seen.ended_at - MINUTE)
    tasks.verify_journals()
    assert states().failed_at is None


def states() -> sweeps.Task:
    return sweeps.states(at=timezone.now(), after=sweeps.LATE_AFTER)["journal"]


PAGES = ("/gestion/", "/gestion/journal/")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_how_far_the_chain_was_verified_and_when(club, desk, path):
    assert "n’a pas encore été vérifié" in desk.get(path).content.decode()
    result = journal_checks.check(club.organisation, at=club.at)
    more_lines(club, 2)
    text = " ".join(desk.get(path).content.decode().split())
    assert f"Journal vérifié jusqu’à la ligne {result.seq} sur {result.seq + 2}, le 20 novembre 2026" in text  # fmt: skip
    assert 'role="alert"' not in text


@pytest.mark.parametrize("path", PAGES)
def test_a_broken_chain_is_said_aloud(club, desk, path):
    rewrite(club, 2)
    journal_checks.check(club.organisation, at=club.at)
    text = desk.get(path).content.decode()
    assert 'role="alert"' in text
    assert "Le journal a été modifié à la ligne 2." in text
    assert "Journal vérifié" not in text


@pytest.mark.parametrize("path", PAGES)
def test_no_page_reads_more_rows_because_the_journal_is_longer(club, desk, path, monkeypatch):
    more_lines(club, 60)  # a full first page
    short = cost(desk, path, monkeypatch)
    more_lines(club, 300)
    assert cost(desk, path, monkeypatch) == short


def cost(desk: Client, path: str, monkeypatch) -> tuple[int, int]:
    """(statements, journal rows read) of one page; no row is hashed and none is counted."""
    desk.get(path)
    rows = 0
    usual = JournalEntry.from_db.__func__

    def count(cls, *arguments):
        nonlocal rows
        rows += 1
        return usual(cls, *arguments)

    def refuse(*_arguments, **_named):
        raise AssertionError("a page walks the chain")

    with monkeypatch.context() as patch, CaptureQueriesContext(connection) as queries:
        patch.setattr(JournalEntry, "from_db", classmethod(count))
        patch.setattr(journal, "verify", refuse)
        assert desk.get(path).status_code == 200
    counted = [q["sql"] for q in queries if "COUNT(" in q["sql"].upper() and TABLE in q["sql"]]
    assert counted == []
    return len(queries), rows
