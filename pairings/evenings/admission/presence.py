"""Who is here on a club evening: check in, add a guest, rest, play again, go home."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.actor import Actor
from clubs.accounts.models import User
from clubs.members import actions as members
from clubs.members.models import Member
from pairings.absences import suspensions
from pairings.evenings.common import (
    EveningRefused,
    changed_presence,
    check_doors,
    locked_to_pair,
    note,
)
from pairings.evenings.models import CheckIn, Evening
from pairings.evenings.pairing import auto_pair

PAUSE = timedelta(minutes=15)


@transaction.atomic
def check_in(*, evening: Evening, member: Member, source: str, by: Actor, at: datetime) -> CheckIn:
    """Check a member in ("Je suis là"), by the evening's code, at the desk or by player number.

    A second call changes nothing. Who waits at another evening leaves it; who plays there is refused.
    """
    if member.organisation_id != evening.organisation_id:
        raise EveningRefused(_("Ce membre n’est pas de ce club."), code="other_club")
    row = locked_to_pair(evening, member.pk)
    check_doors(row)
    suspension = suspensions.of_member(member, row)
    if suspension is not None:
        raise EveningRefused(
            ngettext(
                "Votre suspension porte encore sur %(n)s soirée : "
                "vous n’avez pas de match. Motif : %(reason)s",
                "Votre suspension porte encore sur %(n)s soirées : "
                "vous n’avez pas de match. Motif : %(reason)s",
                suspension.left,
            )
            % {"n": suspension.left, "reason": suspension.reason},
            code="suspended",
        )
    _leave_elsewhere(row, member, by, at)
    try:
        with transaction.atomic():
            arrival, created = _arrive(row, member, source, at)
    except IntegrityError as clash:  # present at another evening since
        raise changed_presence() from clash
    if created:
        note(row, "checked_in", by, at, after={"member": member.pk, "source": source})
        auto_pair(evening=row, at=at)
        arrival.refresh_from_db()
    return arrival


def _arrive(evening: Evening, member: Member, source: str, at: datetime) -> tuple[CheckIn, bool]:
    """Return the member's row and whether they are present since now."""
    arrival, created = CheckIn.objects.get_or_create(
        evening=evening,
        member=member,
        defaults={"arrived_at": at, "waiting_since": at, "source": source},
    )
    if not created and arrival.state == CheckIn.State.LEFT:
        back = CheckIn.objects.filter(pk=arrival.pk, state=CheckIn.State.LEFT).update(
            state=CheckIn.State.WAITING, waiting_since=at, paused_until=None
        )
        created = bool(back)
        arrival.refresh_from_db()
    return arrival, created


def _leave_elsewhere(evening: Evening, member: Member, by: Actor, at: datetime) -> None:
    """End the member's presence at another evening: a member is present at one at a time."""
    others = CheckIn.objects.present().filter(member=member).exclude(evening=evening)
    for other in others.select_related("evening__organisation").order_by("pk"):
        if other.state == CheckIn.State.PLAYING:
            raise EveningRefused(
                _("Un match est en cours à une autre soirée : terminez-le d’abord."),
                code="plays_elsewhere",
            )
        go_home(evening=other.evening, member=member, by=by, at=at)


@transaction.atomic
def welcome_guest(
    *,
    evening: Evening,
    first_name: str,
    last_name: str,
    by: Actor,
    at: datetime,
    visitor: User | None = None,
) -> CheckIn:
    """Add a guest who plays at once at the starting cote; they are confirmed or merged later.

    `visitor`: the account with which they arrived, where they have one on this site.
    """
    locked_to_pair(evening)
    guest = members.create(
        organisation=evening.organisation,
        first_name=first_name,
        last_name=last_name,
        by=by,
        at=at,
        is_guest=True,
        visitor=visitor,
    )
    return check_in(evening=evening, member=guest, source="guest", by=by, at=at)


@transaction.atomic
def pause(*, evening: Evening, member: Member, by: Actor, at: datetime) -> CheckIn:
    """Take a member off the waiting list for fifteen minutes."""
    return _while_waiting(evening, member, "checked_pause", by, at, paused_until=at + PAUSE)


@transaction.atomic
def ready_again(*, evening: Evening, member: Member, by: Actor, at: datetime) -> CheckIn:
    """Put a member back among those who may be called ("Je peux rejouer"), waiting from now."""
    locked_to_pair(evening)
    free = {"paused_until": None, "waiting_since": at}
    check_in = _while_waiting(evening, member, "checked_ready", by, at, **free)
    auto_pair(evening=evening, at=at)
    return check_in


@transaction.atomic
def go_home(*, evening: Evening, member: Member, by: Actor, at: datetime) -> CheckIn:
    """Stop pairing a member this evening ("Je m’arrête là"). Checking in again reverses it."""
    return _while_waiting(evening, member, "checked_out", by, at, state=CheckIn.State.LEFT)


def _while_waiting(
    evening: Evening, member: Member, verb: str, by: Actor, at: datetime, **changes: object
) -> CheckIn:
    """Change the row of a member who waits. Refused once they play or have left."""
    Member.objects.filter(pk=member.pk).lock()  # pairing, which may seat them, holds it too
    rows = CheckIn.objects.filter(evening=evening, member=member)
    if not rows.filter(state=CheckIn.State.WAITING).update(**changes):
        raise changed_presence(None if by.member == member else member)
    note(evening, verb, by, at, after={"member": member.pk})
    return rows.get()
