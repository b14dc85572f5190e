"""Header handling that Django does not do itself."""

from __future__ import annotations

from collections.abc import Callable

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

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
        if isinstance(response, FileResponse):
            response.file_to_stream.close()
        return HttpResponse(status=response.status_code, headers=dict(response.headers))
