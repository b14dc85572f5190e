"""Check members in at the desk, where somebody else reads what is refused to them."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import ngettext

from clubs.accounts.actor import Actor
from clubs.members.models import Member
from pairings.absences import suspensions
from pairings.evenings.admission import presence
from pairings.evenings.common import EveningRefused
from pairings.evenings.models import CheckIn, Evening


def arrive(*, evening: Evening, member: Member, by: Actor, at: datetime) -> CheckIn:
    """Check a member in; the message of a suspension names the member, not the arbiter."""
    try:
        return presence.check_in(evening=evening, member=member, source="desk", by=by, at=at)
    except EveningRefused as refused:
        suspension = suspensions.of_member(member, evening)
        if refused.code != "suspended" or suspension is None:
            raise
        raise EveningRefused(
            ngettext(
                "%(name)s : la suspension porte encore sur %(n)s soirée. Motif : %(reason)s",
                "%(name)s : la suspension porte encore sur %(n)s soirées. Motif : %(reason)s",
                suspension.left,
            )
            % {"name": member.full_name, "n": suspension.left, "reason": suspension.reason},
            code="suspended",
        ) from refused
