"""`manage.py replay_ratings`: every number comes back, or the first that does not is named."""

from __future__ import annotations

import io
import json
import sys

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clubs.journal import triggers
from ratings.ledger import entries
from ratings.ledger.models import LedgerEntry, StandingCote
from tests.replay.lists import make_book

pytestmark = pytest.mark.django_db


@pytest.fixture
def book(db):
    book = make_book("faizers", 4)
    for day in range(3):
        event = book.event(day)
        posting = book.game(0, 1 + day, 2)
        event.games[posting.key] = posting
        book.add(event)
    return book


def replayed(*arguments: str) -> tuple[str, int]:
    out = io.StringIO()
    try:
        call_command("replay_ratings", *arguments, stdout=out)
    except SystemExit as end:
        return out.getvalue(), int(str(end.code))
    return out.getvalue(), 0


def tamper(book, day: int, text: str) -> LedgerEntry:
    """Write over a stored number as somebody with the database in their hands would."""
    entry = LedgerEntry.objects.filter(period=book.events[day].period).order_by("pk")[0]
    triggers.remove(connection, "ratings_ledgerentry")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE ratings_ledgerentry SET after = %s WHERE id = %s", [text, entry.pk])
    triggers.install(connection, "ratings_ledgerentry")
    return entry


def test_a_sound_list_comes_back_by_either_name(book):
    club = book.rating_list.organisation.slug
    for name in ("faizers", f"{club}/faizers"):
        assert replayed("--check", name) == (f"{club}/faizers: every number comes back\n", 0)


def test_cotes_that_are_written_again_change_together_or_not_at_all(book, monkeypatch):
    """Ctrl-C in the middle; a settlement meanwhile waits for the list."""
    (stray,) = make_book("faizers", 1).members
    cote = StandingCote.objects.filter(rating_list=book.rating_list)[0]
    cote.pk, cote.member = None, stray
    cote.save(force_insert=True)
    name = f"{book.rating_list.organisation.slug}/faizers"

    def stopped(_cotes):
        raise KeyboardInterrupt

    monkeypatch.setattr(entries, "write_cotes", stopped)
    with CaptureQueriesContext(connection) as asked, pytest.raises(KeyboardInterrupt):
        call_command("replay_ratings", name, rebuild=True)
    assert StandingCote.objects.filter(member=stray).exists()
    if connection.features.has_select_for_no_key_update:
        assert any("FOR NO KEY UPDATE" in query["sql"] for query in asked)


def test_a_list_nobody_knows_is_refused(book):
    with pytest.raises(CommandError, match="fisf"):
        call_command("replay_ratings", "nowhere/fisf")


def test_the_first_number_that_differs_is_named(book):
    state = '{"rating": %s, "games": 1, "events": 1, "status": "", "extra": {}}'
    later, first = tamper(book, 2, state % 1), tamper(book, 1, state % 1234)
    said, code = replayed()
    assert code == 1
    assert "2 differ" in said
    assert f"period {book.events[1].period.key}, member {first.member_id}" in said
    assert '"rating": 1234' in said.partition("replayed")[0]
    assert later.period.key not in said


def test_a_whole_number_stored_as_a_decimal_is_another_number(book):
    entry = LedgerEntry.objects.filter(period=book.events[2].period).order_by("pk")[0]
    number = entry.after["rating"]
    tamper(book, 2, json.dumps(entry.after).replace(f'"rating": {number}', f'"rating": {number}.0'))
    entry.refresh_from_db()
    assert entry.after["rating"] == number
    assert replayed()[1] == 1


def test_a_wrong_latest_cote_is_found_and_written_again(book):
    held = book.cotes()
    StandingCote.objects.filter(member=book.members[0]).update(state={"rating": 3000})
    StandingCote.objects.filter(member=book.members[1]).delete()
    said, code = replayed("--check")
    assert (code, "2 differ; first: period cote" in said) == (1, True)
    said, code = replayed("--rebuild")
    assert (code, "4 cotes written" in said) == (0, True)
    assert book.cotes() == held


def test_a_terminal_sees_a_bar_and_a_log_does_not(book, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, seen in ((io.StringIO(), False), (Terminal(), True)):
        monkeypatch.setattr(sys, "stderr", stream)
        replayed()
        assert ("3/3" in stream.getvalue()) is seen
