"""What a forked process runs: the whole site behind uvicorn, as `run.py` serves it."""

from __future__ import annotations

import socket


def serve(listener: socket.socket) -> None:
    import uvicorn

    from config.asgi import application

    config = uvicorn.Config(application, log_level="error")
    uvicorn.Server(config).run(sockets=[listener])
