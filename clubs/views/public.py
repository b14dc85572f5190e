"""Public pages about the club: home, rules in force, and the words every site owes its readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from clubs import rulebook
from clubs.models import Organisation, RuleBook
from clubs.permissions import organisation_of, public

HomePart = Callable[[HttpRequest], dict[str, Any] | None]
HOME_PARTS: list[HomePart] = []
THEMES = ("light", "dark", "auto")


def home_part(part: HomePart) -> None:
    """An app above adds a block to the home page: {"template": …, and what it prints}."""
    HOME_PARTS.append(part)


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The club's door; with several organisations and no prefix, the list of them."""
    if request.organisation is None:  # type: ignore[attr-defined]
        found = Organisation.objects.order_by("name", "pk")
        return render(request, "clubs/portal.html", {"organisations": found})
    parts = [part for make in HOME_PARTS if (part := make(request)) is not None]
    return render(request, "clubs/home.html", {"parts": parts})


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Light, dark or as the device says: a cookie, and the account where there is one."""
    chosen = request.POST.get("theme", "auto")
    after = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(after, allowed_hosts={request.get_host()}):
        after = "/"
    response = redirect(after)
    if chosen in THEMES:
        response.set_cookie("theme", chosen, max_age=365 * 86400, samesite="Lax")
        if request.user.is_authenticated:
            type(request.user).objects.filter(pk=request.user.pk).update(theme=chosen)
    return response


@public
@require_GET
def rules(request: HttpRequest) -> HttpResponse:
    """The numbers in force, printed from the values the rules themselves read."""
    book = rulebook.in_force(organisation_of(request), "faizers", timezone.now())
    return _rules(request, book, current=True)


@public
@require_GET
def rules_version(request: HttpRequest, number: int) -> HttpResponse:
    """One adopted version, for ever."""
    book = (
        RuleBook.objects.of(organisation_of(request), "faizers")
        .adopted()
        .filter(number=number)
        .first()
    )
    if book is None:
        raise Http404
    return _rules(request, book, current=False)


def _rules(request: HttpRequest, book: RuleBook | None, *, current: bool) -> HttpResponse:
    parts: dict[str, list[rulebook.Line]] = {}
    for line in rulebook.lines(book, "faizers"):
        parts.setdefault(line.part, []).append(line)
    versions = RuleBook.objects.of(organisation_of(request), "faizers").adopted()
    context = {
        "book": book,
        "current": current,
        "parts": parts.items(),
        "versions": versions.order_by("-number"),
    }
    return render(request, "clubs/rules.html", context)
