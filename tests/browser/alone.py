"""A page of its own, with the site's static files and no site behind it."""

from __future__ import annotations

from typing import Any

from django.conf import settings


def show(page: Any, html: str, origin: str = "http://club.test") -> None:
    """Open `html` at an origin where only `/static/` is answered besides."""

    def answer(route: Any) -> None:
        path = route.request.url.removeprefix(origin)
        if path.startswith("/static/"):
            route.fulfill(path=settings.BASE_DIR / path[1:])
        else:
            route.fulfill(content_type="text/html; charset=utf-8", body=html)

    page.route("**/*", answer)
    page.goto(f"{origin}/")
