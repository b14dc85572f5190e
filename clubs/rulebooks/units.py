"""The unit after a number of the rules, singular or plural: 1 an, 2 ans; in Romanian 20 de ani."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

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
    return value // scale if value % scale == 0 else round(value / scale, 6)


def unit_of(value: object, unit: str) -> str:
    """Return the word for this value, the plural for what is no whole number.

    A unit without a plural (%, PR) stays as it is.
    """
    if unit not in UNITS:
        return _(unit) if unit else ""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return UNITS[unit](abs(value) if is_whole else 2)  # type: ignore[arg-type]


def unit_after(value: object, scale: int, unit: str) -> str:
    """Return the word after a stored number as its page prints it; none after the dash of an empty one."""
    return "" if value is None else unit_of(scaled(value, scale), unit)
