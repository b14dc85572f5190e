"""Actions about people: create, edit, grant a role, leave; and the seasons they play in."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain, count

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.text import slugify
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, Refused
from clubs.accounts.models import User
from clubs.accounts.older_pages import STALE, changed_meanwhile, row_version
from clubs.journal import chain as journal
from clubs.members.models import FORGOTTEN, NAME_LENGTH, Member, RoleGrant
from clubs.members.models_access import Invitation
from clubs.notifications.models import PushNotice, PushSubscription
from clubs.organisations.models import Organisation
from clubs.personal_data import erasures, forgetting
from clubs.registries import LEAVING_CHECKS, NAME_CHOICES
from clubs.search import INVISIBLE, search_keys, without_accents

FIRST_NUMBER = 101
CHILD = ("is_child", "guardian_name", "guardian_email", "guardian_agreed_on")
DETAILS = ("first_name", "last_name", "email", "language", "visibility", "is_minor", *CHILD)
CHOICES = ("language", "visibility")
"""What members choose themselves."""
SHOWN = ("visibility", "is_minor")
"""What decides which name a reader sees (`Member.name_for`)."""


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
    **details: object,
) -> Member:
    """Add a member, with or without an account. Raises MemberRefused when the number is taken."""
    first_name, last_name = names_of(first_name, last_name)
    lock(organisation)
    last = Member.objects.of(organisation).aggregate(n=Max("number"), rank=Max("initial_rank"))
    member = Member(
        organisation=organisation,
        first_name=first_name,
        last_name=last_name,
        **search_keys(first_name, last_name),
        slug=_free_slug(organisation, f"{first_name} {last_name}"),
        number=number or max(FIRST_NUMBER, (last["n"] or 0) + 1),
        email=email.strip().lower(),
        is_guest=is_guest,
        joined_on=joined_on or at.astimezone(organisation.zone).date(),
        initial_rank=initial_rank or (last["rank"] or 0) + 1,
        created_at=at,
        **{"language": organisation.language, **details},
    )
    _keep_child_private(member)
    try:
        with transaction.atomic():
            member.save(force_insert=True)
    except IntegrityError as clash:
        raise MemberRefused(
            _("Le numéro de joueur %(number)s est déjà pris.") % {"number": member.number},
            code="number_taken",
        ) from clash
    verb = "member_guest" if is_guest else "member_created"
    journal.note(member, verb, by=by, at=at, after={"number": member.number})
    return member


@dataclass(frozen=True, slots=True)
class Newcomer:
    """The name of an outsider to create, and what their own club says they show."""

    first_name: str
    last_name: str = ""
    visibility: str = Member.EVERYBODY
    is_minor: bool = False


@transaction.atomic
def create_outsiders(
    *, organisation: Organisation, people: Sequence[Newcomer], at: datetime
) -> list[Member]:
    """Add players of a file or a register, no members: in the order given, in few statements.

    The file's own action writes one journal entry for all of them.
    """
    numbers = free_numbers(organisation)
    rank = Member.objects.of(organisation).aggregate(rank=Max("initial_rank"))["rank"] or 0
    day = at.astimezone(organisation.zone).date()
    rows = []
    for place, person in enumerate(people, start=1):
        first, last = names_of(person.first_name, person.last_name)
        number = next(numbers)
        rows.append(
            Member(
                organisation=organisation,
                first_name=first,
                last_name=last,
                **search_keys(first, last),
                slug=f"hors-club-{number}",
                number=number,
                visibility=person.visibility,
                is_minor=person.is_minor,
                is_outsider=True,
                joined_on=day,
                initial_rank=rank + place,
                created_at=at,
            )
        )
    return Member.objects.bulk_create(rows, batch_size=500)


@transaction.atomic
def edit(
    *,
    member: Member,
    changes: Mapping[str, object],
    seen: str | None = None,
    by: Actor,
    at: datetime,
) -> Member:
    """Change a member's own details (names, visibility, language …). Fields not passed stay.

    The row is read again under a lock: `member` may be older than a choice made meanwhile, or older
    than the person's departure. Refused for a row that was forgotten or merged, and where `seen`,
    the version (`row_version`) of what the page showed of `changes`, is older.
    """
    row = Member.objects.select_for_update(no_key=True).get(pk=member.pk)
    if row.is_forgotten or row.merged_into_id is not None:
        raise MemberRefused(
            _("Cette fiche vient d’être modifiée. Relisez-la avant d’agir."), code="stale"
        )
    asked = [name for name in DETAILS if name in changes]
    if seen is not None and seen != row_version(row, asked):
        raise MemberRefused(changed_meanwhile(), code=STALE)
    before = {name: getattr(row, name) for name in DETAILS}
    for name in asked:
        setattr(row, name, changes[name])
    row.set_names(*names_of(row.first_name, row.last_name))
    row.email = row.email.strip().lower()
    _keep_child_private(row)
    changed = [name for name in DETAILS if before[name] != getattr(row, name)]
    if changed:
        row.save(update_fields=[*changed, "search_name", "sort_name"])
        if shown := set(SHOWN).intersection(changed):  # it locks the journals of federations
            show_alike(row, changed=shown, by=by, at=at)
        journal.note(row, "member_edited", by=by, at=at, after={"fields": changed})
    for name in (*DETAILS, "search_name", "sort_name"):
        setattr(member, name, getattr(row, name))
    return member


def show_alike(member: Member, *, changed: Collection[str] = (), by: Actor, at: datetime) -> None:
    """Let every row that stands for a member show no more of the person than the member's row does.

    Matches and publications keep the rows merged into it, and print the name that those let them
    read. Whether a parent's agreement is missing is said by the member's row alone. `changed`: what
    of `SHOWN` the caller changed, for the rows of federations (`NAME_CHOICES`).
    """
    shown = {name: getattr(member, name) for name in SHOWN}
    rows = member.rows()
    Member.objects.filter(pk__in=rows[1:]).update(**shown, is_child=False)
    for follow in NAME_CHOICES:
        follow(member, rows, changed, by, at)


def _keep_child_private(member: Member) -> None:
    """Show initials alone, and refuse an account, until a parent's agreement is noted.

    With it a child is a minor still.
    """
    member.is_minor = member.is_minor or member.is_child
    if not member.awaits_guardian:
        return
    if member.user_id is not None:
        raise awaits_guardian()
    member.visibility = Member.INITIALS


def awaits_guardian() -> MemberRefused:
    return MemberRefused(
        _(
            "À cet âge, un compte demande l’accord d’un parent. Le comité le note sur la fiche du "
            "membre : qui l’a donné, et quand."
        ),
        code="guardian",
    )


@transaction.atomic
def choose_settings(
    *,
    member: Member,
    language: str,
    visibility: str,
    seen: str | None = None,
    by: Actor,
    at: datetime,
) -> Member:
    """Save what a member chooses on the settings page, for the member and for the account.

    `seen`: as in `edit`, of `CHOICES`.
    """
    if member.user_id is not None:
        User.objects.filter(pk=member.user_id).update(language=language)
    changes = {"language": language, "visibility": visibility}
    return edit(member=member, changes=changes, seen=seen, by=by, at=at)


def names_of(first_name: str, last_name: str) -> tuple[str, str]:
    """Return the cleaned names of a person. Raises MemberRefused without a first name that shows.

    Also for one that is longer than its column: a few letters become several when cleaned.
    """
    first, last = clean_name(first_name), clean_name(last_name)
    if not without_accents(first):
        raise MemberRefused(_("Le prénom est obligatoire."), code="name_required")
    if max(len(first), len(last)) > NAME_LENGTH:
        raise MemberRefused(
            _("Un prénom ou un nom a au plus %(n)s caractères.") % {"n": NAME_LENGTH},
            code="name_too_long",
        )
    return first, last


def clean_name(name: str) -> str:
    """Return a name on one line, without letters that nobody sees, single spaces, NFC."""
    kept = "".join(
        " " if c.isspace() else c
        for c in INVISIBLE.sub("", name)
        if c.isspace() or unicodedata.category(c)[0] != "C"
    )
    return unicodedata.normalize("NFC", " ".join(kept.split()))


def _free_slug(organisation: Organisation, name: str) -> str:
    base = slugify(without_accents(name))[:70] or "joueur"
    alike = Member.objects.of(organisation).filter(slug__startswith=base)
    taken = set(alike.values_list("slug", flat=True))
    slugs = chain([base], (f"{base}-{number}" for number in count(2)))
    return next(slug for slug in slugs if slug not in taken)


def free_numbers(organisation: Organisation, *, besides: Collection[int] = ()) -> Iterator[int]:
    """Yield numbers that nobody of this organisation ever held, departed members included.

    They come after those in `besides`.
    """
    lock(organisation)
    used_numbers = Member.objects.of(organisation).values_list("number", flat=True)
    return count(max([FIRST_NUMBER - 1, *used_numbers, *besides]) + 1)


def lock(organisation: Organisation) -> None:
    """Lock the row that all writers lock, to number an organisation's members one at a time."""
    journal.lock([organisation.pk])


@transaction.atomic
def link_account(*, member: Member, user: User, by: Actor, at: datetime) -> None:
    """Link a member's row to an account (by the committee, or the demo)."""
    if Member.objects.get(pk=member.pk).awaits_guardian:
        raise awaits_guardian()
    moved = Member.objects.filter(pk=member.pk, user__isnull=True).update(user=user)
    if not moved:
        raise MemberRefused(_("Ce membre a déjà un compte."), code="already_linked")
    member.refresh_from_db()
    journal.note(member, "account_linked", by=by, at=at)


# Roles


@transaction.atomic
def grant(*, member: Member, role: str, by: Actor, at: datetime) -> RoleGrant:
    """Grant a role. Refused when the member has it already: the database holds it unique.

    Also for somebody who left: they would count as the committee that an organisation needs.
    """
    if not Member.objects.active().filter(pk=member.pk).lock():
        raise MemberRefused(_("Ce membre est déjà parti."), code="stale")
    try:
        with transaction.atomic():
            role_grant = RoleGrant.objects.create(
                member=member, role=role, granted_at=at, granted_by=by.user
            )
    except IntegrityError as clash:
        raise MemberRefused(_("Ce membre a déjà ce rôle."), code="already_granted") from clash
    journal.note(member, "role_granted", by=by, at=at, after={"role": role})
    return role_grant


@transaction.atomic
def withdraw_role(*, member: Member, role: str, by: Actor, at: datetime) -> None:
    """Withdraw a role. Refused where the committee would be left to people without an account."""
    lock(member.organisation)
    held = RoleGrant.objects.filter(role=role, revoked_at__isnull=True)
    holders = held.filter(member__organisation=member.organisation)
    others = holders.exclude(member=member)
    if member.user_id is not None:
        others = others.exclude(member__user=None)
    if role == RoleGrant.COMMITTEE and not others.exists():
        raise MemberRefused(
            _("Le comité a besoin d’une autre personne qui a un compte : nommez-la d’abord."),
            code="last_committee",
        )
    moved = holders.filter(member=member).update(revoked_at=at, revoked_by=by.user)
    if not moved:
        raise MemberRefused(_("Ce membre n’a pas ce rôle."), code="stale")
    journal.note(member, "role_withdrawn", by=by, at=at, before={"role": role})


# Leaving


@transaction.atomic
def leave(*, member: Member, by: Actor, at: datetime, forget: bool) -> None:
    """Mark a member as departed. `forget` removes name, addresses and account; results stay.

    What they take part in ends first, or the departure is refused and nothing changes
    (`LEAVING_CHECKS`); then the register of personal data says what goes, now or later.
    """
    revoked = revoke_invitations(member, at=at)
    forgetting.hold(member, at=at, forget=forget)  # before the journal: checks write entries
    for end in LEAVING_CHECKS:
        end(member, by, at)
    moved = Member.objects.filter(pk=member.pk, left_at__isnull=True).update(left_at=at)
    if not moved and (not forget or member.is_forgotten or member.merged_into_id is not None):
        raise MemberRefused(_("Ce membre est déjà parti."), code="stale")
    # Whoever left is not notified any more, whether their name stays or not.
    PushSubscription.objects.filter(member=member).delete()
    PushNotice.objects.filter(member=member).delete()
    # Before the entries about roles: it locks files and requests that name them.
    erased = forgetting.forget(member, at=at) if forget else []
    for role_grant in RoleGrant.objects.filter(member=member, revoked_at__isnull=True):
        withdraw_role(member=member, role=role_grant.role, by=by, at=at)
    member.refresh_from_db()
    note_revoked(revoked, by=by, at=at)
    journal.note(member, "member_left", by=by, at=at, after={"forgotten": forget})
    erasures.note(erased)


@transaction.atomic
def readmit(*, member: Member, by: Actor, at: datetime) -> None:
    """Let somebody who left and has no account be a member again, with number and results.

    Who has an account comes back with it, by an invitation.
    """
    gone = Member.objects.exclude(left_at=None).exclude(slug__startswith=FORGOTTEN)
    if not gone.filter(pk=member.pk, user=None, merged_into=None).update(left_at=None):
        raise MemberRefused(
            _("La situation de cette personne a changé. Relisez sa fiche."), code="stale"
        )
    member.refresh_from_db()
    journal.note(member, "member_readmitted", by=by, at=at)


def revoke_invitations(member: Member, *, at: datetime) -> list[Invitation]:
    """Revoke the open invitations of a member and return them, for `note_revoked`.

    Their rows are locked before the member's and before the journal, as accepting one does.
    """
    usable = Invitation.objects.usable(at=at).filter(member=member)
    invitations = list(usable.select_for_update(no_key=True, of=("self",)).order_by("pk"))
    Invitation.objects.filter(pk__in=[one.pk for one in invitations]).update(revoked_at=at)
    return invitations


def note_revoked(invitations: Iterable[Invitation], *, by: Actor, at: datetime) -> None:
    """Write the journal entry of each revoked invitation."""
    for invitation in invitations:
        journal.note(invitation, "invitation_revoked", by=by, at=at)
