"""Pages in processes of their own, fed by one event loop: who came first is served first.

Processes that share a listening socket each keep the connections they happened to take: of twenty
phones fourteen may wait at one while the other is idle. And threads beside an event loop wait for
its interpreter. Here the loop only carries bytes: it gives the oldest request to a process that is
free, and each process answers one page at a time with its own connection to the database.

A process that dies takes one page with it and is started again. When the loop dies its processes
read the end of their socket and go.
"""

from __future__ import annotations

import asyncio
import gc
import io
import pickle
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, BinaryIO, cast

from config.pages import IN_MEMORY, PIECE, Answer, Message, Pages, Send, begin, environ_of, refuse

HEAD = struct.Struct("!IQ")
SIZE = struct.Struct("!I")
TOLD = (
    *("method", "path", "raw_path", "query_string", "headers", "scheme", "http_version"),
    *("root_path", "client", "server", "type", "received"),
)
PATIENCE_S = 2.0


class Process:
    """One page process and the line to it."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.process: subprocess.Popen[bytes] | None = None
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def ready(self) -> None:
        """Started, or started again."""
        if self.process is not None and self.process.poll() is None:
            return
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", self.module, str(theirs.fileno())]
            self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        self.reader, self.writer = await asyncio.open_connection(sock=ours, limit=2 * PIECE)

    async def ask(self, scope: Message, body: Any) -> None:
        told = pickle.dumps({name: scope[name] for name in TOLD if name in scope})
        size = body.seek(0, io.SEEK_END)
        body.seek(0)
        self.writer.write(HEAD.pack(len(told), size) + told)
        while piece := body.read(PIECE):
            self.writer.write(piece)
            await self.writer.drain()

    async def piece(self) -> bytes:
        """The next part of the answer; nothing at the end."""
        size = SIZE.unpack(await self.reader.readexactly(SIZE.size))[0]
        return await self.reader.readexactly(size)

    def kill(self) -> None:
        if self.process is not None:
            self.writer.close()
            self.process.kill()
            self.process.wait()

    async def stop(self) -> None:
        """The end of the line, and a moment for the page that is being made."""
        if self.process is None:
            return
        self.writer.close()
        until = time.monotonic() + PATIENCE_S
        while self.process.poll() is None and time.monotonic() < until:
            await asyncio.sleep(0.01)
        self.kill()


class PageProcesses(Pages):
    """`count` pages at once, the others wait their turn."""

    def __init__(
        self,
        count: int,
        away: Callable[[Message], bytes],
        module: str = "config.page_processes",
    ) -> None:
        """`away` makes, for a request, the page that stands where its process has died."""
        self.away = away
        self.all = [Process(module) for _process in range(count)]
        self.free: asyncio.LifoQueue[Process] = asyncio.LifoQueue()

    async def start(self) -> None:
        for process in self.all:
            await process.ready()
            self.free.put_nowait(process)

    async def stop(self) -> None:
        await asyncio.gather(*(process.stop() for process in self.all))

    async def answer(self, scope: Message, body: Any, send: Send) -> None:
        process: Process | None = await self.free.get()

        def let_go() -> None:
            nonlocal process
            if process is not None:
                self.free.put_nowait(process)
            process = None

        try:
            assert process is not None
            await process.ready()
            await self._carry(process, scope, body, send, let_go)
        except BaseException:
            if process is not None:
                process.kill()  # in the middle of an answer: what it says next belongs to nobody
            raise
        finally:
            let_go()

    async def _carry(
        self, process: Process, scope: Message, body: Any, send: Send, let_go: Callable[[], None]
    ) -> None:
        try:
            await process.ask(scope, body)
            status, headers = pickle.loads(await process.piece())
            piece = await process.piece()
            following = await process.piece() if piece else b""
        except (ConnectionError, asyncio.IncompleteReadError):
            process.kill()
            await refuse(send, 503, self.away(scope), kind=b"text/html; charset=utf-8")
            return
        if not following:  # the answer is here: whoever waits for the process goes first
            let_go()
            await asyncio.sleep(0)
        await begin(send, status, headers)
        while following:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            piece, following = following, await process.piece()
        await send({"type": "http.response.body", "body": piece})


def serve(line: BinaryIO, application: Any) -> None:
    """One page after another, until the loop at the other end is gone."""
    while head := line.read(HEAD.size):
        told_size, size = HEAD.unpack(head)
        told = pickle.loads(line.read(told_size))
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as body:
            while size:
                size -= body.write(line.read(min(size, PIECE)))
            body.seek(0)
            try:
                _say(line, Answer(application, environ_of(told, body)))
            except ConnectionError:
                return
        line.flush()


def _say(line: BinaryIO, answer: Answer) -> None:
    try:
        piece = answer.piece()  # WSGI lets a page name its headers as late as this
        _frame(line, pickle.dumps((answer.status, answer.headers)))
        while piece:
            _frame(line, piece)
            piece = answer.piece()
        _frame(line, b"")
    finally:
        answer.close()


def _frame(line: BinaryIO, piece: bytes) -> None:
    line.write(SIZE.pack(len(piece)))
    line.write(piece)


def main(application: Any) -> None:
    """Serve pages on the socket that the loop gave this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the loop, which ends the line
    gc.set_threshold(10_000, 20, 20)  # a page leaves little behind: look at it more rarely
    gc.collect()
    gc.freeze()  # what was loaded stays: no collection looks at it again
    with socket.socket(fileno=int(sys.argv[1])) as door:
        line = door.makefile("rwb", buffering=PIECE)
        serve(cast(BinaryIO, line), application)


if __name__ == "__main__":
    from config.wsgi import application

    main(application)
