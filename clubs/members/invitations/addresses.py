"""The addresses of an invitation by mail: read as typed, or those of members without an account."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import F, Q
from django.utils.translation import gettext as _

from clubs.members.actions import MemberRefused, lock
from clubs.members.models import Member
from clubs.members.models_access import Invitation, JoinRequest
from clubs.organisations.models import Organisation
from clubs.search import search_keys

MAX_ADDRESSES = 100
QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True, slots=True)
class Address:
    """One line as typed, and the member's row that it is for.

    `problem`: what is to be corrected in it; `why_not`: why it needs no invitation.
    """

    line: int
    email: str
    problem: str = ""
    why_not: str = ""
    member: Member | None = None


def read(organisation: Organisation, typed: str, *, at: datetime) -> list[Address]:
    """Return each address typed, once, with what is said of it. Raises MemberRefused for too many."""
    people = Member.objects.of(organisation).belonging().select_related("user")
    by_email: dict[str, Member] = {}
    for member in people:
        for email in {member.email, member.user.email if member.user else ""} - {""}:
            by_email.setdefault(email.lower(), member)
    invited = _invited(organisation, at)
    addresses: dict[str, Address] = {}
    for number, email in _parted(typed):
        if email in addresses:
            continue
        known_member = by_email.get(email)
        problem = why_not = ""
        try:
            validate_email(email)
        except ValidationError:
            problem = _("« %(typed)s » n’est pas une adresse e-mail") % {"typed": email[:60]}
        if known_member is not None and known_member.user_id is not None:
            why_not = _("%(name)s a déjà un compte") % {"name": known_member.full_name}
        elif email in invited:
            why_not = _("déjà invitée")
        addresses[email] = Address(number, email, problem, why_not, known_member)
    if len(addresses) > MAX_ADDRESSES:
        raise MemberRefused(
            _("Au plus %(n)s adresses à la fois.") % {"n": MAX_ADDRESSES}, code="too_many"
        )
    return list(addresses.values())


def _parted(typed: str) -> Iterator[tuple[int, str]]:
    """Return each address with its line, as a list of people is copied from a mail program.

    `"Durand, Ana" <ana@example.org>` is one; words that are no address are kept, to be named.
    """
    for number, line in enumerate(typed.lower().splitlines(), start=1):
        one_name = QUOTED.sub(lambda name: re.sub("[,;]", " ", name[0]), line)
        for part in re.split("[,;\t]", one_name):
            _name, sign, address = part.strip(' "').rpartition("<")
            words = (address.removesuffix(">") if sign and address.endswith(">") else part).split()
            several = all("@" in word for word in words)
            for email in words if several else [" ".join(words)]:
                yield number, email.strip('"')


def known_as(request: JoinRequest) -> Member | None:
    """Return the member, or who left without an account, that has the name and address of a request.

    Exactly that address, in small letters as all are stored: the invitation is mailed there, and a
    database that ignores case takes ı for i.
    """
    rows = Member.objects.of(request.organisation).filter(merged_into=None)
    rows = rows.filter(Q(email=request.email) | Q(user__email=request.email))
    rows = rows.exclude(Q(is_guest=True) | Q(is_outsider=True))
    rows = rows.exclude(left_at__isnull=False, user__isnull=False)
    named = rows.filter(
        search_name=search_keys(request.first_name, request.last_name)["search_name"]
    )
    return named.order_by(F("left_at").asc(nulls_first=True), "pk").first()


def uninvited(organisation: Organisation, *, at: datetime) -> list[str]:
    """Return the addresses of members without an account whom nobody has invited yet.

    Not of a child whose parent's agreement is missing: they get no account before it.
    """
    members = Member.objects.of(organisation).belonging().filter(user__isnull=True)
    members = members.exclude(email="").exclude(is_child=True, guardian_agreed_on__isnull=True)
    invited = _invited(organisation, at)
    emails = members.order_by("sort_name", "pk").values_list("email", flat=True)
    return [email for email in emails if email.lower() not in invited]


def lock_needed(organisation: Organisation, needed: Sequence[Address], *, at: datetime) -> None:
    """Lock whom these addresses are of, then the journal. Refused where somebody else just sent one."""
    Member.objects.filter(pk__in=[one.member.pk for one in needed if one.member]).lock()
    lock(organisation)
    if not _invited(organisation, at).isdisjoint(one.email for one in needed):
        raise MemberRefused(
            _("Une de ces adresses vient d’être invitée. Relisez la liste avant d’envoyer."),
            code="stale",
        )


def lock_as_read(member: Member) -> None:
    """Lock a member who is invited. Refused where they left, or got an account or another address.

    A correction of the address, or an import that is undone with this row, is waited for.
    """
    rows = Member.objects.active().filter(pk=member.pk, user=member.user_id)
    if not rows.filter(email__iexact=member.email).lock():
        raise MemberRefused(
            _("La situation de cette personne a changé. Relisez sa fiche."), code="stale"
        )


def _invited(organisation: Organisation, at: datetime) -> set[str]:
    usable = Invitation.objects.usable(at=at).filter(organisation=organisation).exclude(email="")
    return set(usable.values_list("email", flat=True))
