"""Each line names its request, account and task, and nobody; the request's number is answered."""

from __future__ import annotations

import json
import logging
import re
import sys

import pytest
from celery import Celery, shared_task
from celery.beat import Scheduler
from django.db import connection
from django.test import Client

from config.watch.logs import (
    BrokerAwayFilter,
    IdFormatter,
    JsonFormatter,
    actor_id,
    logging_for,
    request_id,
)
from config.watch.masking import LONGEST, MAIL, without_people
from config.watch.requests import HEADER
from tests.clubhouse import make_club

REFUSED = "taken\nDETAIL:  Key (name)=(Odile Martin) exists\nodile@example.org twice"
GIVEN = "0123456789abcdef0123456789abcdef"


@pytest.fixture(autouse=True)
def no_request():
    """A test before may have left a page half read: its request has not ended for this worker."""
    request_id.set("")
    actor_id.set(None)


@pytest.fixture
def lines(caplog):
    """What the site writes in JSON while a test runs."""
    written: list[dict] = []

    class Kept(logging.Handler):
        def emit(self, record):
            written.append(json.loads(JsonFormatter().format(record)))

    handler = Kept()
    logging.getLogger().addHandler(handler)
    with caplog.at_level(logging.INFO):
        yield written
    logging.getLogger().removeHandler(handler)


def record(message, *arguments, error=None, **ids):
    made = logging.makeLogRecord({"name": "club", "levelname": "INFO", "msg": message})
    made.args, made.exc_info = arguments, error
    made.__dict__.update(ids)
    return made


def test_a_line_is_one_json_object_with_its_ids():
    line = JsonFormatter().format(record("evening closed", evening=3, matches=12))
    assert "\n" not in line
    told = json.loads(line)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", told.pop("time"))
    assert told == {
        "level": "INFO",
        "logger": "club",
        "message": "evening closed",
        "ids": {"evening": 3, "matches": 12},
    }


@pytest.mark.parametrize("formatter", [JsonFormatter(), IdFormatter("%(message)s")])
def test_neither_form_holds_a_mail_address_or_the_values_of_a_refused_row(formatter):
    try:
        raise ValueError(REFUSED)
    except ValueError:
        made = record("to %s", "odile@example.org", error=sys.exc_info(), to="odile@example.org")
    line = formatter.format(made)
    assert "ValueError: taken" in line.replace("\\n", "\n")
    assert "example.org" not in line and "Odile" not in line
    if isinstance(formatter, JsonFormatter):
        assert json.loads(line)["ids"] == {"to": "…@…"}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("to odile.martin+club@mail.example.org, twice", "to …@…, twice"),
        ("<a@b> mailto:é@b.org", "<…@…> mailto:…@…"),
        ("a@b+c@d.org a@b@c.org", "…@… …@…"),
        (f"{'a' * 100}@example.org", "…@…"),
        ("12 @ 14, @home, end@", "12 @ 14, @home, end@"),
    ],
)
def test_a_mail_address_is_masked_from_its_first_character_to_its_last(text, masked):
    assert without_people(text) == masked


def test_a_word_without_an_address_is_read_from_its_beginning_alone():
    """Where each letter of a word is another beginning, a long word is read once for each."""
    word = "a" * 40
    tried = [MAIL.match(f"{word}@b.org", start) is not None for start in range(len(word))]
    assert tried == [True] + [False] * 39


@pytest.mark.parametrize(("length", "cut"), [(999, False), (1000, False), (1001, True)])
def test_a_message_has_a_thousand_characters(length, cut):
    path = ("-/" * length)[:length]
    told = json.loads(JsonFormatter().format(record("%s", path, path=path)))
    for written in (told["message"], told["ids"]["path"]):
        assert len(written) <= LONGEST and (written != path) == cut
    line = IdFormatter("%(message)s").format(record("%s", path, path=path))
    assert (line != f"{path} path={path}") == cut


@pytest.mark.parametrize("formatter", [JsonFormatter(), IdFormatter("%(message)s")])
@pytest.mark.parametrize("place", range(LONGEST - 25, LONGEST + 2))
def test_no_part_of_a_mail_address_is_left_where_a_message_is_cut(formatter, place):
    line = formatter.format(record("%s", f"{'x ' * place}"[:place] + " odile.martin@example.org !"))
    assert "odile" not in line and "example" not in line


@pytest.mark.django_db
def test_lines_of_a_request_have_its_number_and_the_account(club, as_user, lines):
    answer = as_user(club.arbiter.user).get("/c/faizers/nowhere/")
    (line,) = [one for one in lines if one["logger"] == "django.request"]
    assert line["request"] == answer[HEADER]
    assert line["actor"] == club.arbiter.user.pk
    assert (request_id.get(), actor_id.get()) == ("", None)
    visitor = Client().get("/c/faizers/nowhere/")
    assert lines[-1]["request"] == visitor[HEADER] != answer[HEADER]
    assert "actor" not in lines[-1]


SECRET = "zazoune-fayocanari"
SECRET_PATHS = [
    ("/c/faizers/i/{}/", "clubs:invitation"),
    ("/i/{}/", "clubs:invitation"),
    ("/c/faizers/s/{}/", "pairings:checkin"),
    ("/c/faizers/ecran/{}/", "pairings:screen"),
    ("/c/faizers/j/12/{}/", "pairings:card"),
    ("/c/faizers/joueurs/{}/", "pairings:player"),
    ("/c/faizers/joueurs/ada/contre/{}/", "pairings:head_to_head"),
    ("/c/faizers/joueurs/{}/nowhere/", "/c/faizers/joueurs"),
    ("/c/nobody/i/{}/", "/c/nobody/i"),
    ("/joueurs//{}/", "/joueurs"),
    ("/c/faizers/joueurs/é{}/", "/c/faizers/joueurs"),
    ("/api/v1/players/{}", "api"),
]


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post", "delete"])
@pytest.mark.parametrize(("path", "place"), SECRET_PATHS)
def test_a_refused_page_is_named_by_its_view_and_not_by_its_path(club, lines, path, place, method):
    client = Client(enforce_csrf_checks=True)
    answer = getattr(client, method)(path.format(SECRET))
    told = [one["message"] for one in lines if one["logger"].startswith("django.")]
    assert answer.status_code < 400 or (told and place in told[-1])
    assert SECRET not in json.dumps(lines)
    assert method == "get" or answer.status_code >= 400


@pytest.mark.parametrize("formatter", [JsonFormatter(), IdFormatter("%(message)s")])
@pytest.mark.parametrize("path", [path for path, _place in SECRET_PATHS[:10]])
def test_an_address_that_a_server_writes_is_masked_too(formatter, path):
    line = formatter.format(record("Error handling request %s", path.format(SECRET)))
    assert SECRET not in line and "Error handling request /" in line


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("proxies", "given", "taken"),
    [
        (1, GIVEN, True),
        (0, GIVEN, False),
        (1, "short", False),
        (1, "a" * 64, True),
        (1, "a" * 65, False),
        (1, "two\x0blines-of-a-log", False),
    ],
)
def test_a_number_is_taken_from_our_own_proxy_alone(settings, proxies, given, taken):
    settings.TRUST_PROXY = proxies
    number = Client().get("/hors-ligne/", headers={HEADER: given})[HEADER]
    assert (number == given) == taken
    assert taken or re.fullmatch(r"[0-9a-f]{32}", number)


@pytest.mark.django_db
@pytest.mark.parametrize("status", [500, 503])
def test_an_error_page_says_the_number(status, monkeypatch):
    make_club("faizers", size=2)

    def fail(*_arguments, **_named):
        if status == 503:
            from django.db import OperationalError

            raise OperationalError("away")
        raise ValueError("a bug")

    with connection.execute_wrapper(fail):
        answer = Client(raise_request_exception=False).get("/c/faizers/classement/")
    assert answer.status_code == status
    assert f"<code>{answer[HEADER]}</code>" in answer.content.decode()


@shared_task
def speak():
    logging.getLogger("club.task").info("working")


def test_lines_of_a_worker_have_the_task(lines):
    task = speak.delay()
    (line,) = [one for one in lines if one["logger"] == "club.task"]
    assert line["task"] == task.id and "request" not in line


@pytest.mark.parametrize("mails", [False, True])
def test_errors_reach_the_log_once_and_the_mail_where_asked(mails):
    """Django's own handlers, which mail cookies, are taken away."""
    made = logging_for("INFO", "json", mails=mails)
    assert made["root"]["handlers"] == ["console", *(["admins"] if mails else [])]
    assert made["handlers"]["console"]["formatter"] == "json"
    assert made["loggers"]["django"]["handlers"] == []
    assert logging.getLogger("django").handlers == []


@pytest.mark.real_clock
def test_without_its_broker_beat_writes_one_sentence_a_minute(lines, monkeypatch):
    """Celery writes two tracebacks for each task that it cannot send, every few seconds."""
    app = Celery("away", broker="redis://127.0.0.1:1/0", set_as_current=False)
    app.conf.task_publish_retry = False
    app.conf.broker_transport_options = {"connect_retries_timeout": 0.01}
    beat = Scheduler(app, lazy=True)
    entry = beat.Entry(name="sweep-due", task="sweep", schedule=5.0, app=app)
    # One more for each time that a test of this process has set up Django.
    installed = [
        one for one in logging.getLogger("celery.beat").filters if isinstance(one, BrokerAwayFilter)
    ]
    assert installed
    for one in installed:
        monkeypatch.setattr(one, "said_at", -1e9)
    for _again in range(3):
        beat.apply_entry(entry)
    (line,) = [one for one in lines if one["logger"] == "celery.beat"]
    assert line["message"].startswith("no task can be sent, the broker is away: Error ")
    assert "error" not in line and "\n" not in line["message"]
    for one in installed:
        one.said_at -= one.EVERY_S
    beat.apply_entry(entry)
    assert len([one for one in lines if one["logger"] == "celery.beat"]) == 2


def test_other_errors_of_beat_keep_their_traceback():
    try:
        raise ValueError("a bug")
    except ValueError:
        made = record("Message Error", error=sys.exc_info())
    assert BrokerAwayFilter().filter(made) and made.exc_info
