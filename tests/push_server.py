"""A push service of our own on loopback, and a browser that subscribed there: it decrypts."""

from __future__ import annotations

import json
import os
import socket
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from threading import Thread
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def text_of(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


class Browser:
    """The receiving end of a subscription: its keys, and what reached it."""

    def __init__(self, server: PushServer, name: str) -> None:
        self.endpoint = f"{server.address}/{name}"
        self.private, self.secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        point = self.private.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        self.keys = {"p256dh": text_of(point), "auth": text_of(self.secret)}
        self.server, self.path = server, f"/{name}"

    @property
    def subscription(self) -> dict[str, Any]:
        return {"endpoint": self.endpoint, "keys": self.keys}

    def requests(self) -> list[tuple[dict[str, str], bytes]]:
        return [(head, body) for path, head, body in self.server.received if path == self.path]

    def messages(self) -> list[dict[str, Any]]:
        return [
            json.loads(
                http_ece.decrypt(
                    body, private_key=self.private, auth_secret=self.secret, version="aes128gcm"
                )
            )
            for _head, body in self.requests()
        ]


class PushServer:
    def __init__(self, secure: SSLContext | None = None) -> None:
        self.received: list[tuple[str, dict[str, str], bytes]] = []
        self.answers: dict[str, int] = {}
        here = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                here.received.append((self.path, dict(self.headers), body))
                status = here.answers.get(self.path, 201)
                self.send_response(status)
                if status == 307:
                    self.send_header("Location", f"{here.address}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_words: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}"
        if secure is not None:  # before a thread reads the socket that this one takes the place of
            self.http.socket = secure.wrap_socket(self.http.socket, server_side=True)
        looking = {"poll_interval": 0.02}  # how soon it sees that it is to stop
        Thread(target=self.http.serve_forever, kwargs=looking, daemon=True).start()

    def browser(self, name: str = "phone") -> Browser:
        return Browser(self, name)


@contextmanager
def push_server(secure: SSLContext | None = None) -> Iterator[PushServer]:
    """Serve until the block ends, by TLS with that context."""
    server = PushServer(secure)
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()


@contextmanager
def silent_server() -> Iterator[socket.socket]:
    """A service that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def waiting_on(listener: socket.socket) -> int:
    """How many connections a silent service was asked for."""
    listener.setblocking(False)
    count = 0
    with suppress(BlockingIOError):
        while True:
            listener.accept()[0].close()
            count += 1
    return count
