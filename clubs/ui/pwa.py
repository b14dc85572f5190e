"""What a phone without a network can show: my evening, my card, and an offline page.

The service worker caches these pages on the phone, each with its reader: a page is never shown to
anybody else, and all are deleted when the reader signs out. `reader_of` is an opaque token for one
person, or for the players that a phone remembers; it names nobody.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import get_script_prefix, reverse
from django.utils.crypto import salted_hmac
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

READER_HEADER = "X-Reader"
DEVICE_COOKIE = "device"
"""Signed by the check-in at the entrance: a phone that remembers its player without an account."""
KEPT_FOLDERS = ("css", "js", "img")
KEPT_FONTS = (
    "vendor/inter/inter-latin-wght-normal.woff2",
    "vendor/bricolage-grotesque/bricolage-grotesque-latin-700-normal.woff2",
    "vendor/htmx/htmx.min.js",
    "vendor/htmx-ext-sse/sse.min.js",
)
NOT_KEPT = (
    *("css/board.css", "js/board.js", "css/print.css", "js/sw.js"),
    *("js/passkey.js", "js/shortcuts.js"),  # of pages that are read with a network alone
)
SOURCE = Path(settings.BASE_DIR) / "static"


def reader_of(request: HttpRequest) -> str:
    """Return a token for the reader, the same on each of their pages; empty for a visitor."""
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        reader = f"user:{user.pk}"
    else:
        # Not the cookie's text: each check-in signs it again, with the club of that evening first.
        links = request.get_signed_cookie(DEVICE_COOKIE, default="", salt=DEVICE_COOKIE)
        if not links:
            return ""
        reader = f"device:{sorted(links.split('-'))}"
    return salted_hmac("clubs.ui.pwa", reader, algorithm="sha256").hexdigest()[:20]


class ReaderMiddleware:
    """Tells the service worker whose page this is, on the few pages that it may cache."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        match = request.resolver_match
        if match is not None and match.view_name in settings.OFFLINE_VIEWS:
            response[READER_HEADER] = reader_of(request)
        return response


def kept_files() -> list[str]:
    """Return the static files that a cached page needs."""
    file_names = list(KEPT_FONTS)
    for folder in KEPT_FOLDERS:
        file_names += [
            path.relative_to(SOURCE).as_posix()
            for path in sorted((SOURCE / folder).rglob("*"))
            if path.is_file()
        ]
    return [name for name in file_names if name not in NOT_KEPT]


@cache
def _digest(newest: float) -> str:
    """Return the digest of the files, where no manifest names their versions."""
    content = sha256()
    for name in kept_files():
        content.update(name.encode())
        content.update((SOURCE / name).read_bytes())
    return content.hexdigest()[:16]


def version() -> str:
    """Return a value that changes with any static file: the manifest's hash, or that of the files."""
    manifest: str | None = getattr(staticfiles_storage, "manifest_hash", None)
    if manifest:
        return manifest
    return _digest(max((SOURCE / name).stat().st_mtime for name in kept_files()))


@never_cache
@require_GET
def service_worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker with the addresses of this organisation.

    Its scope is the folder it is served from, so each organisation's pages have their own.
    """
    site_values = {
        "version": version(),
        "hashed": bool(getattr(staticfiles_storage, "manifest_hash", None)),
        "base": get_script_prefix().rstrip("/"),
        "offline": reverse("offline"),
        "evening": reverse("pairings:my_evening"),
        "fragment": reverse("pairings:my_card"),
        "card": reverse("clubs:player_card"),
        "statics": settings.STATIC_URL,
        "icon": static("img/icon.svg"),
        "name": getattr(request.organisation, "name", "Club"),  # type: ignore[attr-defined]
        "files": [static(name) for name in kept_files()],
    }
    code = (SOURCE / "js" / "sw.js").read_text()
    return HttpResponse(
        f"const TOLD = {json.dumps(site_values)};\n{code}",
        content_type="text/javascript; charset=utf-8",
    )


@require_GET
def offline_page(request: HttpRequest) -> HttpResponse:
    """Return the page shown where no cached page exists. The same for everybody."""
    return render(request, "offline.html", {})
