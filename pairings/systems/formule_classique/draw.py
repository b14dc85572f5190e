"""First against last of the group, and the permutations (004 §6.1.2, §6.1.3, §7).

The search goes from the top, one player after the other. Whether a group is even, and the first
player of the next one, depend on the players still free, as in the worked example of §7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from pairings.rules.scoring import Meeting, Met
from pairings.systems.matching.lookahead import Completion
from pairings.systems.matching.repairing import NOT_FOUND, permute
from pairings.systems.protocol import ALREADY_MET, DIRECT, KEPT, LOOKAHEAD, REPEAT, Pair, Skipped
from ratings.systems.protocol import PlayerId

Points = Mapping[PlayerId, int | Fraction]
"""What the groups are made of: PM, or wins."""

NO_MEETINGS: Mapping[PlayerId, Meeting] = {}


class _Groups:
    """The players still free, in groups of equal PM that are neighbours in the ranking."""

    def __init__(self, order: Sequence[PlayerId], pm: Points) -> None:
        self.free = bytearray(b"\x01") * len(order)
        self.group_of: list[int] = []
        self.left: list[int] = []
        self.lowest: list[int] = []
        self.highest_below: list[int] = []
        before: int | Fraction | None = None
        for place, player in enumerate(order):
            points = pm[player]
            if points != before:
                self.left.append(0)
                self.lowest.append(place)
                self.highest_below.append(place)
                before = points
            self.group_of.append(len(self.left) - 1)
            self.left[-1] += 1
            self.lowest[-1] = place
            self.highest_below[-1] = place + 1

    def take(self, place: int) -> None:
        self.free[place] = 0
        self.left[self.group_of[place]] -= 1

    def proposed_to(self, place: int) -> int:
        """Return the opponent of the player taken last from the top (§6.1.2).

        It is the last one left of the group, or the first of the next group that has one when they
        are an odd number.
        """
        group, free = self.group_of[place], self.free
        if self.left[group] % 2:  # counting the player taken: an even number
            opponent = self.lowest[group]
            while not free[opponent]:
                opponent -= 1
            self.lowest[group] = opponent
        else:
            opponent = self.highest_below[group]
            while not free[opponent]:
                opponent += 1
            self.highest_below[group] = opponent
        return opponent


class _Literal:
    """The document's own algorithm, over an even number of players in order, best first."""

    def __init__(self, order: Sequence[PlayerId], pm: Points, met: Met) -> None:
        if len(order) % 2:
            raise ValueError("an odd number of players: add the fictive one")
        self.order = order
        self.met = met
        self.groups = _Groups(order, pm)
        self.pairs: list[Pair] = []

    def run(self) -> tuple[Pair, ...]:
        groups, met = self.groups, self.met
        for place, player in enumerate(self.order):
            if groups.free[place]:
                groups.take(place)
                self.pair(place, groups.proposed_to(place), met.get(player, NO_MEETINGS))
        return tuple(self.pairs)

    def pair(self, place: int, proposed: int, known: Mapping[PlayerId, Meeting]) -> None:
        """Pair with the proposed player, else up, else down the ranking, or keep the proposal (§7)."""
        order, free = self.order, self.groups.free
        if order[proposed] not in known:
            self.make(place, proposed, DIRECT, proposed)
            return
        opponent, reason, refused = permute(
            order,
            lambda spot: bool(free[spot]),
            lambda other: other not in known,
            place,
            proposed,
            place,
        )
        if opponent == NOT_FOUND:
            opponent, reason = proposed, KEPT
        self.make(place, opponent, reason, proposed, self.skipped(refused, opponent, known))

    def skipped(
        self, refused: Sequence[int], partner: int, known: Mapping[PlayerId, Meeting]
    ) -> tuple[Skipped, ...]:
        """Return who was tried before, and the round they met, or that the rest forbids it."""
        order = self.order
        tried = [order[place] for place in refused if place != partner]
        return tuple(
            Skipped(other, ALREADY_MET if other in known else LOOKAHEAD, known.get(other))
            for other in tried
        )

    def make(
        self,
        place: int,
        partner: int,
        reason: str,
        proposed: int,
        skipped: tuple[Skipped, ...] = (),
    ) -> None:
        order = self.order
        self.groups.take(partner)
        first, second = order[place], order[partner]
        meeting = None if reason == DIRECT else self.met.get(first, NO_MEETINGS).get(second)
        self.pairs.append(Pair(first, second, reason, order[proposed], skipped, meeting))


class _Ahead(_Literal):
    """The same preferences, but a choice is kept only if it forces no repeat below."""

    def __init__(self, order: Sequence[PlayerId], pm: Points, met: Met) -> None:
        super().__init__(order, pm, met)
        self.completion = Completion(order, met)

    def pair(self, place: int, proposed: int, known: Mapping[PlayerId, Meeting]) -> None:
        order, allows, player = self.order, self.completion.allows, self.order[place]
        free = self.groups.free

        def is_free(spot: int) -> bool:
            return bool(free[spot])

        if order[proposed] not in known and allows(player, order[proposed]):
            self._take(place, proposed, DIRECT, proposed)
            return

        def is_new(other: PlayerId) -> bool:
            return other not in known and allows(player, other)

        def is_bearable(other: PlayerId) -> bool:
            return other in known and allows(player, other)

        opponent, reason, refused = permute(order, is_free, is_new, place, proposed, place)
        if opponent == NOT_FOUND:
            opponent, _how, _ = permute(order, is_free, is_bearable, place, proposed, place)
            reason = KEPT if opponent == proposed else REPEAT
        self._take(place, opponent, reason, proposed, self.skipped(refused, opponent, known))

    def _take(
        self,
        place: int,
        partner: int,
        reason: str,
        proposed: int,
        skipped: tuple[Skipped, ...] = (),
    ) -> None:
        self.completion.take(self.order[place], self.order[partner])
        self.make(place, partner, reason, proposed, skipped)


def pair_literally(order: Sequence[PlayerId], pm: Points, met: Met) -> tuple[Pair, ...]:
    """Pair by the rule of the document. The players are an even number, in order, best first."""
    return _Literal(order, pm, met).run()


def pair_ahead(order: Sequence[PlayerId], pm: Points, met: Met) -> tuple[Pair, ...]:
    """Pair by the same order of preference with the fewest repeats of this round."""
    return _Ahead(order, pm, met).run()


def repeats_in(pairs: Sequence[Pair]) -> int:
    """Return how many pairs have met before, a second match against the fictive player included."""
    return sum(pair.is_repeat for pair in pairs)
