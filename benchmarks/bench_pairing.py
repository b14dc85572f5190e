"""How fast the ladder ranks and pairs. `run()` gives one line a measure; a runner prints them."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import rustworkx

from pairings.scoring import MatchRecord, Met, meetings
from pairings.systems.base import Entrant
from pairings.systems.faizers import FaizersPairing

SEED = 2002
STRICT = FaizersPairing()
OPTIMAL = FaizersPairing(strategy="optimal")


def ladder(players: int, matches: int, *, seed: int = SEED) -> list[MatchRecord]:
    """A season of `matches` drawn at random among neighbours of a fixed strength."""
    chance = random.Random(seed)
    records = []
    for day in range(matches):
        first, second = chance.sample(range(players), 2)
        scores = [max(150, int(chance.gauss(380, 60))) for _ in range(2)]
        records.append(
            MatchRecord(
                first, second, first_score=scores[0], second_score=scores[1], day=day // 200
            )
        )
    return records


def swiss(players: int, rounds: int, *, seed: int = SEED) -> list[MatchRecord]:
    """A season of full rounds, each paired by the ladder itself: the history it really makes."""
    chance = random.Random(seed)
    entrants = [Entrant(player, 0, player) for player in range(players)]
    records: list[MatchRecord] = []
    for day in range(rounds):
        pairing = STRICT.pair_round(entrants, records, today=day)
        for pair in pairing.pairs:
            scores = [max(150, int(chance.gauss(380, 60))) for _ in range(2)]
            records.append(
                MatchRecord(
                    pair.first, pair.second, first_score=scores[0], second_score=scores[1], day=day
                )
            )
    return records


def run() -> list[dict[str, Any]]:
    """name, seconds (median), limit, anchor (seconds of another way in the same run, or None)."""
    return [*_ranking(), *_rounds(1_000), *_rounds(10_000)]


def _ranking() -> Iterator[dict[str, Any]]:
    records = ladder(1_000, 30_000)
    entrants = [Entrant(player, player, player) for player in range(1_000)]
    yield _line(
        "standings, 1,000 players, 30,000 matches",
        _median(lambda: STRICT.rank(entrants, records, today=200)),
        0.200,
    )


def _rounds(players: int) -> Iterator[dict[str, Any]]:
    literal_limit, ahead_limit = (0.004, 0.020) if players == 1_000 else (0.060, 0.500)
    for rounds in (10, 30):
        met = _random_history(players, rounds)
        order = list(range(players))
        title = f"{players:,} players, {rounds} matches each"
        literal = _median(lambda order=order, met=met: STRICT.pair_ranked(order, met))
        yield _line(f"strict pairing, {title}", literal, literal_limit)
        ahead = _median(lambda order=order, met=met: OPTIMAL.pair_ranked(order, met))
        anchor = None
        if players == 1_000 and rounds == 10:
            anchor = _median(lambda met=met: _by_rustworkx(players, met), repeats=1)
        yield _line(f"look-ahead pairing, {title}", ahead, ahead_limit, anchor)


def _random_history(players: int, rounds: int, *, seed: int = SEED) -> Met:
    """Each player has met `rounds` others, drawn at random."""
    chance = random.Random(seed)
    records = []
    for day in range(rounds):
        drawn = list(range(players))
        chance.shuffle(drawn)
        records += [
            MatchRecord(first, second, first_score=1, second_score=0, day=day)
            for first, second in zip(drawn[::2], drawn[1::2], strict=True)
        ]
    return meetings(records)


def _by_rustworkx(players: int, met: Met) -> int:
    """The anchor: a maximum matching of everybody who has not met, by a compiled library."""
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(list(range(players)))
    graph.add_edges_from(
        [
            (first, second, 1)
            for first in range(players)
            for second in range(first + 1, players)
            if second not in met[first]
        ]
    )
    return len(rustworkx.max_weight_matching(graph, max_cardinality=True))


def _median(work: Callable[[], object], *, repeats: int = 7) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _line(name: str, seconds: float, limit: float, anchor: float | None = None) -> dict[str, Any]:
    return {"name": name, "seconds": seconds, "limit": limit, "anchor": anchor}
