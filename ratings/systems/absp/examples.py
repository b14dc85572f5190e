"""A player as an ABSP list takes them: ratings of this system are between 50 and 200."""

from __future__ import annotations

from ratings.systems.protocol import Examples, frozen

EXAMPLES = Examples(start=frozen({"rating": 110, "games": 40}))
