"""The style guide: every component and some whole screens with invented people.

Served only when DEBUG is on. A screen includes the templates of the site's pages with the values of
this folder: no markup is written twice. Whole pages are read in the demo club.
"""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from config.styleguide import evening
from config.styleguide.examples import after, examples

SCREENS = {
    "cards": evening.cards,
    "control": evening.control,
    "recap": after,
    "banners": evening.banners,
}
"""What returns the values of each screen, by its name in the address."""


def styleguide(request: HttpRequest, screen: str = "") -> HttpResponse:
    """Show the components, or one screen."""
    if not settings.DEBUG or (screen and screen not in SCREENS):
        raise Http404
    values = examples() | {"screens": SCREENS}
    if not screen:
        return render(request, "styleguide.html", values)
    return render(request, f"styleguide/{screen}.html", values | SCREENS[screen]())
