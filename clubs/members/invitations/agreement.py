"""The way back of an invitation: a parent takes back their agreement for a child's account."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.accounts.models import User
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members.actions import MemberRefused
from clubs.members.invitations import unlinking
from clubs.members.models import Member
from clubs.personal_data import forgetting


@transaction.atomic
def withdraw(*, member: Member, by: Actor, at: datetime) -> None:
    """Take a parent's agreement back: no account, no name shown, nothing confirmed; results stay.

    The account is closed with it, unless it is of another club too. Refused (`stale`) where no
    agreement is noted.
    """
    revoked = members.revoke_invitations(member, at=at)
    user = member.user
    if user is not None:
        User.objects.lock(user.pk)
    agreed = Member.objects.active().filter(is_child=True, guardian_agreed_on__isnull=False)
    moved = agreed.filter(pk=member.pk, user=user).update(
        guardian_name="",
        guardian_agreed_on=None,
        user=None,
        visibility=Member.INITIALS,
        pin_hash="",
        device_version=F("device_version") + 1,
    )
    if not moved:
        raise MemberRefused(
            _("Cette fiche vient d’être modifiée. Rechargez la page."), code="stale"
        )
    unlinking.end_rights(member, by=by, at=at)
    member.refresh_from_db()
    members.show_alike(member, changed=["visibility"], by=by, at=at)
    journal.lock([member.organisation_id])  # before the account's row, as `forgetting.forget` does
    if user is not None and forgetting.is_last(user):
        forgetting.close_account(user)
    members.note_revoked(revoked, by=by, at=at)
    journal.note(member, "guardian_withdrew", by=by, at=at)
