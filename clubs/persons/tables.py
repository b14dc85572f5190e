"""The register of a federation's persons as a sortable table."""

from __future__ import annotations

from collections.abc import Iterable

import django_tables2 as tables
from django.http import HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clubs.exchange.csv import csv_response
from clubs.members.models import Member
from clubs.persons.models import Person
from clubs.templatetags.ui import tag
from clubs.ui.widgets import FIGURE

WARNED = (Person.Status.LAPSED, Person.Status.SUSPENDED)


class PersonTable(tables.Table):
    """Persons on a wide screen. An outsider of the lists may have no register part yet."""

    name = tables.Column(
        verbose_name=gettext_lazy("Nom"),
        accessor="full_name",
        order_by=("sort_name", "pk"),
        attrs={"td": {"class": "strong"}},
    )
    licence = tables.Column(
        verbose_name=gettext_lazy("Licence"),
        accessor="person__licence",
        order_by=("person__licence", "sort_name", "pk"),
        attrs=FIGURE,
    )
    club = tables.Column(
        verbose_name=gettext_lazy("Club"),
        accessor="person__club",
        order_by=("person__club", "sort_name", "pk"),
    )
    country = tables.Column(
        verbose_name=gettext_lazy("Pays"),
        accessor="person__country",
        order_by=("person__country", "sort_name", "pk"),
    )
    status = tables.Column(
        verbose_name=gettext_lazy("Statut"),
        accessor="person__status",
        order_by=("person__status", "sort_name", "pk"),
    )

    class Meta:
        caption = gettext_lazy("Personnes et licences")
        order_by_field = "tri"
        attrs = {"class": "table"}

    def render_name(self, value: str, record: Member) -> str:
        address = reverse("clubs:person", kwargs={"member_id": record.pk})
        return format_html('<a href="{}">{}</a>', address, value)

    def render_status(self, value: str, record: Member) -> str:
        return tag(value, tone="warn") if record.person.status in WARNED else value


def csv_of(members: Iterable[Member]) -> HttpResponse:
    """Return the register as a file, whose first columns an import of licences reads."""
    head = [_("Licence"), _("Prénom"), _("Nom"), _("Club"), _("Pays"), _("Statut")]
    return csv_response("personnes", head, map(_line_of, members))


def _line_of(member: Member) -> list[str]:
    person = getattr(member, "person", None)
    details = [person.club, person.country, person.get_status_display()] if person else [""] * 3
    licence = person.licence if person else ""
    return [licence, member.first_name, member.last_name, *details]
