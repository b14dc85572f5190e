"""What `PairingsConfig.ready` fills at start: each entry says by whom and what for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pairings.matches.competition import Competition

COMPETITIONS: dict[str, type[Competition]] = {}
"""What a match is played in, by the column that names it: `evening` by pairings.evenings, `round`
by pairings.tournaments. A match asks it for its rules, its postings and its texts."""
