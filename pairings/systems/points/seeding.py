"""The initial ranking of a tournament and the fictive player (004 §2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import combining, normalize

from ratings.systems.protocol import PlayerId

FICTIVE = "X"
"""The fictive player of §2. No real player has this id: the site's are numbers."""

_LETTERS = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th"})


class Entry(NamedTuple):
    """A person entered: the single integer of the list (PL or PL*) and the name that parts equal ones."""

    player: PlayerId
    name: str
    cote: int


def alphabetical(name: str) -> str:
    """Return the sort key of a name: accents, case and hyphens ignored (§2)."""
    decomposed = normalize("NFKD", name.casefold().translate(_LETTERS))
    letters = "".join(sign if sign.isalnum() else " " for sign in decomposed if not combining(sign))
    return " ".join(letters.split())


def initial_ranking(entries: Sequence[Entry]) -> list[PlayerId]:
    """Return the entries by decreasing cote, then alphabetical; X ends an odd number (§2)."""
    ranked = sorted(
        entries, key=lambda e: (-e.cote, alphabetical(e.name), normalize("NFC", e.name))
    )
    return with_fictive([entry.player for entry in ranked])


def with_fictive(players: Sequence[PlayerId]) -> list[PlayerId]:
    """Return the players, with X at the end when they are an odd number (§2)."""
    return [*players, FICTIVE] if len(players) % 2 else list(players)
