"""The small bridge from the event loop to Django's WSGI door, on threads of the same process.

A request's body is read on the loop and an answer goes back whole, so a page costs one hand-over
and one back; a2wsgi crosses for every piece (0.8 ms more a POST, a third of it all). A site that
many use at once gives its pages processes of their own: `config.page_processes`.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from a2wsgi.wsgi import build_environ

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
LARGEST_BODY = 12_000_000
IN_MEMORY = 1_000_000
PIECE = 256_000
WHOLE, GONE, TOO_LARGE = "whole", "gone", "too large"


def environ_of(scope: Message, body: Any) -> dict[str, Any]:
    """WSGI's words for the request, and when it came: pages wait their turn."""
    return {**build_environ(cast(Any, scope), body), "club.received": scope["received"]}


class Answer:
    """What Django said, read piece by piece on a thread."""

    def __init__(self, application: Any, environ: Any) -> None:
        self.status, self.headers = 500, list[tuple[bytes, bytes]]()
        self.response = application(environ, self.begin)
        self.rest: Iterator[bytes] = iter(self.response)

    def begin(self, status: str, headers: list[tuple[str, str]], _error: Any = None) -> None:
        self.status = int(status.partition(" ")[0])
        self.headers = [
            (name.lower().encode("latin1"), value.strip().encode("latin1"))
            for name, value in headers
        ]

    def piece(self) -> bytes:
        """The next quarter of a megabyte or what there is; nothing at the end."""
        found, size = [], 0
        for chunk in self.rest:
            found.append(chunk)
            size += len(chunk)
            if size >= PIECE:
                break
        return b"".join(found)

    def close(self) -> None:
        if close := getattr(self.response, "close", None):
            close()


class Pages:
    """The ASGI side: a request is read whole, then answered."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        scope["received"] = time.time()
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as body:
            code = await self._read(scope, receive, body)
            if code == TOO_LARGE:
                await refuse(send, 413, b"Too large.")
            if code == WHOLE:
                await self.answer(scope, body, send)

    async def start(self) -> None:
        """Before the first request."""

    async def stop(self) -> None:
        """After the last one."""

    async def answer(self, scope: Message, body: Any, send: Send) -> None:
        raise NotImplementedError

    async def _read(self, scope: Message, receive: Any, body: Any) -> str:
        """The whole body, then back to its start. Half a body is never shown to a page."""
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        size = int(lengths[0]) if lengths and lengths[0].isdigit() else 0
        if size > LARGEST_BODY:
            return TOO_LARGE
        more, got = scope["method"] not in ("GET", "HEAD") or size > 0, 0
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return GONE
            chunk = message.get("body", b"")
            got += len(chunk)
            if got > LARGEST_BODY:
                return TOO_LARGE
            body.write(chunk)
            more = message.get("more_body", False)
        body.seek(0)
        return WHOLE


class PageThreads(Pages):
    """`workers` pages at once on threads of this process, the others wait their turn."""

    def __init__(self, application: Any, workers: int) -> None:
        self.application = application
        self.executor = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="page")

    async def answer(self, scope: Message, body: Any, send: Send) -> None:
        loop = asyncio.get_running_loop()
        environ = environ_of(scope, body)
        answer, piece = await loop.run_in_executor(self.executor, self._first, environ)
        try:
            await begin(send, answer.status, answer.headers)
            while len(piece) >= PIECE:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                piece = await loop.run_in_executor(self.executor, answer.piece)
            await send({"type": "http.response.body", "body": piece})
        finally:
            if answer.response is not None:
                await loop.run_in_executor(self.executor, answer.close)

    def _first(self, environ: Any) -> tuple[Answer, bytes]:
        """On a thread: the page and its first piece; a page that is whole ends here."""
        answer = Answer(self.application, environ)
        try:
            piece = answer.piece()
        except BaseException:
            answer.close()
            raise
        if len(piece) < PIECE:
            answer.close()
            answer.response, answer.rest = None, iter(())
        return answer, piece


async def begin(send: Send, status: int, headers: list[tuple[bytes, bytes]]) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def refuse(send: Send, status: int, words: bytes, kind: bytes = b"text/plain") -> None:
    """A few words, and the connection is not kept for what is still to come."""
    await begin(send, status, [(b"content-type", kind), (b"connection", b"close")])
    await send({"type": "http.response.body", "body": words})
