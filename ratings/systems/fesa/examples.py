"""A table that the FESA counts as official."""

from __future__ import annotations

from ratings.systems.protocol import Examples, frozen

EXAMPLES = Examples(facts=frozen({"minutes": 30, "byoyomi": 30, "arbiter": "Ana POPESCU"}))
