"""Fewest repeats of a round: whether the remaining players can still be paired with them.

`Completion` holds a pairing of the players still free with as few repeats as possible, and returns
for each choice of a pairing rule whether the rest can keep that number. A rule that checks before
each choice keeps its own preference order and never makes an avoidable repeat. Exact: computed by a
maximum matching on "have never met" (Edmonds' blossoms), or by a theorem where that is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ratings.systems.protocol import PlayerId

Met = Mapping[PlayerId, Mapping[PlayerId, object]]
NOBODY: Mapping[PlayerId, object] = {}
ALONE = -1


class Completion:
    """The players still free, and the fewest repeats with which they can all be paired.

    While every free player has met fewer than about half of them, Dirac's theorem guarantees a
    pairing without repeats (each has at least m/2 possible opponents among m), and nothing is
    computed. Only the last players, about twice the number of matches each has had, need a
    search.
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
        """Return the fewest repeats among the players still free."""
        if self._matching is None:
            return 0
        return len(self._free) // 2 - self._matching.size

    def allows(self, first: PlayerId, second: PlayerId) -> bool:
        """Return whether the rest can still keep the fewest repeats in all if these two play."""
        if self._matching is None:
            if self._is_promised(len(self._free) - 2):
                return second not in self._met.get(first, NOBODY)
            self._matching = Matching(tuple(self._free), self._met)
        return self._matching.try_pair(first, second)

    def take(self, first: PlayerId, second: PlayerId) -> None:
        """Pair these two."""
        if self._matching is not None:
            self._matching.remove(first, second)
        del self._free[first], self._free[second]

    def leave(self, player: PlayerId) -> None:
        """Leave this player without a match."""
        if self._matching is not None:
            self._matching.remove(player)
        del self._free[player]

    def _is_promised(self, size: int) -> bool:
        """Return whether Dirac's theorem applies.

        It needs m players, each with at least m/2 possible opponents.

        For an odd number, the same without any one of them.
        """
        return size >= 2 * self._most_met + 2 + size % 2


class Matching:
    """A largest set of disjoint pairs who have never met, kept largest while players are removed.

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
        """Return whether these two can play and the rest still keep the fewest repeats.

        If the two never met, the others may lose one pair; if they met, none. A positive result is
        kept, so that taking the pair afterwards needs no search.
        """
        a, b = self._index[first], self._index[second]
        if self._mate[a] == b:
            return True
        before = list(self._mate), self._alone, self._alive, self.size
        never_met = bool(self._possible[a] >> b & 1)
        wanted = self.size - 1 if never_met else self.size
        left_alone = self._drop(a) + self._drop(b)
        left_alone.sort(key=self._opponents_left)  # fewest first: an impossible search ends soonest
        self._grow(chain(left_alone, _bits(self._alone)), wanted)
        if self.size < wanted:
            self._mate, self._alone, self._alive, self.size = before
            return False
        self._alive |= 1 << a | 1 << b
        self._alone |= 1 << a | 1 << b
        if never_met:
            self._join(a, b)
        return True

    def remove(self, *players: PlayerId) -> None:
        """Remove these players; the pairs of the others stay as many as possible."""
        left_alone = [mate for player in players for mate in self._drop(self._index[player])]
        if any(self._alive >> mate & 1 for mate in left_alone):
            self._grow(_bits(self._alone))

    def _opponents_left(self, index: int) -> int:
        return (self._possible[index] & self._alive).bit_count()

    def _drop(self, index: int) -> list[int]:
        """Remove one player; their partner becomes alone."""
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
        """Pair best against lowest, as the rule itself does: nearly everybody has a pair at once."""
        for index, possible in enumerate(self._possible):
            if self._alone >> index & 1:
                open_to = possible & self._alone
                if open_to:
                    self._join(index, open_to.bit_length() - 1)

    def _grow(self, roots: Iterable[int], wanted: int | None = None) -> None:
        """Add one pair for each root that an alternating path can reach, until `wanted`.

        A root that cannot be paired now cannot be later either, whatever pairs are made meanwhile.
        """
        hopeless = 0
        for root in roots:
            if self.size == wanted:
                return
            open_ends = self._alone & ~hopeless
            if not open_ends >> root & 1:
                continue
            path = _Search(self._possible, self._mate).path(root, self._alive, open_ends)
            if path:
                self._flip(path)
            else:
                hopeless |= 1 << root

    def _flip(self, path: Sequence[tuple[int, int]]) -> None:
        """Swap the pairs along an alternating path, whose two ends were alone."""
        for a, b in path:
            self._mate[a], self._mate[b] = b, a
        self._alone &= ~(1 << path[0][0] | 1 << path[-1][1])
        self.size += 1


class _Search:
    """Edmonds' search for one more pair: a tree of alternating paths from a player alone.

    `outer` players can be reached with their pair to be replaced; an edge between two of them
    closes an odd cycle (a blossom), whose players all become outer and are shrunk to one base.
    """

    def __init__(self, possible: Sequence[int], mate: Sequence[int]) -> None:
        self.possible = possible
        self.mate = mate
        self.parent: dict[int, int] = {}
        self.base: dict[int, int] = {}
        self.members: dict[int, int] = {}
        self.outer = 0
        self.queue: list[int] = []

    def path(self, root: int, alive: int, alone: int) -> list[tuple[int, int]]:
        """Return the pairs that give `root` and another single player a partner each, or none."""
        ends = alone & ~(1 << root)
        if not ends:
            return []
        unreached = alive & ~(1 << root)
        self._reach(root)
        if self.possible[root] & ends:
            return self._back_from(root, ends)
        for player in self.queue:
            opponents = self.possible[player] & alive
            fresh = opponents & unreached
            while fresh:
                inner = fresh.bit_length() - 1
                partner = self.mate[inner]
                self.parent[inner] = player
                self.base[inner] = inner
                self.members[inner] = 1 << inner
                self._reach(partner)
                unreached &= ~(1 << inner | 1 << partner)
                fresh &= unreached
                if self.possible[partner] & ends:
                    return self._back_from(partner, ends)
            others = opponents & self.outer & ~self.members[self._base_of(player)]
            while others:
                outer_players = self._shrink(player, others.bit_length() - 1)
                for newly_outer in outer_players:
                    if self.possible[newly_outer] & ends:
                        return self._back_from(newly_outer, ends)
                others &= ~self.members[self._base_of(player)]
        return []

    def _reach(self, player: int) -> None:
        """Add a player to the tree's outer side, as their own base."""
        self.base[player] = player
        self.members[player] = 1 << player
        self.outer |= 1 << player
        self.queue.append(player)

    def _back_from(self, player: int, ends: int) -> list[tuple[int, int]]:
        """Return the path from an end that this outer player can meet back to the root."""
        end = (self.possible[player] & ends).bit_length() - 1
        self.parent[end] = player
        path: list[tuple[int, int]] = []
        while end != ALONE:
            before = self.parent[end]
            path.append((end, before))
            end = self.mate[before]
        return path

    def _shrink(self, one: int, two: int) -> list[int]:
        """Shrink the odd cycle that the edge one–two closes; return the players who become outer."""
        stem = self._common_base(one, two)
        outer_players: list[int] = []
        for start, bridge in ((one, two), (two, one)):
            player, child = start, bridge
            while self._base_of(player) != stem:
                self.parent[player] = child
                child = self.mate[player]
                if not self.outer >> child & 1:
                    self.outer |= 1 << child
                    self.queue.append(child)
                    outer_players.append(child)
                for joined in (player, child):
                    if self.base[joined] == joined:
                        self.base[joined] = stem
                        self.members[stem] |= self.members[joined]
                player = self.parent[child]
        return outer_players

    def _common_base(self, one: int, two: int) -> int:
        """Return the first base that both paths to the root have in common."""
        above: set[int] = set()
        player = self._base_of(one)
        above.add(player)
        while self.mate[player] != ALONE:
            player = self._base_of(self.parent[self.mate[player]])
            above.add(player)
        player = self._base_of(two)
        while player not in above:
            player = self._base_of(self.parent[self.mate[player]])
        return player

    def _base_of(self, player: int) -> int:
        base = self.base
        root = player
        while base[root] != root:
            root = base[root]
        while base[player] != root:
            base[player], player = root, base[player]
        return root


def _bits(players: int) -> Iterator[int]:
    """Return the places of the set bits, lowest first."""
    while players:
        lowest = players & -players
        yield lowest.bit_length() - 1
        players ^= lowest
