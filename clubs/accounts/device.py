"""The phone that a player uses, linked by a signed cookie since their arrival or their request."""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.registries import PLAYED_AFTER

DEVICE_COOKIE = "device"
DEVICE_DAYS = 300
ASKED_COOKIE = "guest"
ASKED_SECONDS = 86400


def device_of(request: HttpRequest) -> tuple[int, int] | None:
    """Return the member linked to this phone: the row's number and the version of their devices."""
    try:
        value = request.get_signed_cookie(DEVICE_COOKIE, salt="device", max_age=DEVICE_DAYS * 86400)
    except (KeyError, signing.BadSignature):
        return None
    pk, _sep, version = (value or "").partition(".")
    return int(pk), int(version)


def remember_device(response: HttpResponse, member: Member) -> None:
    response.set_signed_cookie(
        DEVICE_COOKIE,
        f"{member.pk}.{member.device_version}",
        salt="device",
        max_age=DEVICE_DAYS * 86400,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def device_member(request: HttpRequest, organisation: Organisation | int) -> Member | None:
    """Return the active member linked to this phone. It signs nobody in."""
    device_link = device_of(request)
    if device_link is None:
        return None
    pk, version = device_link
    known = Member.objects.active().filter(organisation=organisation)
    return known.filter(pk=pk, device_version=version).first()


def remember_asked(response: HttpResponse, asked: int, organisation: int) -> None:
    """Remember a newcomer's request to be admitted: its row's number and the club's."""
    response.set_signed_cookie(
        ASKED_COOKIE,
        f"{asked}.{organisation}",
        salt=ASKED_COOKIE,
        max_age=ASKED_SECONDS,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def asked_of(request: HttpRequest, organisation: Organisation) -> int | None:
    """Return the request to be admitted to that club that was made with this phone. No query."""
    try:
        value = request.get_signed_cookie(ASKED_COOKIE, salt=ASKED_COOKIE, max_age=ASKED_SECONDS)
    except (KeyError, signing.BadSignature):
        return None
    asked, _sep, club = (value or "").partition(".")
    return int(asked) if club == str(organisation.pk) else None


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
