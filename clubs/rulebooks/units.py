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
    "parties": lambda n: ngettext("partie", "parties", n),
    "parties du calendrier": lambda n: ngettext("partie du calendrier", "parties du calendrier", n),
    "points de cote": lambda n: ngettext("point de cote", "points de cote", n),
    "secondes": lambda n: ngettext("seconde", "secondes", n),
    "tournois": lambda n: ngettext("tournoi", "tournois", n),
    "tours": lambda n: ngettext("tour", "tours", n),
}


def unit_of(value: Any, unit: str) -> str:
    """Return the word for this value; a unit without a plural (%, PR) stays as it is."""
    if not unit:
        return ""
    if unit in UNITS and isinstance(value, int) and not isinstance(value, bool):
        return UNITS[unit](abs(value))
    return _(unit)
