"""Error pages; under /api/ they are problems. A failure is a 500, an unreachable database a 503."""

from __future__ import annotations

import errno
import re
import sys
from datetime import timedelta
from typing import Any

from django.core.exceptions import TooManyFieldsSent
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseServerError, QueryDict
from django.template.loader import render_to_string
from django.utils import translation
from django.views import defaults
from django.views.csrf import csrf_failure

from api.v1 import problems
from clubs.accounts import rate_limits, reauthentication
from clubs.accounts.middleware import accounts_language
from clubs.accounts.permissions import received_at
from config.watch.logs import request_id

RETRY_S = 10
ALLAUTH_WAIT = timedelta(minutes=5)
"""The longest span of its limits, but that of a day on changes of address."""
API = re.compile(r"(/c/[^/]*)?/api/")
"""With the prefix of a club: an error may come before the middleware that takes it away."""
FULL = (errno.ENOSPC, errno.EDQUOT)


def is_api(request: HttpRequest) -> bool:
    """Return whether a program asks: it is answered with a problem, not with a page."""
    return API.match(request.path_info) is not None


def bad_request(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """Return a 400: a wrong host name, a length that is no number, too many fields in the address."""
    if isinstance(exception, TooManyFieldsSent):
        request.GET = QueryDict()  # the page reads it, and would fail again
    if not is_api(request):
        return defaults.bad_request(request, exception)
    with translation.override(_language(request)):
        return problems.unreadable()


def not_found(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """Return a 404."""
    if not is_api(request):
        return defaults.page_not_found(request, exception)
    with translation.override(_language(request)):
        return problems.not_found()


def stale_page(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return the 403 of a form with the token of an earlier sign-in, or the way to send it again."""
    return reauthentication.offer_again(request) or csrf_failure(request, reason)


def too_large(request: HttpRequest, most: int) -> HttpResponse:
    """Return the 413 of a body of more than that many bytes."""
    if is_api(request):
        with translation.override(_language(request)):
            return problems.too_large(most)
    # The middleware that sets it comes after.
    language = accounts_language(request) or _language(request)
    with translation.override(language):
        page = _page("413.html", request, mb=most // (1024 * 1024))
        headers = {"Cache-Control": "no-store", "Content-Language": language}
    return HttpResponse(page, status=413, headers=headers)


def too_many(request: HttpRequest) -> HttpResponse:
    """Return the 429 of allauth's limits, which keep to themselves when they end."""
    return rate_limits.refusal(request, received_at(request) + ALLAUTH_WAIT)


def perhaps_done(request: HttpRequest) -> HttpResponse:
    """Return the 409 of a request that another process had begun when it was killed."""
    with translation.override(_language(request)):
        if is_api(request):
            return problems.perhaps_done()
        return HttpResponse(
            _page("409.html", request), status=409, headers={"Cache-Control": "no-store"}
        )


def failed(request: HttpRequest) -> HttpResponse:
    """Return the error page. Django calls this while it handles the exception.

    A database that is unreachable, locked or full is a temporary error: the response says so to
    phones, which keep what was typed and send it again.
    """
    if is_api(request):
        with translation.override(_language(request)):
            return problems.failed(lasts=not is_passing(sys.exception()))
    if is_passing(sys.exception()):
        return unavailable(request)
    return HttpResponseServerError(_page("500.html", request))


def _page(template: str, request: HttpRequest, **values: object) -> str:
    """Render an error page, without the database, with the number of the request.

    The request is a plain value of the template here: passed to `render`, it would run the context
    processors, which query the database for the reader again and raise in the error handler.
    """
    context = {**values, "request": request, "request_id": request_id.get()}
    return render_to_string(template, context)


def unavailable(request: HttpRequest) -> HttpResponse:
    """Return the 503 page."""
    with translation.override(_language(request)):
        return HttpResponse(
            _page("503.html", request),
            status=503,
            headers={
                "Retry-After": str(RETRY_S),
                "Cache-Control": "no-store",
                "Content-Language": translation.get_language() or "",
            },
        )


def _language(request: HttpRequest) -> str:
    """Return the language the middleware set; before it, the cookie's or the browser's."""
    chosen: str | None = getattr(request, "LANGUAGE_CODE", None)
    return chosen or translation.get_language_from_request(request)


def is_passing(error: BaseException | None) -> bool:
    """Return whether it is a temporary failure of the machine, not a bug."""
    if isinstance(error, OSError):
        return error.errno in FULL
    return isinstance(error, OperationalError | InterfaceError)
