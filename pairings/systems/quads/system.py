"""Initial quads: groups of four of even strength, three rounds in which everybody of a group meets.

The usual opening of a tournament by wins and spread ("Fontes"): 1, 2, 3, 4 are the heads of groups
that are filled from both ends of the initial ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from pairings.rules.scoring import Met, Records
from pairings.systems.matching.by_standings import (
    Seating,
    byes_of,
    fewest_byes,
    next_number,
    present,
)
from pairings.systems.points.ranking import PointRanking
from pairings.systems.points.seeding import FICTIVE, with_fictive
from pairings.systems.protocol import (
    FEWEST_BYES,
    FICTIVE_LAST,
    HALVES,
    ORPHAN,
    ORPHANS,
    QUAD,
    Available,
    Bye,
    Entrants,
    GroupPlaces,
    Pair,
    Pairing,
    RoundRefused,
    Warned,
)
from pairings.systems.round_robin.system import berger_round
from pairings.systems.swiss.system import pair_in_groups
from pairings.systems.wins_and_spread.ranking import WinsAndSpread
from ratings.systems.protocol import PlayerId

ROUNDS = 3
FOUR = (((1, 4), (2, 3)), ((1, 3), (2, 4)), ((1, 2), (3, 4)))
"""The rounds of a group of four by place in it; the two best meet last."""


def quads(size: int) -> list[list[int]]:
    """Return the groups of seeds 1 to `size`, which is even.

    Each is filled from both ends of the two halves, so that all have the same sum; when the seeds
    are not a multiple of four, one group has six, or two where there are no more.
    """
    half = size // 2
    top, bottom = 1, half
    groups = []
    while bottom - top >= 3:
        groups.append([top, bottom, size + 1 - bottom, size + 1 - top])
        top, bottom = top + 1, bottom - 1
    rest = list(range(top, bottom + 1))
    groups.append(rest + [size + 1 - seed for seed in reversed(rest)])
    return [group for group in groups if group]


def round_of(group: Sequence[int], number: int) -> list[tuple[int, int]]:
    """Return the pairs of seeds of a group in round 1 to 3; none where all have met."""
    if len(group) == 4:
        places = list(FOUR[number - 1])
    elif number < len(group):
        places = berger_round(len(group), number)
    else:
        places = []
    return [(group[one - 1], group[two - 1]) for one, two in places]


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialQuads(PointRanking):
    """Three rounds in groups of four of the initial ranking."""

    code: ClassVar[str] = "quads"
    label: ClassVar[str] = _("Groupes de quatre (trois rondes, chacun rencontre chacun)")
    document: ClassVar[str] = "usage"
    balances_firsts: ClassVar[bool] = True

    wins_and_spread: WinsAndSpread | None = WinsAndSpread()

    def rounds_of(self, entries: int) -> int:
        """Return three: every group plays everybody against everybody."""
        return ROUNDS

    def pair_round(
        self, entrants: Entrants, records: Records, *, available: Available = None, today: int = 0
    ) -> Pairing:
        """Pair the round `today`, 1 to 3, in the groups of those entered from the start.

        A player whose opponent is absent, and a late arrival, meet another one without an opponent,
        as in a group of the Swiss. Raises RoundRefused after the third round.
        """
        number = next_number(records, today)
        if not 1 <= number <= ROUNDS:
            raise RoundRefused(_("Les groupes de quatre se jouent en trois rondes."))
        ordered = sorted(entrants, key=lambda entrant: entrant.initial)
        here = present(entrants, available)
        met = self.met(records)
        seats = with_fictive([e.player for e in ordered if e.joined <= 1])
        pairs: list[Pair] = []
        byes: list[Bye] = []
        paired: set[PlayerId] = set()
        boards = [
            (group, *board)
            for group, heads in enumerate(quads(len(seats)), start=1)
            for board in round_of(heads, number)
        ]
        for group, one, two in boards:
            first, second = seats[one - 1], seats[two - 1]
            if second == FICTIVE and first in here:
                byes.append(Bye(first, FICTIVE_LAST, 0, byes_of(met, first), QUAD, len(pairs)))
                paired.add(first)
            elif first in here and second in here:
                meeting = met.get(first, {}).get(second)
                stood = GroupPlaces((one, two), number=group)
                pairs.append(Pair(first, second, QUAD, second, (), meeting, stood))
                paired |= {first, second}
        order = [line.player for line in self.standing(entrants, records) if line.player in here]
        alone = [player for player in order if player not in paired]
        more, bye = self._without_group(alone, met, byes)
        return Pairing(
            order=tuple(order),
            pairs=(*pairs, *more),
            byes=bye,
            warnings=(Warned(ORPHANS, tuple(alone)),) if alone else (),
            strategy=QUAD,
        )

    def _without_group(
        self, alone: Sequence[PlayerId], met: Met, byes: Sequence[Bye]
    ) -> tuple[list[Pair], tuple[Bye, ...]]:
        """Pair those without an opponent; an odd one plays who meets the fictive player, or does."""
        if not alone:
            return [], tuple(byes)
        free = list(alone)
        kept = list(byes)
        if len(free) % 2 and kept:
            free.append(kept.pop().player)
        elif len(free) % 2:
            out = fewest_byes(free, met)
            free.remove(out)
            kept.append(Bye(out, FEWEST_BYES, 0, byes_of(met, out), ORPHAN + HALVES, 0))
        level = dict.fromkeys(free, 0)
        pairs = pair_in_groups(Seating(free, free, dict(level), met, [], None))
        told = [pair._replace(group=None, reason=ORPHAN + pair.reason) for pair in pairs]
        return told, tuple(kept)
