"""Who can no longer be caught for the last prize place, and who can no longer reach it (Gibson)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pairings.rules.scoring import Met
from ratings.systems.protocol import PlayerId


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """The race for `places` prizes with `left` rounds to play.

    `points` and `spread` are everybody's; `win` what a round can bring; `swing` how much a round can
    move two spreads against each other, None without a limit.
    """

    points: Mapping[PlayerId, int | Fraction]
    spread: Mapping[PlayerId, int]
    places: int
    left: int
    win: int
    swing: int | None

    def can_catch(self, chaser: PlayerId, leader: PlayerId) -> bool:
        """Return whether the chaser can still finish level with the leader, or ahead."""
        gap = self.points[leader] - self.points[chaser]
        reach = self.win * self.left
        if gap != reach or self.swing is None:
            return gap <= reach
        return self.spread[leader] - self.spread[chaser] <= self.swing * self.left

    def is_safe(self, player: PlayerId) -> bool:
        """Return whether fewer players can catch this one than there are prize places."""
        chasers = sum(self.can_catch(o, player) for o in self.points if o != player)
        return chasers < self.places

    def is_out(self, player: PlayerId) -> bool:
        """Return whether as many players as there are prize places are out of reach."""
        ahead = sum(not self.can_catch(player, o) for o in self.points if o != player)
        return ahead >= self.places

    def pairs(
        self, order: Sequence[PlayerId], seated: Collection[PlayerId], met: Met
    ) -> list[tuple[PlayerId, PlayerId]]:
        """Pair each safe player with the highest of those who are out.

        Preferably one not met before.
        """
        if not 0 < self.places < len(order):
            return []
        safe = [p for p in order if p in seated and self.is_safe(p)]
        out = [p for p in order if p in seated and p not in safe and self.is_out(p)]
        safe_pairs = []
        for player in safe:
            if not out:
                break
            new = (other for other in out if other not in met.get(player, {}))
            chosen = next(new, out[0])
            out.remove(chosen)
            safe_pairs.append((player, chosen))
        return safe_pairs
