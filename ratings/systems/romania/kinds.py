"""The kinds of game that the Romanian federation rates (001), and what a player may be in each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clubs.rulebooks.fields import gettext_noop as _

ACTIVE, PROVISIONAL, NONE = "active", "provisional", "none"

TYPES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "duplicat_clasic": (_("Duplicat clasic"), "window_clasic"),
        "duplicat_completiv": (_("Duplicat completiv"), "window_completiv"),
        "duplicat_eliptic": (_("Duplicat eliptic"), "window_eliptic"),
        "compunere": (_("Compunere"), "window_compunere"),
        "anticipatie": (_("Anticipație"), "window_anticipatie"),
        "libere": (_("Libere (départ de 2011)"), "window_libere"),
    }
)
"""Kind of game → (its name, the setting that holds its N)."""

COLLECTIVE = tuple(kind for kind in TYPES if kind != "libere")
