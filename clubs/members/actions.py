"""Actions about people: create, enrol, invite, link an account, grant a role, merge, leave."""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime, timedelta
from itertools import count
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.db.models import F, Max
from django.utils.text import slugify
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, Refused
from clubs.accounts.models import User
from clubs.journal import chain as journal
from clubs.journal.models import JournalHead
from clubs.members.models import Invitation, JoinRequest, Member, RoleGrant, without_accents
from clubs.members.models_pins import PinTries
from clubs.organisations.models import Organisation, Season
from clubs.registries import PLAYED_CHECKS

INVITATION_DAYS = 14
FIRST_NUMBER = 101
DETAILS = ("first_name", "last_name", "email", "language", "visibility", "is_minor")


class MemberRefused(Refused):
    """A change of membership that may not happen."""


@transaction.atomic
def create(
    *,
    organisation: Organisation,
    first_name: str,
    last_name: str = "",
    by: Actor,
    at: datetime,
    joined_on: date | None = None,
    email: str = "",
    number: int | None = None,
    is_guest: bool = False,
    initial_rank: int | None = None,
    **details: Any,
) -> Member:
    """Add a member, with or without an account. Raises MemberRefused when the number is taken."""
    first_name, last_name = clean_name(first_name), clean_name(last_name)
    if not first_name:
        raise MemberRefused(_("Le prénom est obligatoire."), code="name_required")
    _lock(organisation)
    last = Member.objects.of(organisation).aggregate(n=Max("number"), rank=Max("initial_rank"))
    member = Member(
        organisation=organisation,
        first_name=first_name,
        last_name=last_name,
        search_name=without_accents(f"{first_name} {last_name}"),
        sort_name=without_accents(f"{last_name} {first_name}"),
        slug=_free_slug(organisation, f"{first_name} {last_name}"),
        number=number or max(FIRST_NUMBER, (last["n"] or 0) + 1),
        email=email.strip().lower(),
        is_guest=is_guest,
        joined_on=joined_on or at.astimezone(organisation.zone).date(),
        initial_rank=initial_rank or (last["rank"] or 0) + 1,
        created_at=at,
        **details,
    )
    try:
        with transaction.atomic():
            member.save(force_insert=True)
    except IntegrityError as clash:
        raise MemberRefused(
            _("Le numéro de joueur %(number)s est déjà pris.") % {"number": member.number},
            code="number_taken",
        ) from clash
    journal.record(
        organisation=organisation,
        verb="member_guest" if is_guest else "member_created",
        subject=f"member:{member.pk}",
        by=by,
        at=at,
        after={"number": member.number},
    )
    return member


@transaction.atomic
def edit(*, member: Member, changes: Mapping[str, Any], by: Actor, at: datetime) -> Member:
    """Change a member's own details (names, visibility, language …). Fields not passed stay."""
    before = {name: getattr(member, name) for name in DETAILS}
    for name in DETAILS:
        if name in changes:
            setattr(member, name, changes[name])
    member.first_name, member.last_name = (
        clean_name(member.first_name),
        clean_name(member.last_name),
    )
    if not member.first_name:
        raise MemberRefused(_("Le prénom est obligatoire."), code="name_required")
    member.email = member.email.strip().lower()
    member.search_name = without_accents(member.full_name)
    member.sort_name = without_accents(f"{member.last_name} {member.first_name}")
    member.save(update_fields=[*DETAILS, "search_name", "sort_name"])
    changed = [name for name in DETAILS if before[name] != getattr(member, name)]
    if changed:
        journal.record(
            organisation=member.organisation,
            verb="member_edited",
            subject=f"member:{member.pk}",
            by=by,
            at=at,
            after={"fields": changed},
        )
    return member


@transaction.atomic
def choose_settings(
    *, member: Member, language: str, visibility: str, by: Actor, at: datetime
) -> Member:
    """Save what a member chooses on the settings page, for the member and for the account."""
    if member.user_id is not None:
        User.objects.filter(pk=member.user_id).update(language=language)
    changes = {"language": language, "visibility": visibility}
    return edit(member=member, changes=changes, by=by, at=at)


def clean_name(name: str) -> str:
    """Return a name on one line, without control or direction characters, single spaces, NFC."""
    kept = "".join(
        " " if c.isspace() else c
        for c in unicodedata.normalize("NFC", name)
        if c.isspace() or unicodedata.category(c)[0] != "C"
    )
    return " ".join(kept.split())


def _free_slug(organisation: Organisation, name: str) -> str:
    base = slugify(without_accents(name))[:70] or "joueur"
    taken = set(
        Member.objects.of(organisation).filter(slug__startswith=base).values_list("slug", flat=True)
    )
    if base not in taken:
        return base
    number = 2
    while f"{base}-{number}" in taken:
        number += 1
    return f"{base}-{number}"


def free_numbers(organisation: Organisation, *, besides: Collection[int] = ()) -> Iterator[int]:
    """Yield numbers that nobody of this organisation ever held, departed members included.

    They come after those in `besides`.
    """
    _lock(organisation)
    held = Member.objects.of(organisation).values_list("number", flat=True)
    return count(max([FIRST_NUMBER - 1, *held, *besides]) + 1)


def _lock(organisation: Organisation) -> None:
    """Lock the row that all writers lock, to number an organisation's members one at a time."""
    JournalHead.objects.select_for_update().get(pk=organisation.pk)


# Accounts and invitations


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
    journal.record(
        organisation=organisation,
        verb="invited",
        subject=f"invitation:{invitation.pk}",
        by=by,
        at=at,
        after={"member": member.pk if member else None, "max_uses": max_uses, "days": days},
    )
    return invitation, token


def invitation_of(token: str) -> Invitation | None:
    """Return the invitation of a link, usable or not."""
    return Invitation.objects.filter(token_hash=token_hash(token)).first()


@transaction.atomic
def revoke(*, invitation: Invitation, by: Actor, at: datetime) -> None:
    moved = Invitation.objects.filter(pk=invitation.pk, revoked_at__isnull=True).update(
        revoked_at=at
    )
    if not moved:
        raise MemberRefused(_("Cette invitation est déjà annulée."), code="stale")
    journal.record(
        organisation=invitation.organisation,
        verb="invitation_revoked",
        subject=f"invitation:{invitation.pk}",
        by=by,
        at=at,
    )


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
) -> Member:
    """Use an invitation once more: link the named member, or create one for this account."""
    moved = (
        Invitation.objects.usable(at=at)
        .filter(pk=invitation.pk)
        .update(used_count=F("used_count") + 1)
    )
    if not moved:
        raise MemberRefused(
            _("Cette invitation a expiré ou a déjà servi. Demandez-en une autre au comité."),
            code="expired",
        )
    organisation = invitation.organisation
    if Member.objects.of(organisation).active().filter(user=user).exists():
        raise MemberRefused(_("Ce compte est déjà membre du club."), code="already_member")
    by = Actor(user=user, member=None, role="player")
    if invitation.member is not None:
        member = invitation.member
        linked = Member.objects.filter(pk=member.pk, user__isnull=True).update(
            user=user, visibility=visibility, is_minor=is_minor
        )
        if not linked:
            raise MemberRefused(_("Ce membre a déjà un compte."), code="already_linked")
        member.refresh_from_db()
    else:
        member = create(
            organisation=organisation,
            first_name=first_name,
            last_name=last_name,
            email=user.email,
            by=by,
            at=at,
            user=user,
            visibility=visibility,
            is_minor=is_minor,
            language=user.language,
        )
    journal.record(
        organisation=organisation,
        verb="account_linked",
        subject=f"member:{member.pk}",
        by=by,
        at=at,
        after={"invitation": invitation.pk},
    )
    return member


@transaction.atomic
def link_account(*, member: Member, user: User, by: Actor, at: datetime) -> None:
    """Link a member's row to an account (by the committee, or the demo)."""
    moved = Member.objects.filter(pk=member.pk, user__isnull=True).update(user=user)
    if not moved:
        raise MemberRefused(_("Ce membre a déjà un compte."), code="already_linked")
    member.refresh_from_db()
    journal.record(
        organisation=member.organisation,
        verb="account_linked",
        subject=f"member:{member.pk}",
        by=by,
        at=at,
    )


# Roles


@transaction.atomic
def grant(*, member: Member, role: str, by: Actor, at: datetime) -> RoleGrant:
    """Grant a role. Refused when the member has it already: the database holds it unique."""
    try:
        with transaction.atomic():
            given = RoleGrant.objects.create(
                member=member, role=role, granted_at=at, granted_by=by.user
            )
    except IntegrityError as clash:
        raise MemberRefused(_("Ce membre a déjà ce rôle."), code="already_granted") from clash
    journal.record(
        organisation=member.organisation,
        verb="role_granted",
        subject=f"member:{member.pk}",
        by=by,
        at=at,
        after={"role": role},
    )
    return given


@transaction.atomic
def withdraw_role(*, member: Member, role: str, by: Actor, at: datetime) -> None:
    """Withdraw a role. Refused for the last committee member: an organisation needs one."""
    _lock(member.organisation)
    holders = RoleGrant.objects.filter(
        member__organisation=member.organisation, role=role, revoked_at__isnull=True
    )
    if role == RoleGrant.COMMITTEE and holders.count() == 1:
        raise MemberRefused(
            _("Le comité ne peut pas rester vide : nommez d’abord quelqu’un d’autre."),
            code="last_committee",
        )
    moved = holders.filter(member=member).update(revoked_at=at, revoked_by=by.user)
    if not moved:
        raise MemberRefused(_("Ce membre n’a pas ce rôle."), code="stale")
    journal.record(
        organisation=member.organisation,
        verb="role_withdrawn",
        subject=f"member:{member.pk}",
        by=by,
        at=at,
        before={"role": role},
    )


# Guests, merging, leaving


@transaction.atomic
def confirm_guest(*, member: Member, by: Actor, at: datetime, **changes: Any) -> Member:
    """Turn a guest into a member, keeping the games already played."""
    moved = Member.objects.filter(pk=member.pk, is_guest=True, merged_into__isnull=True).update(
        is_guest=False
    )
    if not moved:
        raise MemberRefused(_("Cet invité est déjà confirmé."), code="stale")
    member.refresh_from_db()
    if changes:
        edit(member=member, changes=changes, by=by, at=at)
    journal.record(
        organisation=member.organisation,
        verb="guest_confirmed",
        subject=f"member:{member.pk}",
        by=by,
        at=at,
    )
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
    moved = Member.objects.filter(pk=guest.pk, is_guest=True, merged_into__isnull=True).update(
        merged_into=into, left_at=at
    )
    if not moved:
        raise MemberRefused(_("Cet invité est déjà confirmé ou fusionné."), code="stale")
    guest.refresh_from_db()
    journal.record(
        organisation=into.organisation,
        verb="member_merged",
        subject=f"member:{guest.pk}",
        by=by,
        at=at,
        after={"into": into.pk},
        reason=reason,
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
    found: dict[int, int] = {}
    for old, kept in direct.items():
        walked = {old}
        while kept in direct and kept not in walked:
            walked.add(kept)
            kept = direct[kept]
        found[old] = kept
    return found


def family_of(member: Member) -> set[int]:
    """Return every row of this person: their own and those merged into it."""
    return family_in(same_people(member.organisation_id), member)


def family_in(merged: Mapping[int, int], member: Member) -> set[int]:
    """Return every row of this person, by the rows that were merged (`same_people`)."""
    return {member.pk} | {old for old, kept in merged.items() if kept == member.pk}


@transaction.atomic
def leave(*, member: Member, by: Actor, at: datetime, forget: bool) -> None:
    """Mark a member as departed. `forget` removes name, addresses and account; results stay."""
    moved = Member.objects.filter(pk=member.pk, left_at__isnull=True).update(left_at=at)
    if not moved:
        raise MemberRefused(_("Ce membre est déjà parti."), code="stale")
    for held in RoleGrant.objects.filter(member=member, revoked_at__isnull=True):
        withdraw_role(member=member, role=held.role, by=by, at=at)
    if forget:
        pseudonymise(member)
    member.refresh_from_db()
    journal.record(
        organisation=member.organisation,
        verb="member_left",
        subject=f"member:{member.pk}",
        by=by,
        at=at,
        after={"forgotten": forget},
    )


def pseudonymise(member: Member) -> None:
    """Rename to "Joueur retiré 117": no name, no address, no account; number and results stay."""
    first, last = "Joueur", f"retiré {member.number}"
    Member.objects.filter(pk=member.pk).update(
        first_name=first,
        last_name=last,
        search_name=without_accents(f"{first} {last}"),
        sort_name=without_accents(f"{last} {first}"),
        slug=f"joueur-retire-{member.number}",
        email="",
        guardian_email="",
        user=None,
        pin_hash="",
        visibility=Member.EVERYBODY,
    )
    PinTries.objects.filter(member=member).delete()


# The 4-digit code (`clubs.members.pins` checks it)


def set_pin(*, member: Member, pin: str, by: Actor, at: datetime) -> None:
    """Set the code. Raises MemberRefused unless it is four digits."""
    if len(pin) != 4 or not (pin.isascii() and pin.isdigit()):
        raise MemberRefused(_("Le code a quatre chiffres."), code="pin_shape")
    with transaction.atomic():
        Member.objects.filter(pk=member.pk).update(pin_hash=make_password(pin))
        PinTries.objects.filter(member=member).delete()
        member.refresh_from_db()
        journal.record(
            organisation=member.organisation,
            verb="pin_set",
            subject=f"member:{member.pk}",
            by=by,
            at=at,
        )


# Requests, seasons


@transaction.atomic
def ask_to_join(*, organisation: Organisation, at: datetime, **details: Any) -> JoinRequest:
    """Create a request to join; asking twice with the same address is one request."""
    email = details["email"].strip().lower()
    waiting = JoinRequest.objects.filter(
        organisation=organisation, email=email, answered_at__isnull=True
    ).first()
    if waiting is not None:
        return waiting
    return JoinRequest.objects.create(
        organisation=organisation, asked_at=at, **{**details, "email": email}
    )


@transaction.atomic
def answer_request(
    *, request: JoinRequest, accepted: bool, by: Actor, at: datetime
) -> Member | None:
    """Accept a request (creates a member, to be invited) or refuse it. Once."""
    moved = JoinRequest.objects.filter(pk=request.pk, answered_at__isnull=True).update(
        answered_at=at, accepted=accepted, answered_by=by.user
    )
    if not moved:
        raise MemberRefused(_("Cette demande a déjà une réponse."), code="stale")
    member = None
    if accepted:
        member = create(
            organisation=request.organisation,
            first_name=request.first_name,
            last_name=request.last_name,
            email=request.email,
            is_minor=request.is_minor,
            guardian_email=request.guardian_email,
            by=by,
            at=at,
        )
    journal.record(
        organisation=request.organisation,
        verb="request_answered",
        subject=f"request:{request.pk}",
        by=by,
        at=at,
        after={"accepted": accepted, "member": member.pk if member else None},
    )
    return member


@transaction.atomic
def open_season(
    *,
    organisation: Organisation,
    name: str,
    starts_on: date,
    ends_on: date,
    by: Actor,
    at: datetime,
    ds_mode: str = "",
) -> Season:
    """Add a season. Two seasons of an organisation never share a day.

    `ds_mode`: sum or mean of the DS for the whole season; empty as the rules in force say.
    """
    _lock(organisation)
    overlap = Season.objects.filter(
        organisation=organisation, starts_on__lte=ends_on, ends_on__gte=starts_on
    )
    if overlap.exists():
        raise MemberRefused(
            _("Une autre saison comprend déjà une partie de ces jours."), code="overlap"
        )
    try:
        with transaction.atomic():
            season = Season.objects.create(
                organisation=organisation,
                name=name.strip(),
                starts_on=starts_on,
                ends_on=ends_on,
                ds_mode=ds_mode,
            )
    except IntegrityError as clash:
        raise MemberRefused(_("Une saison porte déjà ce nom."), code="name_taken") from clash
    journal.record(
        organisation=organisation,
        verb="season_opened",
        subject=f"season:{season.pk}",
        by=by,
        at=at,
        after={"name": season.name, "from": starts_on, "to": ends_on, "ds_mode": ds_mode},
    )
    return season


@transaction.atomic
def forget_devices(*, member: Member, by: Actor, at: datetime) -> None:
    """Make every phone that remembered this member forget them."""
    Member.objects.filter(pk=member.pk).update(device_version=F("device_version") + 1)
    journal.record(
        organisation=member.organisation,
        verb="devices_forgotten",
        subject=f"member:{member.pk}",
        by=by,
        at=at,
    )
