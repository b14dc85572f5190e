"""Logs are short names and ids, not sentences: `evening closed evening=3 matches=12`.

LOG_FORMAT=json, the default in production, writes each line as one JSON object. Neither form holds a name,
a mail address or the path of a page.
"""

from __future__ import annotations

import json
import logging
import re
import time
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from celery import current_task
from kombu.exceptions import OperationalError

KNOWN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
NOISE = frozenset({"request", "server_time", "status_code", "color_message", "websocket", "data"})

request_id: ContextVar[str] = ContextVar("request_id", default="")
actor_id: ContextVar[int | None] = ContextVar("actor_id", default=None)
"""The account behind the request: its key, which says nothing to a stranger."""

MAIL = re.compile(r"(?<![\w.+-])[\w.+-]++(?:@[\w.+-]++)+")
"""From the beginning of a word, and never read back: a word without "@" is read once."""
CUT_WORD = re.compile(r"(?<![\w.+@-])[\w.+@-]++\Z")
LONGEST = 1000
"""Characters of a message: a visitor chooses the path that Django repeats."""
FIRST_PART = re.compile(r"/(?:c/[^/?]+/)?[^/?]*")
SECRET_PART = re.compile(r"/(i|s|ecran|j|joueurs|key|confirm-email)/\S+")
"""Addresses that hold a token, a code or a name, where a server or a library writes one."""
VALUES = re.compile(r"^DETAIL:.*$", re.MULTILINE)
"""PostgreSQL repeats the values of a row that it refuses."""


def without_people(text: str) -> str:
    """Return the text without mail addresses and without the values of a refused row."""
    return MAIL.sub("…@…", VALUES.sub("DETAIL: …", text))


def shortened(text: str) -> str:
    """Return at most LONGEST characters, without a word that the end cuts: it may be an address."""
    return text if len(text) <= LONGEST else CUT_WORD.sub("", text[: LONGEST - 1]) + "…"


def place_of(request: Any) -> str:
    """Return which page was asked for: its view's name, or the first part of an unknown path.

    The path itself may hold the token of an invitation, the code of the door, or a name.
    """
    match = getattr(request, "resolver_match", None)
    if match is not None:
        return str(match.view_name)
    first = FIRST_PART.match(request.path)
    return first[0] if first else ""


def message_of(record: logging.LogRecord) -> str:
    """Return the message, with the place of its request instead of the path."""
    message, request = record.getMessage(), getattr(record, "request", None)
    path = getattr(request, "path", "")
    if path and record.args and isinstance(record.args, tuple):
        # `django.utils.log.log_response` escapes it.
        written = (path, path.encode("unicode_escape").decode("ascii"))
        place = place_of(request)
        message = str(record.msg) % tuple(place if a in written else a for a in record.args)
    return SECRET_PART.sub(r"/\1/…", shortened(message))


def ids_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return the `extra` of a call."""
    return {
        name: value
        for name, value in sorted(record.__dict__.items())
        if name not in KNOWN and name not in NOISE and not name.startswith("_")
    }


def around() -> dict[str, Any]:
    """Return what the line belongs to: a request and the account behind it, or a worker's task."""
    task = current_task.request.id if current_task else None
    context = {"request": request_id.get(), "actor": actor_id.get(), "task": task}
    return {name: value for name, value in context.items() if value}


class IdFormatter(logging.Formatter):
    """Appends the `extra` of a call, and what it belongs to, to its message."""

    def format(self, record: logging.LogRecord) -> str:
        ids = [
            f"{name}={shortened(str(value))}"
            for name, value in {**ids_of(record), **around()}.items()
        ]
        return without_people(" ".join([super().format(record), *ids]))

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = message_of(record)
        return super().formatMessage(record)


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_people(message_of(record)),
            **around(),
        }
        if ids := ids_of(record):
            fields["ids"] = {
                name: value
                if isinstance(value, int | float)
                else without_people(shortened(str(value)))
                for name, value in ids.items()
            }
        if record.exc_info:
            fields["error"] = without_people(self.formatException(record.exc_info))
        return json.dumps(fields, ensure_ascii=False)


class BrokerAwayFilter(logging.Filter):
    """Replaces the tracebacks of each task that beat cannot send by one sentence a minute."""

    EVERY_S = 60

    def __init__(self) -> None:
        super().__init__()
        self.said_at = -float(self.EVERY_S)

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        while error is not None and not isinstance(error, OperationalError):
            error = error.__cause__ or error.__context__
        if error is None:
            return True
        now = time.monotonic()
        if now - self.said_at < self.EVERY_S:
            return False
        self.said_at = now
        record.msg, record.args = "no task can be sent, the broker is away: %s", (str(error),)
        record.exc_info = record.exc_text = None
        return True


def logging_for(level: str, form: str, *, mails: bool) -> dict[str, Any]:
    """Log everything to standard error, where run.py, systemd or a container collects it.

    `form`: "text" or "json". `mails`: whether errors are mailed to ADMINS.
    """
    up: dict[str, Any] = {"handlers": [], "propagate": True}
    handlers: dict[str, Any] = {"console": {"class": "logging.StreamHandler", "formatter": form}}
    if mails:
        handlers["admins"] = {"class": "config.watch.reports.ErrorMailHandler", "level": "ERROR"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "text": {
                "()": "config.watch.logs.IdFormatter",
                "format": "{asctime} {levelname} {name} {message}",
                "style": "{",
            },
            "json": {"()": "config.watch.logs.JsonFormatter"},
        },
        "filters": {"broker": {"()": "config.watch.logs.BrokerAwayFilter"}},
        "handlers": handlers,
        "root": {"handlers": list(handlers), "level": level},
        "loggers": {
            # Their own handlers would write lines of another form, and mail cookies and settings.
            "django": {**up, "level": "INFO"},
            "gunicorn.error": up,
            "uvicorn": up,
            # A sweep every five seconds is not worth a line.
            "celery.app.trace": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING", "filters": ["broker"]},
        },
    }
