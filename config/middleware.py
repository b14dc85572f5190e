"""Headers, sizes and second arrivals of requests that Django does not handle itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from django.conf import settings
from django.core.cache import cache
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers

from clubs.accounts.client_address import address_of
from config import errors
from config.watch.logs import request_id

POLICY = (
    "accelerometer=(), camera=(self), geolocation=(), gyroscope=(), magnetometer=(), "
    "microphone=(), payment=(), usb=()"
)


class PermissionsPolicyMiddleware:
    """Denies sensors to pages; the camera is used only for photos of score sheets."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", POLICY)
        return response


class HeadMiddleware:
    """Answer HEAD with the headers of GET: the view is called as for GET.

    The server leaves the body out; a streaming one (live events) is never begun.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method != "HEAD":
            return self.get_response(request)
        request.method = "GET"
        response = self.get_response(request)
        request.method = "HEAD"
        if not response.streaming:
            return response
        # Not response.close(): it would end the request, and with it the connection, before its time.
        if isinstance(response, FileResponse) and response.file_to_stream is not None:
            response.file_to_stream.close()
        return HttpResponse(status=response.status_code, headers=dict(response.headers))


class RequestSizeMiddleware:
    """Returns 413 for a body over LARGEST_BODY, or LARGEST_BODY_SIGNED_IN of a signed-in person.

    Returns 400 for an address with the character NUL: PostgreSQL has no text that holds it, so that
    a search for it would be an error there.

    Refused by its Content-Length, before anything reads it: Django limits forms
    (DATA_UPLOAD_MAX_MEMORY_SIZE), not the files in them. The largest file that a form takes is
    8 MB, a photo or a tournament, and only signed-in people send one. A program sends its file as
    text in a form's place; without a key its body is not read.

    Placed after the authentication, which queries the database only for a large body, and before
    the check of CSRF tokens, which reads the body.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return errors.bad_request(request)
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdigit() and len(length) < 18):
            return errors.bad_request(request)
        most = settings.LARGEST_BODY
        if errors.is_api(request):
            most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        elif int(length) > most and request.user.is_authenticated:
            most = settings.LARGEST_BODY_SIGNED_IN
        if int(length) > most:
            return errors.too_large(request, most)
        return self.get_response(request)


class FormAddressMiddleware:
    """Gives a page to the 405 of an address that only takes a form: Django's answer is empty.

    A reader comes there by the browser's history or by a change of language.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code != 405 or request.method != "GET" or errors.is_api(request):
            return response
        page = render(request, "405.html", status=405)
        page.headers["Allow"] = response.headers["Allow"]
        add_never_cache_headers(page)
        return page


class SecondArrivalMiddleware:
    """Returns 409 for a request that changes something and has begun before.

    The proxy sends a request to another process when the first was killed in the middle
    (`proxy_next_upstream`); what it does may be committed already. Both arrivals have the proxy's
    `X-Request-ID`. What carries a version or a key is done once by itself and passes.

    The key in the cache covers the sender as well: someone who could choose the number, behind a proxy
    that passes it on, would hold up their own requests only. Without the shared cache every request passes.

    Placed after the reader's language, and after the last check that ends without an act.
    """

    SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
    KEPT_S = 120
    """The proxy tries again for 30 s, and a process reads for 65 s at most."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # Without a proxy of ours each arrival has a number of its own.
        if request.method in self.SAFE or not settings.TRUST_PROXY:
            return self.get_response(request)
        if cache.add(self._key(request), 1, self.KEPT_S) or self._guards_itself(request):
            return self.get_response(request)
        return errors.perhaps_done(request)

    @staticmethod
    def _key(request: HttpRequest) -> str:
        parts = (
            request_id.get(),
            request.method or "",
            request.get_full_path(),
            address_of(request),
            request.headers.get("Cookie", ""),
            request.headers.get("Authorization", ""),
        )
        return "begun:" + hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @staticmethod
    def _guards_itself(request: HttpRequest) -> bool:
        """Return whether the act finds out that it was done: it names a key, or the version it read.

        That of the match, or of each line of a round's results.
        """
        if request.headers.get("Idempotency-Key"):
            return True
        if not errors.is_api(request):
            return any(
                value and (name == "key" or name.rpartition("-")[2] == "version")
                for name, value in request.POST.items()
            )
        try:
            body = json.loads(request.body)
        except (ValueError, RecursionError):
            return False
        lines = body.get("results") if isinstance(body, dict) else None
        rows = lines if lines and isinstance(lines, list) else [body]
        return all(isinstance(row, dict) and "version" in row for row in rows)
