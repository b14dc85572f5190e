"""Ranking and pairing of the ladder. `run()` gives one line a measure; a runner prints them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import rustworkx

from benchmarks.report import line_of, median_of, publish
from pairings.rules.scoring import MatchRecord, Met, meetings
from pairings.systems.faizers.system import FaizersPairing
from pairings.systems.protocol import Entrant

SEED = 2002
STRICT = FaizersPairing()
OPTIMAL = FaizersPairing(strategy="optimal")


def ladder(players: int, matches: int, *, seed: int = SEED) -> list[MatchRecord]:
    """Return a season of `matches` drawn at random among neighbours of a fixed strength."""
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
    """Return a season of full rounds, each paired by the ladder itself: a realistic history."""
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
    """Return name, median seconds, limit, anchor (seconds of another way, or None)."""
    return [*_ranking(), *_after_own_rounds(), *_rounds(1_000), *_rounds(10_000)]


def _ranking() -> Iterator[dict[str, Any]]:
    records = ladder(1_000, 30_000)
    entrants = [Entrant(player, player, player) for player in range(1_000)]
    yield line_of(
        "standings, 1,000 players, 30,000 matches",
        median_of(lambda: STRICT.rank(entrants, records, today=200)),
        0.200,
    )


def _after_own_rounds() -> Iterator[dict[str, Any]]:
    """Measure after the ladder's own history, where the literal rule does run into a repeat.

    Then measure the same with one regular who has met nearly everybody.
    """
    players, rounds = 1_000, 30
    records = swiss(players, rounds)
    entrants = [Entrant(player, 0, player) for player in range(players)]
    order = [line.player for line in STRICT.rank(entrants, records, today=rounds, for_pairing=True)]
    yield from _both(order, meetings(records), "1,000 players after 30 of its own rounds", 0.020)
    regular = order[players // 2]
    records += [
        MatchRecord(regular, other, first_score=1, second_score=0, day=rounds)
        for other in order[:-10]
        if other != regular
    ]
    title = "the same, and one player has met 990"
    yield from _both(order, meetings(records), title, 0.020)


def _rounds(players: int) -> Iterator[dict[str, Any]]:
    limits = (0.004, 0.020) if players == 1_000 else (0.060, 0.500)
    for rounds in (10, 30):
        met = _random_history(players, rounds)
        title = f"{players:,} players, {rounds} matches each"
        anchor = None
        if players == 1_000:
            anchor = median_of(partial(_by_rustworkx, players, met), repeats=1)
        yield from _both(list(range(players)), met, title, *limits[::-1], anchor)


def _both(
    order: list[Any],
    met: Met,
    title: str,
    ahead_limit: float,
    literal_limit: float = 0.004,
    anchor: float | None = None,
) -> Iterator[dict[str, Any]]:
    """Run both strategies; the literal one includes the search for what it could have avoided."""
    literal = median_of(lambda: STRICT.pair_ranked(order, met))
    repeats = STRICT.pair_ranked(order, met).alternative is not None
    yield line_of(
        f"strict pairing, {title}{', avoidable repeat shown' if repeats else ''}",
        literal,
        ahead_limit if repeats else literal_limit,
    )
    ahead = median_of(lambda: OPTIMAL.pair_ranked(order, met))
    yield line_of(f"look-ahead pairing, {title}", ahead, ahead_limit, anchor)


def _random_history(players: int, rounds: int, *, seed: int = SEED) -> Met:
    """Return a history in which each player has met `rounds` others, drawn at random."""
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
    """Compute the anchor: a maximum matching of all who have not met, by a compiled library."""
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


if __name__ == "__main__":
    publish("pairing", run())
