"""Number of matches and first round above 16 (004 §1, §6.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from clubs.rulebooks.fields import gettext_noop as _
from pairings.systems.points.seeding import with_fictive
from pairings.systems.protocol import EntriesRefused
from ratings.systems.protocol import PlayerId
from ratings.systems.rounding import half_up

FICTIVE_PM = -1
"""PM of X for ranking, below everybody's: always last and alone in its group."""

FEWEST, MOST = 8, 128
LARGE_FROM = 17


def rounds_for(entries: int) -> int:
    """Return the number of matches for so many people entered, X not counted (§1)."""
    if not FEWEST <= entries <= MOST:
        raise EntriesRefused(
            _("La formule prévoit de 8 à 128 inscrits ; hors de là, l’arbitre fixe les matchs.")
        )
    if entries <= 32:
        return 5
    return 6 if entries <= 64 else 7


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
