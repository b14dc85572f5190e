"""Swiss: players with as many wins meet, the upper half of a group against its lower half.

Exact: of all pairings of the players present, the one with the fewest repeats; of those the one in
which players leave their group least, the last of a group first; of those the nearest to half against half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from pairings.rules.scoring import Met
from pairings.systems.matching.by_standings import (
    Seating,
    StandingsPairing,
    byes_of,
    times_met,
)
from pairings.systems.matching.exact import Cost, pair_all
from pairings.systems.protocol import (
    ALREADY_MET,
    FLOATER,
    HALVES,
    NEAR_HALVES,
    REASONS,
    REPEAT,
    GroupPlaces,
    Pair,
    Skipped,
)
from pairings.systems.wins_and_spread.ranking import WinsAndSpread
from ratings.systems.protocol import PlayerId

EXACT = "exact"


class Groups:
    """Players in order, cut into groups of equal points: where each stands, and what a pair costs."""

    def __init__(self, seating: Seating) -> None:
        self.players = seating.free
        self.seating = seating
        self.group: list[int] = []
        self.within: list[int] = []
        self.sizes: list[int] = []
        last: int | Fraction | None = None
        for player in self.players:
            points = seating.points[player]
            if not self.sizes or points != last:
                self.sizes.append(0)
                last = points
            self.group.append(len(self.sizes) - 1)
            self.within.append(self.sizes[-1])
            self.sizes[-1] += 1

    def cost(self, one: int, two: int) -> Cost:
        """Return repeats, groups crossed, their squares, who floats, distance from half against half.

        Squares: two players who go down one group each cost less than one who goes down two. Who
        floats comes before the halves: a group that lost its first to a player from above would
        otherwise send down its last but one, which leaves the others nearer to half against half.
        The last place prefers a deviation far down the table to the same one at the top.
        """
        crossed = self.group[two] - self.group[one]
        away = self._distance(one, two) ** 2
        repeats = times_met(self.seating.met, self.players[one], self.players[two])
        floats, halves = (away, 0) if crossed else (0, away)
        down = away * (len(self.players) - one)
        return repeats, crossed, crossed * crossed, floats, halves, down

    def _distance(self, one: int, two: int) -> int:
        """Return how far two places are from the half-by-half order.

        Across groups: how far from the last of the one group against the first of the other.
        """
        group, other = self.group[one], self.group[two]
        if group == other:
            return abs(two - one - self.sizes[group] // 2)
        return self.sizes[group] - 1 - self.within[one] + self.within[two]

    def opposite(self, one: int) -> int:
        """Return the place half a group away; for the odd last one, the first of the next group."""
        size, within = self.sizes[self.group[one]], self.within[one]
        if size % 2 and within == size - 1:
            return min(one + 1, len(self.players) - 1)
        return one + size // 2 if within < size // 2 else one - size // 2

    def pair(self, one: int, two: int) -> Pair:
        """Return two places as a pair with its reason."""
        first, second = self.players[one], self.players[two]
        met = self.seating.met.get(first, {})
        wanted = self.opposite(one)
        proposed = self.players[wanted]
        skipped: tuple[Skipped, ...] = ()
        if wanted not in (one, two) and proposed in met:
            skipped = (Skipped(proposed, ALREADY_MET, met[proposed]),)
        meeting = met.get(second)
        if meeting is not None:
            reason = REPEAT
        elif self.group[one] != self.group[two]:
            reason = FLOATER
        else:
            reason = HALVES if wanted == two else NEAR_HALVES
        stood = GroupPlaces(
            (self.within[one] + 1, self.within[two] + 1),
            (self.sizes[self.group[one]], self.sizes[self.group[two]]),
            (self.seating.points[first], self.seating.points[second]),
        )
        named = second if wanted == one else proposed
        return Pair(first, second, reason, named, skipped, meeting, stood)


def pair_in_groups(seating: Seating) -> list[Pair]:
    """Pair everybody who is free, exactly."""
    groups = Groups(seating)
    return [groups.pair(*places) for places in pair_all(len(seating.free), groups.cost)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swiss(StandingsPairing):
    """Groups of equal wins, upper half against lower half, no avoidable repeat."""

    code: ClassVar[str] = "swiss"
    label: ClassVar[str] = _("Suisse (groupes de victoires, moitié contre moitié)")
    document: ClassVar[str] = "usage"
    reasons: ClassVar[Mapping[str, str]] = MappingProxyType(
        {**REASONS, REPEAT: _("revanche inévitable dans cette ronde")}
    )
    balances_firsts: ClassVar[bool] = True
    way: ClassVar[str] = HALVES
    strategy: ClassVar[str] = EXACT

    wins_and_spread: WinsAndSpread | None = WinsAndSpread()

    def with_fewest_byes(self, order: Sequence[PlayerId], met: Met) -> PlayerId:
        """Return the lowest of those with the fewest byes who leave the others the fewest repeats."""
        fictive = len(order)

        def cost(one: int, two: int) -> Cost:
            """Return byes, repeats, and how far from the last a bye is."""
            if two == fictive:
                return byes_of(met, order[one]), 0, fictive - one
            return 0, times_met(met, order[one], order[two]), 0

        return next(order[one] for one, two in pair_all(fictive + 1, cost) if two == fictive)

    def pairs_of(self, seating: Seating) -> list[Pair]:
        """Pair everybody who is free, exactly."""
        return pair_in_groups(seating)
