"""Tables of the rating lists: one class made from the columns that a system names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import django_tables2 as tables
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clubs.templatetags.ui import badge, cote, move, points, sign_class, signed, tag
from clubs.ui.french import written
from clubs.ui.punctuation import labelled
from clubs.ui.widgets import FIGURE
from ratings.lists.crosstable import Crosstable
from ratings.lists.formatting import NUMBER_TEXT, label_word, share
from ratings.systems.columns import BADGE, DAY, NUMBERS, SHARE, TAG, ListColumn, can_sort


def printed_cell(column: ListColumn, value: Any) -> str:
    """Return a stored cell as a page prints it; a dash for an unknown value."""
    if value is None or value == "":
        return "–"
    if column.kind in NUMBER_TEXT:
        return NUMBER_TEXT[column.kind](value, column.places)
    if column.kind == TAG:
        return tag(label_word(value))
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
            orderable=can_sort(column),
            order_by=(f"by_{column.code}", "rank"),
            empty_values=(),
            attrs=FIGURE if numeric else {},
        )
        self.described = column

    def render(self, value: object) -> object:
        return printed_cell(self.described, value)


class PlayerTable(tables.Table):
    """Rank, movement, name; the system's own columns are added by `list_table`."""

    rank = tables.Column(
        verbose_name=gettext_lazy("Rang"), order_by=("rank", "by_name"), attrs=FIGURE
    )
    move = tables.Column(
        verbose_name=gettext_lazy("Évolution"), order_by=("move", "rank"), empty_values=()
    )
    name = tables.Column(
        verbose_name=gettext_lazy("Joueur"),
        order_by=("by_name", "rank"),
        attrs={"td": {"class": "strong"}},
    )

    place = tables.Column(
        verbose_name=gettext_lazy("Club et pays"), order_by=("by_place", "rank"), empty_values=()
    )

    class Meta:
        order_by_field = "tri"
        caption = gettext_lazy("Classement")
        attrs = {"class": "table"}
        row_attrs = {"data-key": lambda record: record["key"], "class": ""}

    def render_move(self, record: Mapping[str, Any]) -> str:
        return move(record["move"])

    def render_name(self, value: str, record: Mapping[str, object]) -> str:
        if not record["url"]:
            return format_html("{}{}", value, record["mark"])
        return format_html('<a href="{}">{}</a>{}', record["url"], value, record["mark"])


def list_table(
    columns: Sequence[ListColumn],
    rows: Sequence[Mapping[str, object]],
    *,
    has_moves: bool,
    has_places: bool = False,
    can_sort: bool = True,
    order: str = "",
) -> tables.Table:
    """Return the list as a table; without an earlier published edition there are no movements."""
    extra = [(column.code, CellColumn(column)) for column in columns]
    shown = {"move": has_moves, "place": has_places}
    unknown = [name for name, is_shown in shown.items() if not is_shown]
    return PlayerTable(
        rows, extra_columns=extra, exclude=unknown, orderable=can_sort, order_by=order
    )


def shared_tags(columns: Iterable[ListColumn], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return by column code the tags that every one of several rows bears: a phone prints them once.

    Each with its column's name: "24 joueurs classé" would ask for a plural in every language.
    """
    tags = [column for column in columns if column.kind == TAG and not column.aside]
    shared: dict[str, str] = {}
    for column in tags:
        values = {row["cells"].get(column.code) for row in rows}
        if len(rows) > 1 and len(values) == 1 and not values & {None, ""}:
            label = labelled(_(column.label), "")
            shared[column.code] = format_html("{}{}", label, printed_cell(column, values.pop()))
    return shared


def phone_rows(
    columns: Sequence[ListColumn], rows: list[dict[str, Any]], *, without: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Return rows for a phone: the lead number at the end, the other cells as words under the name."""
    lead = next((column for column in columns if column.lead), None)
    for row in rows:
        row["value"] = printed_cell(lead, row["cells"].get(lead.code)) if lead else ""
        row["label"] = _(lead.label) if lead else ""
        row["words"] = [
            (_(column.label), column.kind, printed_cell(column, row["cells"].get(column.code)))
            for column in columns
            if column.on_phone
            and not (column.lead or column.aside or column.kind == DAY or column.code in without)
            and row["cells"].get(column.code) not in (None, "")
        ]
    return rows


def is_order(columns: Sequence[ListColumn], order: str) -> bool:
    """Return whether a list may be sorted by that word of an address: "cote", "-games", "name"."""
    wanted = order.removeprefix("-")
    return wanted in PlayerTable.base_columns or any(
        column.code == wanted and can_sort(column) for column in columns
    )


class CompetitionTable(tables.Table):
    """The places of a competition on a wide screen, with what it did to each player's rating."""

    place = tables.Column(verbose_name=gettext_lazy("Rang"), attrs=FIGURE, empty_values=())
    name = tables.Column(verbose_name=gettext_lazy("Joueur"), attrs={"td": {"class": "strong"}})
    points = tables.Column(verbose_name=gettext_lazy("Points"), attrs=FIGURE, empty_values=())
    spread = tables.Column(verbose_name=gettext_lazy("Écart"), attrs=FIGURE, empty_values=())
    before = tables.Column(verbose_name=gettext_lazy("Avant"), attrs=FIGURE, empty_values=())
    after = tables.Column(verbose_name=gettext_lazy("Après"), attrs=FIGURE, empty_values=())
    delta = tables.Column(verbose_name=gettext_lazy("Effet"), attrs=FIGURE, empty_values=())
    url = tables.Column(verbose_name=gettext_lazy("Explication"), orderable=False, empty_values=())

    class Meta:
        order_by_field = "tri"
        caption = gettext_lazy("Cotes avant et après")
        attrs = {"class": "table"}

    def render_place(self, value: int | None, record: Mapping[str, object]) -> str:
        return "–" if value is None else f"{value}\u00a0=" if record["ex_aequo"] else str(value)

    def render_name(self, value: str, record: Mapping[str, object]) -> str:
        return format_html("{} {}", value, competition_marks(record))

    def render_points(self, value: object) -> str:
        return points(value, 1)  # whole or half

    def render_spread(self, value: object) -> str:
        return signed(value)

    def render_before(self, value: object) -> str:
        return cote(value)

    def render_after(self, value: object) -> str:
        return cote(value)

    def render_delta(self, value: object) -> str:
        if value is None:
            return ""
        return format_html('<span class="{}">{}</span>', sign_class(value), signed(value))

    def render_url(self, value: str, record: Mapping[str, object]) -> object:
        if not value:
            return ""
        return format_html(
            '<a href="{}">{}<span class="hidden-text"> {}</span></a>',
            value,
            _("Pourquoi\u00a0?"),
            record["name"],
        )


def competition_marks(row: Mapping[str, Any]) -> str:
    """Return the tags after a player's name: absent, corrected, the grade or status gained."""
    marks = (
        [tag(_("absent, ses parties comptées ont changé"), tone="plain")] if row["absent"] else []
    )
    if row["mended"]:
        marks.append(tag(_("corrigé"), icon="history", tone="warn"))
    return format_html_join(" ", "{}", ((mark,) for mark in (*marks, *map(tag, row["notes"]))))


def competition_table(
    rows: Sequence[Mapping[str, object]], played: Crosstable, order: str = ""
) -> tables.Table:
    """Return the places; points only where games were played, the spread where all have scores."""
    known = {
        "points": bool(played.lines),
        "spread": played.has_spread,
        **{
            name: any(row[name] not in (None, "") for row in rows)
            for name in ("place", "before", "after", "delta", "url")
        },
    }
    unknown = [name for name, is_known in known.items() if not is_known]
    return CompetitionTable(rows, exclude=unknown, order_by=order)
