"""A player as a FISF list takes them: with tournaments and last competition, or they are provisional."""

from __future__ import annotations

from ratings.systems.protocol import Examples, frozen

EXAMPLES = Examples(
    start=frozen({"rating": 1500, "games": 40, "tournaments": 5, "last": "2019-06-15"})
)
