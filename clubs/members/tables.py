"""The committee's list of members: filters with their counts, sortable columns, pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import django_tables2 as tables
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clubs.exchange.csv import csv_response
from clubs.members.models import Member, RoleGrant
from clubs.organisations.models import Organisation
from clubs.templatetags.ui import tag
from clubs.ui.french import written
from clubs.ui.widgets import FIGURE

PAGE = 100
BELONGING = Q(is_outsider=False)
FILTERS: Mapping[str, tuple[Promise, Q]] = {
    "": (gettext_lazy("Tous"), BELONGING),
    "actuels": (gettext_lazy("Actuels"), BELONGING & Q(left_at__isnull=True)),
    "invites": (gettext_lazy("Invités"), BELONGING & Q(left_at__isnull=True, is_guest=True)),
    "sans-compte": (
        gettext_lazy("Sans compte"),
        BELONGING & Q(left_at__isnull=True, user__isnull=True),
    ),
    "partis": (gettext_lazy("Partis"), BELONGING & Q(left_at__isnull=False)),
    "hors-club": (gettext_lazy("Hors du club"), Q(left_at__isnull=True, is_outsider=True)),
}


class MemberTable(tables.Table):
    """Members on a wide screen; `roles` holds the words of each member's roles."""

    name = tables.Column(
        verbose_name=gettext_lazy("Nom"),
        accessor="full_name",
        order_by=("sort_name", "pk"),
        attrs={"td": {"class": "strong"}},
    )
    number = tables.Column(verbose_name=gettext_lazy("Numéro"), attrs=FIGURE)
    status = tables.Column(
        verbose_name=gettext_lazy("État"), accessor="pk", orderable=False, empty_values=()
    )
    account = tables.Column(
        verbose_name=gettext_lazy("Compte"),
        accessor="email",
        order_by=("email", "sort_name", "pk"),
        empty_values=(),
    )
    joined_on = tables.Column(
        verbose_name=gettext_lazy("Depuis"), order_by=("joined_on", "pk"), attrs=FIGURE
    )

    class Meta:
        caption = gettext_lazy("Membres")
        order_by_field = "tri"
        attrs = {"class": "table"}

    def __init__(self, *args: Any, roles: Mapping[int, Sequence[str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.roles = roles

    def render_name(self, value: str, record: Member) -> str:
        address = reverse("clubs:member_edit", kwargs={"member_id": record.pk})
        return format_html('<a href="{}">{}</a>', address, value)

    def render_status(self, record: Member) -> str:
        return format_html_join(" ", "{}", ((each,) for each in tags_of(record, self.roles)))

    def render_account(self, record: Member) -> str:
        return account_of(record)

    def render_joined_on(self, value: date) -> str:
        return written(value, "j N Y")


def states_of(member: Member, roles: Mapping[int, Sequence[str]]) -> list[tuple[str, str]]:
    """Return a member's other states as words and their tone: guest, departed, roles."""
    states = []
    if member.is_outsider:
        states.append((_("hors du club"), ""))
    elif member.is_guest:
        states.append((_("invité"), "warn"))
    if member.left_at:
        states.append((_("parti"), ""))
    elif member.awaits_guardian:
        states.append((_("accord d’un parent attendu"), "warn"))
    return states + [(role, "good") for role in roles.get(member.pk, ())]


def tags_of(member: Member, roles: Mapping[int, Sequence[str]]) -> list[SafeString]:
    """Return the same states as a page shows them."""
    return [tag(words, tone=tone) for words, tone in states_of(member, roles)]


def csv_of(members: Iterable[Member], roles: Mapping[int, Sequence[str]]) -> HttpResponse:
    """Return these members as a file, whose first columns an import of members reads."""
    head = [_("Prénom"), _("Nom"), _("E-mail"), _("Numéro"), _("État"), _("Depuis")]
    rows = (
        [
            member.first_name,
            member.last_name,
            member.email,
            member.number,
            ", ".join(words for words, _tone in states_of(member, roles)),
            member.joined_on.isoformat() if member.joined_on else "",
        ]
        for member in members
    )
    return csv_response("membres", head, rows)


def account_of(member: Member) -> str:
    return (member.email or _("avec un compte")) if member.user_id else _("sans compte")


def roles_of(organisation: Organisation) -> dict[int, list[str]]:
    """Return {member: words of the roles held now}."""
    role_words: dict[int, list[str]] = {}
    for grant in RoleGrant.objects.filter(
        member__organisation=organisation, revoked_at__isnull=True
    ).order_by("role", "pk"):
        role_words.setdefault(grant.member_id, []).append(grant.get_role_display())
    return role_words


def counts_of(members: QuerySet[Member]) -> dict[str, int]:
    """Return how many of these members each filter keeps. One query."""
    names = {code: f"n{place}" for place, code in enumerate(FILTERS)}
    counted = members.aggregate(
        **{names[code]: Count("pk", filter=kept) for code, (_label, kept) in FILTERS.items()}
    )
    return {code: counted[name] for code, name in names.items()}
