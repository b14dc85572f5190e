"""Whose attempt at a member's code it is."""

from __future__ import annotations

from django.http import HttpRequest

from clubs.accounts.client_address import address_of
from clubs.accounts.device import device_links
from clubs.accounts.permissions import access_of
from clubs.members import pins
from clubs.members.models import Member


def pin_source(request: HttpRequest, member: Member) -> pins.Source:
    """Return the source of an attempt at that member's code: their device, an account, an address."""
    access = access_of(request)
    if remembers(request, member):
        return pins.Source.own_device()
    if access.user is not None and access.member is not None:
        return pins.Source.account(access.user)
    return pins.Source.address(address_of(request))


def remembers(request: HttpRequest, member: Member) -> bool:
    return (member.pk, member.device_version) in device_links(request)
