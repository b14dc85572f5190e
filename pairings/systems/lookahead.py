"""The rest of a round: can it still be paired with the fewest possible repeats?

`Completion` holds a pairing of the players still free with as few repeats as possible, and
answers for each choice that a pairing rule wants to make whether the rest can keep that number.
A rule that asks before each choice keeps its own preference order and never meets a repeat that
could be avoided. Exact: the answer comes from a maximum matching on "have never met" (Edmonds'
blossoms), or from a theorem where that settles it without looking.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ratings.systems.base import PlayerId

Met = Mapping[PlayerId, Mapping[PlayerId, Any]]
NOBODY: Mapping[PlayerId, Any] = {}
ALONE = -1


def fewest_repeats(players: Sequence[PlayerId], met: Met) -> int:
    """The smallest number of repeated pairs when everybody (but one, if odd) is paired."""
    return Completion(players, met).repeats


class Completion:
    """The players still free, and the fewest repeats with which they can all be paired.

    While every free player has met fewer than about half of them, Dirac's theorem promises a
    pairing without repeats (each has at least m/2 possible opponents among m), and nothing is
    computed. That leaves a tail of about twice the number of matches each has had.
    """

    def __init__(self, players: Sequence[PlayerId], met: Met) -> None:
        self._met = met
        self._free = dict.fromkeys(players)
        self._most_met = max((len(met.get(player, NOBODY)) for player in players), default=0)
        self._matching: Matching | None = None
        if not self._is_promised(len(self._free)):
            self._matching = Matching(tuple(players), met)

    @property
    def repeats(self) -> int:
        """The fewest repeats among the players still free."""
        if self._matching is None:
            return 0
        return len(self._free) // 2 - self._matching.size

    def allows(self, first: PlayerId, second: PlayerId) -> bool:
        """If these two play, can the rest still keep the fewest repeats in all?"""
        if self._matching is None:
            if self._is_promised(len(self._free) - 2):
                return second not in self._met.get(first, NOBODY)
            self._matching = Matching(tuple(self._free), self._met)
        return self._matching.try_pair(first, second)

    def take(self, first: PlayerId, second: PlayerId) -> None:
        """These two play."""
        if self._matching is not None:
            self._matching.remove(first, second)
        del self._free[first], self._free[second]

    def leave(self, player: PlayerId) -> None:
        """This player stays without a match."""
        if self._matching is not None:
            self._matching.remove(player)
        del self._free[player]

    def _is_promised(self, size: int) -> bool:
        """Dirac: m players, each with at least m/2 possible opponents, can be paired.

        For an odd number, the same without any one of them.
        """
        return size >= 2 * self._most_met + 2 + size % 2


class Matching:
    """A largest set of disjoint pairs who have never met, kept largest while players leave.

    Players are numbered by their place; a set of players is an int with one bit each, so that
    "possible opponents not reached yet" is one operation.
    """

    def __init__(self, players: Sequence[PlayerId], met: Met) -> None:
        self._index = {player: index for index, player in enumerate(players)}
        self._alive = (1 << len(players)) - 1
        self._possible = [self._opponents_of(player, met) for player in players]
        self._mate = [ALONE] * len(players)
        self._alone = self._alive
        self.size = 0
        self._start_greedily()
        self._grow(_bits(self._alone))

    def _opponents_of(self, player: PlayerId, met: Met) -> int:
        barred = 1 << self._index[player]
        for other in met.get(player, NOBODY):
            index = self._index.get(other)
            if index is not None:
                barred |= 1 << index
        return self._alive & ~barred

    def try_pair(self, first: PlayerId, second: PlayerId) -> bool:
        """Can these two play and the rest still keep the fewest repeats?

        Two who never met cost the rest the one pair they make; two who met must cost it none.
        A yes is remembered, so that taking the pair afterwards needs no search.
        """
        a, b = self._index[first], self._index[second]
        if self._mate[a] == b:
            return True
        before = list(self._mate), self._alone, self._alive, self.size
        never_met = bool(self._possible[a] >> b & 1)
        wanted = self.size - 1 if never_met else self.size
        left_alone = self._drop(a) + self._drop(b)
        self._grow(left_alone, wanted)
        if self.size < wanted:
            self._grow(_bits(self._alone), wanted)
        if self.size < wanted:
            self._mate, self._alone, self._alive, self.size = before
            return False
        self._alive |= 1 << a | 1 << b
        self._alone |= 1 << a | 1 << b
        if never_met:
            self._join(a, b)
        return True

    def remove(self, *players: PlayerId) -> None:
        """These players leave; the pairs of the others stay as many as possible."""
        left_alone = [mate for player in players for mate in self._drop(self._index[player])]
        if any(self._alive >> mate & 1 for mate in left_alone):
            self._grow(_bits(self._alone))

    def _drop(self, index: int) -> list[int]:
        """Take one player out; whoever was held for him is alone."""
        bit = 1 << index
        self._alive &= ~bit
        self._alone &= ~bit
        mate = self._mate[index]
        if mate == ALONE:
            return []
        self._mate[index] = self._mate[mate] = ALONE
        self._alone |= 1 << mate
        self.size -= 1
        return [mate]

    def _join(self, a: int, b: int) -> None:
        self._mate[a], self._mate[b] = b, a
        self._alone &= ~(1 << a | 1 << b)
        self.size += 1

    def _start_greedily(self) -> None:
        """Best against lowest, as the rule itself does: nearly everybody has a pair at once."""
        for index, possible in enumerate(self._possible):
            if self._alone >> index & 1:
                open_to = possible & self._alone
                if open_to:
                    self._join(index, open_to.bit_length() - 1)

    def _grow(self, roots: Iterable[int], wanted: int | None = None) -> None:
        """One more pair for each root that an alternating path can serve, until `wanted`."""
        for root in roots:
            if self.size == wanted:
                return
            if self._alone >> root & 1:
                path = _alternating_path(root, self._possible, self._mate, self._alive, self._alone)
                if path:
                    self._flip(path)

    def _flip(self, path: Sequence[tuple[int, int]]) -> None:
        """Join the pairs of an alternating path, whose two ends were alone."""
        for a, b in path:
            self._mate[a], self._mate[b] = b, a
        self._alone &= ~(1 << path[0][0] | 1 << path[-1][1])
        self.size += 1


def _alternating_path(
    root: int, possible: Sequence[int], mate: Sequence[int], alive: int, alone: int
) -> list[tuple[int, int]]:
    """The pairs to make so that `root` and another player alone both get one; [] if impossible.

    Edmonds' search: a tree of alternating paths from the root. `outer` players can be reached
    with their pair to be replaced; an edge between two of them closes an odd cycle (a blossom),
    whose players all become outer and share one base.
    """
    parent: dict[int, int] = {}
    base: dict[int, int] = {root: root}
    outer = 1 << root
    unreached = alive & ~outer
    ends = alone & ~outer
    queue = [root]
    for player in queue:
        opponents = possible[player] & alive
        end = opponents & ends
        if end:
            parent[last := end.bit_length() - 1] = player
            return _path_back(last, parent, mate)
        fresh = opponents & unreached
        while fresh:
            inner = fresh.bit_length() - 1
            partner = mate[inner]
            parent[inner] = player
            base[inner], base[partner] = inner, partner
            outer |= 1 << partner
            unreached &= ~(1 << inner | 1 << partner)
            queue.append(partner)
            fresh &= unreached
        for other in _bits(opponents & outer):
            if base[player] != base[other]:
                for found in _contract(player, other, parent, base, mate):
                    if not outer >> found & 1:
                        outer |= 1 << found
                        queue.append(found)
    return []


def _path_back(last: int, parent: Mapping[int, int], mate: Sequence[int]) -> list[tuple[int, int]]:
    path: list[tuple[int, int]] = []
    player = last
    while player != ALONE:
        before = parent[player]
        path.append((player, before))
        player = mate[before]
    return path


def _contract(
    one: int, two: int, parent: dict[int, int], base: dict[int, int], mate: Sequence[int]
) -> list[int]:
    """Close the odd cycle through the edge one–two; the players who now share its base."""
    stem = _common_base(one, two, parent, base, mate)
    cycle: set[int] = set()
    for player, child in ((one, two), (two, one)):
        while base[player] != stem:
            partner = mate[player]
            cycle.update((base[player], base[partner]))
            parent[player] = child
            child, player = partner, parent[partner]
    joined = [player for player, own in base.items() if own in cycle]
    for player in joined:
        base[player] = stem
    return joined


def _common_base(
    one: int, two: int, parent: Mapping[int, int], base: Mapping[int, int], mate: Sequence[int]
) -> int:
    above: set[int] = set()
    player = base[one]
    above.add(player)
    while mate[player] != ALONE:
        player = base[parent[mate[player]]]
        above.add(player)
    player = base[two]
    while player not in above:
        player = base[parent[mate[player]]]
    return player


def _bits(players: int) -> Iterator[int]:
    """The places of the set bits, lowest first."""
    while players:
        lowest = players & -players
        yield lowest.bit_length() - 1
        players ^= lowest
