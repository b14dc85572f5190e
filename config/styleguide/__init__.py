"""The style guide: every component and whole screens with invented people.

Served only when DEBUG is on. A screen includes the templates of the site's pages with the values of
this folder, or is such a page itself: no markup is written twice.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from config.styleguide import evening, lists, matches, people
from config.styleguide.examples import after, examples

OWN = ("cards", "control", "recap", "banners")
PAGES = evening.PAGES | lists.PAGES | matches.PAGES | people.PAGES
SCREENS: dict[str, str] = {name: f"styleguide/{name}.html" for name in OWN} | {
    name: template for name, (template, _values_of) in PAGES.items()
}
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
    }
    values = examples() | {"screens": SCREENS}
    if screen in PAGES:
        _template, values_of = PAGES[screen]
        return values | values_of()
    return values | builders.get(screen, after)()
