"""Number of matches, initial ranking, first round above 16 (004 §1, §2, §6.1.1)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.protocol import PlayerId
from ratings.systems.rounding import half_up

FICTIVE = "X"
"""The fictive player of §2. No real player has this id: the site's are numbers."""
FICTIVE_PM = -1
"""PM of X for ranking, below everybody's: always last and alone in its group."""

FEWEST, MOST = 8, 128
LARGE_FROM = 17

_LETTERS = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th"})


class Entry(NamedTuple):
    """A person entered: the single integer of the list (PL or PL*) and the name that parts equal ones."""

    player: PlayerId
    name: str
    cote: int


class EntriesRefused(ValueError):
    """Fewer than 8 or more than 128 entries and no number of matches imposed (§1)."""


def rounds_for(entries: int) -> int:
    """Return the number of matches for so many people entered, X not counted (§1)."""
    if not FEWEST <= entries <= MOST:
        raise EntriesRefused(
            _("La formule prévoit de 8 à 128 inscrits ; hors de là, l’arbitre fixe les matchs.")
        )
    if entries <= 32:
        return 5
    return 6 if entries <= 64 else 7


def alphabetical(name: str) -> str:
    """Return the sort key of a name: accents, case and hyphens ignored (§2)."""
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    letters = "".join(
        sign if sign.isalnum() else " " for sign in decomposed if not unicodedata.combining(sign)
    )
    return " ".join(letters.split())


def _spelled(name: str) -> str:
    """Return the name with composed accents, however it was typed."""
    return unicodedata.normalize("NFC", name)


def initial_ranking(entries: Sequence[Entry]) -> list[PlayerId]:
    """Return the entries by decreasing cote, then alphabetical; X ends an odd number (§2)."""
    ranked = sorted(entries, key=lambda e: (-e.cote, alphabetical(e.name), _spelled(e.name)))
    return with_fictive([entry.player for entry in ranked])


def with_fictive(players: Sequence[PlayerId]) -> list[PlayerId]:
    """Return the players, with X at the end when they are an odd number (§2)."""
    return [*players, FICTIVE] if len(players) % 2 else list(players)


def first_round_large(initial: Sequence[PlayerId]) -> list[tuple[PlayerId, PlayerId]]:
    """Pair two thirds of the players first against last, the others by neighbours (§6.1.1).

    P = 2·M and M = N/3 rounded; N counts X, which is part of the ranking that is split, so it
    is even and N/3 is never a half.
    """
    ranked = with_fictive(initial)
    last = 2 * half_up(Fraction(len(ranked), 3))
    above, below = ranked[:last], ranked[last:]
    pairs = [(above[place], above[-1 - place]) for place in range(last // 2)]
    return pairs + list(zip(below[::2], below[1::2], strict=True))
