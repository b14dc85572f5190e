"""Pages in processes: in turn, whole, and a process that dies takes one page with it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any, TypeVar

import pytest

from config.page_processes import PageProcesses
from tests.plugins.toy_pages import LARGE

COUNT = 2
T = TypeVar("T")
Answered = tuple[int, dict[bytes, bytes], bytes]


def away(scope: Any) -> bytes:
    return b"back soon: " + scope["raw_path"]


def asked(pages: PageProcesses, path: str, body: bytes = b"") -> Awaitable[Answered]:
    """One request as uvicorn brings it, and its answer put together."""
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"content-length", str(len(body)).encode())],
        "scheme": "http",
        "http_version": "1.1",
        "root_path": "",
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    parts: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        parts.append(message)

    async def answer() -> Answered:
        await pages(scope, receive, send)
        whole = b"".join(part["body"] for part in parts[1:])
        assert [part.get("more_body", False) for part in parts[1:]][-1] is False
        return parts[0]["status"], dict(parts[0]["headers"]), whole

    return answer()


def on_a_loop(work: Coroutine[Any, Any, T]) -> T:
    """On a thread of its own: a browser's test leaves a loop running on this one."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work).result()


def with_pages(story: Callable[[PageProcesses], Awaitable[None]]) -> None:
    async def play() -> None:
        pages = PageProcesses(COUNT, away, module="tests.plugins.toy_pages")
        await pages.start()
        try:
            await asyncio.wait_for(story(pages), 60)
        finally:
            await pages.stop()
        assert [process.process.poll() for process in pages.all] == [0] * COUNT

    on_a_loop(play())


def test_a_page_comes_back_as_it_was_made() -> None:
    async def story(pages: PageProcesses) -> None:
        status, headers, body = await asked(pages, "/pid")
        assert (status, headers) == (201, {b"x-path": b"/pid", b"set-cookie": b"a=b"})
        assert int(body) in {process.process.pid for process in pages.all}

    with_pages(story)


@pytest.mark.parametrize("size", [0, 1, 255_999, 256_000, 256_001, 1_000_000, 1_000_001, 3_333_333])
def test_a_body_of_any_size_arrives_whole(size: int) -> None:
    async def story(pages: PageProcesses) -> None:
        body = os.urandom(size)
        for _again in range(2):
            _status, _headers, digest = await asked(pages, "/digest", body)
            assert digest.decode() == sha256(body).hexdigest()

    with_pages(story)


def test_a_large_answer_passes_in_pieces_and_whole() -> None:
    async def story(pages: PageProcesses) -> None:
        _status, _headers, body = await asked(pages, "/large")
        assert body == b"x" * LARGE

    with_pages(story)


def test_who_came_first_is_served_first_and_no_process_is_idle() -> None:
    async def story(pages: PageProcesses) -> None:
        await asyncio.gather(*(asked(pages, "/sleep") for _process in range(COUNT)))
        ended: list[int] = []
        used: list[bytes] = []

        async def one(number: int) -> None:
            _status, _headers, who = await asked(pages, "/sleep")
            ended.append(number)
            used.append(who)

        await asyncio.gather(*(one(number) for number in range(6)))
        pairs = [set(ended[place : place + COUNT]) for place in range(0, 6, COUNT)]
        assert pairs == [{0, 1}, {2, 3}, {4, 5}]
        assert len(set(used)) == COUNT

    with_pages(story)


def test_a_process_that_dies_takes_one_page_with_it() -> None:
    async def story(pages: PageProcesses) -> None:
        before = {process.process.pid for process in pages.all}
        status, headers, body = await asked(pages, "/die")
        assert (status, headers[b"connection"], body) == (503, b"close", b"back soon: /die")
        for _again in range(4):
            assert (await asked(pages, "/pid"))[0] == 201
        for process in list(pages.all):
            if process.process.pid in before:
                process.process.kill()
                process.process.wait(10)
        both = await asyncio.gather(*(asked(pages, "/sleep") for _process in range(COUNT)))
        assert [status for status, _headers, _body in both] == [201] * COUNT
        assert not before & {process.process.pid for process in pages.all}

    with_pages(story)


@pytest.mark.real_clock
def test_a_page_knows_when_its_request_came_however_long_it_waited() -> None:
    async def story(pages: PageProcesses) -> None:
        start = time.time()
        answers = await asyncio.gather(
            *(asked(pages, "/sleep") for _process in range(2 * COUNT)), asked(pages, "/received")
        )
        came = float(answers[-1][2])
        assert start <= came < time.time() - 0.2

    with_pages(story)


def test_half_an_answer_is_not_called_whole() -> None:
    """The server then breaks the connection, so that the reader knows."""

    async def story(pages: PageProcesses) -> None:
        status, _headers, body = await asked(pages, "/early-death")  # nothing was sent yet
        assert (status, body) == (503, b"back soon: /early-death")
        with pytest.raises(asyncio.IncompleteReadError):
            await asked(pages, "/late-death")
        assert (await asked(pages, "/pid"))[0] == 201

    with_pages(story)


def test_a_reader_who_leaves_does_not_leave_his_answer_to_the_next() -> None:
    async def story(pages: PageProcesses) -> None:
        for _reader in range(2 * COUNT):
            leaves = asyncio.ensure_future(asked(pages, "/sleep"))
            await asyncio.sleep(0.05)
            leaves.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaves
        status, headers, _body = await asked(pages, "/pid")
        assert (status, headers[b"x-path"]) == (201, b"/pid")

    with_pages(story)


def test_processes_go_when_their_loop_is_gone() -> None:
    async def story() -> list[Any]:
        pages = PageProcesses(COUNT, away, module="tests.plugins.toy_pages")
        await pages.start()
        await asked(pages, "/pid")
        for process in pages.all:
            process.writer.transport.abort()  # what the kernel does for a loop that was killed
        return pages.all

    for process in on_a_loop(story()):
        assert process.process.wait(10) == 0


@pytest.mark.parametrize(
    ("languages", "words"),
    [
        (b"en-GB,en;q=0.9", "back in a few minutes"),
        (b"de,ro;q=0.5", "revine în câteva minute"),
        (b"de", "revient dans quelques minutes"),
        (b"", "revient dans quelques minutes"),
    ],
)
def test_the_page_that_asks_to_come_back_speaks_to_its_reader(languages: bytes, words: str) -> None:
    from config import asgi

    page = asgi.away({"headers": [(b"accept-language", languages)]}).decode()
    assert words in page
