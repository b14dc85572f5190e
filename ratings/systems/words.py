"""Reasons in words: how their numbers are written, and the lines that all systems share.

Each system's `wording.py` has `WORDS`: the kind of a reason → its head and the filled-in formula
under it, in the reader's language. Only these modules of the systems know Django, and no rule
imports them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clubs.templatetags.ui import cote, decimal

Values = Mapping[str, Any]
Words = Mapping[str, Callable[[Values, str], tuple[str, str]]]
"""Kind of reason → function of (values, opponent's name) that returns (head, formula)."""


def plain(values: Values) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def symbols(pairs: Iterable[tuple[str, Any]], places: int = 2) -> str:
    """Return "K = 20, W = 1, We = 0,24" with the document's own symbols; whole numbers stay whole."""
    return ", ".join(f"{name} = {number(value, places)}" for name, value in pairs)


def number(value: Any, places: int = 2) -> str:
    """Return a number as a page writes it; decimals only where there are some."""
    if value is None:
        return "–"
    if float(value) == int(value):
        return cote(value)
    return decimal(value, places)


def rounding_line(v: Values, opponent: str) -> tuple[str, str]:
    raw = v.get("raw")
    return _("Arrondi à l’entier"), "" if raw is None else decimal(raw, 2)


def floor_line(v: Values, opponent: str) -> tuple[str, str]:
    floor = v.get("floor")
    return _("Plancher de la cote"), "" if floor is None else number(floor)


FACTS: Mapping[str, Any] = {
    "rating": gettext_lazy("cote"),
    "games": gettext_lazy("parties"),
    "events": gettext_lazy("compétitions"),
    "tournaments": gettext_lazy("tournois"),
    "last": gettext_lazy("dernière compétition"),
    "grade": gettext_lazy("grade"),
    "bonus_used": gettext_lazy("bonus"),
    "rank": gettext_lazy("rang"),
    "players": gettext_lazy("joueurs classés"),
    "duplicate": gettext_lazy("série Duplicate"),
    "classique": gettext_lazy("série classique"),
    "rd": gettext_lazy("RD"),
    "volatility": gettext_lazy("volatilité"),
}
"""What a player starts with, and what a list holds of them, in words."""


def facts_in_words(values: Values) -> str:
    """Return "cote : 1188, parties : 40"; what has no word is not said."""
    return ", ".join(
        _("%(label)s : %(value)s") % {"label": word, "value": _fact(name, values[name])}
        for name, word in FACTS.items()
        if values.get(name) not in (None, "")
    )


def _fact(name: str, value: Any) -> str:
    if name == "last":
        return date_format(date.fromisoformat(str(value)), "SHORT_DATE_FORMAT")
    return str(value) if isinstance(value, str) else number(value, 4 if name == "volatility" else 2)


def start_line(v: Values, opponent: str) -> tuple[str, str]:
    return _("Cote de départ"), facts_in_words(v)


SHARED: Words = {
    "rounding": rounding_line,
    "floor": floor_line,
    "start": start_line,
}
