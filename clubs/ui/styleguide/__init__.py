"""The style guide: every component and whole screens with invented people.

Served only when DEBUG is on. A screen includes the templates of the site's pages with the values of
examples.py, evening.py and lists.py, or is such a page itself: no markup is written twice.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from clubs.ui.styleguide import evening, lists
from clubs.ui.styleguide.examples import after, examples

OWN = (
    *("ranking", "enter", "confirm", "pin", "result", "cards", "dispute", "control", "profile"),
    *("recap", "banners", "board", "board_over", "board_closing"),
)
SCREENS: dict[str, str] = {name: f"styleguide/{name}.html" for name in OWN} | lists.PAGES
"""The template of each screen, by its name in the address."""


def styleguide(request: HttpRequest, screen: str = "") -> HttpResponse:
    """Show the components, or one screen."""
    if not settings.DEBUG or (screen and screen not in SCREENS):
        raise Http404
    return render(request, SCREENS.get(screen, "styleguide.html"), _values(screen))


def _values(screen: str) -> dict[str, Any]:
    builders = {
        "cards": evening.cards,
        "control": evening.control,
        "banners": evening.banners,
        "board_closing": evening.closing,
    }
    values = examples() | {"screens": SCREENS}
    if screen in lists.PAGES:
        return values | lists.values(screen)
    return values | builders.get(screen, after)()
