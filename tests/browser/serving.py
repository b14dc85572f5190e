"""What forked processes run: the whole site behind uvicorn, as `run.py` serves it, and its worker."""

from __future__ import annotations

import socket


def work() -> None:
    """Be a worker of the site, which may reach the tests' own push service."""
    from django.conf import settings

    from config.celery import app

    settings.PUSH_LOOPBACK = True
    app.worker_main(["worker", "--pool=solo", "--loglevel=ERROR", "--without-mingle"])


def serve(listener: socket.socket) -> None:
    import uvicorn
    from django.conf import settings

    from config.asgi import application

    settings.PUSH_LOOPBACK = True
    config = uvicorn.Config(application, log_level="error")
    uvicorn.Server(config).run(sockets=[listener])
