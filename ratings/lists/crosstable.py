"""The games of a rated competition as a table: places by points, and what each player did by round.

Plain values in and out; games that were not played count in the points, as the organiser decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ratings.systems.protocol import Game, PlayerId

WON, DREW, LOST = 2, 1, 0
MARKS = {WON: "+", DREW: "=", LOST: "−"}


@dataclass(frozen=True, slots=True)
class Board:
    """A game seen by one of its players; `opponent` is None for a bye."""

    opponent: PlayerId | None
    halves: int
    scores: tuple[int, int] | None = None
    played: bool = True

    @property
    def spread(self) -> int:
        return self.scores[0] - self.scores[1] if self.scores and self.played else 0


@dataclass(frozen=True, slots=True)
class Line:
    """One player: the place by points, then by spread where every game has scores."""

    player: PlayerId
    place: int
    ex_aequo: bool
    halves: int
    spread: int
    cells: tuple[tuple[Board, ...], ...]


@dataclass(frozen=True, slots=True)
class Crosstable:
    """`rounds`: their names. Without rounds (`has_rounds` no), columns are each player's games in order."""

    rounds: tuple[str, ...]
    has_rounds: bool
    has_spread: bool
    lines: tuple[Line, ...]

    @property
    def places(self) -> Mapping[PlayerId, int]:
        return {line.player: line.place for line in self.lines}


def round_of(game: Game) -> str:
    """Return the name of a game's round; empty where the file did not say it."""
    return str(game.facts.get("round") or "")


def rounds_of(names: Iterable[str]) -> list[str]:
    """Return each name of a round once, numbers in their order; empty if a game has none."""
    names = set(names)
    if "" in names:
        return []
    return sorted(names, key=lambda name: (not name.isdecimal(), name.zfill(9)))


def crosstable(
    games: Sequence[Game],
    byes: Sequence[tuple[PlayerId, int, str]] = (),
    *,
    order: Mapping[PlayerId, str],
) -> Crosstable:
    """Return the table of a competition. `byes` are (player, half points, round).

    `order` parts players level on points and spread, who share their place.
    """
    rounds = rounds_of([*map(round_of, games), *(str(name or "") for _p, _h, name in byes)])
    boards: dict[PlayerId, list[tuple[str, Board]]] = {}
    for game in games:
        for player in (game.first, game.second):
            boards.setdefault(player, []).append((round_of(game), _board(game, player)))
    for player, halves, name in byes:
        boards.setdefault(player, []).append((str(name or ""), Board(None, halves, None, False)))
    played = [game for game in games if game.facts.get("played", True)]
    has_spread = bool(played) and all(game.first_score is not None for game in played)
    level = {
        player: (
            sum(one.halves for _n, one in player_boards),
            has_spread * sum(o.spread for _n, o in player_boards),
        )
        for player, player_boards in boards.items()
    }
    widest = max((len(player_boards) for player_boards in boards.values()), default=0)
    columns = tuple(rounds) or tuple(str(number + 1) for number in range(widest))
    ordered = sorted(boards, key=lambda one: (-level[one][0], -level[one][1], order.get(one, "")))
    values = list(level.values())
    lines = tuple(
        Line(
            player,
            1 + sum(other > level[player] for other in values),
            values.count(level[player]) > 1,
            *level[player],
            cells=_cells(boards[player], columns, bool(rounds)),
        )
        for player in ordered
    )
    return Crosstable(columns, bool(rounds), has_spread, lines)


def _board(game: Game, player: PlayerId) -> Board:
    opponent, halves, score, other = game.seen_by(player)
    scores = None if score is None or other is None else (score, other)
    if game.facts.get("both"):
        halves = LOST
    return Board(opponent, halves, scores, game.facts.get("played", True) is not False)


def _cells(
    boards: Sequence[tuple[str, Board]], columns: Sequence[str], has_rounds: bool
) -> tuple[tuple[Board, ...], ...]:
    if not has_rounds:
        cells = [(board,) for _name, board in boards]
        return (*cells, *[()] * (len(columns) - len(cells)))
    return tuple(tuple(one for name, one in boards if name == column) for column in columns)
