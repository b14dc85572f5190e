"""Find the organisation of an address, the reader, and the reader's language.

`/c/<slug>/…` names the organisation; with a single one on the site no prefix is needed. The prefix
becomes the script prefix of the request, so every `reverse()` inside it keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from django.conf import settings
from django.contrib import messages
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.http.response import HttpResponseBase
from django.urls import get_script_prefix, set_script_prefix
from django.utils import timezone, translation
from django.utils.functional import SimpleLazyObject

from clubs.accounts import sessions
from clubs.accounts.device import asked_of, device_member, guest_of
from clubs.accounts.models import User
from clubs.accounts.permissions import Access
from clubs.organisations.models import Organisation
from clubs.registries import GUESTS_ASKED, PRINTED_PAGES
from clubs.ui.navigation import LANGUAGE_QUERY

PREFIX = "/c/"


class OrganisationMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.received_at = timezone.now()  # type: ignore[attr-defined]
        organisation = first = None
        outside = get_script_prefix()
        if request.path_info.startswith(PREFIX):
            slug, _slash, rest = request.path_info[len(PREFIX) :].partition("/")
            organisation = Organisation.objects.filter(slug=slug).first()
            if organisation is not None:
                base = request.META.get("SCRIPT_NAME", "").rstrip("/")
                request.path_info = "/" + rest
                set_script_prefix(f"{base}{PREFIX}{slug}/")
        else:
            two = list(Organisation.objects.order_by("pk")[:2])
            if len(two) == 1:
                organisation = two[0]
            elif two:
                first = two[0]
        request.organisation = organisation  # type: ignore[attr-defined]
        request.access = SimpleLazyObject(lambda: _access(request, organisation))  # type: ignore[attr-defined]
        if organisation is not None:
            timezone.activate(organisation.zone)
        try:
            response = self.get_response(request)
        finally:
            set_script_prefix(outside)
            timezone.deactivate()
        if first is not None and _is_page(request, response) and response.status_code == 404:
            # Printed codes, shared links and open forms may date from its time as the only one.
            # What an address names (an evening, a card, a match), and the door's own page, is
            # therefore of the first; one that names nothing ("/ma-soiree/") means the reader's own.
            own = None if _names_something(request) else own_organisation(request)
            # Nobody reads the page that has just shown them.
            messages.get_messages(request).used = False  # type: ignore[union-attr]
            return HttpResponseRedirect(
                f"{PREFIX}{(own or first).slug}{request.get_full_path()}",
                preserve_request=request.method != "GET",
            )
        return response


def _names_something(request: HttpRequest) -> bool:
    page = request.resolver_match
    return page is not None and (bool(page.kwargs) or page.view_name in PRINTED_PAGES)


def _is_page(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return whether a person reads this: programs are not sent from one club to another."""
    kind = response.headers.get("Content-Type", "")
    return request.method in ("GET", "POST") and kind.startswith("text/html")


def _access(request: HttpRequest, organisation: Organisation | None) -> Access:
    access = Access.of(request.user if request.user.is_authenticated else None, organisation)
    if access.member is not None:
        if not (settings.SECOND_FACTOR and access.roles):
            return access
        return access.in_session(request, at=request.received_at)  # type: ignore[attr-defined]
    if organisation is None:
        return access
    linked = device_member(request, organisation)
    guest = guest_of(request, organisation, linked)  # perhaps a member of another club
    if guest is not None:
        return replace(access, guest=guest)
    has_evening = linked is not None or _has_asked(request, organisation, access.user)
    return replace(access, has_evening=has_evening)


def _has_asked(request: HttpRequest, organisation: Organisation, visitor: User | None) -> bool:
    """Return whether a request to play was made with this phone or by this account."""
    return asked_of(request, organisation) is not None or (
        visitor is not None and any(asked(visitor, organisation) for asked in GUESTS_ASKED)
    )


def own_organisation(request: HttpRequest) -> Organisation | None:
    """Return the organisation that the reader joined first; None without one."""
    if not request.user.is_authenticated:
        return None
    organisations = Organisation.objects.filter(members__user=request.user, members__left_at=None)
    return organisations.order_by("members__pk").first()


class LateAnswerSessionMiddleware(SessionMiddleware):
    """Django's sessions; an answer that comes late takes nobody's newer session away.

    Signing in ends the session of before and gives another. A file or a fragment that the page asked
    for in the old one, and that is answered afterwards, finds none: Django would take the cookie
    away, which is the new one's by then.

    A number with the character NUL is no session's: PostgreSQL has no text that holds it.
    """

    def process_request(self, request: HttpRequest) -> None:
        if "\0" in request.COOKIES.get(settings.SESSION_COOKIE_NAME, ""):
            del request.COOKIES[settings.SESSION_COOKIE_NAME]
        super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        never_was = request.session.is_empty() and not request.session.modified
        response = super().process_response(request, response)
        if never_was:
            response.cookies.pop(settings.SESSION_COOKIE_NAME, None)
        return response


class LanguageMiddleware:
    """The language of a page: the address's (`?lang=en`), what was chosen on this device, the account's.

    Then the browser's; the club's is for a visitor whose browser asks for none of the site's
    languages. An account reads its own, whatever the address asks for. A reader's session is in use.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            sessions.note_use(request, at=timezone.now())
        translation.activate(accounts_language(request) or visitors_language(request))
        request.LANGUAGE_CODE = translation.get_language()
        return self.get_response(request)


def accounts_language(request: HttpRequest) -> str | None:
    """Return the account's language; None without an account, or where this device has one chosen."""
    if request.user.is_authenticated and settings.LANGUAGE_COOKIE_NAME not in request.COOKIES:
        return str(request.user.language)
    return None


def visitors_language(request: HttpRequest) -> str:
    """Return the address's, what was chosen on this device, the browser's or program's, or the club's."""
    if language := _language_of_address(request):
        return language
    organisation: Organisation | None = request.organisation  # type: ignore[attr-defined]
    is_chosen = settings.LANGUAGE_COOKIE_NAME in request.COOKIES
    if organisation is None or is_chosen or names_a_language(request):
        return translation.get_language_from_request(request)
    return organisation.language


def _language_of_address(request: HttpRequest) -> str | None:
    """Return the language that a visitor's address asks for, as search engines and shared links do.

    A fragment is in that of the page which asks for it; htmx names the page.
    """
    if request.user.is_authenticated:
        return None
    page = request.headers.get("HX-Current-URL", "")
    query = QueryDict(page.partition("#")[0].partition("?")[2]) if page else request.GET
    language = query.get(LANGUAGE_QUERY)
    return language if language in dict(settings.LANGUAGES) else None


def names_a_language(request: HttpRequest) -> bool:
    """Return whether the browser, or the program, asks for one of the site's languages.

    Django answers its first one, French, also to a browser that asks for none of them.
    """
    first = settings.LANGUAGE_CODE
    asked = request.headers.get("Accept-Language", "")
    return (
        translation.get_language_from_request(request) != first
        or re.search(rf"\b{first}\b", asked, re.IGNORECASE) is not None
    )
