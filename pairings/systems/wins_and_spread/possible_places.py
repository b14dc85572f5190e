"""Final places each player can still reach when wins order the ranking, then spread.

The result is a safe bound: nobody ends above `best` or below `worst`. Level wins may be parted either
way while one of the two still plays, because a spread has no limit. In the last round, with its boards
known, wins are exact, and so is the order of two players who have finished.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from pairings.systems.points.possible_places import Board, Contender, Places, places_by_points
from pairings.systems.wins_and_spread.ranking import HALF
from ratings.systems.protocol import PlayerId

OUTCOMES: Sequence[tuple[int | Fraction, int | Fraction]] = ((1, 0), (0, 1), (HALF, HALF), (0, 0))
"""Wins of both players of a board; the last one is a double forfeit."""


def possible_places(
    wins: Mapping[PlayerId, int | Fraction],
    left: Mapping[PlayerId, int],
    boards: Sequence[Board] | None = None,
    *,
    spread: Mapping[PlayerId, int] | None = None,
    direct_games: bool = False,
) -> dict[PlayerId, Places]:
    """Return everybody's possible places.

    `left`: matches without a result; `boards`: those of the last round without a result yet, None
    when more than the last round is to come. `spread`: everybody's so far; level on both, two
    players share a place unless their `direct_games` may part them.
    """
    if boards is not None:
        order = _Order(wins, spread, direct_games)
        return {player: _last_round(player, order, boards) for player in wins}
    contenders = [Contender(player, wins[player], 0, left[player]) for player in wins]
    return {
        each.player: places_by_points(each, contenders, least=0, win=1, head=HALF)
        for each in contenders
    }


class _Order(NamedTuple):
    """How players who have finished stand to each other."""

    wins: Mapping[PlayerId, int | Fraction]
    spread: Mapping[PlayerId, int] | None
    direct_games: bool

    def between(self, rival: PlayerId, player: PlayerId) -> tuple[bool, bool]:
        """Return whether the rival is ahead of the player for certain, and whether they may be."""
        if self.wins[rival] != self.wins[player]:
            ahead = self.wins[rival] > self.wins[player]
            return ahead, ahead
        if self.spread is None:
            return False, True
        difference = self.spread[rival] - self.spread[player]
        return difference > 0, difference > 0 or (difference == 0 and self.direct_games)


def _last_round(player: PlayerId, order: _Order, boards: Sequence[Board]) -> Places:
    wins = order.wins
    last_board = next((board for board in boards if player in board), None)
    finished = [p for p in wins if p != player and not any(p in board for board in boards)]
    best, worst = len(wins), 1
    for gain, rival in _own_outcomes(player, last_board):
        final = wins[player] + gain
        above, level = 0, 0
        for board in boards:
            if board is last_board:
                continue
            ends = [
                [wins[p] + more for p, more in zip(board, outcome, strict=True) if p is not None]
                for outcome in OUTCOMES
            ]
            above += min(sum(points > final for points in end) for end in ends)
            level += max(sum(points >= final for points in end) for end in ends)
        if last_board is None:
            ahead = [order.between(other, player) for other in finished]
            above += sum(certain for certain, _possible in ahead)
            level += sum(possible for _certain, possible in ahead)
        else:
            others = [wins[p] for p in finished]
            others += [wins[p] + rival for p in last_board if p not in (player, None)]
            above += sum(points > final for points in others)
            level += sum(points >= final for points in others)
        best, worst = min(best, 1 + above), max(worst, 1 + level)
    return Places(best, worst)


def _own_outcomes(
    player: PlayerId, board: Board | None
) -> Iterator[tuple[int | Fraction, int | Fraction]]:
    """Return what the player and the opponent can gain."""
    if board is None:
        yield 0, 0
        return
    for outcome in OUTCOMES:
        yield outcome if board[0] == player else outcome[::-1]
