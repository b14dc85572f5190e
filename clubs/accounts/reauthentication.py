"""Prove who one is, again or after the session ended, without losing what was typed.

The proof before a decision of weight is of the same switch as the second factor (SECOND_FACTOR). It
holds for ACCOUNT_REAUTHENTICATION_TIMEOUT seconds; having just signed in is one.

What was posted meanwhile stays in the session and is offered again on the same address: allauth
resumes such a request itself, but without the middlewares that find the club and the rights.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _

from clubs.accounts import rate_limits, sessions
from clubs.accounts.client_address import address_of
from clubs.accounts.device import last_account
from clubs.accounts.rate_limits import Limit

View = Callable[..., HttpResponseBase]
KEPT = "kept_form"
KEPT_FOR = 3600
FORGET = "abandonner"
TOKEN = "csrfmiddlewaretoken"
# Typed anew: codes and passwords are not kept, the token is this page's own.
NOT_KEPT = {TOKEN, "pin", "again", "approver_pin", "password"}
# Anybody may post without a session, so little is stored of them, and for one address seldom.
OF_A_VISITOR = Limit(name="kept_forms", amount=200, span=timedelta(hours=1))
KEPT_BYTES = 64 * 1024


def _now(request: HttpRequest) -> float:
    return float(request.received_at.timestamp())  # type: ignore[attr-defined]


def is_recent(request: HttpRequest) -> bool:
    """Return whether somebody proved who they are a short time ago in this session."""
    age = _now(request) - sessions.last_proof(request)
    return age < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT


def proof_page(request: HttpRequest) -> str:
    """Return the page where this account proves who it is: the first of its ways."""
    return str(get_adapter(request).get_reauthentication_methods(request.user)[0]["url"])


def weighty(
    *, page: bool = False, when: Callable[[HttpRequest], bool] = lambda _request: True
) -> Callable[[View], View]:
    """Ask for a recent proof before what `when` says of a form; before the page too with `page`.

    Stands inside the decorator that checks the rights: nobody is asked for what they may not do.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            asks = when(request) if request.method == "POST" else page
            if settings.SECOND_FACTOR and asks and not is_recent(request):
                return interrupt(request, proof_page(request))
            return view(request, *args, **kwargs)

        return guarded

    return decorate


def forgets(request: HttpRequest) -> bool:
    """Return whether this form asks that a person is forgotten for good."""
    return "forget" in request.POST


def interrupt(request: HttpRequest, address: str) -> HttpResponse:
    """Redirect to another page, which leads back here; keep a form that was sent."""
    path = request.get_full_path()
    if request.method == "POST":
        _keep(request)
    return redirect(f"{address}?{urlencode({'next': path})}")


def _keep(request: HttpRequest) -> None:
    """Keep a form that was sent in the session, for an hour."""
    request.session[KEPT] = {
        "of": request.user.pk if request.user.is_authenticated else last_account(request),
        "path": request.get_full_path(),
        "back": form_page(request),
        "until": _now(request) + KEPT_FOR,
        "fields": fields_of(request),
        "files": any(request.FILES.values()),
    }


def fields_of(request: HttpRequest) -> list[list[str]]:
    """Return the fields of a form that was sent, each with what it held; without codes."""
    sent = ((name, texts) for name, texts in request.POST.lists() if name not in NOT_KEPT)
    return [[name, text] for name, texts in sent for text in texts]


def sentences_of(fields: list[list[str]]) -> list[str]:
    """Return what is worth showing again of these fields.

    A code or a number says nothing without the label of its field; a sentence does.
    """
    return [text for _name, text in fields if len(text.split()) > 1]


def sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect a visitor to the page to sign in; keep the form of a session that ended meanwhile.

    A button without a field, and what is not kept, leads back to the page that it was on.
    """
    if request.method != "POST":
        return redirect_to_login(request.get_full_path())
    if not _is_kept(request):
        return redirect_to_login(form_page(request))
    messages.info(
        request,
        _("Votre connexion a pris fin. Connectez-vous : ce que vous avez saisi vous sera montré."),
    )
    request.session.set_expiry(KEPT_FOR)  # until somebody signs in (`sessions.begin`)
    return interrupt(request, reverse(settings.LOGIN_URL))


def offer_again(request: HttpRequest) -> HttpResponse | None:
    """Return the way to a form whose token is of an earlier sign-in; None where it is not offered.

    Only of pages behind a guard, to who has just signed in, and what a browser says that a page of
    this site sent (`Sec-Fetch-Site`, which no page can set): another site's form is never offered.
    """
    guarded = request.resolver_match is not None and hasattr(request.resolver_match.func, "needs")
    by_own_page = (
        request.headers.get("Sec-Fetch-Site") == "same-origin"
        and request.headers.get("Sec-Fetch-Mode") == "navigate"
    )
    if not (guarded and by_own_page and is_recent(request) and request.POST.keys() - NOT_KEPT):
        return None
    _keep(request)
    return redirect(request.get_full_path())


def _is_kept(request: HttpRequest) -> bool:
    """Return whether a visitor's form is worth keeping, and small enough.

    What a script sends is not: nobody is led to the page that it gets, and it tries again by itself.
    """
    by_script = request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate"
    size = sum(len(text) for texts in request.POST.lists() for text in texts[1])
    if by_script or not request.POST.keys() - NOT_KEPT or size > KEPT_BYTES:
        return False
    try:
        rate_limits.take(OF_A_VISITOR, address_of(request), at=request.received_at)  # type: ignore[attr-defined]
    except rate_limits.TooMany:
        return False
    return True


def form_page(request: HttpRequest) -> str:
    """Return the page that the form was on; its own address where the browser does not say it.

    That address may take forms alone: who signs in meanwhile is led to the page.
    """
    page = request.META.get("HTTP_REFERER", "")
    if url_has_allowed_host_and_scheme(page, {request.get_host()}, request.is_secure()):
        return page
    return request.get_full_path()


def resumed(request: HttpRequest) -> HttpResponse | None:
    """Return the page that sends a kept form of this address; None where there is none.

    What one account sent is shown to no other one that signs in with the same browser.
    """
    kept = request.session.get(KEPT)
    if kept is None:
        return None
    forgotten = FORGET in request.GET and kept["path"].partition("?")[0] == request.path
    if not forgotten and kept["path"] != request.get_full_path():
        return None
    # A session holds it for months: one of an earlier version lacks what was added since.
    if request.user.is_authenticated and kept.get("of") not in (None, request.user.pk):
        del request.session[KEPT]
        words = _("Ce qu’une autre personne a saisi ici n’est montré qu’à elle.")
        messages.info(request, words)
        return None
    if request.method == "POST" or forgotten or kept["until"] < _now(request):
        del request.session[KEPT]
        back = kept.get("back", kept["path"])
        return redirect(back) if forgotten and request.method == "GET" else None
    if not is_recent(request):
        return None
    context = {
        "fields": kept["fields"],
        "forget": FORGET,
        "sentences": sentences_of(kept["fields"]),
        "files": kept.get("files", False),
    }
    return render(request, "clubs/accounts/resume.html", context)
