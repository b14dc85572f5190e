"""What a command says that cannot begin, or that is ended before its end: one sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import InternalError, ProgrammingError
from psycopg import errors

import manage

MANAGE = Path(__file__).resolve().parents[2] / "manage.py"


def begin(data: Path, *arguments: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
    told = {"PATH": os.environ["PATH"], "DATA_DIR": str(data)}
    command = [sys.executable, MANAGE, *arguments]
    return subprocess.Popen(command, env=told, stdout=stdout, stderr=subprocess.PIPE, text=True)


def test_a_closed_pipe_ends_a_command_without_a_traceback(tmp_path):
    read, write = os.pipe()
    os.close(read)  # as `| head`, which has read enough
    try:
        command = begin(tmp_path, "doctor", stdout=write)
        said = command.communicate()[1]
    finally:
        os.close(write)
    assert (command.returncode, said) == (1, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_ended_says_so(tmp_path, number):
    cases = tmp_path / "cases.jsonl"
    os.mkfifo(cases)
    usual = signal.signal(number, signal.default_int_handler)  # a job in the background ignores one
    command = begin(tmp_path, "evaluate_rules", str(cases))
    signal.signal(number, usual)
    with cases.open("w"):  # the command waits for what is written there
        command.send_signal(number)
    said = command.communicate()  # the pipe is closed: nothing waits for ever
    assert said == ("", "manage.py: stopped before its end.\n")
    assert command.returncode == 130


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("folder", "manage.py: the database: unable to open database file: see manage.py doctor."),
        ("elsewhere", "cannot be written by this account"),
    ],
)
def test_a_database_that_cannot_be_opened_is_one_sentence(tmp_path, place, words):
    file = tmp_path / "club.sqlite3"
    if place == "elsewhere":
        file.symlink_to(tmp_path / "not there" / "club.sqlite3")
    else:
        file.mkdir()
    command = begin(tmp_path, "verify")
    said = command.communicate()[1]
    assert words in said
    assert said.startswith("manage.py: ") and said.count("\n") == 1
    assert command.returncode == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("raised", "of_server"),
    [
        (InternalError, errors.ReadOnlySqlTransaction),
        (ProgrammingError, errors.InsufficientPrivilege),
    ],
)
def test_a_server_that_writes_nothing_for_this_role_is_one_sentence(raised, of_server, monkeypatch):
    """A standby, or tables that another role restored."""
    monkeypatch.setattr(sys, "argv", ["manage.py", "verify"])
    failed = raised("permission denied for table clubs_member")
    failed.__cause__ = of_server()
    said = "the database: permission denied for table clubs_member: see manage.py doctor."
    assert manage.why(failed) == said
    assert manage.why(raised("current transaction is aborted")) == ""
