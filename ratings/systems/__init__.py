"""The register of rating systems: adding one is one folder and one name here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.absp.system import Absp
from ratings.systems.faizers.system import Faizers
from ratings.systems.fesa.system import Fesa
from ratings.systems.fisf.system import Fisf
from ratings.systems.glicko2.system import Glicko2
from ratings.systems.protocol import RatingSystem
from ratings.systems.romania.system import Romania

SYSTEMS: tuple[type[RatingSystem], ...] = (Faizers, Absp, Fesa, Fisf, Romania, Glicko2)

STATUS_WORDS: Mapping[str, str] = {
    code: word for known in SYSTEMS for code, word in known.statuses.items()
}
"""Status → its word in French, of all systems; they agree where they share a code."""

FACTS: Mapping[str, str] = {
    "rating": _("cote"),
    "games": _("parties"),
    "events": _("compétitions"),
    "last": _("dernière compétition"),
    **{name: word for known in SYSTEMS for name, word in known.facts.items()},
}
"""What a player starts with, and what a list holds of them → its word in French, of all systems."""


def system(code: str) -> type[RatingSystem]:
    """Return the class of that code. Raises KeyError for a system that is not registered."""
    for known in SYSTEMS:
        if known.code == code:
            return known
    raise KeyError(code)


def part(code: str, name: str) -> ModuleType:
    """Return a module of a system's folder that its rules do not import: wording, conformance."""
    return import_module(f"{system(code).__module__.rpartition('.')[0]}.{name}")
