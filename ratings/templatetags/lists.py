"""Cells of a published list: `{% load lists %}{% list_cell column row %}`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from clubs.templatetags.ui import badge, move
from clubs.ui.punctuation import listed
from ratings.lists import explanations, formatting, tables
from ratings.systems.columns import BADGE, MOVE, NUMBERS, RANK, TAG, ListColumn, ListRow

register = template.Library()


@register.simple_tag
def list_cell(column: ListColumn, row: ListRow) -> SafeString | str:
    """Render a badge, a movement, or text. The name is the template's: it may be a link."""
    if column.kind == RANK and row.ex_aequo:
        return format_html(
            '{}<span aria-hidden="true">\u00a0=</span><span class="hidden-text"> {}</span>',
            row.rank,
            _("ex æquo"),
        )
    if column.kind == MOVE:
        return move(row.move)
    value = row.cells.get(column.code)
    if column.kind == BADGE:
        return badge(value)
    if column.kind == TAG and not value:
        return ""
    return formatting.text_of(column, row)


@register.simple_tag
def list_value(column: ListColumn, value: object) -> str:
    """Return one stored value of a column as text, for before → after tables."""
    return formatting.text_of(column, ListRow(0, "", 0, cells={column.code: value}))


@register.filter
def is_number(column: ListColumn) -> bool:
    return column.kind in NUMBERS


@register.filter
def as_day(written: str) -> date:
    """Return the day that a calculation stores as "2026-07-29"."""
    return date.fromisoformat(written)


@register.filter
def any_labels(rows: Iterable[Mapping[str, object]]) -> bool:
    """Return whether a series, a grade or a status changes in one of these lines."""
    return any(row["labels"] for row in rows)


register.filter("heading", formatting.heading)
register.filter("listed", listed)
register.filter("adding_up", explanations.adding_up)
register.filter("competition_marks", tables.competition_marks)
