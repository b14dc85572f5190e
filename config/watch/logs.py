"""Logs are short names and ids, not sentences: `evening closed evening=3 matches=12`.

LOG_FORMAT=json, the default in production, writes each line as one JSON object. Neither form holds a name,
a mail address or the path of a page (`masking.py`).
"""

from __future__ import annotations

import json
import logging
import re
import time
from contextvars import ContextVar
from copy import copy
from datetime import UTC, datetime
from typing import Any

from celery import current_task
from kombu.exceptions import OperationalError

from config.watch.masking import shortened, traceback_of, without_people

KNOWN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
NOISE = frozenset({"request", "server_time", "status_code", "color_message", "websocket", "data"})

request_id: ContextVar[str] = ContextVar("request_id", default="")
actor_id: ContextVar[int | None] = ContextVar("actor_id", default=None)
"""The account behind the request: its key, which says nothing to a stranger."""

FIRST_PART = re.compile(r"/(?:c/[^/?]+/)?[^/?]*")


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
    return without_people(shortened(message))


def ids_of(record: logging.LogRecord) -> dict[str, object]:
    """Return the `extra` of a call."""
    return {
        name: value
        for name, value in sorted(record.__dict__.items())
        if name not in KNOWN and name not in NOISE and not name.startswith("_")
    }


def masked(value: object) -> Any:
    """Return a value of `extra` as it is written: a number as it is, a text without people."""
    return value if isinstance(value, int | float) else without_people(shortened(str(value)))


def around() -> dict[str, object]:
    """Return what the line belongs to: a request and the account behind it, or a worker's task."""
    task = current_task.request.id if current_task else None
    context = {"request": request_id.get(), "actor": actor_id.get(), "task": task}
    return {name: value for name, value in context.items() if value}


class IdFormatter(logging.Formatter):
    """Appends the `extra` of a call, and what it belongs to, to its message."""

    def format(self, record: logging.LogRecord) -> str:
        line = copy(record)
        line.exc_info, line.exc_text = None, None  # another formatter may have kept the whole text
        ids = [f"{name}={masked(value)}" for name, value in ids_of(record).items()]
        ids += [f"{name}={value}" for name, value in around().items()]
        error = record.exc_info[1] if record.exc_info else None
        traces = [f"\n{traceback_of(error)}"] if error is not None else []
        return " ".join([super().format(line), *ids]) + "".join(traces)

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
            "message": message_of(record),
            **around(),
        }
        if ids := ids_of(record):
            fields["ids"] = {name: masked(value) for name, value in ids.items()}
        if record.exc_info and record.exc_info[1] is not None:
            fields["error"] = traceback_of(record.exc_info[1])
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


def logging_for(level: str, form: str, *, mails: bool) -> dict[str, object]:
    """Log everything to standard error, where run.py, systemd or a container collects it.

    `form`: "text" or "json". `mails`: whether errors are mailed to ADMINS.
    """
    up: dict[str, object] = {"handlers": [], "propagate": True}
    handlers: dict[str, object] = {"console": {"class": "logging.StreamHandler", "formatter": form}}
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
