"""A report of an error says where and which request; never who, nor what was typed or sent."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client

from config.watch import reports
from config.watch.requests import HEADER

ROOT = Path(__file__).resolve().parents[2]
TYPED = "Odile Martin, odile@example.org, s3cret"
SECRETS = (
    "Odile",
    "odile@example.org",
    "sessionid",
    "s3cret",
    "Martin",
    "csrftoken",
    "odile-martin",
)


@pytest.fixture
def mailed(settings, mailoutbox):
    """The error mails, as production with ADMINS sends them."""
    settings.ADMINS = [("", "you@example.org")]
    handler = reports.ErrorMailHandler(level="ERROR")
    logging.getLogger().addHandler(handler)
    cache.clear()
    yield mailoutbox
    logging.getLogger().removeHandler(handler)


def fail(*_arguments, **_named):
    raise ValueError(TYPED)


def visit(path: str = "/c/faizers/joueurs/odile-martin/?q=Odile"):
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "s3cret"
    with connection.execute_wrapper(fail):
        return client.post(path, {"name": "Odile Martin", "password": "s3cret"})


@pytest.mark.django_db
def test_a_mail_has_the_place_and_the_number_and_neither_cookies_nor_names(mailed):
    answer = visit()
    (mail,) = mailed
    whole = f"{mail.subject}\n{mail.body}"
    assert answer.status_code == 500
    assert mail.to == ["you@example.org"]
    assert re.search(r"ERROR django\.request: ValueError fail:\d+$", mail.subject)
    assert answer[HEADER] in mail.body
    assert "test_reports.py" in mail.body
    for secret in SECRETS:
        assert secret not in whole, whole


@pytest.mark.django_db
def test_a_probe_that_finds_no_database_is_mailed_by_its_answer(mailed):
    """No exception, no view: the mail was of a line of Django's code, and empty."""

    def away(*_arguments, **_named):
        raise OperationalError("the server closed the connection")

    with connection.execute_wrapper(away):
        Client().get("/healthz/ready")
    (mail,) = mailed
    assert mail.subject.endswith("ERROR django.request: answer 503")


@pytest.mark.django_db
def test_an_identical_error_is_mailed_once_and_another_at_once(mailed, monkeypatch):
    for _time in range(3):
        visit()
    assert len(mailed) == 1
    logging.getLogger("club").error("journal of organisation %s does not hold at %s", 3, 40)
    logging.getLogger("club").warning("only a warning")
    assert len(mailed) == 2
    assert "journal of organisation 3 does not hold at 40" in mailed[1].body


@pytest.mark.django_db
@pytest.mark.parametrize(("seconds", "mails"), [(599, 1), (600, 2)])
def test_the_same_error_is_mailed_again_after_ten_minutes(mailed, monkeypatch, seconds, mails):
    known = {}
    now = [0]

    def add(key, value, timeout):
        if known.get(key, 0) > now[0]:
            return False
        known[key] = now[0] + timeout
        return True

    monkeypatch.setattr(cache, "add", add, raising=False)
    visit()
    now[0] = seconds
    visit()
    assert len(mailed) == mails


def test_a_task_that_failed_is_mailed_without_what_its_error_says(mailed):
    try:
        fail()
    except ValueError:
        logging.getLogger("celery.app.trace").exception("Task raised unexpected: %s", TYPED)
    (mail,) = mailed
    assert "ValueError" in mail.subject and "in fail" in mail.body
    assert "Odile" not in mail.body


SENTRY = """
import django, json, os, sys
from sentry_sdk.transport import Transport

class Kept(Transport):
    def capture_envelope(self, envelope):
        for item in envelope.items:
            if item.type == "event":
                print(json.dumps(item.payload.json))

from config.watch import reports
reports.start_sentry("https://key@sentry.example.org/1", release="0", transport=Kept)
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
django.setup()
from django.db import connection
from django.test import Client

def fail(*_arguments, **_named):
    name = "Odile Martin"
    raise ValueError(name + " odile@example.org s3cret")

import logging

logging.getLogger("club").error("journal of organisation %s does not hold: %s", 3, "odile@example.org")
try:
    fail()
except ValueError as error:
    logging.getLogger("club").exception("task failed: %s", error)
client = Client(raise_request_exception=False)
client.cookies["sessionid"] = "s3cret"
with connection.execute_wrapper(fail):
    answer = client.post("/c/faizers/joueurs/odile-martin/?q=Odile", {"name": "Odile Martin"})
print(json.dumps({"status": answer.status_code, "number": answer["X-Request-ID"]}))
"""


def test_sentry_gets_the_place_and_the_number_and_neither_cookies_nor_names(tmp_path):
    """In a process of its own: what sentry-sdk wraps stays wrapped."""
    told = {**os.environ, "DATA_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": ""}
    done = subprocess.run(
        [sys.executable, "-c", SENTRY], cwd=ROOT, env=told, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    logged, task, event, answer = (json.loads(line) for line in done.stdout.splitlines())
    assert logged["message"] == "journal of organisation 3 does not hold: …@…"
    assert "message" not in event and "message" not in task
    assert answer["status"] == 500
    assert event["tags"]["request"] == answer["number"]
    raised = event["exception"]["values"][-1]
    assert raised["type"] == "ValueError"
    assert raised["stacktrace"]["frames"][-1]["function"] == "fail"
    for secret in SECRETS:
        assert secret not in json.dumps([event, task, logged]), [event, task, logged]
    assert "request" not in event and "user" not in event
