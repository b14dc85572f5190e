"""One door for uvicorn: pages run on WSGI threads, only event streams on ASGI.

Measured elsewhere and kept here: synchronous ORM under ASGI opens a connection a request, while
twelve threads keep theirs. An event stream on a thread would hold that thread for ever.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, cast

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from a2wsgi import WSGIMiddleware
from django.core.asgi import get_asgi_application

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

streams = get_asgi_application()

from config.wsgi import application as pages  # noqa: E402

threads = WSGIMiddleware(cast(Any, pages), workers=int(os.environ.get("WEB_THREADS", "12")))


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
    elif scope["type"] == "http" and scope["path"].endswith("/flux/"):
        await streams(cast(Any, scope), receive, cast(Any, send))
    elif scope["type"] == "http":
        await threads(scope, receive, send)  # type: ignore[arg-type]


async def lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
