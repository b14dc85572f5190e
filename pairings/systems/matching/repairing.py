"""Search for another opponent when the proposed one was already met (002 III.B.2): up, then down.

Two pairings over players in order share this search: literally as the document says, or checking
before each choice whether the rest can still be paired with the fewest repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pairings.rules.scoring import Meeting, Met
from pairings.systems.matching.lookahead import Completion
from pairings.systems.protocol import (
    ALREADY_MET,
    DIRECT,
    DOWN,
    EARLY_REPEAT,
    LOOKAHEAD,
    REPEAT,
    TOO_SOON,
    UP,
    Pair,
    Skipped,
)
from ratings.systems.protocol import PlayerId

NO_MEETINGS: Mapping[PlayerId, Meeting] = {}
NOT_FOUND = -1

Pairs = tuple[list[Pair], list[PlayerId]]
"""The pairs made and the players left without one."""


class Repeats(NamedTuple):
    """When two players may meet again (002 VI.4): after so many matches, or earlier by consent."""

    after: int
    early_allowed: bool


def permute(
    order: Sequence[PlayerId],
    is_free: Callable[[int], bool],
    accepts: Callable[[PlayerId], bool],
    player: int,
    proposed: int,
    top: int = 0,
) -> tuple[int, str, list[int]]:
    """Return the opponent found from the place `proposed`, how, and the places refused before.

    Remontée: the proposed opponent, then up the ranking, one by one; descente: then down from
    there. The place is `NOT_FOUND` when nobody is accepted. Nobody is free above `top`.
    """
    refused: list[int] = []
    for reason, places in (
        (UP, range(proposed, top - 1, -1)),
        (DOWN, range(proposed + 1, len(order))),
    ):
        for place in places:
            if place == player or not is_free(place):
                continue
            if accepts(order[place]):
                return place, DIRECT if place == proposed else reason, refused
            refused.append(place)
    return NOT_FOUND, "", refused


class _Walk:
    """Players in order, best first; the best free player gets an opponent, until nobody is left."""

    def __init__(self, order: Sequence[PlayerId], met: Met, repeats: Repeats) -> None:
        self.order = order
        self.met = met
        self.repeats = repeats
        self.free = bytearray(b"\x01") * len(order)
        self.pairs: list[Pair] = []
        self.unpaired: list[PlayerId] = []

    def run(self) -> Pairs:
        order, free = self.order, self.free
        lowest = len(order) - 1
        for best, player in enumerate(order):
            if not free[best]:
                continue
            while not free[lowest]:
                lowest -= 1
            free[best] = 0
            if lowest == best:
                self.leave(player)
                break
            self.pair(best, lowest, self.met.get(player, NO_MEETINGS))
        return self.pairs, self.unpaired

    def pair(self, best: int, lowest: int, known: Mapping[PlayerId, Meeting]) -> None:
        """Pair the best free player, or leave them; the proposal is the lowest free player."""
        raise NotImplementedError

    def leave(self, player: PlayerId) -> None:
        self.unpaired.append(player)

    def search(
        self, best: int, lowest: int, accepts: Callable[[PlayerId], bool]
    ) -> tuple[int, str, list[int]]:
        return permute(
            self.order, lambda place: bool(self.free[place]), accepts, best, lowest, best
        )

    def make(
        self, best: int, place: int, reason: str, lowest: int, skipped: tuple[Skipped, ...] = ()
    ) -> None:
        order = self.order
        self.free[place] = 0
        first, second = order[best], order[place]
        meeting = None
        if reason in (REPEAT, EARLY_REPEAT):
            meeting = self.met[first][second]
        self.pairs.append(Pair(first, second, reason, order[lowest], skipped, meeting))

    def is_far(self, meeting: Meeting) -> bool:
        """Return whether the delay before the pair may meet again is over."""
        return meeting.since >= self.repeats.after


class _Literal(_Walk):
    """The document's own algorithm (III.B, VI.4)."""

    def pair(self, best: int, lowest: int, known: Mapping[PlayerId, Meeting]) -> None:
        order = self.order
        if order[lowest] not in known:
            self.make(best, lowest, DIRECT, lowest)
            return
        place, reason, refused = self.search(best, lowest, lambda other: other not in known)
        if place != NOT_FOUND:
            self.make(best, place, reason, lowest, self._skipped(refused, known, ALREADY_MET))
            return
        place, reason, refused = self.search(best, lowest, lambda other: self.is_far(known[other]))
        if place != NOT_FOUND:
            self.make(best, place, REPEAT, lowest, self._skipped(refused, known, TOO_SOON))
        elif self.repeats.early_allowed:
            self.make(best, lowest, EARLY_REPEAT, lowest)
        else:
            self.leave(order[best])

    def _skipped(
        self, refused: Sequence[int], known: Mapping[PlayerId, Meeting], why: str
    ) -> tuple[Skipped, ...]:
        order = self.order
        return tuple(Skipped(order[place], why, known[order[place]]) for place in refused)


class _Ahead(_Walk):
    """The same order of preference, but a choice is kept only if it forces no repeat below."""

    def __init__(self, order: Sequence[PlayerId], met: Met, repeats: Repeats) -> None:
        super().__init__(order, met, repeats)
        self.completion = Completion(order, met)

    def pair(self, best: int, lowest: int, known: Mapping[PlayerId, Meeting]) -> None:
        order, completion = self.order, self.completion
        player = order[best]

        def is_new(other: PlayerId) -> bool:
            return other not in known and completion.allows(player, other)

        def is_far_repeat(other: PlayerId) -> bool:
            return other in known and self.is_far(known[other]) and completion.allows(player, other)

        def is_repeat(other: PlayerId) -> bool:
            return other in known and completion.allows(player, other)

        if is_new(order[lowest]):
            self._take(best, lowest, DIRECT, lowest)
            return
        place, reason, refused = self.search(best, lowest, is_new)
        if place == NOT_FOUND:
            place, reason, refused = self.search(best, lowest, is_far_repeat)
            reason = REPEAT
        if place == NOT_FOUND and self.repeats.early_allowed:
            place, reason, refused = self.search(best, lowest, is_repeat)
            reason = EARLY_REPEAT
        if place == NOT_FOUND:
            completion.leave(player)
            self.leave(player)
            return
        self._take(best, place, reason, lowest, self._skipped(refused, known, reason))

    def _take(
        self, best: int, place: int, reason: str, lowest: int, skipped: tuple[Skipped, ...] = ()
    ) -> None:
        self.completion.take(self.order[best], self.order[place])
        self.make(best, place, reason, lowest, skipped)

    def _skipped(
        self, refused: Sequence[int], known: Mapping[PlayerId, Meeting], reason: str
    ) -> tuple[Skipped, ...]:
        skipped: list[Skipped] = []
        for place in refused:
            other = self.order[place]
            meeting = known.get(other)
            why = LOOKAHEAD
            if meeting is not None:
                why = TOO_SOON if reason == REPEAT and not self.is_far(meeting) else ALREADY_MET
            skipped.append(Skipped(other, why, meeting))
        return tuple(skipped)


def pair_literally(order: Sequence[PlayerId], met: Met, repeats: Repeats) -> Pairs:
    """Pair best against lowest, up, down, then repeats (002 III.B, VI.4)."""
    return _Literal(order, met, repeats).run()


def pair_ahead(order: Sequence[PlayerId], met: Met, repeats: Repeats) -> Pairs:
    """Pair by the same preferences, with the fewest pairs that are not new."""
    return _Ahead(order, met, repeats).run()
