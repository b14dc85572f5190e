"""Liveness and readiness, answered before every middleware.

`/healthz` says that the process answers: it uses neither the database nor the cache, and takes any
host name and plain HTTP, as a supervisor on the same machine sends it. `/healthz/ready` says what
the process reaches: 503 when pages cannot be made (no database), 200 otherwise. The site works
without its cache and its workers, so without them it only reports degraded.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.core.cache import cache
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from clubs.upkeep import sweeps
from config.cache import is_away

LIVE, READY = "/healthz", "/healthz/ready"
ALIVE = b"ok"
SAFE = ("GET", "HEAD")


class HealthMiddleware:
    """Must be the first middleware: those behind it may fail."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method in SAFE:
            if request.path_info == LIVE:
                return HttpResponse(ALIVE, content_type="text/plain")
            if request.path_info == READY:
                return ready()
        return self.get_response(request)


def ready() -> JsonResponse:
    """Return whether this process can make pages, and what else has failed."""
    tasks = _tasks()
    shared = _cache_answers()
    late = [name for name, task in (tasks or {}).items() if task.late]
    failed = [name for name, task in (tasks or {}).items() if task.failed_at]
    word = "ready" if shared and not late and not failed else "degraded"
    content = {
        "status": "unavailable" if tasks is None else word,
        "database": tasks is not None,
        "cache": shared,
        "last_sweep_s": {name: _seconds(task.age) for name, task in (tasks or {}).items()},
        "late": late,
        "failed": failed,
    }
    return JsonResponse(
        content, status=503 if tasks is None else 200, headers={"Cache-Control": "no-store"}
    )


def _tasks() -> dict[str, sweeps.Task] | None:
    """Return the periodic tasks; None where the database does not answer."""
    try:
        return sweeps.states(at=timezone.now(), after=sweeps.LATE_AFTER)
    except (DatabaseError, InterfaceError):
        return None


def _seconds(age: timedelta | None) -> float | None:
    return None if age is None else round(age.total_seconds(), 1)


def _cache_answers() -> bool:
    """Return whether a written value is read back, from the shared cache where there is one."""
    cache.set("health", True, 10)  # the same for all: two processes may answer at one moment
    return bool(cache.get("health")) and not is_away()
