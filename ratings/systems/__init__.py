"""The register of rating systems: adding one is one file and one name here."""

from __future__ import annotations

from typing import Any

from ratings.systems.absp import Absp
from ratings.systems.faizers import Faizers
from ratings.systems.fesa import Fesa
from ratings.systems.fisf import Fisf
from ratings.systems.romania import Romania

SYSTEMS: tuple[type[Any], ...] = (Faizers, Absp, Fesa, Fisf, Romania)


def system(code: str) -> type[Any]:
    """The class of that code. Raises KeyError for a system nobody registered."""
    for known in SYSTEMS:
        if known.code == code:
            return known
    raise KeyError(code)
