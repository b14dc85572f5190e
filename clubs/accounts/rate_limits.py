"""How often something may be tried in a span of time: counters in the shared cache.

A counter that is lost (the cache restarts) begins again at zero: counts that must survive are
stored in rows, as the tries of a member's code are (`clubs.members.pins`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from hashlib import sha256
from math import ceil

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """`amount` tries a span. Spans start at fixed times, so every process has the same."""

    name: str
    amount: int
    span: timedelta

    def ends(self, at: datetime) -> datetime:
        """Return when the span of that moment ends."""
        seconds = self.span.total_seconds()
        return datetime.fromtimestamp((at.timestamp() // seconds + 1) * seconds, tz=UTC)


class TooMany(Exception):
    """The limit is reached. `until`: when it may be tried again."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"too many tries until {until:%H:%M:%S}")
        self.until = until


def count(limit: Limit, *of: object, at: datetime) -> int:
    """Count one more try of this subject and return how many there are in this span."""
    key = _key(limit, of, at)
    cache.add(key, 0, timeout=ceil(limit.span.total_seconds()))
    try:
        return int(cache.incr(key))
    except ValueError:  # expired between the two lines
        return 1


def give_back(limit: Limit, *of: object, at: datetime) -> None:
    """Subtract one try that was right."""
    try:
        cache.decr(_key(limit, of, at))
    except ValueError:
        return


def check(limit: Limit, *of: object, at: datetime) -> None:
    """Raise TooMany where this subject has used up the span, without counting."""
    if int(cache.get(_key(limit, of, at), 0)) >= limit.amount:
        raise TooMany(limit.ends(at))


def take(limit: Limit, *of: object, at: datetime) -> None:
    """Count one more try. Raise TooMany where it exceeds the limit."""
    if count(limit, *of, at=at) > limit.amount:
        raise TooMany(limit.ends(at))


def _key(limit: Limit, of: tuple[object, ...], at: datetime) -> str:
    """Return the cache key: a digest, because addresses are personal data."""
    subject = sha256("|".join(str(part) for part in of).encode()).hexdigest()[:32]
    return f"limit:{limit.name}:{int(limit.ends(at).timestamp())}:{subject}"


def refusal(request: HttpRequest, until: datetime) -> HttpResponse:
    """Return the 429 page, which says when it may be tried again."""
    answer = render(request, "429.html", {"retry_at": until}, status=429)
    now: datetime = request.received_at  # type: ignore[attr-defined]
    answer["Retry-After"] = str(max(1, ceil((until - now).total_seconds())))
    answer["Cache-Control"] = "no-store"
    return answer


def limited(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Return 429, in the reader's language, where the view raises TooMany."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except TooMany as over:
            return refusal(request, over.until)

    return guarded
