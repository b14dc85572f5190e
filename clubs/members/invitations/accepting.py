"""Whom an accepted invitation makes a member: a row linked with an account, or one that comes back."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Case, When
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.members.actions import SHOWN, MemberRefused, awaits_guardian, edit, show_alike
from clubs.members.models import Member
from clubs.members.models_access import Invitation


def come_back(
    known: Member, invitation: Invitation, details: dict[str, object], *, by: Actor, at: datetime
) -> Member:
    """Let somebody who left be a member again, on the row that still has their account."""
    if invitation.member is not None:
        raise MemberRefused(
            _(
                "Vous avez déjà été membre avec ce compte. Demandez au comité un lien d’invitation "
                "sans nom : vous retrouverez votre numéro et vos résultats."
            ),
            code="came_back",
        )
    assert by.user is not None
    Member.objects.filter(pk=known.pk, left_at__isnull=False).update(left_at=None)
    known.refresh_from_db()
    details["is_child"] = known.is_child or details["is_child"]  # or they untick it
    details["email"] = known.email or by.user.email
    return edit(member=known, changes=details, by=by, at=at)


def link(member: Member, shown: dict[str, object], *, by: Actor, at: datetime) -> Member:
    """Link the member that an invitation names."""
    if member.awaits_guardian or (shown["is_child"] and member.guardian_agreed_on is None):
        raise awaits_guardian()
    # Whatever they untick.
    is_young = Case(When(is_child=True, then=True), default=shown["is_minor"])
    linked = (
        Member.objects.active()
        .filter(pk=member.pk, user__isnull=True)
        .update(user=by.user, visibility=shown["visibility"], is_minor=is_young)
    )
    if not linked:
        raise _not_linked(member)
    _read_again(member, by, at)
    return member


def _read_again(member: Member, by: Actor, at: datetime) -> None:
    """Read a member who was linked, and let the person's other rows follow what they chose."""
    before = {name: getattr(member, name) for name in SHOWN}
    member.refresh_from_db()
    changed = [name for name in SHOWN if before[name] != getattr(member, name)]
    show_alike(member, changed=changed, by=by, at=at)


def _not_linked(member: Member) -> MemberRefused:
    """Return why this row got no account: its person left, or has one."""
    if Member.objects.active().filter(pk=member.pk).exists():
        return MemberRefused(_("Ce membre a déjà un compte."), code="already_linked")
    return MemberRefused(
        _(
            "La personne invitée ne fait plus partie du club. Demandez une autre invitation au comité."
        ),
        code="left",
    )
