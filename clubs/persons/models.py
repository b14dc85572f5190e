"""What a federation knows of a person beside the name, the names they were written under, and the
rows of clubs' members that are that person."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member
from clubs.organisations.models import Organisation


class PersonQuerySet(models.QuerySet["Person"]):
    def of(self, organisation: Organisation) -> Self:
        return self.filter(organisation=organisation)

    def current(self) -> Self:
        """Leave out persons whose row was merged into another one."""
        return self.filter(member__merged_into__isnull=True)


class Person(models.Model):
    """The register's part of a person: licence, country, club, year of birth, status.

    `member` is the row that carries their name and their games in the lists of the organisation.
    """

    class Status(models.TextChoices):
        CURRENT = "current", _("licence à jour")
        LAPSED = "lapsed", _("licence échue")
        SUSPENDED = "suspended", _("licence suspendue")
        NONE = "none", _("sans licence")

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="persons")
    member = models.OneToOneField(Member, on_delete=models.PROTECT, related_name="person")
    licence = models.CharField(_("numéro de licence"), max_length=20, blank=True)
    country = models.CharField(_("pays"), max_length=40, blank=True)
    club = models.CharField(_("club"), max_length=80, blank=True)
    birth_year = models.PositiveSmallIntegerField(_("année de naissance"), null=True, blank=True)
    status = models.CharField(
        _("statut"), max_length=10, choices=Status.choices, default=Status.NONE.value
    )
    version = models.PositiveIntegerField(default=0)

    objects = PersonQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "licence"],
                condition=~Q(licence=""),
                name="a_licence_is_held_by_one_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.licence or '–'}: {self.member_id}"


class Alias(models.Model):
    """Another way files write a person's name, as an officer once decided. `name` is folded."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="aliases")
    name = models.CharField(max_length=200)
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="aliases")
    chosen_at = models.DateTimeField()
    chosen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "name"], name="a_name_is_the_alias_of_one_person"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} = {self.member_id}"


class MemberLink(models.Model):
    """A club's member as a person of a federation.

    `licence` is what the club says; `person` is the federation's row once the licence or an officer
    has answered who it is (null until then).
    """

    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="federations")
    federation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="linked_members"
    )
    licence = models.CharField(_("numéro de licence"), max_length=20, blank=True)
    person = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="links"
    )
    linked_at = models.DateTimeField(null=True, blank=True)
    linked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["member", "federation"], name="a_member_is_one_person_of_a_federation"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.member_id} = {self.person_id}"


class LicenceFile(models.Model):
    """A federation's file of licences: read, its columns chosen, previewed, then written whole."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="licence_files"
    )
    file_name = models.CharField(max_length=200)
    encoding = models.CharField(max_length=20, blank=True)
    rows = models.JSONField()
    columns = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    written_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.file_name
