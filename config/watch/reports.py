"""Errors reported to the person who runs the site: by Sentry where SENTRY_DSN is set, else by mail.

A report leaves the machine: it says where the code failed and the number of the request, and holds
no cookie, no body, no address of a page and no text of an exception, in which people have names. The
log has that text, under the same number.
"""

from __future__ import annotations

import logging
import traceback
from hashlib import sha256
from typing import Any

from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import mail_admins

from config.watch.logs import around, ids_of, masked

SILENT_S = 600
"""An identical error is mailed once in ten minutes."""


class ErrorMailHandler(logging.Handler):
    """Mails an error to ADMINS; Django's own handler would send cookies, forms and settings."""

    def emit(self, record: logging.LogRecord) -> None:
        place, trace = _place(record)
        key = sha256(f"{record.name} {place}".encode()).hexdigest()[:32]
        if not cache.add(f"error-mail:{key}", 1, SILENT_S):
            return
        # The message of a failed page is its address, that of a failed task repeats the exception.
        repeats = record.exc_info or hasattr(record, "request")
        words = "" if repeats else masked(record.getMessage()) + "\n"
        ids = {**around(), **{name: masked(value) for name, value in ids_of(record).items()}}
        lines = "".join(f"{name}: {value}\n" for name, value in ids.items())
        text = f"{words}{lines}{_view(record)}\n{trace}"
        mail_admins(f"{record.levelname} {record.name}: {place}", text, fail_silently=True)


def _place(record: logging.LogRecord) -> tuple[str, str]:
    """Return what identifies an error, and its traceback: lines of code and no values."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        status = getattr(record, "status_code", None)  # of a page that answers it without an error
        return f"answer {status}" if status else f"{record.module}:{record.lineno}", ""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].name}:{frames[-1].lineno}" if frames else record.module
    return f"{type(error).__name__} {where}", "".join(traceback.format_list(frames))


def _view(record: logging.LogRecord) -> str:
    request = getattr(record, "request", None)
    match = getattr(request, "resolver_match", None)
    return f"{request.method} {match.view_name}\n" if request and match else ""


def start_sentry(dsn: str, *, release: str, **more: Any) -> None:
    """Report errors to Sentry."""
    import sentry_sdk
    from sentry_sdk.utils import BadDsn

    try:
        sentry_sdk.init(
            dsn,
            release=release,
            send_default_pii=False,
            max_request_body_size="never",
            include_local_variables=False,
            max_breadcrumbs=0,
            before_send=_without_people,
            **more,
        )
    except BadDsn as wrong:
        example = "https://KEY@sentry.example.org/1"
        raise ImproperlyConfigured(f"SENTRY_DSN must be an address such as {example}.") from wrong


def _without_people(event: Any, _hint: dict[str, object]) -> Any:
    """Return the event without its request, its extras and the text of its exceptions.

    What is only logged keeps its sentence; that of a failed page or task would repeat what it failed on.
    The transaction is named after the path, since the prefix of a club has no route.
    """
    request = event.pop("request", {})
    logged = event.get("logentry") or {}
    if not request and not event.get("exception"):
        sentence = logged.get("formatted") or logged.get("message") or event.get("message") or ""
        event["message"] = masked(sentence)
    else:
        event.pop("message", None)
    for name in ("extra", "user", "logentry", "breadcrumbs", "contexts", "transaction"):
        event.pop(name, None)
    event["tags"] = {**event.get("tags", {}), **around()}
    if "method" in request:
        event["tags"]["method"] = request["method"]
    for one in event.get("exception", {}).get("values", ()):
        one["value"] = ""
    return event
