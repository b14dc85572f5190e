"""One door for uvicorn: pages run on WSGI threads, only event streams on ASGI.

Measured elsewhere and kept here: synchronous ORM under ASGI opens a connection a request, while a
few threads keep theirs. Four, because a page is mostly Python and more of them only queue for the
interpreter (20 confirmations at once: p95 1.0 s with twelve, 0.39 s with four, on two cores). An
event stream on a thread would hold that thread for ever.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, cast

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.db import connections
from django.http.response import HttpResponseBase

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class StreamHandler(ASGIHandler):
    """Gives the database back before it streams: a viewer holds a socket, not a connection.

    Django keeps one thread for each request, and that thread its connection, until the last byte.
    """

    async def send_response(self, response: HttpResponseBase, send: Any) -> None:
        await sync_to_async(connections.close_all)()
        await super().send_response(response, send)


django.setup(set_prefix=False)
streams = StreamHandler()

from config.pages import Pages  # noqa: E402
from config.wsgi import application as pages  # noqa: E402

threads = Pages(pages, workers=int(os.environ.get("WEB_THREADS", "4")))


# As many streams as threads of pages may be opening at once: each needs a connection until it
# streams, and three hundred phones that come back together must not ask for three hundred.
opening = asyncio.Semaphore(8)


async def stream(scope: Scope, receive: Receive, send: Send) -> None:
    """One viewer, let in a few at a time; the place is free again when the answer begins."""
    await opening.acquire()
    waiting = True

    async def begin(message: MutableMapping[str, Any]) -> None:
        nonlocal waiting
        if waiting:
            waiting = False
            opening.release()
        await send(message)

    try:
        await streams(cast(Any, scope), receive, cast(Any, begin))
    finally:
        if waiting:
            opening.release()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
    elif scope["type"] == "http" and scope["path"].endswith("/flux/"):
        await stream(scope, receive, send)
    elif scope["type"] == "http":
        await threads(scope, receive, send)


async def lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
