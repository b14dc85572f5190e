"""Heads of the chain are mailed, so that a journal computed anew is found out from outside."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.journal import heads, triggers
from clubs.journal.models import GENESIS, JournalEntry, JournalHead
from clubs.members.models import RoleGrant
from clubs.personal_data.models import PrivacySettings

TABLE = JournalEntry._meta.db_table
DAY = timedelta(days=1)
pytestmark = pytest.mark.django_db


def verified(*arguments: str) -> tuple[int, str]:
    """The exit code of the command, and what it prints."""
    output = io.StringIO()
    try:
        call_command("verify_journal", *arguments, stdout=output)
    except SystemExit as ended:
        return int(str(ended.code)), output.getvalue()
    return 0, output.getvalue()


def rewrite_all(club, seq: int) -> None:
    """Alter one row and compute every hash behind it anew, as who holds the database can."""
    triggers.remove(connection, TABLE)
    previous = GENESIS
    with connection.cursor() as cursor:
        rows = list(JournalEntry.objects.filter(organisation=club.organisation).order_by("seq"))
        for row in rows:  # hashes are unique: free them before they are given anew
            cursor.execute(
                f"UPDATE {TABLE} SET previous_hash = %s WHERE id = %s", [f"x{row.pk}", row.pk]
            )
        for row in rows:
            row.reason = "forged" if row.seq == seq else row.reason
            row.previous_hash = previous
            previous = journal.digest(row)
            cursor.execute(
                f"UPDATE {TABLE} SET reason = %s, previous_hash = %s, hash = %s WHERE id = %s",
                [row.reason, row.previous_hash, previous, row.pk],
            )
    triggers.install(connection, TABLE)
    JournalHead.objects.filter(pk=club.organisation.pk).update(hash=previous)


def mails(run, mailoutbox, callbacks):
    mailoutbox.clear()
    with callbacks(execute=True):
        done = run()
    return done, list(mailoutbox)


def test_a_journal_computed_anew_verifies_alone_but_not_against_a_mailed_head(club):
    early = JournalEntry.objects.get(organisation=club.organisation, seq=3)
    seq, head = journal.head_of(club.organisation)
    known = ("--expect", f"{early.seq}:{early.hash}", "--expect", f"{seq}:{head}")
    assert verified(*known)[0] == 0
    rewrite_all(club, seq=5)
    assert verified()[0] == 0
    code, words = verified(*known)
    assert code == 1
    assert "rows up to 3 agree" in words and f"one of rows 4 to {seq} was changed" in words


def test_a_head_beyond_the_end_is_a_journal_cut_short(club):
    seq, _head = journal.head_of(club.organisation)
    assert verified("--expect", f"{seq + 1}:{'0' * 64}")[0] == 1


def test_a_head_is_of_one_organisation_and_written_as_mailed(club, other_club):
    seq, head = journal.head_of(club.organisation)
    with pytest.raises(CommandError, match="--organisation"):
        verified("--expect", f"{seq}:{head}")
    assert verified("--organisation", "faizers", "--expect", f"{seq}:{head}")[0] == 0
    with pytest.raises(CommandError, match="SEQ:HASH"):
        verified("--organisation", "faizers", "--expect", f"{seq}")


def test_the_committee_gets_one_mail_a_day_and_only_when_the_journal_moved(
    club, other_club, mailoutbox, after_commit
):
    held = {"member": club.members[0], "granted_at": club.at - DAY, "revoked_at": club.at}
    RoleGrant.objects.create(role=RoleGrant.COMMITTEE, **held)

    def daily(days: int):
        at = club.at + days * DAY
        run = lambda: heads.mail(club.organisation, at=at)  # noqa: E731
        return mails(run, mailoutbox, after_commit)

    def move() -> None:
        journal.record(
            organisation=club.organisation,
            verb="club_edited",
            subject="organisation:1",
            by=Actor.system("test"),
            at=club.at,
        )

    sent, [mail] = daily(0)
    seq, head = journal.head_of(club.organisation)
    assert sent and mail.to == [club.committee.user.email]
    assert JournalHead.objects.get(pk=other_club.organisation.pk).mailed_at is None
    assert f"--organisation faizers --expect {seq}:{head}" in mail.body
    assert daily(2) == (False, [])  # nothing new
    move()
    assert daily(0) == (False, [])  # new, but today's mail was sent
    sent, [mail] = daily(1)
    assert f"{seq + 1}:" in mail.body
    move()
    PrivacySettings.objects.create(organisation=club.organisation, heads_by_mail=False)
    assert daily(3) == (False, [])


def test_a_published_edition_mails_the_head_whatever_went_before(club, mailoutbox, after_commit):

    club.played(scores=(400, 300))
    club.close()
    heads.mail(club.organisation, at=club.at)

    edition, sent = mails(lambda: club.publish_edition("Automne"), mailoutbox, after_commit)
    [mail] = [mail for mail in sent if "--expect" in mail.body]
    assert f"{edition.journal_seq}:{edition.journal_hash}" in mail.body and "Automne" in mail.body


def test_the_state_page_shows_the_head_to_compare(club, as_user):
    seq, head = journal.head_of(club.organisation)
    page = as_user(club.committee.user).get("/c/faizers/gestion/etat/")
    assert f"{seq}:{head}" in page.content.decode()
