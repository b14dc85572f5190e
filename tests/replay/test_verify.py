"""`manage.py verify` runs every check, whatever the one before has found; a restore runs it too."""

from __future__ import annotations

import io

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection

from clubs.archive import writing
from clubs.journal import triggers
from pairings.absences.tasks import daily
from tests import kept
from tests.clubhouse import NOW, make_club
from tests.ratings.editions.test_actions import publish

WRONG = {
    "verify_journal": (
        "clubs_journalentry",
        "UPDATE clubs_journalentry SET verb = 'x' WHERE seq = 2",
    ),
    "verify_editions": ("ratings_edition", "UPDATE ratings_edition SET title = 'Autre'"),
    "replay_ratings": ("ratings_ledgerentry", "UPDATE ratings_ledgerentry SET after = before"),
}


def begin(club):
    """One settled match and a published ranking."""
    club.played(scores=(400, 300))
    club.close()
    publish(club)
    return club


def spoil(*commands: str) -> None:
    """Write what each of these commands looks for, as somebody would who holds the database."""
    for table, sql in (WRONG[name] for name in commands):
        triggers.remove(connection, table)
        with connection.cursor() as cursor:
            cursor.execute(sql)
            assert cursor.rowcount
        triggers.install(connection, table)


def run(*arguments: str) -> tuple[str, str, int]:
    """What a command prints, what it prints as errors, and its exit code."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(*arguments, stdout=out, stderr=err)
    except SystemExit as ended:
        return out.getvalue(), err.getvalue(), int(str(ended.code))
    return out.getvalue(), err.getvalue(), 0


@pytest.mark.django_db
def test_a_sound_site_holds():
    begin(make_club("faizers"))
    out, err, code = run("verify")
    assert (err, code) == ("", 0)
    assert " rows hold, head " in out
    assert "1 editions, 0 breaches" in out and "faizers/faizers: every number comes back" in out


@pytest.mark.django_db
@pytest.mark.parametrize("commands", [*((name,) for name in WRONG), tuple(WRONG)])
def test_each_check_runs_and_those_that_found_something_are_named(commands):
    begin(make_club("faizers"))
    spoil(*commands)
    out, err, code = run("verify")
    assert (err, code) == (f"does not hold: {', '.join(commands)}\n", 1)
    assert ("row 2:" in out) is ("verify_journal" in commands)
    assert ("1 editions, 0 breaches" in out) is ("verify_editions" not in commands)
    assert ("1 differ" in out or "2 differ" in out) is ("replay_ratings" in commands)


@pytest.mark.django_db(transaction=True)
def test_a_restore_names_all_that_its_archive_brought(settings, tmp_path):
    settings.MEDIA_ROOT, settings.DATA_DIR = tmp_path / "media", tmp_path
    file, brought = tmp_path / "site.zip", ("verify_editions", "replay_ratings")
    with time_machine.travel(NOW, tick=False):
        begin(make_club.__wrapped__("faizers", size=6))
        spoil(*brought)
        writing.write(file, at=NOW)
        call_command("flush", interactive=False, verbosity=0)
        kept.keys_begin_again()
        _out, err, code = run("restore", str(file))
    assert (err, code) == (f"does not hold: {', '.join(brought)}\n", 1)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("commands", "words"),
    [
        (("verify_editions",), "échec le"),
        (("replay_ratings",), "échec le"),
        ((), "fini le"),
    ],
)
def test_every_night_numbers_are_verified_and_the_page_of_the_site_says_it(
    as_user, caplog, commands, words
):
    club = begin(make_club("faizers"))
    spoil(*commands)
    daily()
    page = as_user(club.committee.user).get("/c/faizers/gestion/etat/").content.decode()
    line = page.partition("Vérification des cotes et des publications")[2].partition("</li>")[0]
    assert words in line
    assert all(f"run manage.py {command}" in caplog.text for command in commands)


@pytest.mark.django_db
@pytest.mark.parametrize("command", ["verify_journal", "verify_editions"])
def test_a_mistyped_organisation_is_not_said_to_hold(command):
    make_club("faizers")
    with pytest.raises(CommandError, match="No organisation named 'faizer': faizers"):
        call_command(command, organisation="faizer")
