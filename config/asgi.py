"""The ASGI application: the whole site in development, the event streams (`…/flux/`) in production."""

import os
from collections.abc import Awaitable, Callable
from itertools import cycle
from typing import Any

from asgiref.sync import SyncToAsync, ThreadSensitiveContext
from django.conf import settings
from django.core.asgi import get_asgi_application

from config.environment import check_collected

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

STREAM_THREADS = 4

_django = get_asgi_application()
_contexts = cycle([ThreadSensitiveContext() for _number in range(STREAM_THREADS)])


async def application(
    scope: dict[str, Any],
    receive: Callable[..., Awaitable[Any]],
    send: Callable[..., Awaitable[Any]],
) -> None:
    """Answer one request; event streams share a few threads.

    Django gives each request a thread of its own until its response ends. A stream needs one only to
    find out who reads it, and a thousand of them would hold a thousand threads.
    """
    if scope["type"] == "http" and scope["path"].endswith("/flux/"):
        SyncToAsync.thread_sensitive_context.set(next(_contexts))
    await _django(scope, receive, send)


check_collected(settings.STATIC_ROOT)
