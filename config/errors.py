"""What is said when the site itself fails: a breakdown (500), or a database that is away (503)."""

from __future__ import annotations

import errno
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.views.defaults import server_error

RETRY_S = 10
FULL = (errno.ENOSPC, errno.EDQUOT)


def failed(request: HttpRequest) -> HttpResponse:
    """Django calls this while it handles the exception, which says what failed.

    A database that cannot be reached, is locked or has no room left comes back: the answer says
    so to phones, which keep what was typed and send it again.
    """
    if not _passes(sys.exception()):
        return server_error(request)
    return unavailable(request)


def unavailable(request: HttpRequest) -> HttpResponse:
    """Return the 503 page, made without the database.

    The request is a plain value of the template here: given to `render`, it would run the context
    processors, which ask the database for the reader again and raise out of the error handler.
    """
    with translation.override(_language(request)):
        page = render_to_string("503.html", {"request": request})
        return HttpResponse(
            page,
            status=503,
            headers={
                "Retry-After": str(RETRY_S),
                "Cache-Control": "no-store",
                "Content-Language": translation.get_language() or "",
            },
        )


def _language(request: HttpRequest) -> str:
    """The language the middleware settled on; before it, the cookie's or the browser's."""
    chosen: str | None = getattr(request, "LANGUAGE_CODE", None)
    return chosen or translation.get_language_from_request(request)


def _passes(error: BaseException | None) -> bool:
    """Is it a trouble of the machine that goes away, not a mistake of ours?"""
    if isinstance(error, OSError):
        return error.errno in FULL
    return isinstance(error, OperationalError | InterfaceError)
