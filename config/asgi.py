"""One door for uvicorn: pages run as WSGI in processes or on threads, only event streams on ASGI.

Measured elsewhere and kept here: synchronous ORM under ASGI opens a connection a request, while a
process or a thread keeps its own. WEB_PROCESSES says how many processes make pages; without it
they are made by WEB_THREADS threads of this one (four: a page is mostly Python, and more of them
only queue for the interpreter). An event stream on a thread would hold that thread for ever.
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

from django.conf import settings  # noqa: E402
from django.template.loader import render_to_string  # noqa: E402
from django.utils import translation  # noqa: E402
from django.utils.translation.trans_real import parse_accept_lang_header  # noqa: E402

from config import health  # noqa: E402
from config.page_processes import PageProcesses  # noqa: E402
from config.pages import Pages, PageThreads  # noqa: E402
from config.wsgi import application as wsgi  # noqa: E402

PROCESSES = int(os.environ.get("WEB_PROCESSES", "0"))
THREADS = int(os.environ.get("WEB_THREADS", "4"))


def away(scope: Scope) -> bytes:
    """The page that asks to come back, in a language that the reader's browser named."""
    told = dict(scope["headers"]).get(b"accept-language", b"").decode("latin1").lower()
    known = dict(settings.LANGUAGES)
    named = [code.partition("-")[0] for code, _weight in parse_accept_lang_header(told)]
    with translation.override(next((n for n in named if n in known), settings.LANGUAGE_CODE)):
        return render_to_string("503.html").encode()


pages: Pages = PageProcesses(PROCESSES, away) if PROCESSES else PageThreads(wsgi, workers=THREADS)


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
    elif scope["type"] == "http" and scope["path"] == health.LIVE and scope["method"] == "GET":
        await alive(send)
    elif scope["type"] == "http" and scope["path"].endswith("/flux/"):
        await stream(scope, receive, send)
    elif scope["type"] == "http":
        await pages(scope, receive, send)


async def alive(send: Send) -> None:
    """Liveness, by the event loop itself: it must not wait behind pages."""
    headers = [(b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": health.ALIVE})


async def lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await pages.start()
        else:
            await pages.stop()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
