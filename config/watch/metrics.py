"""What each process counts: pages by view and class of status, and their time.

With PROMETHEUS_MULTIPROC_DIR set (deploy/process), prometheus-client writes the counts to files of
that folder; `manage.py metrics` reads those of all processes.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from prometheus_client import Histogram

PAGES = Histogram(
    "club_page_seconds",
    "Time until the response of a page begins",
    ["view", "status"],
    buckets=(0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)


class MetricsMiddleware:
    """Counts a page once its response is there; a static file has no view."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        view = match.view_name if match is not None else ""
        status = f"{response.status_code // 100}xx"
        PAGES.labels(view or "none", status).observe(perf_counter() - began)
        return response
