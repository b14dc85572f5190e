"""A player as a Glicko-2 list takes them."""

from __future__ import annotations

from ratings.systems.protocol import Examples, frozen

EXAMPLES = Examples(start=frozen({"rating": 1500, "games": 20}))
