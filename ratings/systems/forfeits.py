"""The players absent from a match of a case: `absent` names them, `present` names the others."""

from __future__ import annotations

from collections.abc import Mapping

BOTH = "both"
OTHER = {"a": "b", "b": "a", BOTH: "", "": BOTH}


def absent_side(match: Mapping[str, object]) -> str:
    """Return "a", "b" or "both"; empty where the case has neither key.

    Raises ValueError for a name that does not play, and where the two keys contradict each other.
    """
    absent = _side(match, match.get("absent"))
    if "present" not in match:
        return absent
    there = match["present"]
    if isinstance(there, list):
        sides = {_side(match, name) for name in there}
        present = BOTH if len(sides) > 1 else next(iter(sides), "")
    else:
        present = _side(match, there)
    if present == BOTH:
        raise ValueError("nobody was absent in this forfeit")
    if absent and absent != OTHER[present]:
        raise ValueError(f"present: {there} contradicts absent: {match['absent']}")
    return OTHER[present]


def _side(match: Mapping[str, object], name: object) -> str:
    """Return the side of a player's name; "both"; empty for nobody."""
    if name in (None, "", "none"):
        return ""
    if name == BOTH:
        return BOTH
    sides = {match["a"]: "a", match.get("b"): "b"}
    if name in sides:
        return sides[name]
    if name in ("a", "b"):
        return str(name)
    raise ValueError(f"not a player of this match: {name}")
