"""EMAIL_URL parsed into Django's own settings; each of them may also be set by its own name."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

NAMES = (
    "EMAIL_BACKEND",
    "EMAIL_HOST",
    "EMAIL_PORT",
    "EMAIL_HOST_USER",
    "EMAIL_HOST_PASSWORD",
    "EMAIL_USE_TLS",
    "EMAIL_USE_SSL",
)
BACKENDS = {
    "smtp": "smtp",
    "smtp+tls": "smtp",
    "smtp+ssl": "smtp",
    "console": "console",
    "file": "filebased",
}
PORTS = {"smtp": 25, "smtp+tls": 587, "smtp+ssl": 465}


def mail_server(url: str, own: Mapping[str, str]) -> dict[str, str]:
    """Return Django's mail settings.

    `url` is smtp+tls://name:password@host:587, file://, console:// or empty (a local SMTP server);
    `own` are the settings given by name, which win.
    """
    parts = urlsplit(url or "smtp://localhost")
    if parts.scheme not in BACKENDS:
        raise ImproperlyConfigured(f"EMAIL_URL must begin with one of {', '.join(BACKENDS)}.")
    found = {
        "EMAIL_BACKEND": f"django.core.mail.backends.{BACKENDS[parts.scheme]}.EmailBackend",
        "EMAIL_HOST": parts.hostname or "localhost",
        "EMAIL_PORT": str(parts.port or PORTS.get(parts.scheme, 25)),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": "1" if parts.scheme == "smtp+tls" else "",
        "EMAIL_USE_SSL": "1" if parts.scheme == "smtp+ssl" else "",
    }
    return found | {name: value for name, value in own.items() if name in NAMES}
