"""Newcomers who register themselves, and must be admitted by the desk before they can be paired."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.accounts.models import User
from clubs.journal import chain as journal
from clubs.members import actions as members
from pairings.evenings.admission import presence
from pairings.evenings.common import EveningRefused, check_doors, choose, locked
from pairings.evenings.models import CheckIn, Evening, GuestRequest
from pairings.live import stream as live


@transaction.atomic
def ask(
    *,
    evening: Evening,
    first_name: str,
    last_name: str,
    at: datetime,
    visitor: User | None = None,
) -> GuestRequest:
    """Put a newcomer on the desk's list. No other row is created before the answer."""
    row = locked(evening)
    check_doors(row)
    first_name, last_name = members.names_of(first_name, last_name)
    request = GuestRequest.objects.create(
        evening=row,
        visitor=visitor,
        first_name=first_name,
        last_name=last_name,
        asked_at=at,
    )
    live.announce(row.organisation, "evening", at=at, evening=row.pk)
    return request


@transaction.atomic
def admit(*, request: GuestRequest, by: Actor, at: datetime) -> CheckIn:
    """Admit a newcomer: they become a guest of the club, present, and can be paired."""
    locked(request.evening)  # before the request, as closing the evening does
    _answer(request, by, at)
    check_in = presence.welcome_guest(
        evening=request.evening,
        first_name=request.first_name,
        last_name=request.last_name,
        visitor=request.visitor,
        by=by,
        at=at,
    )
    GuestRequest.objects.filter(pk=request.pk).update(member=check_in.member)
    request.refresh_from_db()
    return check_in


@transaction.atomic
def refuse(*, request: GuestRequest, by: Actor, at: datetime) -> None:
    """Refuse a newcomer. The name of a refused person is not kept."""
    locked(request.evening)  # as `admit` does
    _answer(request, by, at)
    GuestRequest.objects.filter(pk=request.pk).update(first_name="", last_name="")
    journal.note(request.evening, "guest_refused", by=by, at=at)
    live.announce(request.evening.organisation, "evening", at=at, evening=request.evening_id)
    request.refresh_from_db()


@transaction.atomic
def set_wait(*, evening: Evening, on: bool, by: Actor, at: datetime) -> Evening:
    """Choose whether newcomers need the desk's approval. Pending requests are still answered."""
    choose(evening=evening, choice="guests_wait", on=on, by=by, at=at)
    return evening


def _answer(request: GuestRequest, by: Actor, at: datetime) -> None:
    """Mark the request as answered, unless somebody answered it first."""
    moved = GuestRequest.objects.filter(pk=request.pk, answered_at__isnull=True).update(
        answered_at=at, answered_by=by.user
    )
    if not moved:
        raise EveningRefused(_("Cette demande a déjà une réponse."), code="stale")
