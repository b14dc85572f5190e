"""Ways into the club: invitations by link or e-mail, linked accounts, requests to join."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.accounts.models import User
from clubs.journal import chain as journal
from clubs.members.actions import MemberRefused, create, edit, lock, names_of, note_revoked, readmit
from clubs.members.invitations import accepting
from clubs.members.invitations.addresses import Address, known_as, lock_as_read, lock_needed
from clubs.members.merging import confirm_guest
from clubs.members.models import Member
from clubs.members.models_access import Invitation, JoinRequest
from clubs.notifications import outbox
from clubs.organisations.models import Organisation
from clubs.search import without_accents

INVITATION_DAYS = 14
Link = Callable[[str], str]
"""The whole address that a token opens: only the page knows its own host."""


@transaction.atomic
def send(
    *,
    organisation: Organisation,
    addresses: Sequence[Address],
    language: str,
    link: Link,
    by: Actor,
    at: datetime,
    days: int = INVITATION_DAYS,
) -> list[Invitation]:
    """Send one mail to each address that needs one. One wrong line refuses them all."""
    wrong = next((address for address in addresses if address.problem), None)
    if wrong is not None:
        raise MemberRefused(
            _("Ligne %(n)s : %(why)s.") % {"n": wrong.line, "why": wrong.problem},
            code="wrong_address",
        )
    needed = [address for address in addresses if not address.why_not]
    if not needed:
        raise MemberRefused(_("Aucune adresse à inviter."), code="no_address")
    lock_needed(organisation, needed, at=at)
    sent = []
    for address in needed:
        invitation, token = invite(
            organisation=organisation,
            member=address.member,
            email=address.email,
            language=language,
            days=days,
            by=by,
            at=at,
        )
        _mail(invitation, link(token), by)
        sent.append(invitation)
    return sent


@transaction.atomic
def resend(*, invitation: Invitation, link: Link, by: Actor, at: datetime) -> Invitation:
    """Send a new link by mail, valid for the same number of days; the previous link expires."""
    if not invitation.email:
        raise MemberRefused(
            _("Cette invitation n’a pas d’adresse : créez un nouveau lien."), code="no_address"
        )
    token = secrets.token_urlsafe(24)
    lasted = invitation.expires_at - invitation.created_at
    moved = Invitation.objects.filter(
        pk=invitation.pk,
        token_hash=invitation.token_hash,
        revoked_at__isnull=True,
        used_count=0,
    ).update(
        token_hash=token_hash(token),
        created_at=at,  # of this link: the next one is valid for as long, and no longer
        expires_at=at + lasted,
        opened_at=None,
        mailed_at=None,
        mail_failed_at=None,
    )
    if not moved:
        raise MemberRefused(
            _("Cette invitation est annulée, acceptée ou vient d’être renvoyée."), code="stale"
        )
    invitation.refresh_from_db()
    journal.note(invitation, "invitation_resent", by=by, at=at)
    _mail(invitation, link(token), by)
    return invitation


def words(
    organisation: Organisation, language: str, expires_at: datetime, by: Actor
) -> tuple[str, str]:
    """Return the mail for the preview: (subject, text) with a link that opens nothing."""
    return outbox.write(
        "invitation",
        language,
        {
            "club": organisation,
            "name": "",
            "by": _shown(by),
            "link": "https://…",
            "until": expires_at.astimezone(organisation.zone),
        },
    )


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def invite(
    *,
    organisation: Organisation,
    by: Actor,
    at: datetime,
    member: Member | None = None,
    email: str = "",
    language: str = "fr",
    max_uses: int = 1,
    days: int = INVITATION_DAYS,
) -> tuple[Invitation, str]:
    """Create an invitation and its token, which is shown once: only its hash is stored."""
    if member is not None:
        lock_as_read(member)
    token = secrets.token_urlsafe(24)
    assert by.user is not None
    invitation = Invitation.objects.create(
        organisation=organisation,
        token_hash=token_hash(token),
        member=member,
        email=email.strip().lower(),
        language=language,
        max_uses=max_uses,
        created_at=at,
        created_by=by.user,
        expires_at=at + timedelta(days=days),
    )
    journal.note(
        invitation,
        "invited",
        by=by,
        at=at,
        after={"member": member.pk if member else None, "max_uses": max_uses, "days": days},
    )
    return invitation, token


def invitation_of(token: str) -> Invitation | None:
    """Return the invitation of a link, usable or not."""
    return Invitation.objects.filter(token_hash=token_hash(token)).first()


def why_over(invitation: Invitation) -> str:
    """Return why an invitation opens nothing any more: "revoked", "used" or "expired"."""
    if invitation.revoked_at is not None:
        return "revoked"
    return "used" if invitation.used_count >= invitation.max_uses else "expired"


@transaction.atomic
def revoke(*, invitation: Invitation, by: Actor, at: datetime) -> None:
    moved = Invitation.objects.filter(pk=invitation.pk, revoked_at__isnull=True).update(
        revoked_at=at
    )
    if not moved:
        raise MemberRefused(_("Cette invitation est déjà annulée."), code="stale")
    journal.note(invitation, "invitation_revoked", by=by, at=at)


def revoke_elsewhere(emails: Mapping[int, str], *, at: datetime) -> list[Invitation]:
    """Revoke invitations mailed to an address that a member, by primary key, no longer has.

    Returns them for `note_revoked`. Call before the members' rows are locked: accepting an
    invitation locks it first.
    """
    mailed = Invitation.objects.usable(at=at).filter(member__in=emails, email=F("member__email"))
    mailed = mailed.exclude(email="").select_for_update(no_key=True, of=("self",))
    revoked = [one for one in mailed.order_by("pk") if one.email != emails[one.member_id or 0]]
    Invitation.objects.filter(pk__in=[one.pk for one in revoked]).update(revoked_at=at)
    return revoked


@transaction.atomic
def correct(
    *,
    member: Member,
    changes: Mapping[str, object],
    seen: str | None = None,
    by: Actor,
    at: datetime,
) -> bool:
    """Change a member's details, and revoke an invitation that was sent to another address.

    Somebody who reads a wrong mailbox would open this member's account. Return whether there was one.
    """
    email = str(changes.get("email", member.email)).strip().lower()
    revoked = revoke_elsewhere({member.pk: email}, at=at)
    edit(member=member, changes=changes, seen=seen, by=by, at=at)
    note_revoked(revoked, by=by, at=at)
    return bool(revoked)


@transaction.atomic
def accept(
    *,
    invitation: Invitation,
    user: User,
    first_name: str,
    last_name: str,
    at: datetime,
    visibility: str = Member.EVERYBODY,
    is_minor: bool = False,
    is_child: bool = False,
) -> Member:
    """Use an invitation once more: link the named member, or create one for this account.

    The account of somebody who left gets their row back, with number and results. Not by a link
    that was replaced since it was read (`resend`). An account's row is locked, so that two
    invitations of one person are accepted one after the other.
    """
    moved = (
        Invitation.objects.usable(at=at)
        .filter(pk=invitation.pk, token_hash=invitation.token_hash)
        .update(used_count=F("used_count") + 1)
    )
    if not moved:
        raise MemberRefused(
            _("Cette invitation a expiré ou a déjà servi. Demandez-en une autre au comité."),
            code="expired",
        )
    User.objects.lock(user.pk)
    known = Member.objects.of(invitation.organisation).filter(user=user).first()
    if known is not None and known.left_at is None:
        raise MemberRefused(_("Ce compte est déjà membre du club."), code="already_member")
    by = Actor(user=user, member=None, role="player")
    shown: dict[str, Any] = {"visibility": visibility, "is_minor": is_minor, "is_child": is_child}
    details = shown | {"first_name": first_name, "last_name": last_name}
    verb = "account_linked" if known is None else "member_returned"
    if known is not None:
        member = accepting.come_back(known, invitation, details, by=by, at=at)
    elif invitation.member is not None:
        member = accepting.link(invitation.member, shown, by=by, at=at)
    else:
        member = create(
            organisation=invitation.organisation,
            email=user.email,
            by=by,
            at=at,
            user=user,
            language=user.language,
            **details,
        )
    journal.note(member, verb, by=by, at=at, after={"invitation": invitation.pk})
    return member


@transaction.atomic
def ask_to_join(
    *, organisation: Organisation, at: datetime, guest: Member | None = None, **details: Any
) -> JoinRequest:
    """Create a request to join; the same person asking twice is one request.

    Also at the same instant: the journal's head is locked, as where members are numbered.
    Raises MemberRefused for a name that no member could have.

    `guest`: the guest of this phone, whose results the new member keeps. A request from elsewhere
    with the same address stays apart, so that nobody is given another person's results. So does
    another name: a family may have one address.
    """
    first, last = names_of(details["first_name"], details["last_name"])
    email = details["email"].strip().lower()
    lock(organisation)
    open_requests = JoinRequest.objects.filter(
        organisation=organisation, email=email, guest=guest, answered_at__isnull=True
    )
    name = without_accents(f"{first} {last}")
    for waiting in open_requests.order_by("pk"):
        if without_accents(str(waiting)) == name:
            return waiting
    details |= {"first_name": first, "last_name": last, "email": email}
    return JoinRequest.objects.create(
        organisation=organisation, guest=guest, asked_at=at, **details
    )


@transaction.atomic
def answer_request(
    *, request: JoinRequest, accepted: bool, link: Link, by: Actor, at: datetime
) -> Member | None:
    """Accept a request (creates a member and mails their invitation) or refuse it. Once.

    A guest who asks becomes the member: their games, number and place stay theirs. Who needs a
    parent's agreement is invited once it is noted. Who left is invited to their own row, returned;
    whom the club knows by that name and address is that member, and refused with an account.
    """
    known = None if request.guest_id or not accepted else known_as(request)
    # Confirming a guest closes their requests: the person comes before them (decision 0046).
    person = known or request.guest
    if person is not None:
        Member.objects.filter(pk=person.pk).lock()
    moved = JoinRequest.objects.filter(pk=request.pk, answered_at__isnull=True).update(
        answered_at=at, accepted=accepted, answered_by=by.user
    )
    if not moved:
        raise MemberRefused(_("Cette demande a déjà une réponse."), code="stale")
    if known is not None and known.user_id is not None:
        raise MemberRefused(_("Ce membre a déjà un compte."), code="already_linked")
    member, club = None, request.organisation
    details: dict[str, Any] = {
        "first_name": request.first_name,
        "last_name": request.last_name,
        "email": request.email,
        "is_minor": request.is_minor,
        "is_child": request.is_child,
        "guardian_email": request.guardian_email,
        "language": request.language or club.language,
    }
    if accepted and request.guest is not None:
        member = confirm_guest(member=request.guest, by=by, at=at, **details)
    elif known is not None:
        member = _as_known(known, request, by=by, at=at)
    elif accepted:
        left = Member.objects.of(club).filter(left_at__isnull=False)
        member = left.filter(user__email=request.email).first() or create(
            organisation=club, by=by, at=at, **details
        )
    journal.record(
        organisation=club,
        verb="request_answered",
        subject=f"request:{request.pk}",
        by=by,
        at=at,
        after={"accepted": accepted, "member": member.pk if member else None},
    )
    if member is not None and not member.awaits_guardian:
        send(
            organisation=club,
            addresses=[
                Address(1, request.email, member=member if member.left_at is None else None)
            ],
            language=details["language"],
            link=link,
            by=by,
            at=at,
        )
    return member


def _as_known(row: Member, request: JoinRequest, *, by: Actor, at: datetime) -> Member:
    """Take the request of somebody whom the club knows: who left returns, and is as young as said."""
    if row.left_at is not None:
        readmit(member=row, by=by, at=at)
    young = {
        "is_minor": row.is_minor or request.is_minor,
        "is_child": row.is_child or request.is_child,
        "guardian_email": row.guardian_email or request.guardian_email,
    }
    return edit(member=row, changes=young, by=by, at=at)


def _mail(invitation: Invitation, address: str, by: Actor) -> None:
    organisation = invitation.organisation
    outbox.post(
        to=invitation.email,
        name="invitation",
        language=invitation.language,
        context={
            "club": organisation,
            "name": invitation.member.first_name if invitation.member else "",
            "by": _shown(by),
            "link": address,
            "until": invitation.expires_at.astimezone(organisation.zone),
        },
        invitation=(invitation.pk, invitation.token_hash),
    )


def _shown(by: Actor) -> str:
    """Return who invites, as somebody who is not of the club may read them."""
    return by.member.name_for(viewer_is_member=False) if by.member is not None else ""
