"""The unit after a number of the rules, singular or plural: 1 an, 2 ans; in Romanian 20 de ani."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.rulebooks.fields import LARGEST_DENOMINATOR

UNITS: dict[str, Callable[[int], str]] = {
    "absences": lambda n: ngettext("absence", "absences", n),
    "ans": lambda n: ngettext("an", "ans", n),
    "exemptions": lambda n: ngettext("exemption", "exemptions", n),
    "jours": lambda n: ngettext("jour", "jours", n),
    "manches": lambda n: ngettext("manche", "manches", n),
    "matchs": lambda n: ngettext("match", "matchs", n),
    "minutes": lambda n: ngettext("minute", "minutes", n),
    "parties": lambda n: ngettext("partie", "parties", n),
    "parties du calendrier": lambda n: ngettext("partie du calendrier", "parties du calendrier", n),
    "points": lambda n: ngettext("point", "points", n),
    "points de cote": lambda n: ngettext("point de cote", "points de cote", n),
    "secondes": lambda n: ngettext("seconde", "secondes", n),
    "soirées": lambda n: ngettext("soirée", "soirées", n),
    "tournois": lambda n: ngettext("tournoi", "tournois", n),
    "tours": lambda n: ngettext("tour", "tours", n),
}

SECONDS = "secondes"
SIZES = ((86400, "jours"), (60, "minutes"))
"""Seconds of the units in which people give a duration, the largest first."""
SMALLER = ((3600, "h"), (60, "minutes"), (1, SECONDS))
"""Those in which a page prints a duration that has too many decimals in its own."""


def scale_of(default: Any, unit: str) -> tuple[int, str]:
    """Return by what pages divide a setting, and the unit they print.

    Durations are stored in seconds and read in days or minutes, by the document's own value, so that
    the unit of a number never changes with the number.
    """
    if unit == SECONDS:
        return next((size for size in SIZES if default >= size[0]), (1, unit))
    return 1, unit


def scaled(value: Any, scale: int) -> Any:
    """Return a stored number in the unit of its page: 300 s are 5 minutes."""
    if scale == 1 or value is None:
        return value
    exact = Fraction(value, scale)
    if exact.denominator == 1:
        return exact.numerator
    return float(exact) if exact.denominator <= LARGEST_DENOMINATOR else round(float(exact), 6)


def readable(value: Any, scale: int, unit: str) -> tuple[int, str]:
    """Return by what a page divides this value, and the unit: a smaller one beyond two decimals."""
    if scale == 1 or value is None or value * 100 % scale == 0:
        return scale, unit
    return next(size for size in SMALLER if size[0] < scale and value * 100 % size[0] == 0)


def unit_of(value: object, unit: str) -> str:
    """Return the word for this value, the plural for what is no whole number.

    A unit without a plural (%, PR) stays as it is.
    """
    if unit not in UNITS:
        return _(unit) if unit else ""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return UNITS[unit](abs(value) if is_whole else 2)  # type: ignore[arg-type]
