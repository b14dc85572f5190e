"""The phone that a member uses, linked by a signed cookie."""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from clubs.accounts.client_address import address_of
from clubs.accounts.permissions import (
    access_of,
)
from clubs.members import pins
from clubs.members.models import Member

DEVICE_COOKIE = "device"


DEVICE_DAYS = 300


def pin_source(request: HttpRequest, member: Member) -> pins.Source:
    """Return the source of an attempt at that member's code: their device, an account, an address."""
    access = access_of(request)
    if remembers(request, member):
        return pins.Source.own_device()
    if access.user is not None and access.member is not None:
        return pins.Source.account(access.user)
    return pins.Source.address(address_of(request))


def device_of(request: HttpRequest) -> tuple[int, int] | None:
    """Return the member linked to this phone: the row's number and the version of their devices."""
    try:
        value = request.get_signed_cookie(DEVICE_COOKIE, salt="device", max_age=DEVICE_DAYS * 86400)
    except (KeyError, signing.BadSignature):
        return None
    pk, _sep, version = (value or "").partition(".")
    return int(pk), int(version)


def remembers(request: HttpRequest, member: Member) -> bool:
    return device_of(request) == (member.pk, member.device_version)


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
