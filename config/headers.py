"""What Django does not do itself with the headers of a request and of an answer."""

from __future__ import annotations

from collections.abc import Callable

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

POLICY = (
    "accelerometer=(), camera=(self), geolocation=(), gyroscope=(), magnetometer=(), "
    "microphone=(), payment=(), usb=()"
)


class PermissionsPolicyMiddleware:
    """No page of ours asks for a sensor; the camera only takes photos of score sheets."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", POLICY)
        return response


class SitePolicyMiddleware(CSPMiddleware):
    """Content-Security-Policy: where a page wishes nothing of its own it is the site's, and that
    is the same text every time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        super().__init__(get_response)
        self.of_the_site = build_policy()

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        wishes = any(name.startswith("_csp_") for name in (*vars(response), *vars(request)))
        if wishes or settings.DEBUG:  # Django's own error pages bear none
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, self.of_the_site)
        return response


class HeadMiddleware:
    """HEAD asks for the headers that GET would give: a view is called as for GET, and no view has
    to know of it. The server leaves the body out; one that streams (live events) is never begun.
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
        response.close()
        return HttpResponse(status=response.status_code, headers=dict(response.headers))
