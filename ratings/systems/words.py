"""Reasons in words: how their numbers are written, and the lines that all systems share.

Each system's `wording.py` has `WORDS`: the kind of a reason → its head and the filled-in formula
under it, in the reader's language. Only these modules of the systems know Django, and no rule
imports them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from fractions import Fraction
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.templatetags.ui import cote, decimal, in_decimals
from ratings.systems import FACTS, SYSTEMS
from ratings.systems.protocol import EventRefused
from ratings.systems.rounding import half_up

MOST_DECIMALS = 12
Values = Mapping[str, Any]
Words = Mapping[str, Callable[[Values, str], tuple[str, str]]]
"""Kind of reason → function of (values, opponent's name) that returns (head, formula)."""


def list_title(name: str) -> str:
    """Return the name of a list as pages print it: that of a system in the reader's language."""
    return _(name) if name in {known.label for known in SYSTEMS} else name


def plain(values: Values) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def symbols(pairs: Iterable[tuple[str, object]], places: int = 2) -> str:
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
    raw, places = v.get("raw"), v.get("decimals", 0)
    head = _("Arrondi à l’entier")
    if places:
        words = ngettext("Arrondi à %(n)s décimale", "Arrondi à %(n)s décimales", places)
        head = words % {"n": places}
    return head, "" if raw is None else decimal(raw, _decimals_before(raw, places))


def _decimals_before(raw: float | Fraction, places: int) -> int:
    """Return how many decimals of a number show to which side it is rounded: 2 at least, 12 at most."""
    scale, fewest = 10**places, max(2, places + 1)
    for shown in range(fewest, MOST_DECIMALS):
        if half_up((in_decimals(raw, shown) or 0) * scale) == half_up(raw * scale):
            return shown
    return MOST_DECIMALS


def floor_line(v: Values, opponent: str) -> tuple[str, str]:
    floor = v.get("floor")
    return _("Plancher de la cote"), "" if floor is None else number(floor)


def facts_in_words(values: Values) -> str:
    """Return "cote : 1188, parties : 40"; what has no word is not said."""
    return ", ".join(
        _("%(label)s : %(value)s") % {"label": _(word), "value": _fact(name, values[name])}
        for name, word in FACTS.items()
        if values.get(name) not in (None, "")
    )


def _fact(name: str, value: Any) -> str:
    if name == "last":
        return date_format(date.fromisoformat(str(value)), "SHORT_DATE_FORMAT")
    if isinstance(value, str):
        return value
    return number(value, 2 if abs(value) >= 1 else 4)  # a small one would be rounded away


def start_line(v: Values, opponent: str) -> tuple[str, str]:
    return _("Cote de départ"), facts_in_words(v)


def refusal_in_words(refused: EventRefused) -> str:
    """Return why the rules cannot rate something, in the reader's language."""
    return _(refused.sentence) % refused.values


SHARED: Words = {
    "rounding": rounding_line,
    "floor": floor_line,
    "start": start_line,
}
