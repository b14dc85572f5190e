"""The strip of a demo site: sign in with one tap as one of the people whose evening is on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from clubs.accounts.device import remember_account
from clubs.accounts.permissions import organisation_of, public
from clubs.members.models import Member
from clubs.organisations.addresses import script_prefix
from clubs.organisations.models import Organisation
from pairings.demo.people import DOMAIN
from pairings.evenings.common import DOORS_OPEN
from pairings.evenings.models import Evening

TEMPLATE = "pairings/home/_home_demo.html"


@dataclass(frozen=True, slots=True)
class Part:
    """One of the demo's people: account, part while the evening runs and after, page to start from."""

    account: str
    name: str
    role: Promise
    afterwards: Promise
    page: str


PARTS = (
    Part(
        "amelie",
        "Amélie",
        gettext_lazy("à table, saisit le score"),
        gettext_lazy("lit le bilan de sa soirée"),
        "pairings:my_evening",
    ),
    Part(
        "gregoire",
        "Grégoire",
        gettext_lazy("son adversaire, confirme"),
        gettext_lazy("lit pourquoi sa cote a changé"),
        "pairings:my_evening",
    ),
    Part("odile", "Odile", gettext_lazy("arbitre"), gettext_lazy("arbitre"), "pairings:arbiter"),
    Part("helene", "Hélène", gettext_lazy("comité"), gettext_lazy("comité"), "clubs:dashboard"),
)


def is_demo(organisation: Organisation) -> bool:
    """Return whether its accounts are open to everybody: made by seed_demo, not in production."""
    return organisation.made_by_demo and not settings.PRODUCTION


@public
@require_POST
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in as one of the demo's people; 404 on every other site."""
    organisation = organisation_of(request)
    asked = request.POST.get("as", "")
    part = next((part for part in PARTS if part.account == asked), None)
    if part is None or not is_demo(organisation):
        raise Http404
    # An account that was given the technical site since is no demo account any more.
    member = (
        Member.objects.of(organisation)
        .active()
        .filter(user__email=f"{part.account}@{DOMAIN}", user__is_active=True, user__is_staff=False)
        .select_related("user")
        .first()
    )
    if member is None or member.user is None:
        raise Http404
    login(request, member.user, backend=settings.AUTHENTICATION_BACKENDS[0])
    response = redirect(part.page)
    remember_account(response, member.user)
    return response


def strip(request: HttpRequest) -> dict[str, object] | None:
    """Return the block of a demo club's own page."""
    organisation = organisation_of(request)
    if not organisation.is_club or not is_demo(organisation):
        return None
    return _block(organisation)


def portal_strip(
    request: HttpRequest, organisations: Sequence[Organisation]
) -> dict[str, object] | None:
    """Return the block of the page that lists the organisations, for the first demo club."""
    for organisation in organisations:
        if organisation.is_club and is_demo(organisation):
            with script_prefix(f"/c/{organisation.slug}/"):
                return _block(organisation)
    return None


def _block(organisation: Organisation) -> dict[str, object]:
    """Return what the strip shows: what can be tried depends on whether the evening still runs."""
    return {
        "template": TEMPLATE,
        "parts": PARTS,
        "url": reverse("pairings:demo_sign_in"),
        "runs": Evening.objects.of(organisation).filter(state__in=DOORS_OPEN).exists(),
    }
