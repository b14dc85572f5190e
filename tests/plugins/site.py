"""The whole site behind uvicorn, as `run.py` serves it: pages on threads, streams on the loop.

pytest-django's live_server speaks WSGI only, where an event stream would never end. Give the
fixture `site` to a test that needs a real address: a browser's, or one that listens.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from django.db import connections


@pytest.fixture
def site(transactional_db: None) -> Iterator[str]:
    """The address of the site, on the test's own database, without a slash at the end."""
    import uvicorn

    from config.asgi import application

    config = uvicorn.Config(
        application,
        host="127.0.0.1",
        port=0,
        log_level="error",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name="site")
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started and thread.is_alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert server.started, "uvicorn did not start"
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(15)
    _close_live()
    assert not thread.is_alive(), "uvicorn did not stop"


def _close_live() -> None:
    """The reader's thread keeps a connection, and a test database cannot go while one is open."""
    from pairings.live import stream as live

    for hub in live.hubs.values():
        hub.database.submit(connections.close_all).result()
        hub.database.shutdown(wait=True)
    live.hubs.clear()
