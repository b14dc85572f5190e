"""Tables of the rating lists: one class made from the columns that a system names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clubs.templatetags.ui import badge, cote, decimal, move, percent_fr, points, tag
from clubs.ui.dates import written
from ratings.lists.formatting import share
from ratings.systems.columns import (
    BADGE,
    DAY,
    DECIMAL,
    INTEGER,
    NUMBERS,
    PERCENT,
    POINTS,
    SHARE,
    STATUS_WORDS,
    TAG,
    ListColumn,
)


def printed_cell(column: ListColumn, value: Any) -> Any:
    """Return a stored cell as a page prints it; a dash for an unknown value."""
    if value is None or value == "":
        return "–"
    if column.kind == INTEGER:
        return cote(value)
    if column.kind == DECIMAL:
        return decimal(value, column.places)
    if column.kind == POINTS:
        return points(value, column.places)
    if column.kind == PERCENT:
        return percent_fr(value, column.places)
    if column.kind == TAG:
        return tag(_(STATUS_WORDS.get(str(value), str(value))))
    if column.kind == BADGE:
        return badge(value)
    if column.kind == SHARE:
        return share(value)
    if column.kind == DAY:
        return written(date.fromisoformat(str(value)), "j N Y")
    return str(value)


class CellColumn(tables.Column):
    """A column whose cells are written by `printed_cell`."""

    def __init__(self, column: ListColumn) -> None:
        numeric = column.kind in NUMBERS
        super().__init__(
            verbose_name=_(column.label),
            orderable=False,
            empty_values=(),
            attrs={"td": {"class": "num"}, "th": {"class": "num"}} if numeric else {},
        )
        self.described = column

    def render(self, value: Any) -> Any:
        return printed_cell(self.described, value)


class PlayerTable(tables.Table):
    """Rank, movement, name; the system's own columns are added by `list_table`."""

    rank = tables.Column(
        verbose_name=gettext_lazy("Rang"),
        orderable=False,
        attrs={"td": {"class": "num"}, "th": {"class": "num"}},
    )
    move = tables.Column(verbose_name=gettext_lazy("Évolution"), orderable=False, empty_values=())
    name = tables.Column(
        verbose_name=gettext_lazy("Joueur"), orderable=False, attrs={"td": {"class": "strong"}}
    )

    class Meta:
        attrs = {"class": "table"}
        row_attrs = {"data-key": lambda record: record["key"], "class": ""}

    def render_move(self, record: Mapping[str, Any]) -> Any:
        return move(record["move"])

    def render_name(self, value: str, record: Mapping[str, Any]) -> Any:
        if not record["url"]:
            return format_html("{}{}", value, record["mark"])
        return format_html('<a href="{}">{}</a>{}', record["url"], value, record["mark"])


def list_table(
    columns: Sequence[ListColumn], rows: Sequence[Mapping[str, Any]], *, has_moves: bool
) -> tables.Table:
    """Return the list as a table; without an earlier published edition there are no movements."""
    extra = [(column.code, CellColumn(column)) for column in columns]
    return PlayerTable(rows, extra_columns=extra, exclude=() if has_moves else ("move",))
