"""Who begins a game: fewest firsts, then who went second longest ago, then a draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from clubs.rulebooks.fields import gettext_noop as _
from pairings.rules.scoring import PENDING, PLAYED, MatchRecord
from ratings.systems.protocol import PlayerId

FEWEST, LONGEST_AGO, DRAWN = "fewest", "longest_ago", "drawn"
WORDS = {
    FEWEST: _("a commencé moins souvent"),
    LONGEST_AGO: _("a joué en second il y a plus longtemps"),
    DRAWN: _("tirage au sort"),
}
"""How each reason reads after the name of who begins."""

Toss = Callable[[PlayerId, PlayerId], bool]
"""Whether the first of these two begins, by a draw that the caller keeps."""


class Beginning(NamedTuple):
    """Who begins and who goes second, why, and how often each has begun before."""

    first: PlayerId
    second: PlayerId
    why: str
    firsts: tuple[int, int]


class Firsts:
    """How often and when each player began, from the games of a tournament in their order."""

    def __init__(self, records: Iterable[MatchRecord]) -> None:
        self.begun: dict[PlayerId, int] = {}
        self.went_second: dict[PlayerId, int] = {}
        for record in records:
            if record.kind in (PLAYED, PENDING) and record.second is not None:
                self.begun[record.first] = self.begun.get(record.first, 0) + 1
                self.went_second[record.second] = record.day

    def settle(self, one: PlayerId, two: PlayerId, toss: Toss) -> Beginning:
        """Return who of the two begins.

        A player who has never gone second has not gone second longest ago.
        """
        begun = self.begun.get(one, 0), self.begun.get(two, 0)
        seconds = self.went_second.get(one), self.went_second.get(two)
        if begun[0] != begun[1]:
            return self._beginning(one, two, FEWEST, begun[0] < begun[1])
        if seconds[0] != seconds[1]:
            if seconds[0] is None or seconds[1] is None:
                return self._beginning(one, two, LONGEST_AGO, seconds[0] is not None)
            return self._beginning(one, two, LONGEST_AGO, seconds[0] < seconds[1])
        return self._beginning(one, two, DRAWN, toss(one, two))

    def _beginning(self, one: PlayerId, two: PlayerId, why: str, one_begins: bool) -> Beginning:
        first, second = (one, two) if one_begins else (two, one)
        return Beginning(first, second, why, (self.begun.get(first, 0), self.begun.get(second, 0)))
