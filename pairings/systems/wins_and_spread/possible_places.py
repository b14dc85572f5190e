"""Final places each player can still reach when wins order the ranking, then spread.

The result is a safe bound: nobody ends above `best` or below `worst`. Level wins may be parted either
way, because a spread has no limit. In the last round, with its boards known, wins are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from pairings.systems.points.possible_places import (
    Board,
    Contender,
    Places,
    places_by_points,
)
from pairings.systems.wins_and_spread.ranking import HALF
from ratings.systems.protocol import PlayerId

OUTCOMES: Sequence[tuple[int | Fraction, int | Fraction]] = ((1, 0), (0, 1), (HALF, HALF), (0, 0))
"""Wins of both players of a board; the last one is a double forfeit."""


def possible_places(
    wins: Mapping[PlayerId, int | Fraction],
    left: Mapping[PlayerId, int],
    boards: Sequence[Board] | None = None,
) -> dict[PlayerId, Places]:
    """Return everybody's possible places.

    `left`: matches without a result; `boards`: those of the last round without a result yet, None
    when more than the last round is to come.
    """
    if boards is not None:
        return {player: _last_round(player, wins, boards) for player in wins}
    contenders = [Contender(player, wins[player], 0, left[player]) for player in wins]
    return {
        each.player: places_by_points(each, contenders, least=0, win=1, head=HALF)
        for each in contenders
    }


def _last_round(
    player: PlayerId, wins: Mapping[PlayerId, int | Fraction], boards: Sequence[Board]
) -> Places:
    last_board = next((board for board in boards if player in board), None)
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
        fixed = [wins[p] for p in wins if not any(p in board for board in boards)]
        if last_board is not None:
            fixed += [wins[p] + rival for p in last_board if p not in (player, None)]
        else:
            fixed.remove(wins[player])
        best = min(best, 1 + above + sum(points > final for points in fixed))
        worst = max(worst, 1 + level + sum(points >= final for points in fixed))
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
