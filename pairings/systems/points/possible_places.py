"""Final places each player can still reach (004 §9), while the last rounds are played.

The result is a safe bound: nobody ends above `best` or below `worst`. In the last round, with its
boards known, it is exact with one exception: players level on PM who have met may be parted by PPM,
which depends on everybody in their group; such a rival is counted below for the best place and
above for the worst. With more rounds to come the boards are not known, Pdep can still change, and
only PM count: each player gains between 0 (1 without forfeits) and 3 a round, and a round gives no
more than 4 PM to a board.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from pairings.systems.points.match_points import DRAW, FORFEIT, LOSS, WIN, PointScale
from ratings.systems.protocol import PlayerId

Board = tuple[PlayerId, PlayerId | None]


class Contender(NamedTuple):
    """A player's totals so far and the number of their matches without a result yet."""

    player: PlayerId
    pm: int | Fraction
    pdep: int
    left: int


class Places(NamedTuple):
    """The best and the worst final place still possible."""

    best: int
    worst: int


class _Outcome(NamedTuple):
    """One way a board can end: both players' PM, and bounds of the first one's Pdep."""

    first: int
    second: int
    low: int
    high: int


def possible_places(
    contenders: Sequence[Contender],
    met: Mapping[PlayerId, Collection[PlayerId]],
    *,
    boards: Sequence[Board] | None = None,
    scale: PointScale | None = None,
    winning_games: int = 1,
    forfeits: bool = True,
) -> dict[PlayerId, Places]:
    """Return everybody's possible places.

    `boards`: those of the last round without a result yet, or None when more than the last round is
    to come; `met`: who met whom, as PPM reads it (§4.1).
    """
    if boards is not None and all(contender.left <= 1 for contender in contenders):
        last = _LastRound(contenders, met, boards, scale or PointScale(), winning_games, forfeits)
        return {contender.player: last.places_of(contender) for contender in contenders}
    return {
        contender.player: places_by_points(contender, contenders, least=0 if forfeits else LOSS)
        for contender in contenders
    }


def places_by_points(
    own: Contender,
    contenders: Sequence[Contender],
    *,
    least: int,
    win: int = WIN,
    head: int | Fraction = DRAW,
) -> Places:
    """Return the places that points alone leave open.

    A match gives a player from `least` to `win`, and a board no more than twice `head`.
    """
    others = [other for other in contenders if other.player != own.player]
    highest = own.pm + win * own.left
    lowest = own.pm + least * own.left
    best = 1 + sum(other.pm + least * other.left > highest for other in others)
    needs = sorted(
        max(0, lowest - other.pm) for other in others if other.pm + win * other.left >= lowest
    )
    # A board gives twice `head` at most; the opponent of a player who gains nothing may have a
    # whole win, and so may any opponent of X.
    fictive = max((contender.left for contender in contenders), default=0)
    dealt = head * sum(other.left for other in others) + (win - head) * (own.left + fictive)
    worst = 1
    for need in needs:
        dealt -= need
        if dealt < 0:
            break
        worst += 1
    return Places(best, worst)


class _LastRound:
    """The last round: every board ends in the way that helps, or hurts, one player most.

    Boards do not interact.
    """

    def __init__(
        self,
        contenders: Sequence[Contender],
        met: Mapping[PlayerId, Collection[PlayerId]],
        boards: Sequence[Board],
        scale: PointScale,
        winning_games: int,
        forfeits: bool,
    ) -> None:
        self.contenders = {contender.player: contender for contender in contenders}
        self.met = met
        self.scale = scale
        self.outcomes = tuple(_outcomes(scale, winning_games, forfeits))
        self.with_fictive: tuple[_Outcome, ...] = (
            _Outcome(WIN, 0, scale.forfeit_win, scale.forfeit_win),
        )
        if forfeits:
            self.with_fictive += (_Outcome(FORFEIT, 0, 0, 0),)
        self.boards = boards
        self.least = min(outcome.first for outcome in self.outcomes)
        seated = {player for board in boards for player in board if player is not None}
        self.settled = [contender for contender in contenders if contender.player not in seated]
        self.partner = {one: two for board in boards for one, two in (board, board[::-1])}

    def places_of(self, own: Contender) -> Places:
        if own.player not in self.partner:
            return Places(
                1 + self._above(own, own.pm, own.pdep, helping=True),
                1 + self._above(own, own.pm, own.pdep, helping=False),
            )
        outcomes = list(self._own_outcomes(own.player))
        best = min(self._places(own, outcomes, helping=True))
        return Places(best, max(self._places(own, outcomes, helping=False)))

    def _places(
        self, own: Contender, outcomes: Sequence[tuple[_Outcome, int]], *, helping: bool
    ) -> Iterator[int]:
        """Return the player's place after their best results, or after their worst."""
        gains = [outcome[seat] for outcome, seat in outcomes]
        wanted = max(gains) if helping else min(gains)
        for outcome, seat in outcomes:
            if outcome[seat] != wanted:
                continue
            for first_pdep in {outcome.low, outcome.high}:
                pdep = first_pdep if seat == 0 else self._second_pdep(outcome, first_pdep)
                final = own.pm + wanted, own.pdep + pdep
                rival = self._rival(own.player, outcome, seat, first_pdep)
                extra = rival is not None and self._is_above(rival, own, *final, helping)
                yield 1 + self._above(own, *final, helping=helping) + extra

    def _own_outcomes(self, player: PlayerId) -> Iterator[tuple[_Outcome, int]]:
        if self.partner[player] is None:
            yield from ((outcome, 0) for outcome in self.with_fictive)
            return
        seat = next(board.index(player) for board in self.boards if player in board)
        yield from ((outcome, seat) for outcome in self.outcomes)

    def _rival(
        self, player: PlayerId, outcome: _Outcome, seat: int, first_pdep: int
    ) -> Contender | None:
        other = self.partner[player]
        if other is None:
            return None
        rival = self.contenders[other]
        gain = outcome.second if seat == 0 else outcome.first
        pdep = self._second_pdep(outcome, first_pdep) if seat == 0 else first_pdep
        return Contender(other, rival.pm + gain, rival.pdep + pdep, 0)

    def _second_pdep(self, outcome: _Outcome, first_pdep: int) -> int:
        """Return the other side's Pdep.

        A forfeit is not symmetric when the loser keeps their own.
        """
        if (outcome.first, outcome.second) == (WIN, FORFEIT):
            return self.scale.forfeit_loss
        if (outcome.first, outcome.second) == (FORFEIT, WIN):
            return self.scale.forfeit_win
        return -first_pdep

    def _above(self, own: Contender, pm: int | Fraction, pdep: int, *, helping: bool) -> int:
        """Return how many end above this player, at least when helping them and at most otherwise."""
        count = sum(
            self._is_above(other, own, pm, pdep, helping)
            for other in self.settled
            if other.player != own.player
        )
        choose = min if helping else max
        for one, two in self.boards:
            if own.player in (one, two):
                continue
            first = self.contenders[one]
            second = None if two is None else self.contenders[two]
            points = (first.pm,) if second is None else (first.pm, second.pm)
            if max(points) + WIN < pm:
                continue
            if second is not None and min(points) + self.least > pm:
                count += 2
                continue
            count += choose(self._counts(first, second, own, pm, pdep, helping))
        return count

    def _counts(
        self,
        first: Contender,
        second: Contender | None,
        own: Contender,
        pm: int | Fraction,
        pdep: int,
        helping: bool,
    ) -> Iterator[int]:
        for outcome in self.with_fictive if second is None else self.outcomes:
            first_pm = first.pm + outcome.first
            second_pm = None if second is None else second.pm + outcome.second
            tries = {outcome.low}
            if pm in (first_pm, second_pm):
                turning = [pdep - first.pdep]
                if second is not None:
                    turning.append(second.pdep - pdep)
                tries |= {
                    min(outcome.high, max(outcome.low, at + step))
                    for at in turning
                    for step in (-1, 0, 1)
                } | {outcome.high}
            for gained in tries:
                one = Contender(first.player, first_pm, first.pdep + gained, 0)
                count = int(self._is_above(one, own, pm, pdep, helping))
                if second is not None and second_pm is not None:
                    other = second.pdep + self._second_pdep(outcome, gained)
                    two = Contender(second.player, second_pm, other, 0)
                    count += self._is_above(two, own, pm, pdep, helping)
                yield count

    def _is_above(
        self, other: Contender, own: Contender, pm: int | Fraction, pdep: int, helping: bool
    ) -> bool:
        if other.pm != pm:
            return other.pm > pm
        may_use_ppm = (
            other.player in self.met.get(own.player, ())
            or self.partner.get(own.player) == other.player
        )
        if may_use_ppm:
            return not helping
        return other.pdep > pdep


def _outcomes(scale: PointScale, winning_games: int, forfeits: bool) -> Iterator[_Outcome]:
    """Return every way a board can end, with the widest Pdep that a finished match allows."""
    most = winning_games * scale.cap
    narrow = winning_games - (winning_games - 1) * scale.cap
    drawn = (winning_games - 1) * (scale.cap - 1)
    yield _Outcome(WIN, LOSS, narrow, most)
    yield _Outcome(DRAW, DRAW, -drawn, drawn)
    yield _Outcome(LOSS, WIN, -most, -narrow)
    if forfeits:
        yield _Outcome(WIN, FORFEIT, scale.forfeit_win, scale.forfeit_win)
        yield _Outcome(FORFEIT, WIN, scale.forfeit_loss, scale.forfeit_loss)
        yield _Outcome(FORFEIT, FORFEIT, 0, 0)
