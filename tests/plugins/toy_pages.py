"""A page process with a toy in the place of Django: `python -m tests.plugins.toy_pages FD`."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from config import page_processes

LARGE = 3_000_000


def toy(environ: dict[str, Any], start: Callable[..., Any]) -> Iterator[bytes]:
    """/pid, /sleep, /die, /early-death, /late-death, /large, /received, /digest of the body; anything else is /pid."""
    path = environ["PATH_INFO"]
    if path == "/die":
        os.kill(os.getpid(), signal.SIGKILL)
    if path == "/sleep":
        time.sleep(0.2)
    start("201 Created", [("X-Path", path), ("Set-Cookie", " a=b")])
    if path == "/large":
        yield from (b"x" * 1000 for _piece in range(LARGE // 1000))
    elif path in ("/early-death", "/late-death"):
        for _piece in range(1 if path == "/early-death" else 3):
            yield b"x" * page_processes.PIECE
        os.kill(os.getpid(), signal.SIGKILL)
    elif path == "/received":
        yield str(environ["club.received"]).encode()
    elif path == "/digest":
        yield sha256(environ["wsgi.input"].read()).hexdigest().encode()
    else:
        yield str(os.getpid()).encode()


if __name__ == "__main__":
    page_processes.main(toy)
