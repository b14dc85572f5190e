"""The list of players: a club's with their cotes, by category; a federation's with their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import django_tables2 as tables
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member, name_order
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from clubs.templatetags.ui import badge
from clubs.ui.widgets import FIGURE
from ratings.ledger.models import StandingCote
from ratings.systems.categories import Band, category_of


class PlayerTable(tables.Table):
    """Players on a wide screen; `bands`: the categories by the rules in force, lowest first."""

    name = tables.Column(
        verbose_name=_("Joueur"),
        accessor="pk",
        order_by=("name_order", "pk"),
        attrs={"td": {"class": "strong"}},
    )
    number = tables.Column(verbose_name=_("Numéro"), attrs=FIGURE)
    category = tables.Column(verbose_name=_("Catégorie"), accessor="cote", orderable=False)
    cote = tables.Column(
        verbose_name=_("Cote"), order_by=("cote", "name_order", "pk"), attrs=FIGURE
    )

    class Meta:
        caption = _("Joueurs")
        order_by_field = "tri"
        attrs = {"class": "table"}

    def __init__(
        self, *args: Any, bands: Sequence[Band], viewer_is_member: bool, **kwargs: Any
    ) -> None:
        super().__init__(*args, exclude=("number",) if bands else ("category", "cote"), **kwargs)
        self.bands, self.viewer_is_member = bands, viewer_is_member

    def render_name(self, record: Member) -> str:
        address = reverse("pairings:player", kwargs={"slug": record.address})
        name = record.name_for(viewer_is_member=self.viewer_is_member)
        return format_html('<a href="{}">{}</a>', address, name)

    def render_category(self, value: int) -> str:
        return badge(category_of(value, self.bands).code)

    def render_cote(self, value: int) -> str:
        return str(value)


def with_cotes(
    members: QuerySet[Member], organisation: Organisation, *, start: int, viewer_is_member: bool
) -> QuerySet[Member]:
    """Add `cote`, the official one of the club or `start`, and `name_order`; in order of names."""
    standing = StandingCote.objects.filter(
        rating_list__organisation=organisation,
        rating_list__slug=rulebooks.LADDER,
        member=OuterRef("pk"),
    )
    shown = Subquery(standing.values("shown")[:1], output_field=IntegerField())
    return members.annotate(
        cote=Coalesce(shown, Value(start)),
        name_order=name_order(viewer_is_member=viewer_is_member),
    ).order_by("name_order", "pk")


def in_category(bands: Sequence[Band]) -> Mapping[str, Q]:
    """Return what selects the players of each category, of members with their `cote`.

    As `category_of`: lower bounds are inclusive, and below the first bound is the first category.
    """
    selected = {}
    for place, band in enumerate(bands):
        after = bands[place + 1 : place + 2]
        among = Q() if place == 0 else Q(cote__gte=band.minimum)
        selected[band.code] = among & Q(cote__lt=after[0].minimum) if after else among
    return selected


def counts_of(members: QuerySet[Member], categories: Mapping[str, Q]) -> dict[str, int]:
    """Return how many of these members each category has. One query."""
    counts: dict[str, int] = members.aggregate(
        **{code: Count("pk", filter=among) for code, among in categories.items()}
    )
    return counts
