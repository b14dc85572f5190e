"""The push services of browsers: which are accepted, and one encrypted message to one of them.

A message is encrypted for the browser (RFC 8291) and signed with the key of the site (RFC 8292).
"""

from __future__ import annotations

import binascii
import json
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from datetime import timedelta
from email.utils import parseaddr
from functools import cache as once

import requests
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.core.cache import cache
from django.utils.translation import gettext as _
from py_vapid import Vapid02, b64urlencode
from urllib3.util import parse_url

from clubs.accounts.actor import Refused
from clubs.notifications.models import ENDPOINT_LENGTH

CONNECT_S, ANSWER_S = 3, 5
"""A worker waits no longer for a push service: it sends mail and closes windows too."""
AWAY = timedelta(seconds=60)
GONE = (404, 410)
URGENT = ("table", "call", "confirm")
TOKEN_HOURS = 12


class PushRefused(Refused):
    """A subscription that the site does not accept."""


class ServiceAway(Exception):
    """The push service did not take the message; it may later."""


class SubscriptionGone(Exception):
    """The browser no longer has this subscription."""


def check_endpoint(endpoint: str) -> None:
    """Refuse an address that is not one of a known push service, by HTTPS on its usual port.

    The site posts to this address, so it must never be one of its own network. It is taken apart as
    the library that posts does it: a backslash ends the host there, and not in Django or urllib.parse.
    """
    try:
        parts = parse_url(endpoint)
    except ValueError:
        parts = parse_url("")
    host = (parts.host or "").rstrip(".")
    if settings.PUSH_LOOPBACK and parts.scheme == "http" and host == "127.0.0.1":
        return
    known = any(host == name or host.endswith(f".{name}") for name in settings.PUSH_HOSTS)
    plain = parts.scheme == "https" and parts.port in (None, 443) and parts.auth is None
    if not (known and plain and len(endpoint) <= ENDPOINT_LENGTH):
        raise PushRefused(
            _("Ce site ne connaît pas le service de notifications de ce navigateur."),
            code="unknown_service",
        )


def check_keys(p256dh: str, auth: str) -> None:
    """Refuse keys that no browser makes: a point of the curve P-256, and 16 bytes."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(p256dh))
        wrong = len(_decoded(auth)) != 16
    except (ValueError, binascii.Error):
        wrong = True
    if wrong:
        raise PushRefused(_("Cet abonnement est incomplet : recommencez."), code="bad_keys")


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4))


@once
def _vapid(key: str) -> Vapid02:
    return Vapid02.from_string(key)


def public_key() -> str:
    """Return the key that a browser is given when it subscribes."""
    key = _vapid(settings.VAPID_PRIVATE_KEY).public_key
    point = key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return str(b64urlencode(point))


def send(
    *,
    endpoint: str,
    p256dh: str,
    auth: str,
    kind: str,
    message: Mapping[str, object],
    ttl: int,
    now: int,
) -> None:
    """Post one message. Raises SubscriptionGone or ServiceAway.

    After a failure the service is left alone for a minute, so that one that hangs holds a worker
    once and not for each phone.
    """
    check_endpoint(endpoint)
    parts = parse_url(endpoint)
    away = f"push-away:{parts.netloc}"
    if cache.get(away):
        raise ServiceAway(f"{parts.netloc} did not answer a moment ago")
    # It brings an HTTP client of its own: a sixth of the time that a process takes to start.
    from pywebpush import WebPusher

    body = WebPusher({"endpoint": endpoint, "keys": {"p256dh": p256dh, "auth": auth}}).encode(
        json.dumps(message, ensure_ascii=False).encode()
    )["body"]
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": now + TOKEN_HOURS * 3600,
        "sub": f"mailto:{parseaddr(settings.DEFAULT_FROM_EMAIL)[1]}",
    }
    headers = {
        **_vapid(settings.VAPID_PRIVATE_KEY).sign(claims),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(ttl),
        "Urgency": "high" if kind in URGENT else "normal",
    }
    try:
        # The body of the answer is not read, and a redirection is not followed.
        with requests.post(
            endpoint,
            data=body,
            headers=headers,
            timeout=(CONNECT_S, ANSWER_S),
            allow_redirects=False,
            stream=True,
        ) as answer:
            status = answer.status_code
    except requests.RequestException as dead:
        cache.set(away, 1, timeout=AWAY.total_seconds())
        raise ServiceAway(f"{parts.netloc}: {type(dead).__name__}") from dead
    if status in GONE:
        raise SubscriptionGone
    if not 200 <= status < 300:
        raise ServiceAway(f"{parts.netloc} answered {status}")
