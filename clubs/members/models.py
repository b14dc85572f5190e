"""Members, their roles, and the ways to join: invitation, request, import."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Case, F, Q, When
from django.db.models.functions import Substr
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from clubs.organisations.models import Organisation
from clubs.search import KEY_LENGTH, search_keys, search_words, without_accents

NAME_LENGTH = 60
PUBLIC_ID_LETTERS = "23456789bcdfghjkmnpqrstvwxyz"
"""No vowel, so that no word appears by chance; no 0, 1 or l, so that it can be read aloud."""
PUBLIC_ID_LENGTH = 10


def new_public_id() -> str:
    """Return a random id for a person's addresses: one of 28^10, too many to guess."""
    return "".join(secrets.choice(PUBLIC_ID_LETTERS) for _letter in range(PUBLIC_ID_LENGTH))


FORGOTTEN = "joueur-retire-"
"""How the name in the address of a forgotten person begins; their number follows."""
MOST_SHORT_NAMES = 500
"""How many members that show a short name a search reads one by one."""


class MemberQuerySet(models.QuerySet["Member"]):
    def of(self, organisation: Organisation) -> Self:
        return self.filter(organisation=organisation)

    def active(self) -> Self:
        """Select members who have not left and were not merged into another row."""
        return self.filter(left_at__isnull=True, merged_into__isnull=True)

    def belonging(self) -> Self:
        """Select people of the club itself: active, and no player of an imported file."""
        return self.active().filter(is_outsider=False)

    def lock(self) -> list[int]:
        """Lock these rows in one order, before any act on the journal (decision 0046); return them."""
        rows = self.order_by("pk").select_for_update(no_key=True)
        return list(rows.values_list("pk", flat=True))

    def open_to_visitors(self) -> Self:
        """Select those whose pages a visitor may open (`clubs.accounts.permissions.may_open`)."""
        people = self.filter(merged_into__isnull=True, visibility=Member.EVERYBODY)
        return people.exclude(slug__startswith=FORGOTTEN)

    def matching(self, words: str) -> Self:
        """Select members whose name contains every word; a number selects the player's number."""
        return self.filter(_holding(search_words(words)))

    def showing_whole_name(self, *, viewer_is_member: bool) -> Self:
        """Select members whose whole name that reader may see (`Member.shows_whole_name`)."""
        return self.filter(_showing_whole_name(viewer_is_member))

    def matching_for(self, words: str, *, viewer_is_member: bool) -> Self:
        """Select like `matching`, but only by what that reader may see of each member.

        Those who show a short name are found by that name and never by the number; those who show
        initials alone are not found.
        """
        wanted = search_words(words)
        if not wanted:
            return self
        if viewer_is_member:
            short = self.filter(visibility=Member.INITIALS)
        else:
            short = self.filter(visibility=Member.EVERYBODY, is_minor=True)
        for word in wanted:  # the whole name has the short name's words too, but not its dots
            short = short.filter(search_name__contains=word.rstrip("."))
        member_ids = [
            member.pk
            for member in short[:MOST_SHORT_NAMES]
            if member.is_found_by(wanted, viewer_is_member=viewer_is_member)
        ]
        whole = _holding(wanted) & _showing_whole_name(viewer_is_member)
        return self.filter(whole | Q(pk__in=member_ids))


def _holding(words: Sequence[str]) -> Q:
    condition = Q()
    for word in words:
        is_number = word.isdecimal() and len(word) < 7
        condition &= Q(search_name__contains=word) | (
            Q(number=int(word)) if is_number else Q(pk__in=[])
        )
    return condition


def _showing_whole_name(viewer_is_member: bool, path: str = "") -> Q:
    if viewer_is_member:
        return ~Q(**{f"{path}visibility": Member.INITIALS})
    return Q(**{f"{path}visibility": Member.EVERYBODY, f"{path}is_minor": False})


def name_order(*, viewer_is_member: bool, path: str = "") -> Case:
    """Return what puts people in alphabetical order for that reader (`Member.order_for`).

    By family name; those who show this reader less of it by their first initial, or their place
    would tell what they hide. `path` leads to the member: "member__".
    """
    return Case(
        When(_showing_whole_name(viewer_is_member, path), then=F(f"{path}sort_name")),
        default=Substr(f"{path}search_name", 1, 1),
    )


class Member(models.Model):
    """One person in one organisation, with or without an account.

    `visitor`: the account with which a guest arrived, and plays. `is_outsider`: known by an
    imported file or a register of licences: they stand in lists and tournaments only.
    """

    EVERYBODY = "everybody"
    MEMBERS = "members"
    INITIALS = "initials"
    VISIBILITIES = [
        (EVERYBODY, _("Tout le monde voit mon nom")),
        (MEMBERS, _("Seuls les membres voient mon nom")),
        (INITIALS, _("Mes initiales seulement")),
    ]

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="memberships"
    )
    visitor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="visits"
    )
    first_name = models.CharField(_("prénom"), max_length=NAME_LENGTH)
    last_name = models.CharField(_("nom"), max_length=NAME_LENGTH, blank=True)
    search_name = models.CharField(max_length=KEY_LENGTH, db_index=True, editable=False)
    sort_name = models.CharField(max_length=KEY_LENGTH, editable=False)
    public_id = models.CharField(
        max_length=PUBLIC_ID_LENGTH, unique=True, editable=False, default=new_public_id
    )
    slug = models.SlugField(max_length=80)  # the address before public ids, kept for old links
    number = models.PositiveIntegerField(_("numéro de joueur"))
    email = models.EmailField(_("adresse e-mail"), blank=True)
    language = models.CharField(_("langue"), max_length=5, default="fr")
    visibility = models.CharField(
        _("qui voit mon nom"), max_length=10, choices=VISIBILITIES, default=EVERYBODY
    )
    is_minor = models.BooleanField(_("moins de 18 ans"), default=False)
    is_child = models.BooleanField(_("sous l’âge où l’on décide seul"), default=False)
    guardian_email = models.EmailField(_("adresse e-mail d’un parent"), blank=True)
    guardian_name = models.CharField(_("parent qui a donné son accord"), max_length=120, blank=True)
    guardian_agreed_on = models.DateField(_("date de cet accord"), null=True, blank=True)
    is_guest = models.BooleanField(_("invité"), default=False)
    is_outsider = models.BooleanField(_("hors du club"), default=False)
    joined_on = models.DateField(_("membre depuis"))
    confirmed_at = models.DateTimeField(null=True, blank=True)  # a guest's, by the committee
    initial_rank = models.PositiveIntegerField(default=0)
    left_at = models.DateTimeField(null=True, blank=True)
    merged_into = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="merged_from"
    )
    pin_hash = models.CharField(max_length=128, blank=True)
    device_version = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    objects = MemberQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "slug"], name="member_slug_is_unique_in_organisation"
            ),
            models.UniqueConstraint(
                fields=["organisation", "number"], name="member_number_is_unique_in_organisation"
            ),
            models.UniqueConstraint(
                fields=["organisation", "user"],
                condition=Q(user__isnull=False),
                name="one_member_per_account_and_organisation",
            ),
            models.CheckConstraint(
                condition=~Q(first_name=""), name="member_has_at_least_a_first_name"
            ),
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True) | ~Q(merged_into=F("id")),
                name="member_is_not_merged_into_himself",
            ),
            models.CheckConstraint(
                condition=Q(is_child=False)
                | Q(guardian_agreed_on__isnull=False)
                | Q(visibility="initials", user__isnull=True),
                name="child_without_agreement_is_not_named",
            ),
            models.CheckConstraint(
                condition=Q(is_child=False) | Q(is_minor=True), name="child_is_a_minor"
            ),
        ]

    def __str__(self) -> str:
        return self.full_name

    def rows(self) -> list[int]:
        """Return this row and then those merged into it."""
        rows = into = [self.pk]
        while into:
            merged = Member.objects.filter(merged_into__in=into).exclude(pk__in=rows)
            into = list(merged.values_list("pk", flat=True))
            rows = rows + into
        return rows

    @property
    def current_row(self) -> Member:
        """Return the row that stands for this person now: itself, or the one it was merged into."""
        return self if self.merged_into is None else self.merged_into.current_row

    @property
    def is_forgotten(self) -> bool:
        return self.slug == f"{FORGOTTEN}{self.number}"

    @property
    def awaits_guardian(self) -> bool:
        """Return whether a parent's agreement is missing: no name shown and no account until then."""
        return self.is_child and self.guardian_agreed_on is None

    def set_names(self, first_name: str, last_name: str) -> None:
        """Set both names, and what they are searched and sorted by."""
        self.first_name, self.last_name = first_name, last_name
        for key, text in search_keys(first_name, last_name).items():
            setattr(self, key, text)

    @property
    def full_name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()

    @property
    def initials(self) -> str:
        return "".join(part[:1] for part in (self.first_name, self.last_name)).upper()

    @property
    def short_name(self) -> str:
        """Return "Prénom I."; a long compound first name is shortened ("M.-Christine V.")."""
        first, last = self.first_name, self.last_name
        if "-" in first and len(first) > 10:
            head, _dash, tail = first.partition("-")
            first = f"{head[:1]}.-{tail}"
        particle, _space, rest = last.partition(" ")
        if rest and len(particle) <= 3:
            return f"{first} {particle} {rest[:1]}."
        return f"{first} {last[:1]}." if last else first

    def shows_whole_name(self, *, viewer_is_member: bool) -> bool:
        """Return whether the reader may see the whole name; a minor's only within the club."""
        if viewer_is_member:
            return self.visibility != self.INITIALS
        return self.visibility == self.EVERYBODY and not self.is_minor

    @property
    def chose_to_be_public(self) -> bool:
        """Return whether they chose that everybody sees them: a guest was never asked."""
        return self.visibility == self.EVERYBODY and not self.is_guest

    def name_for(self, *, viewer_is_member: bool) -> str:
        """Return the name this member lets that reader see. Every page, file and search uses it."""
        if self.is_forgotten:
            return _("Joueur retiré %(n)s") % {"n": self.number}
        if self.shows_whole_name(viewer_is_member=viewer_is_member):
            return self.full_name
        if viewer_is_member or self.visibility == self.EVERYBODY:
            return self.short_name
        return ".".join(self.initials) + "."

    def order_for(self, *, viewer_is_member: bool) -> str:
        """Return their place in the alphabet for that reader, as `name_order` in a query."""
        if self.shows_whole_name(viewer_is_member=viewer_is_member):
            return self.sort_name
        return self.search_name[:1]

    def first_name_for(self, *, viewer_is_member: bool) -> str:
        """Return what that reader sees of them in a sentence: the first name, or the initials."""
        shown = viewer_is_member or self.visibility == self.EVERYBODY
        if shown and not self.is_forgotten:
            return self.first_name
        return self.name_for(viewer_is_member=False)

    @property
    def wall_name(self) -> str:
        """Return the name for a public wall screen: "Prénom I.", or the initials alone."""
        if self.visibility == self.EVERYBODY and not self.is_forgotten:
            return self.short_name
        return self.name_for(viewer_is_member=False)

    @property
    def address(self) -> str:
        """Return this member's part of an address: the public id, then the name if all may see it.

        The id alone finds the member, so the same address is given to every reader.
        """
        if not self.shows_whole_name(viewer_is_member=False):
            return self.public_id
        tail = slugify(without_accents(self.full_name))
        return f"{self.public_id}-{tail}" if tail else self.public_id

    def is_found_by(self, words: Sequence[str], *, viewer_is_member: bool) -> bool:
        """Return whether each word of `search_words` is in the name which that reader sees."""
        name = without_accents(self.name_for(viewer_is_member=viewer_is_member))
        return all(word in name for word in words)


class RoleGrant(models.Model):
    """A right held in an organisation, from when to when, and who granted it."""

    ARBITER = "arbiter"
    COMMITTEE = "committee"
    ROLES = [(ARBITER, _("Arbitre")), (COMMITTEE, _("Comité"))]

    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="grants")
    role = models.CharField(max_length=10, choices=ROLES)
    granted_at = models.DateTimeField()
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["member", "role"],
                condition=Q(revoked_at__isnull=True),
                name="a_member_holds_a_role_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.member} ({self.role})"


class MemberImport(models.Model):
    """A file of members: read, previewed, then written all or nothing."""

    organisation = models.ForeignKey(Organisation, models.PROTECT, related_name="member_imports")
    file_name = models.CharField(max_length=200)
    rows = models.JSONField()
    columns = models.JSONField(default=dict)
    encoding = models.CharField(max_length=20, blank=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    imported_at = models.DateTimeField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    created_members = models.JSONField(default=list)

    def __str__(self) -> str:
        return self.file_name
