"""What a log repeats of an exception or a sentence: no token, no code, no value of a row."""

from __future__ import annotations

import json
import logging
import re
import secrets
import sqlite3
import sys
from time import perf_counter

import psycopg
import pytest
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, connection, transaction

from clubs.accounts.actor import Refused
from clubs.members.models import Member
from config.watch import masking
from config.watch.logs import IdFormatter, JsonFormatter
from config.watch.masking import traceback_of, without_people, words_of

TOKEN = "Zx3-vQ8_kLm2Pq9RtYw7Bn4Cd6Fg1HjK"
NAME = "Odile Martin"
formatters = pytest.mark.parametrize("formatter", [JsonFormatter(), IdFormatter("%(message)s")])


def raised(error: BaseException, cause: BaseException | None = None):
    try:
        if cause is not None:
            raise error from cause
        raise error
    except type(error) as caught:
        return caught


def line_of(formatter, error, message="failed", *arguments):
    record = logging.makeLogRecord({"name": "club", "levelname": "ERROR", "msg": message})
    record.args, record.exc_info = arguments, (type(error), error, error.__traceback__)
    return formatter.format(record)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("no page at /c/faizers/i/abc-def/ now", "no page at /c/faizers/i/… now"),
        ("GET https://club.example/s/7KQ2MNPX refused", "GET https://club.example/s/… refused"),
        ("asked for /recherche/?q=Odile&page=2", "asked for /recherche/?…"),
        ("why? because", "why? because"),
        (f"bad token {TOKEN}.", "bad token …."),
        (f"club_{TOKEN} is no key", "… is no key"),
        ("session 3k9vq2zt8w1yxm5rh7b4nd6cpfgj0aus gone", "session … gone"),
        ("{'email': 'odile', 'last_name': 'O\"Hara', 'n': 3}", "{'email': …, 'last_name': …, 'n': 3}"),
        ('{"first_name": "Odile", "n": 3}', '{"first_name": …, "n": 3}'),
        ("door_code=7KQ2MNPX state=open", "door_code=… state=open"),
        ("pin: 4071, three tries", "pin: …, three tries"),
        ("Key (email)=(a) b) exists", "Key (email)=( …"),
        ("refused\\nDETAIL:  Failing row contains (1, Odile", "refused\\nDETAIL: …"),
        ("SELECT 1; args=('Odile',); alias=default", "SELECT 1; args= …"),
        ("Max retries exceeded with url: /hook/abc (caused", "Max retries exceeded with url: …"),
    ],
)  # fmt: skip
def test_a_text_keeps_no_secret_and_no_personal_value(text, masked):
    assert without_people(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "UNIQUE constraint failed: clubs_member.organisation_id, clubs_member.email",
        'duplicate key violates "one_member_per_account_and_organisation"',
        "TransactionManagementError in clubs.members.invitations.actions",
        "task clubs.notifications.tasks.send_mails_that_wait2",
        "request 92b10d45218c4ee2a78cbbcca665fdcd, task 94847aa3-e1ee-4cf2-9fa4-e23731984cec",
    ],
)
def test_names_of_code_and_numbers_of_requests_are_kept(text):
    assert without_people(text) == text


def test_no_token_that_the_site_makes_is_left():
    for _time in range(2000):
        for token in (secrets.token_urlsafe(24), secrets.token_urlsafe(32)):
            assert token not in without_people(f"token {token} unknown")


@formatters
def test_the_sentence_and_the_traceback_of_an_exception_hold_no_token(formatter):
    error = raised(ValueError(f"/c/faizers/i/{TOKEN}/"), KeyError(f"door_code={NAME.split()[0]}"))
    line = line_of(formatter, error, "failed with %s at %s", TOKEN, f"/c/faizers/s/{TOKEN}/")
    assert TOKEN not in line and "Odile" not in line
    assert "ValueError: /c/faizers/i/…" in line and "KeyError" in line
    assert "test_masking.py" in line and line.count("Traceback") == 2


@formatters
def test_another_handlers_formatter_brings_no_text_back(formatter):
    error = raised(ValueError(f"/i/{TOKEN}/"))
    record = logging.makeLogRecord({"msg": "failed"})
    record.exc_info = (ValueError, error, error.__traceback__)
    logging.Formatter().format(record)
    assert TOKEN in record.exc_text and TOKEN not in formatter.format(record)


@formatters
def test_errors_of_a_group_and_their_notes_are_written_without_secrets(formatter):
    inner = raised(ValueError("email='odile'"))
    inner.add_note(f"while reading /i/{TOKEN}/")
    line = line_of(formatter, raised(ExceptionGroup("two", [inner, KeyError("other")])))
    assert "ValueError" in line and "KeyError" in line and "while reading /i/…" in line
    assert "odile" not in line and TOKEN not in line


def test_an_error_that_leads_to_itself_is_written_once():
    error = raised(ValueError("a"))
    other = raised(KeyError("b"), error)
    error.__context__ = other
    assert traceback_of(error).count("Traceback") == 2
    assert traceback_of(raised(OSError("c"), other)).count("Traceback") == 3


@pytest.mark.django_db(transaction=True)
def test_a_database_tells_no_value_of_a_row_that_it_refuses(club):
    member, other = club.members[:2]
    for changes in (
        {"slug": other.slug, "email": "odile"},
        {"first_name": "", "last_name": "Martin\nTraceback (most recent"},
        {"public_id": other.public_id, "guardian_name": NAME},
    ):
        with pytest.raises(IntegrityError) as refused, transaction.atomic():
            Member.objects.filter(pk=member.pk).update(**changes)
        for formatter in (JsonFormatter(), IdFormatter("%(message)s")):
            line = line_of(formatter, refused.value, "refused: %s", refused.value)
            assert "IntegrityError" in line and "constraint" in line
            for value in ("odile", "Martin", other.slug, other.public_id, "Failing row"):
                assert value not in line, line


@pytest.mark.only_on("postgres")
@pytest.mark.django_db
def test_a_database_tells_no_value_that_it_cannot_read():
    with pytest.raises(DataError) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT CAST(%s AS integer)", [NAME.replace(" ", "\n")])
    line = line_of(JsonFormatter(), refused.value)
    assert "invalid input syntax for type integer" in line
    assert "Odile" not in line and "Martin" not in line


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Refused(f"{NAME} a déjà un compte.", code="already_linked"), "already_linked"),
        (ValidationError(NAME, code="invalid"), "invalid"),
        (SystemExit(3), "3"),
        (SystemExit("odile@example.org"), "…@…"),
        (ValueError("one\ntwo"), "one\ntwo"),
        (DataError("no integer\nMartin"), "no integer"),
        (psycopg.DataError('no integer: "Odile\nMartin"'), "no integer"),
        (sqlite3.DataError('no integer: "Odile"'), "no integer"),
    ],
)
def test_a_refusal_is_written_by_its_code_and_a_database_by_its_first_words(error, words):
    assert words_of(error) == words


EXPRESSIONS = [one for one in vars(masking).values() if isinstance(one, re.Pattern)]
HOSTILE = [
    *("a", "?", "=", "@", "-", "_", "/", "'", '"', " ", ".", ")=(", "?a", "a=", "/i/", "a@", "@a"),
    *(
        "email",
        "email=",
        "email='",
        'email="',
        "email = ",
        "DETAIL",
        "url",
        "with url",
        "args",
        "A1b",
    ),
    *("\\", "?a=", "/i/ ", "email: '", "code'", "a.b", "é", "\n"),
]


@pytest.mark.real_clock
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_text_costs_no_more_than_its_length(piece):
    """Four times the text is at most some more than four times the time: not sixteen."""

    def seconds(length):
        text = (piece * length)[:length]
        times = []
        for _time in range(3):
            begin = perf_counter()
            for expression in EXPRESSIONS:
                expression.sub("", text)
            times.append(perf_counter() - begin)
        return min(times)

    assert seconds(80_000) < max(10 * seconds(20_000), 0.1)


@formatters
def test_what_an_exception_says_is_bounded(formatter):
    line = line_of(formatter, raised(ValueError("x " * 1_000_000)))
    assert len(line) < 5_000
    assert json.dumps(line)
    assert sys.getsizeof(line) < 20_000
