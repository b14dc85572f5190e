"""A club or a federation, and its seasons."""

from __future__ import annotations

from datetime import date
from typing import Self
from zoneinfo import ZoneInfo

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Organisation(models.Model):
    """A club or a federation. Every other row belongs to exactly one organisation.

    Once it is closed (`closed_at`) its pages are still read, and nothing is written there but what
    concerns its people's data (`clubs.accounts.permissions.after_closing`).
    """

    CLUB = "club"
    FEDERATION = "federation"
    KINDS = [(CLUB, _("Club")), (FEDERATION, _("Fédération"))]

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(_("nom"), max_length=80)
    kind = models.CharField(max_length=12, choices=KINDS, default=CLUB)
    game = models.CharField(_("jeu"), max_length=40, default="Scrabble")
    place = models.CharField(_("lieu"), max_length=120, blank=True)
    language = models.CharField(_("langue"), max_length=5, default="fr")
    time_zone = models.CharField(_("fuseau horaire"), max_length=40, default="Europe/Paris")
    contact_email = models.EmailField(_("adresse de contact"), blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    posters_hung_at = models.DateTimeField(null=True, blank=True)
    made_by_demo = models.BooleanField(default=False)  # written by seed_demo alone
    closed_at = models.DateTimeField(null=True, blank=True)
    moved_to = models.URLField(_("nouvelle adresse"), blank=True, default="", db_default="")

    def __str__(self) -> str:
        return self.name

    @property
    def is_club(self) -> bool:
        """Return whether it holds evenings; a federation rates what its clubs play."""
        return self.kind == self.CLUB

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


class SeasonQuerySet(models.QuerySet["Season"]):
    def on(self, day: date) -> Self:
        """Select seasons whose days include this one."""
        return self.filter(starts_on__lte=day, ends_on__gte=day)


class Season(models.Model):
    """PR, meetings and byes are counted inside one season.

    `rule_book` is the version in force at its first evening, fixed then (`rule_fixed`): the fields
    that order the whole season stay as they are there. `ds_mode`: sum or mean of the DS, as the
    committee chose when it created the season; empty as the version says.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="seasons")
    name = models.CharField(_("nom"), max_length=60)
    starts_on = models.DateField(_("premier jour"))
    ends_on = models.DateField(_("dernier jour"))
    closed_at = models.DateTimeField(null=True, blank=True)
    ds_mode = models.CharField(_("cumul de la DS"), max_length=10, blank=True, default="")
    rule_book = models.ForeignKey(
        "clubs.RuleBook", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    rule_fixed = models.BooleanField(default=False)

    objects = SeasonQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_on__gte=F("starts_on")), name="season_ends_after_it_starts"
            ),
            models.UniqueConstraint(
                fields=["organisation", "name"], name="season_name_is_unique_in_organisation"
            ),
        ]

    def __str__(self) -> str:
        return self.name
