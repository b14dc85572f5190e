"""Tables of the public pages: headers and sorting by django-tables2, cells by our own tags."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from clubs.templatetags.ui import badge, move, percent_fr, points, sign_class, signed, tag
from clubs.ui import charts
from clubs.ui.widgets import FIGURE

# Without PR, which part most players: a line says only what decided between equal PR.
CRITERIA = {
    "pdi": _("le PDI"),
    "ds": _("la différence de score"),
    "played": _("le nombre de matchs"),
    "form": _("la forme des six derniers mois"),
    "seniority": _("l’ancienneté"),
    "initial": _("le classement initial"),
    "id": _("l’ordre d’inscription"),
}

SHORT_CRITERIA = {
    "pdi": "PDI",
    "ds": "DS",
    "played": _("matchs"),
    "form": _("forme"),
    "seniority": _("ancienneté"),
    "initial": _("cl. initial"),
    "id": _("inscription"),
}
"""The same in the row of a phone, after "par"."""


class RankingTable(tables.Table):
    """The ranking on a wide screen."""

    rank = tables.Column(verbose_name=_("Rang"), attrs=FIGURE)
    move = tables.Column(verbose_name=_("Évolution"), orderable=False, empty_values=())
    name = tables.Column(verbose_name=_("Joueur"), attrs={"td": {"class": "strong"}})
    category = tables.Column(verbose_name=_("Catégorie"), orderable=False)
    points = tables.Column(
        verbose_name="PR", attrs={"td": {"class": "num points"}, "th": {"class": "num"}}
    )
    pdi = tables.Column(verbose_name="PDI", attrs=FIGURE, empty_values=())
    ds = tables.Column(verbose_name="DS", attrs=FIGURE)
    played = tables.Column(verbose_name=_("Matchs"), attrs=FIGURE)
    cote = tables.Column(verbose_name=_("Cote"), attrs=FIGURE)
    trend = tables.Column(
        verbose_name=_("Tendance"),
        orderable=False,
        attrs={"th": {"class": "trend"}, "td": {"class": "trend"}},
    )
    tie = tables.Column(verbose_name=_("Départage"), orderable=False)

    class Meta:
        caption = _("Classement")
        order_by_field = "tri"
        attrs = {"class": "table"}
        row_attrs = {
            "data-key": lambda record: record["key"],
            "class": "",
        }

    def render_move(self, value: object, record: dict[str, Any]) -> str:
        return "" if record.get("opens_season") else move(record["move"])

    def render_name(self, value: str, record: dict[str, object]) -> str:
        guest = tag(_("invité")) if record["guest"] else ""
        if not record["url"]:
            return format_html("{}{} {}", value, record["mark"], guest)
        return format_html('<a href="{}">{}</a>{} {}', record["url"], value, record["mark"], guest)

    def render_category(self, value: str) -> str:
        return badge(value)

    def render_points(self, value: object) -> str:
        return points(value)

    def render_pdi(self, value: object) -> str:
        return points(value)

    def render_ds(self, value: object) -> str:
        return percent_fr(value)

    def render_cote(self, value: int, record: dict[str, object]) -> str:
        if record["projected"]:
            return format_html(
                '<span class="projected">{}<span class="hidden-text"> {}</span></span>'
                ' <span class="delta {}">{}</span>',
                value,
                _("projetée"),
                sign_class(record["delta"]),
                signed(record["delta"]),
            )
        return str(value)

    def render_trend(self, value: list[int], record: dict[str, object]) -> str:
        sentence = _("de %(first)s à %(last)s") % {"first": value[0], "last": value[-1]}
        return charts.sparkline(value, projected=bool(record["projected"]), sentence=sentence)

    def render_tie(self, value: str, record: dict[str, object]) -> str:
        if not record["tie_short"]:
            return value
        return format_html(
            '<span aria-hidden="true" title="{}">{}</span><span class="hidden-text">{}</span>',
            value,
            record["tie_short"],
            value,
        )
