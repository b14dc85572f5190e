"""What the app above fills at start: each entry says by whom and what for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clubs.organisations.models import Organisation
    from clubs.rulebooks.models import RuleBook
    from ratings.editions.sources import Source

EDITION_SOURCES: dict[str, Source] = {}
"""The sources of published rankings beside the rating lists: pairings, the club's own ranking."""

SIMULATED_STANDINGS: dict[
    str,
    Callable[
        [Organisation, RuleBook, date], tuple[str, Mapping[int, int], Mapping[int, int]] | None
    ],
] = {}
"""Scope → (label, places under the rules in force, places under a draft): pairings, the ladder."""

HANDING_PAGES: dict[str, Callable[[int], str]] = {}
"""Kind of origin → the page on which a club hands over that evening or tournament: pairings."""
