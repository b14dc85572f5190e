"""One cell of a published list as text: for pages and print, and for files.

Everything is read from the stored cell, so that no two formats can differ by a digit.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from django.utils import formats
from django.utils.translation import gettext as _

from clubs.templatetags.ui import DASH, cote, decimal, percent_fr, points
from clubs.ui import badges
from ratings.systems import STATUS_WORDS
from ratings.systems.columns import (
    BADGE,
    DAY,
    DECIMAL,
    INTEGER,
    MOVE,
    NAME,
    NUMBERS,
    PERCENT,
    POINTS,
    RANK,
    SHARE,
    TAG,
    ListColumn,
    ListRow,
)


def heading(column: ListColumn) -> str:
    """Return the column's label in the reader's language."""
    return _(column.label)


def numbered(number: int) -> str:
    """Return a number as "nº 12"."""
    return _("nº %(n)s") % {"n": number}


def raw(column: ListColumn, row: ListRow) -> Any:
    """Return the stored value: rank, movement and name come from the row itself."""
    if column.kind == RANK:
        return row.rank
    if column.kind == MOVE:
        return row.move
    if column.kind == NAME:
        return row.name
    return row.cells.get(column.code)


def value_of(column: ListColumn, row: ListRow) -> object:
    """Return the spreadsheet value: an int, an exact Decimal, a date as text, words, or None."""
    value = raw(column, row)
    if value is None:
        return None
    if column.kind in (DECIMAL, PERCENT, POINTS):
        return Decimal(value)
    if column.kind in (BADGE, TAG):
        return label_word(value)
    return share(value) if column.kind == SHARE else value


def label_word(value: object) -> str:
    """Translate a category or a status; return a series or a grade unchanged, a dash without one."""
    if value is None or value == "":
        return DASH
    text = str(value)
    return badges.word(text) if text in badges.GEMS else _(STATUS_WORDS.get(text, text))


def share(value: str) -> str:
    """Return "14/20" as "14 sur 20"; a count whose whole is not known is that count."""
    part, _slash, whole = value.partition("/")
    return _("%(part)s sur %(whole)s") % {"part": part, "whole": whole} if whole else part


NUMBER_TEXT = {
    INTEGER: lambda value, _places: cote(value),
    DECIMAL: decimal,
    POINTS: points,
    PERCENT: percent_fr,
}
"""How pages and print write the numbers of a column of that kind."""


def text_of(column: ListColumn, row: ListRow) -> str:
    """Return the text of a page or the PDF."""
    value = raw(column, row)
    if column.kind == RANK:
        return f"{value}\u00a0=" if row.ex_aequo else str(value)
    if column.kind == MOVE:
        return _move(value)
    if value is None:
        return DASH if column.kind in NUMBERS else ""
    if column.kind in NUMBER_TEXT:
        return NUMBER_TEXT[column.kind](value, column.places)
    if column.kind == DAY:
        return formats.date_format(date.fromisoformat(value), "SHORT_DATE_FORMAT")
    if column.kind in (BADGE, TAG):
        return label_word(value)
    return share(value) if column.kind == SHARE else str(value)


def _move(places: int | None) -> str:
    if places is None:
        return _("nouveau")
    if places == 0:
        return "="
    return f"▲\u00a0{places}" if places > 0 else f"▼\u00a0{-places}"
