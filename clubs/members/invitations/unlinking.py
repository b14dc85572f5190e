"""The account taken off a member's row: the wrong person had accepted the invitation."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, reason_of
from clubs.accounts.models import User
from clubs.accounts.older_pages import STALE, row_version
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members.actions import MemberRefused
from clubs.members.models import Member, RoleGrant
from clubs.notifications import outbox
from clubs.notifications.models import PushChoices, PushNotice, PushSubscription
from clubs.registries import KEYS_OF_A_MEMBER

ACCOUNT = ("user_id",)
"""The columns whose version the page shows (`row_version`)."""


@transaction.atomic
def unlink_account(*, member: Member, seen: str, reason: str, by: Actor, at: datetime) -> None:
    """Take the account off a member's row: they can be invited again; number and results stay.

    The row's address goes too where it is the account's. Refused (`stale`) where the row has another
    account than `seen` says. The account itself stays its owner's, whom a mail tells.
    """
    if by.user is not None and member.user_id == by.user.pk:
        raise MemberRefused(
            _(
                "C’est votre propre compte : demandez à une autre personne du comité de le retirer. "
                "Pour quitter le club, ouvrez « Mes données »."
            ),
            code="own_account",
        )
    reason = reason_of(reason, MemberRefused)
    revoked = members.revoke_invitations(member, at=at)
    user = member.user
    if user is None or seen != row_version(member, ACCOUNT):
        raise _changed()
    User.objects.lock(user.pk)
    addressed = Member.objects.filter(pk=member.pk, email__iexact=user.email)
    no_address = {"email": ""} if addressed.lock() else {}
    moved = Member.objects.filter(pk=member.pk, user=user, merged_into=None).update(
        user=None, pin_hash="", device_version=F("device_version") + 1, **no_address
    )
    if not moved:
        raise _changed()
    Member.objects.filter(pk=member.pk, visitor=user).update(visitor=None)
    PushChoices.objects.filter(member=member).delete()  # the next account makes its own
    end_rights(member, by=by, at=at)
    member.refresh_from_db()
    members.note_revoked(revoked, by=by, at=at)
    journal.note(member, "account_unlinked", by=by, at=at, reason=reason)
    club = member.organisation
    context = {"club": club, "link": outbox.link(club, "clubs:contact")}
    outbox.post(to=user.email, name="account_off", language=user.language, context=context)


def end_rights(member: Member, *, by: Actor, at: datetime) -> None:
    """Revoke the keys and roles of a row whose account was just taken off, and notify no device.

    `member` is as it was read with the account: the last of a committee who has one is refused.
    """
    for revoke in KEYS_OF_A_MEMBER:
        revoke(member, by, at)
    for grant in RoleGrant.objects.filter(member=member, revoked_at__isnull=True).order_by("pk"):
        members.withdraw_role(member=member, role=grant.role, by=by, at=at)
    PushSubscription.objects.filter(member=member).delete()
    PushNotice.objects.filter(member=member).delete()


def _changed() -> MemberRefused:
    return MemberRefused(
        _("La situation de cette personne a changé. Relisez sa fiche."), code=STALE
    )
