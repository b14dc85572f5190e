"""What is said when the site itself fails: a breakdown (500), or a database that is away (503)."""

from __future__ import annotations

import errno
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import server_error

RETRY_S = 10
FULL = (errno.ENOSPC, errno.EDQUOT)


def failed(request: HttpRequest) -> HttpResponse:
    """Django calls this while it handles the exception, which says what failed.

    A database that cannot be reached, is locked or has no room left comes back: the answer says
    so to phones, which keep what was typed and send it again.
    """
    error = sys.exception()
    if not _passes(error):
        return server_error(request)
    answer = render(request, "503.html", status=503)
    answer["Retry-After"] = str(RETRY_S)
    answer["Cache-Control"] = "no-store"
    return answer


def _passes(error: BaseException | None) -> bool:
    """Is it a trouble of the machine that goes away, not a mistake of ours?"""
    if isinstance(error, OSError):
        return error.errno in FULL
    return isinstance(error, OperationalError | InterfaceError)
