"""The shared cache, and each process's own memory while Redis is down.

Nothing is stored in the cache alone: a cached value is keyed by the state it was computed from, so
another copy of it is never wrong, and rate limits then count for each process. After a failure
Redis is not tried for some seconds: a page must not wait for it twice.
"""

from __future__ import annotations

import json
import logging
import time
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis import RedisError

log = logging.getLogger(__name__)
PAUSE_S = 5.0
ACTS = (
    "add", "get", "set", "touch", "delete", "get_many", "has_key", "incr", "set_many",
    "delete_many", "clear",
)  # fmt: skip


class JsonSerializer:
    """Values as JSON: a writer to Redis must not be able to run code here, as with pickle."""

    def dumps(self, value: Any) -> Any:
        return value if type(value) is int else json.dumps(value).encode()

    def loads(self, data: Any) -> Any:
        return json.loads(data)


class _Away:
    until = 0.0


def is_away() -> bool:
    """Return whether Redis failed a moment ago, so that this process uses its own memory."""
    return time.monotonic() < _Away.until


def _tolerant(name: str) -> Any:
    """Run that operation on Redis, or on this process's memory when Redis fails."""
    shared, own = getattr(RedisCache, name), getattr(LocMemCache, name)

    def act(self: SharedCache, *arguments: Any, **named: Any) -> Any:
        if time.monotonic() >= _Away.until:
            try:
                return shared(self, *arguments, **named)
            except RedisError as error:
                _Away.until = time.monotonic() + PAUSE_S
                log.warning("Redis is away, own memory for %.0f s: %s", PAUSE_S, error)
        return own(self.spare, *arguments, **named)

    return act


class SharedCache(RedisCache):
    """Django's Redis cache, with a fallback when Redis is down."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.spare = LocMemCache("while Redis is away", {})


for _name in ACTS:
    setattr(SharedCache, _name, _tolerant(_name))
