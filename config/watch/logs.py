"""Logs are short names and ids, not sentences: `evening closed evening=3 matches=12`."""

from __future__ import annotations

import logging
from typing import Any

KNOWN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
NOISE = frozenset({"request", "server_time", "status_code", "color_message", "websocket", "data"})


class IdFormatter(logging.Formatter):
    """Appends the `extra` of a call to its message."""

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        ids = [
            f"{name}={value}"
            for name, value in sorted(record.__dict__.items())
            if name not in KNOWN and name not in NOISE and not name.startswith("_")
        ]
        return f"{line} {' '.join(ids)}" if ids else line


def logging_for(level: str) -> dict[str, Any]:
    """Log everything to standard error, where run.py, systemd or a container collects it."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "ids": {
                "()": "config.logging.IdFormatter",
                "format": "{asctime} {levelname} {name} {message}",
                "style": "{",
            }
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "ids"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            # A sweep every five seconds is not worth a line.
            "celery.app.trace": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
        },
    }
