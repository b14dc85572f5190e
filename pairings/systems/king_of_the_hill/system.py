"""King of the hill: first against second, third against fourth, repeats allowed.

Usual for the last rounds of a tournament; ranked by PM, PPM, Pdep (004 §3 to §5, §9), or by wins and
spread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting
from pairings.systems.matching.by_standings import Seating, StandingsPairing
from pairings.systems.protocol import NEIGHBOURS, GroupPlaces, Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class KingOfTheHill(StandingsPairing):
    """Neighbours in the ranking meet, repeats or not."""

    code: ClassVar[str] = "king_of_the_hill"
    label: ClassVar[str] = _(
        "King of the Hill (premier contre deuxième, troisième contre quatrième…)"
    )
    document: ClassVar[str] = "usage"
    way: ClassVar[str] = NEIGHBOURS
    strategy: ClassVar[str] = NEIGHBOURS

    rounds: int = setting(
        1,
        _("Nombre de rondes"),
        article=_("usage"),
        unit=_("rondes"),
        group="match",
        minimum=1,
        maximum=40,
    )

    def pairs_of(self, seating: Seating) -> list[Pair]:
        """Pair first against second, third against fourth."""
        free, met = seating.free, seating.met
        place = {player: number for number, player in enumerate(seating.order, start=1)}
        return [
            Pair(
                first,
                second,
                NEIGHBOURS,
                second,
                (),
                met.get(first, {}).get(second),
                GroupPlaces((place[first], place[second])),
            )
            for first, second in zip(free[::2], free[1::2], strict=True)
        ]
