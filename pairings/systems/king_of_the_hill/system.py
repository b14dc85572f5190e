"""King of the hill: first against second, third against fourth, repeats allowed.

Usual for the last rounds of a tournament; ranked by PM, PPM, Pdep (004 §3 to §5, §9), or by wins and
spread.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting
from pairings.rules.scoring import MatchRecord
from pairings.systems.matching.by_standings import StandingsPairing, next_number
from pairings.systems.protocol import NEIGHBOURS, REASONS, Entrant, Pair, Pairing
from ratings.systems.protocol import PlayerId


@dataclass(frozen=True, slots=True, kw_only=True)
class KingOfTheHill(StandingsPairing):
    """Neighbours in the ranking meet, repeats or not."""

    code: ClassVar[str] = "king_of_the_hill"
    label: ClassVar[str] = _(
        "King of the Hill (premier contre deuxième, troisième contre quatrième…)"
    )
    document: ClassVar[str] = "usage"
    reasons: ClassVar[Mapping[str, str]] = REASONS

    rounds: int = setting(
        1,
        _("Nombre de rondes"),
        article=_("usage"),
        unit=_("rondes"),
        group="match",
        minimum=1,
        maximum=40,
    )

    def rounds_of(self, entries: int) -> int:
        """Return the number that the organiser chose."""
        return self.rounds

    def pair_round(
        self,
        entrants: Sequence[Entrant],
        records: Sequence[MatchRecord],
        *,
        available: Collection[PlayerId] | None = None,
        suspended: Collection[PlayerId] = (),
        today: int = 0,
    ) -> Pairing:
        """Pair first against second, third against fourth, over the players present."""
        seating = self.seating(
            entrants,
            records,
            available=available,
            suspended=suspended,
            number=next_number(records, today),
        )
        free, met = seating.free, seating.met
        pairs = [
            *seating.settled,
            *(
                Pair(first, second, NEIGHBOURS, second, (), met.get(first, {}).get(second))
                for first, second in zip(free[::2], free[1::2], strict=True)
            ),
        ]
        return Pairing(
            order=tuple(seating.order),
            pairs=tuple(pairs),
            byes=self.byes(seating, NEIGHBOURS, len(pairs)),
            strategy=NEIGHBOURS,
        )
