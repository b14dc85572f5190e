"""The phone that a player uses, linked by a signed cookie since their arrival."""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from clubs.members.models import Member
from clubs.organisations.models import Organisation

DEVICE_COOKIE = "device"
DEVICE_DAYS = 300


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
    found = device_of(request)
    if found is None:
        return None
    pk, version = found
    known = Member.objects.active().filter(organisation=organisation)
    return known.filter(pk=pk, device_version=version).first()


def guest_of(request: HttpRequest, organisation: Organisation) -> Member | None:
    """Return the guest who plays with this phone.

    A guest has no account to sign in to: the phone with which they arrived is the only proof that
    they are themselves, so it may do what a player does. It does nothing for anybody with an account.
    """
    found = device_member(request, organisation)
    return found if found is not None and found.is_guest and found.user_id is None else None
