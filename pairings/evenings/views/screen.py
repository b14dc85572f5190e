"""View of the screen link: it marks this browser as the room's screen and redirects to the wall."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import organisation_of, public
from pairings.evenings.admission import screen_link as screens
from pairings.evenings.models import Evening

COOKIE = "screen"
COOKIE_AGE_S = 2 * 86400


@public
@never_cache
@require_GET
def screen(request: HttpRequest, key: str) -> HttpResponse:
    """Open `/ecran/<key>/`: the wall screen with the evening's code, while the link is in force."""
    evening = screens.evening_of(organisation_of(request), key)
    if evening is None:
        return render(request, "pairings/evenings/screen_over.html", {}, status=410)
    response = redirect("pairings:board", day=evening.address)
    response.set_cookie(
        COOKIE,
        key,
        max_age=COOKIE_AGE_S,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response


def is_screen(request: HttpRequest, evening: Evening) -> bool:
    """Return whether this browser may show that evening's code.

    Checked at each request, so a withdrawn link expires at once.
    """
    return screens.opens(evening, request.COOKIES.get(COOKIE, ""))
