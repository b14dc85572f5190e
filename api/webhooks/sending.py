"""One signed POST to an address that people chose: never to a machine of the site's own network.

The name is looked up once, every address it has is checked, and the connection goes to an address
that was checked, with the name for the certificate and the Host header: a second look-up, which may
answer otherwise, never happens. No redirection is followed and no body is read.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import socket
import time
from contextlib import suppress
from http.client import HTTPException
from ipaddress import IPv6Address, IPv6Network, ip_address
from threading import Timer
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.encoding import iri_to_uri
from django.utils.translation import gettext as _
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from api.webhooks.models import ADDRESS_LENGTH
from clubs.accounts.actor import Refused

ANSWER_S = 5
"""A try takes no longer, from its start to the first line of the answer; connecting and the handshake
of TLS alone have as long each."""
PORT = 443
NAME = re.compile(r"[A-Za-z0-9_.-]+")
GLOBAL_UNICAST = IPv6Network("2000::/3")
NO_NAME, PRIVATE, NO_CONNECTION, NO_ANSWER = "no_name", "private", "no_connection", "no_answer"
FAILED = "failed"
"""The site itself failed, and its own log says where."""


class AddressRefused(Refused):
    """An address that the site does not post to."""


class NotSent(Exception):
    """No answer came; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def is_public(address: str) -> bool:
    """Return whether this is an address of the internet, of one machine that anybody may reach."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address) and (ip not in GLOBAL_UNICAST or ip.sixtofour):
        return False  # addresses that stand for IPv4 ones, among others
    return ip.is_global and not ip.is_multicast


def checked(address: str) -> str:
    """Return the address as it is stored. Refused unless it is https, on the usual port, by a name."""
    try:
        parts = urlsplit(address.strip())
        host = _ascii(parts.hostname or "")
        port = parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    netloc = parts.netloc
    if not netloc.isascii():
        netloc = f"{host}:{port}" if port else host
    plain = f"{parts.scheme}://{netloc}{parts.path or '/'}"
    clean = iri_to_uri(plain + (f"?{parts.query}" if parts.query else ""))
    if _is_loopback(parts):
        return clean
    number = _number(host)
    wrong = "@" in parts.netloc or len(clean) > ADDRESS_LENGTH
    wrong = wrong or not (number or NAME.fullmatch(host))
    if parts.scheme != "https" or port not in (None, PORT) or wrong:
        raise AddressRefused(
            _("Écrivez une adresse complète qui commence par https://, sans autre port que 443."),
            code="bad_address",
        )
    if not is_public(number) if number else "." not in host:
        raise AddressRefused(
            _("Cette adresse est dans un réseau local : le site ne peut pas y écrire."),
            code="private",
        )
    return clean


def _number(host: str) -> str:
    """Return the address that a host in digits is, however written; empty for a name."""
    try:
        return str(socket.getaddrinfo(host, PORT, flags=socket.AI_NUMERICHOST)[0][4][0])
    except OSError:
        return ""


def _ascii(host: str) -> str:
    return host.rstrip(".").encode("idna").decode() if host else ""


def _is_loopback(parts: SplitResult) -> bool:
    """Return whether this is a receiver of a test or of a developer, by plain HTTP."""
    loopback = parts.scheme == "http" and parts.hostname == "127.0.0.1"
    return bool(settings.WEBHOOK_LOOPBACK) and loopback


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """Return the header: HMAC-SHA256 over the time of the try, a dot and the body."""
    signed = str(timestamp).encode() + b"." + body
    return "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def post(address: str, *, body: bytes, headers: dict[str, str]) -> int:
    """Post, and return the status of the answer. Raises NotSent."""
    parts = urlsplit(address)
    local = _is_loopback(parts)
    if parts.scheme != "https" and not local:
        raise NotSent(PRIVATE)
    name = _ascii(parts.hostname or "")
    connection = (
        HTTPConnection(name, parts.port, timeout=ANSWER_S)
        if local
        else HTTPSConnection(_looked_up(name), PORT, timeout=ANSWER_S, server_hostname=name)
    )
    host = f"[{name}]" if ":" in name else name
    sent = {"Host": parts.netloc if local else host, **headers}
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    began = time.monotonic()
    try:
        connection.connect()
    except (NewConnectionError, ConnectTimeoutError) as away:
        raise NotSent(NO_CONNECTION) from away
    except (OSError, HTTPError) as away:  # of TLS: its handshake has one timeout for all of it
        raise NotSent(NO_ANSWER) from away
    # From here on a timeout is of each read: a server that sends one byte a second would hold a
    # worker. What is left of the try is cut instead.
    cut = Timer(began + ANSWER_S - time.monotonic(), _cut, [connection.sock])
    cut.daemon = True
    cut.start()
    try:
        connection.request("POST", path, body=body, headers=sent, preload_content=False)
        return connection.getresponse().status
    except (OSError, HTTPException, HTTPError, ValueError) as away:
        raise NotSent(NO_ANSWER) from away
    finally:
        cut.cancel()
        connection.close()


def _cut(connected: socket.socket) -> None:
    with suppress(OSError):  # it has ended meanwhile
        # Of the connection below TLS: a shutdown of TLS is not made for another thread.
        socket.socket.shutdown(connected, socket.SHUT_RDWR)


def _looked_up(name: str) -> str:
    """Return an address of that name. A name with one address of a local network has none."""
    try:
        lines = socket.getaddrinfo(name, PORT, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as unknown:
        raise NotSent(NO_NAME) from unknown
    addresses = [str(line[4][0]) for line in lines]
    if not addresses or not all(is_public(address) for address in addresses):
        raise NotSent(PRIVATE)
    return addresses[0]
