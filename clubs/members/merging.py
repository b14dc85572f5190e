"""Guests confirmed, merged rows of one person, and every row that stands for a person."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.members.actions import MemberRefused, edit, note_revoked, revoke_invitations, show_alike
from clubs.members.models import Member
from clubs.members.models_access import JoinRequest
from clubs.organisations.models import Organisation
from clubs.registries import PLAYED_CHECKS


@transaction.atomic
def confirm_guest(*, member: Member, by: Actor, at: datetime, **changes: object) -> Member:
    """Turn a guest, or a player of an imported file, into a member; the games played are kept.

    Refused for somebody who left: they would be noted as a member that no list shows.
    """
    moved = (
        Member.objects.active()
        .filter(pk=member.pk)
        .filter(Q(is_guest=True) | Q(is_outsider=True))
        .update(is_guest=False, is_outsider=False, confirmed_at=at)
    )
    if not moved:
        gone = Member.objects.filter(pk=member.pk, left_at__isnull=False, merged_into=None).first()
        if gone is not None:
            words = _(
                "Cette personne a quitté le club : enregistrez d’abord son retour, sur sa fiche."
            )
            if gone.is_forgotten:  # nobody's record any more: an invitation makes a new one
                words = _(
                    "Cette personne a quitté le club. Si elle revient, invitez-la par e-mail."
                )
            raise MemberRefused(words, code="left")
        raise MemberRefused(_("Cet invité est déjà confirmé."), code="stale")
    _agree(member, by, at)
    member.refresh_from_db()
    if changes:
        edit(member=member, changes=changes, by=by, at=at)
    journal.note(member, "guest_confirmed", by=by, at=at)
    return member


def merge_guest(*, guest: Member, into: Member, by: Actor, at: datetime, reason: str) -> None:
    """Merge a guest who never played with a member.

    A guest who played has games in rankings and lists: the app that owns them merges such a guest,
    with their replay (`pairings.players.merging`).
    """
    if any(played(guest) for played in PLAYED_CHECKS):
        raise MemberRefused(
            _("Cet invité a déjà joué : lisez d’abord ce que change la fusion des deux fiches."),
            code="has_played",
        )
    mark_merged(guest=guest, into=into, by=by, at=at, reason=reason)


@transaction.atomic
def mark_merged(*, guest: Member, into: Member, by: Actor, at: datetime, reason: str) -> None:
    """Mark a guest as the same person as a member. The app of the games reads `merged_into`."""
    if guest.organisation_id != into.organisation_id or guest.pk == into.pk:
        raise MemberRefused(_("Choisissez un autre membre du même club."), code="wrong_member")
    revoked = revoke_invitations(guest, at=at)
    _guest, into = lock_both(guest, into)
    moved = Member.objects.filter(pk=guest.pk, is_guest=True, merged_into__isnull=True).update(
        merged_into=into, left_at=at
    )
    if not moved:
        raise MemberRefused(_("Cet invité est déjà confirmé ou fusionné."), code="stale")
    show_alike(into, by=by, at=at)
    _agree(guest, by, at)
    note_revoked(revoked, by=by, at=at)
    guest.refresh_from_db()
    journal.note(guest, "member_merged", by=by, at=at, after={"into": into.pk}, reason=reason)


def lock_both(merged: Member, into: Member) -> tuple[Member, Member]:
    """Lock two rows before they are merged; return both as they are now, with the latest choice."""
    locked = Member.objects.select_for_update(no_key=True).order_by("pk")
    rows = {row.pk: row for row in locked.filter(pk__in=(merged.pk, into.pk))}
    return rows[merged.pk], rows[into.pk]


def _agree(guest: Member, by: Actor, at: datetime) -> None:
    """Close the guest's requests to join: they are a member now, on this row or another."""
    JoinRequest.objects.filter(guest=guest, answered_at__isnull=True).update(
        answered_at=at, accepted=True, answered_by=by.user
    )


def same_people(organisation: Organisation | int) -> dict[int, int]:
    """Return {merged row: row that stands for that person now}, chains resolved. One query."""
    direct = dict(
        Member.objects.filter(organisation=organisation, merged_into__isnull=False).values_list(
            "pk", "merged_into_id"
        )
    )
    return followed(direct)


def followed(direct: Mapping[int, int]) -> dict[int, int]:
    """Return {merged row: row that stands for that person now} of {row: row it was merged into}."""
    targets: dict[int, int] = {}
    for old, kept in direct.items():
        walked = {old}
        while kept in direct and kept not in walked:
            walked.add(kept)
            kept = direct[kept]
        targets[old] = kept
    return targets


def family_of(member: Member) -> set[int]:
    """Return every row of this person: their own and those merged into it."""
    return family_in(same_people(member.organisation_id), member)


def family_in(merged: Mapping[int, int], member: Member) -> set[int]:
    """Return every row of this person, by the rows that were merged (`same_people`)."""
    return {member.pk} | {old for old, kept in merged.items() if kept == member.pk}
