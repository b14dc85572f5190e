"""A number for each request, in its log lines, its response and its error page; who is behind it."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

from django.conf import settings
from django.core.signals import request_finished
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.watch.logs import actor_id, request_id

HEADER = "X-Request-ID"
SHAPE = re.compile(r"[A-Za-z0-9-]{8,64}")


class RequestIdMiddleware:
    """Takes the number from our own proxy, which writes the header; else it makes one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        proxy_id = request.headers.get(HEADER, "") if settings.TRUST_PROXY else ""
        number = proxy_id if SHAPE.fullmatch(proxy_id) else uuid4().hex
        request_id.set(number)
        actor_id.set(None)
        response = self.get_response(request)
        response.headers[HEADER] = number
        return response


def _end(**_signal: object) -> None:
    """Forget the request once it is answered: Django logs a refusal after every middleware."""
    request_id.set("")
    actor_id.set(None)


request_finished.connect(_end)


class ActorMiddleware:
    """Notes the account for the log lines."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated:
            actor_id.set(request.user.pk)
        return self.get_response(request)
