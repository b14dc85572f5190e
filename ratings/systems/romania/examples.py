"""A sheet of one of the kinds that the Romanian federation rates."""

from __future__ import annotations

from ratings.systems.protocol import Examples, frozen

EXAMPLES = Examples(facts=frozen({"list_kind": "duplicat_clasic"}))
