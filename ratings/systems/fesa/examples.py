"""A table that the FESA counts as official, and a player of its list."""

from __future__ import annotations

from ratings.systems.protocol import Examples, frozen

EXAMPLES = Examples(
    facts=frozen({"minutes": 30, "byoyomi": 30, "arbiter": "Ana POPESCU"}),
    start=frozen({"rating": 1500, "games": 20, "grade": "3 Kyu", "bonus_used": 12}),
)
