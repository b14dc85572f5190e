"""What a phone or browser remembers by signed cookies: its player, a request, the last account."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from django.conf import settings
from django.core import signing
from django.db.models import Q
from django.http import HttpRequest, HttpResponse

from clubs.accounts.models import User
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.registries import PLAYED_AFTER
from clubs.ui.pwa import DEVICE_COOKIE

ASKED_COOKIE = "guest"
ACCOUNT_COOKIE = "last"
SECONDS = {
    DEVICE_COOKIE: 300 * 86400,
    ASKED_COOKIE: 86400,
    ACCOUNT_COOKIE: settings.SESSION_COOKIE_AGE,
}
"""How long each cookie is believed. Its name is the salt of its signature."""
MOST_CLUBS = 10
"""A browser refuses a cookie that is too long; the clubs where the phone came last are kept."""


def _remember(response: HttpResponse, cookie: str, value: str) -> None:
    response.set_signed_cookie(
        cookie,
        value,
        salt=cookie,
        max_age=SECONDS[cookie],
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _remembered(request: HttpRequest, cookie: str) -> str | None:
    """Return what that cookie says; None without one, or where it is too old or not ours."""
    try:
        return request.get_signed_cookie(cookie, salt=cookie, max_age=SECONDS[cookie])
    except (KeyError, signing.BadSignature):
        return None


def device_links(request: HttpRequest) -> list[tuple[int, int]]:
    """Return the members linked to this phone, one a club: their row's number and devices' version."""
    links = (_remembered(request, DEVICE_COOKIE) or "").split("-")
    pairs = (link.partition(".") for link in links if link)
    return [(int(pk), int(version)) for pk, _sep, version in pairs]


def remember_device(
    response: HttpResponse, member: Member, *, beside: Sequence[tuple[int, int]] = ()
) -> None:
    """Link this phone to a member, in place of their club's member in `beside`, its links so far."""
    others = Member.objects.exclude(organisation=member.organisation_id).filter(pk__in=dict(beside))
    elsewhere = set(others.values_list("pk", flat=True))
    links = [(member.pk, member.device_version), *(one for one in beside if one[0] in elsewhere)]
    value = "-".join(f"{pk}.{version}" for pk, version in links[:MOST_CLUBS])
    _remember(response, DEVICE_COOKIE, value)


def device_member(request: HttpRequest, organisation: Organisation | int) -> Member | None:
    """Return the active member of that club linked to this phone. It signs nobody in."""
    links = device_links(request)
    if not links:
        return None
    linked = reduce(or_, (Q(pk=pk, device_version=version) for pk, version in links))
    return Member.objects.active().filter(linked, organisation=organisation).first()


def remember_asked(response: HttpResponse, asked: int, organisation: int) -> None:
    """Remember a newcomer's request to be admitted: its row's number and the club's."""
    _remember(response, ASKED_COOKIE, f"{asked}.{organisation}")


def asked_of(request: HttpRequest, organisation: Organisation) -> int | None:
    """Return the request to be admitted to that club that was made with this phone. No query."""
    asked, _sep, club = (_remembered(request, ASKED_COOKIE) or "").partition(".")
    return int(asked) if club == str(organisation.pk) else None


def remember_account(response: HttpResponse, user: User) -> None:
    """Remember in this browser whose account was signed in last, beyond the end of the session."""
    _remember(response, ACCOUNT_COOKIE, str(user.pk))


def last_account(request: HttpRequest) -> int | None:
    """Return the number of the account that was signed in last here; None where it is not known."""
    value = _remembered(request, ACCOUNT_COOKIE)
    return int(value) if value is not None else None


def guest_of(
    request: HttpRequest, organisation: Organisation, linked: Member | None
) -> Member | None:
    """Return the guest who plays with this phone, or with the account signed in on it.

    `linked`: the `device_member` of the phone.

    A guest is no member to sign in as: the phone with which they arrived, or the account of another
    club that was signed in on it, is the only proof that they are themselves, so it may do what a
    player does. It does nothing for a member with an account. A guest who became a member has no
    account here yet: phone and account are theirs until the next evening.
    """
    guest = linked
    if guest is None and request.user.is_authenticated:
        visits = request.user.visits.filter(organisation=organisation)
        guest = visits.active().order_by("pk").last()
    if guest is None or guest.user_id is not None:
        return None
    return guest if guest.is_guest or _is_new_member(guest, organisation) else None


def _is_new_member(member: Member, organisation: Organisation) -> bool:
    """Return whether this member was a guest until now: no evening has opened since that day."""
    if member.confirmed_at is None:
        return False
    day = member.confirmed_at.astimezone(organisation.zone).date()
    return not any(played(organisation, day) for played in PLAYED_AFTER)
