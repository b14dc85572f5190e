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
from clubs.members.models import Member, RoleGrant
from clubs.notifications.models import PushNotice, PushSubscription
from clubs.personal_data import forgetting
from clubs.registries import KEYS_OF_A_MEMBER


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
    for revoke in KEYS_OF_A_MEMBER:
        revoke(member, by, at)
    for grant in RoleGrant.objects.filter(member=member, revoked_at__isnull=True).order_by("pk"):
        members.withdraw_role(member=member, role=grant.role, by=by, at=at)
    PushSubscription.objects.filter(member=member).delete()
    PushNotice.objects.filter(member=member).delete()
    member.refresh_from_db()
    members.show_alike(member, changed=["visibility"], by=by, at=at)
    if user is not None and forgetting.is_last(user):
        forgetting.close_account(user)
    members.note_revoked(revoked, by=by, at=at)
    journal.note(member, "guardian_withdrew", by=by, at=at)
