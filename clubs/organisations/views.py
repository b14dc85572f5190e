"""Public pages about the club: home, rules in force, and the legal pages."""

from __future__ import annotations

import json
from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from clubs.accounts.models import User
from clubs.accounts.permissions import organisation_of, public
from clubs.organisations.models import Organisation, Season
from clubs.registries import HOME_PARTS, PORTAL_PARTS, RULE_EXAMPLES, RULE_NOTES, RULES_TONIGHT
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks import season_choices
from clubs.rulebooks.citations import cited
from clubs.rulebooks.models import RuleBook
from clubs.rulebooks.views import KEPT, scope_of, scope_tabs, title_of
from clubs.rulebooks.wording import beside, changes, with_unit

THEMES = ("light", "dark", "auto")


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Show the club's home page; with several organisations and no prefix, what is on in each."""
    if request.organisation is None:  # type: ignore[attr-defined]
        organisations = list(Organisation.objects.order_by("kind", "name", "pk"))
        shown = [
            part for block in PORTAL_PARTS if (part := block(request, organisations)) is not None
        ]
        context = {"organisations": organisations, "parts": shown}
        return render(request, "clubs/organisations/portal.html", context)
    parts = [part for make in HOME_PARTS if (part := make(request)) is not None]
    return render(request, "clubs/organisations/home.html", {"parts": parts})


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Set light, dark or the device's choice: in a cookie, and in the account where there is one."""
    chosen = request.POST.get("theme", "auto")
    after = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(after, allowed_hosts={request.get_host()}):
        after = "/"
    response = redirect(after)
    if chosen in THEMES:
        response.set_cookie("theme", chosen, max_age=365 * 86400, samesite="Lax")
        if request.user.is_authenticated:
            User.objects.filter(pk=request.user.pk).update(theme=chosen)
    return response


@public
@require_GET
def rules(request: HttpRequest) -> HttpResponse:
    """Show the numbers in force, printed from the values the rules themselves read."""
    book = rulebooks.in_force(organisation_of(request), scope_of(request), timezone.now())
    return _rules(request, book, current=True)


@public
@require_GET
def rules_version(request: HttpRequest, number: int) -> HttpResponse:
    """Show one adopted version, at a permanent address."""
    return _rules(request, _version(request, number), current=False)


def _version(request: HttpRequest, number: int) -> RuleBook | None:
    """Return an adopted version; 0 is the document itself. 404 otherwise."""
    if number == 0:
        return None
    versions = RuleBook.objects.of(organisation_of(request), scope_of(request)).adopted()
    rule_book = versions.filter(number=number).first()
    if rule_book is None:
        raise Http404
    return rule_book


@public
@require_GET
def rules_diff(request: HttpRequest, old: int, new: int) -> HttpResponse:
    """Show what changed from one version to another; 0 is the document."""
    a, b = _version(request, old), _version(request, new)
    context = {"old": old, "new": new, "changes": changes(a, b, scope_of(request))}
    return render(request, "clubs/organisations/rules_diff.html", context)


def _rules(request: HttpRequest, book: RuleBook | None, *, current: bool) -> HttpResponse:
    code = scope_of(request)
    kept = _kept_this_season(request, book) if current and code == rulebooks.LADDER else {}
    parts: dict[str, list[dict[str, object]]] = {}
    for line in rulebooks.lines(book, code):
        if line.name in KEPT:
            continue
        value, unit = with_unit(line, line.value)
        season_line = kept.get((line.part, line.name))
        parts.setdefault(line.part, []).append(
            {
                "label": _(line.words.label),
                "article": cited(line.words.article),
                "effect": " ".join(map(_, line.words.sentences(empty=line.value is None))),
                "unit": unit,
                "value": value,
                "default": beside(line, line.default),
                "this_season": beside(line, season_line.value) if season_line else "",
                "changed": line.changed,
                "is_long": len(value) > 24,
            }
        )
    versions = RuleBook.objects.of(organisation_of(request), code).adopted()
    note_of = RULE_NOTES.get(code) if current else None
    note = note_of(request) if note_of is not None else None
    tonight_of = RULES_TONIGHT.get(code) if current else None
    context = {
        "book": book,
        "current": current,
        "to_come": versions.to_come(timezone.now()) if current else [],
        "parts": [(part, title_of(part, code), lines) for part, lines in parts.items()],
        "versions": versions.order_by("-number"),
        "example": RULE_EXAMPLES[code](book) if code in RULE_EXAMPLES else None,
        "code": code,
        "is_ladder": code == rulebooks.LADDER,
        "label": rulebooks.scope(code).label,
        # Another book may have no version of this number.
        "tabs": scope_tabs(request, code, page=reverse("clubs:rules")),
        "tonight": tonight_of(organisation_of(request), book) if tonight_of else None,
        "notes": [note] if note is not None else [],
    }
    return render(request, "clubs/organisations/rules.html", context)


def _kept_this_season(
    request: HttpRequest, book: RuleBook | None
) -> dict[tuple[str, str], rulebooks.RuleLine]:
    """Return the settings that the season of today has otherwise than the version in force."""
    organisation = organisation_of(request)
    seasons = Season.objects.filter(organisation=organisation).select_related("rule_book")
    season = seasons.on(timezone.localdate(timezone=organisation.zone)).order_by("pk").first()
    return season_choices.kept_in(season, book) if season is not None else {}


def page(template: str) -> Callable[..., HttpResponseBase]:
    """Show a page of text."""

    @public
    @require_GET
    def view(request: HttpRequest) -> HttpResponse:
        return render(request, template, {})

    return view


help_page = page("clubs/organisations/help.html")
accessibility = page("clubs/organisations/accessibility.html")
contact = page("clubs/organisations/contact.html")


@require_GET
def manifest(request: HttpRequest) -> HttpResponse:
    """Return the manifest of a phone's home screen."""
    organisation = request.organisation  # type: ignore[attr-defined]
    content = {
        "name": organisation.name if organisation else "Club",
        "short_name": organisation.name[:12] if organisation else "Club",
        "start_url": reverse("pairings:my_evening"),
        "display": "standalone",
        "background_color": "#f6f5f1",
        "theme_color": "#17613f",
        "icons": [{"src": "/static/img/icon.svg", "sizes": "any", "type": "image/svg+xml"}],
    }
    return HttpResponse(json.dumps(content), content_type="application/manifest+json")
