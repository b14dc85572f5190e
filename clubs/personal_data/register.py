"""Where personal data lies: one entry for each table that refers to a person.

Export, forgetting, retention and the privacy page read these entries; an app declares its tables in
`AppConfig.ready` (docs/personal-data.md). tests/clubs/personal_data holds that no table is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from clubs.accounts.models import User
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.personal_data.models import PrivacySettings
from clubs.search import without_accents


class Purpose(models.TextChoices):
    """What data are for, in the words of the privacy page."""

    MEMBERS = "members", _("Tenir la liste des membres et ouvrir le site à chacun")
    PLAY = "play", _("Organiser les matchs, établir les classements et les cotes")
    NOTICES = "notices", _("Prévenir qui le demande")
    DECISIONS = "decisions", _("Décider d’un litige ou d’une sanction, et en rendre compte")
    SAFETY = "safety", _("Protéger le site et savoir qui a fait quoi")


class Fate(models.TextChoices):
    """What forgetting a person does to the rows of a table."""

    ERASED = "erased", _("effacé quand vous partez et demandez l’oubli")
    EMPTIED = "emptied", _("vidé de ce qui vous nomme quand vous demandez l’oubli")
    PSEUDONYM = "pseudonym", _("gardé sous « Joueur retiré » suivi du numéro : les cotes des autres en dépendent")  # fmt: skip
    RECORD = "record", _("gardé tel quel : c’est la trace d’une décision du club, sans votre nom")


@dataclass(frozen=True, slots=True)
class Someone:
    """A person as a club knows them: their rows, merged ones included, and their account.

    `shared`: which of their addresses another member has too, as a family may. `others`: addresses,
    licences and numbers of those who have the same name. `public_ids`: of their rows.
    """

    member: Member
    members: frozenset[int]
    user: User | None
    addresses: frozenset[str]
    names: frozenset[str]
    shared: frozenset[str] = frozenset()
    others: Mapping[str, frozenset[str]] = field(default_factory=dict)
    public_ids: frozenset[str] = frozenset()

    @classmethod
    def of(cls, member: Member) -> Someone:
        rows = Member.objects.in_bulk(member.rows()[1:]) | {member.pk: member}
        known = {row.email.lower() for row in rows.values()}
        known |= {member.user.email.lower()} if member.user is not None else set()
        names = set()
        for row in rows.values():
            if row.last_name:
                names |= {row.search_name, row.sort_name}
        known -= {""}
        shared, others = _alike(rows.values(), known)
        own = frozenset(known), frozenset(names)
        ids = frozenset(row.public_id for row in rows.values())
        return cls(member, frozenset(rows), member.user, *own, shared, others, ids)

    @property
    def organisation(self) -> Organisation:
        return self.member.organisation

    @property
    def pseudonym(self) -> str:
        """Return the name that stands for this person once they are forgotten."""
        return f"Joueur retiré {self.member.number}"

    def is_named(self, text: object) -> bool:
        """Return whether a text is this person's whole name or address, and nothing else."""
        if not isinstance(text, str):
            return False
        address = text.strip().lower()
        return address in self.addresses - self.shared or without_accents(text) in self.names

    def of_address(self) -> Q:
        """Select rows of the club with one of this person's addresses, all in small letters."""
        return Q(email__in=self.addresses, organisation=self.organisation)

    def is_another(self, column: str, text: object) -> bool:
        """Return whether a cell of that column is of somebody else who has the same name."""
        return _as_one_word(text) in self.others.get(column, ())


def _as_one_word(text: object) -> str:
    """Return an address, a licence or a number as two of them are compared."""
    return "".join(str(text).split()).upper()


def _alike(
    rows: Collection[Member], addresses: Collection[str]
) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    """Return which of a person's addresses other members have too, and `Someone.others`."""
    one = next(iter(rows))
    alike = Member.objects.filter(organisation=one.organisation_id, merged_into=None)
    alike = alike.exclude(pk__in=[row.pk for row in rows]).filter(
        Q(email__in=addresses)
        | Q(user__email__in=addresses)
        | Q(search_name__in={row.search_name for row in rows})
    )
    shared: set[str] = set()
    others: dict[str, set[str]] = {"email": set(), "licence": set(), "number": set()}
    known = {_as_one_word(address) for address in addresses}
    names = {row.search_name for row in rows}
    columns_read = ("search_name", "email", "user__email", "person__licence", "number")
    for name, email, account, licence, number in alike.values_list(*columns_read):
        theirs = {email.lower(), (account or "").lower()}
        shared |= theirs.intersection(addresses)
        if name in names:
            others["email"] |= {_as_one_word(text) for text in theirs} - known - {""}
            others["licence"] |= {_as_one_word(licence or "")} - {""}
            others["number"].add(str(number))
    return frozenset(shared), {column: frozenset(texts) for column, texts in others.items()}


Line = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalTable:
    """One table. `of`: lookups from a row to the member or account that it is about.

    `shown`: columns (or lookups) in the export; `hidden`: the other columns that name or describe
    somebody: secrets, other people, what is derived. `days`: the retention setting, if any.
    """

    title: str | Promise
    purpose: Purpose
    fate: Fate
    of: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    empties: Mapping[str, object] = field(default_factory=dict)
    of_account: bool = False
    """Forgotten with the account, when its last membership ends, and not with one membership."""
    left: str | Promise = ""
    """What of it stays after forgetting, where that is less than the title says."""
    written: tuple[str, ...] = ()
    """Texts and documents that never change, in which a name may be written."""
    to_committee: str | Promise = ""
    """What the table is called where the committee reads that, if the title speaks to the person."""
    within: str = "organisation"
    """The lookup from a row to its organisation, where `written` is searched."""
    days: str = ""
    find: Callable[[Someone], Q] | None = None
    """Which rows are this person's, where `of` cannot say it."""
    say: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    """Columns that the readable page of the export says in words of the app's own."""
    heads: Mapping[str, str | Promise] = field(default_factory=dict)
    """Headings of columns that mean something else here than the same name in `words.WORDS`."""
    lines: Callable[[Someone], list[Line]] | None = None
    """What the export writes, where rows are not the answer."""
    forget: Callable[[Someone], object] | None = None
    forget_mentions: Callable[[Someone], object] | None = None
    """Takes the person out of other people's rows, also where their account stays."""
    expire: Callable[[PrivacySettings, datetime], int] | None = None
    """Remove what was kept long enough in one organisation; return how much."""
    expire_once: Callable[[datetime], int] | None = None
    """The same for what is of the whole site and of no organisation."""


def columns(names: str) -> tuple[str, ...]:
    """Return the names of columns written in one line, apart by spaces."""
    return tuple(names.split())


def rows_of(model: type[models.Model], table: PersonalTable, someone: Someone) -> QuerySet[Any]:
    """Return the rows of a table that are about this person."""
    condition = table.find(someone) if table.find is not None else Q(pk__in=[])
    for lookup in table.of:
        if leads_to(model, lookup) is User:
            condition |= (
                Q(**{lookup: someone.user.pk}) if someone.user is not None else Q(pk__in=[])
            )
        else:
            condition |= Q(**{f"{lookup}__in": someone.members})
    return model._base_manager.filter(condition)


def leads_to(model: type[models.Model], lookup: str) -> type[models.Model] | None:
    """Return the model at the end of a lookup, or None for a plain column."""
    if lookup == "pk":
        return model
    target: type[models.Model] | None = model
    for part in lookup.split("__"):
        assert target is not None, lookup
        related = target._meta.get_field(part).related_model
        target = related if isinstance(related, type) else None
    return target


def column_of(model: type[models.Model], lookup: str) -> Any:
    """Return the column at the end of a lookup."""
    way, _sep, last = lookup.rpartition("__")
    return ((leads_to(model, way) if way else None) or model)._meta.get_field(last)
