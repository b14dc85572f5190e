"""A second member of the committee agrees to another's action, with their own code, on the spot.

The four digits prove the agreement and sign nobody in, as for a result on the same phone.
"""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from clubs.accounts.actor import COMMITTEE, Actor, Refused
from clubs.journal import chain as journal
from clubs.members import pins
from clubs.members.models import Member, RoleGrant
from clubs.organisations.models import Organisation
from clubs.rulebooks.models import RuleBook


def others(organisation: Organisation, by: Actor) -> list[Member]:
    """Return the committee without the acting person."""
    grants = RoleGrant.objects.filter(role=RoleGrant.COMMITTEE, revoked_at__isnull=True)
    committee = Member.objects.of(organisation).active().filter(pk__in=grants.values("member"))
    actor_id = by.member.pk if by.member is not None else 0
    return list(committee.exclude(pk=actor_id).order_by("sort_name", "pk"))


def agreed(
    *, organisation: Organisation, approver: Member, pin: str, by: Actor, at: datetime
) -> Member:
    """Return the approving person, whose code is right. Raises Refused; a wrong try is counted."""
    if approver not in others(organisation, by):
        raise Refused(str(NEEDED), code="second_required")
    assert by.user is not None
    pins.check(member=approver, pin=pin, source=pins.Source.account(by.user), by=by, at=at)
    return approver


def record(
    *,
    approver: Member,
    by: Actor,
    at: datetime,
    subject: str,
    reason: str,
    rule_book: RuleBook | None = None,
) -> None:
    """Write the journal entry of the approval, in the transaction of the action itself."""
    journal.record(
        organisation=approver.organisation,
        verb="correction_seconded",
        subject=subject,
        by=Actor(user=approver.user, member=approver, role=COMMITTEE, origin=by.origin),
        at=at,
        after={"with": by.member.pk if by.member is not None else None},
        reason=reason,
        rule_book=rule_book,
    )


NEEDED = _(
    "Cette correction touche un classement publié : un autre membre du comité doit donner son "
    "accord par son code."
)
