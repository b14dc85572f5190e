"""The shared cache, with this process's own memory in its place while Redis is down.

django-redis alone can only ignore a failure (`IGNORE_EXCEPTIONS`): every lock of allauth's rate
limits then stays closed and nobody can sign in. Nothing is stored in the cache alone: a cached value
is keyed by the state it was computed from, so another copy of it is never wrong, and rate limits
then count for each process.
"""

from __future__ import annotations

import logging
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from redis import RedisError

log = logging.getLogger(__name__)
PAUSE_S = 5
"""After a failure Redis is not tried for this long: a page must not wait for it twice."""
AWAY = "redis-is-away"


def is_away() -> bool:
    """Return whether Redis failed a moment ago, so that this process uses its own memory."""
    return bool(caches["process"].get(AWAY))


class SharedCache(BaseCache):
    """CACHES["redis"], or CACHES["spare"] while Redis is away."""

    def __init__(self, _location: str, params: dict[str, object]) -> None:
        super().__init__(params)

    def ask(self, operation: str, *arguments: object) -> object:
        if not is_away():
            try:
                return getattr(caches["redis"], operation)(*arguments)
            except (RedisError, OSError) as error:
                caches["process"].set(AWAY, True, PAUSE_S)
                log.warning("Redis is away, own memory for %d s: %s", PAUSE_S, error)
        return getattr(caches["spare"], operation)(*arguments)

    def add(
        self, key: object, value: object, timeout: object = DEFAULT_TIMEOUT, version: object = None
    ) -> Any:
        return self.ask("add", key, value, timeout, version)

    def get(self, key: object, default: object = None, version: object = None) -> Any:
        return self.ask("get", key, default, version)

    def set(
        self, key: object, value: object, timeout: object = DEFAULT_TIMEOUT, version: object = None
    ) -> Any:
        return self.ask("set", key, value, timeout, version)

    def touch(self, key: object, timeout: object = DEFAULT_TIMEOUT, version: object = None) -> Any:
        return self.ask("touch", key, timeout, version)

    def delete(self, key: object, version: object = None) -> Any:
        return self.ask("delete", key, version)

    def incr(self, key: object, delta: int = 1, version: object = None) -> Any:
        return self.ask("incr", key, delta, version)

    def clear(self) -> None:
        self.ask("clear")
