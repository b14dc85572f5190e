"""Ranking and pairing of a tournament. `run()` gives one line a measure; a runner prints them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from benchmarks.report import line_of, median_of, publish
from pairings.rules.scoring import BYE, MatchRecord
from pairings.systems.formule_classique.system import FormuleClassique
from pairings.systems.points.possible_places import Contender, possible_places
from pairings.systems.protocol import Entrant

SEED = 2004
STRICT = FormuleClassique()
OPTIMAL = FormuleClassique(strategy="optimal")


def played(size: int, rounds: int, *, seed: int = SEED) -> tuple[list[Entrant], list[MatchRecord]]:
    """Return a tournament paired by the rule itself, with scores drawn from the seed."""
    chance = random.Random(seed)
    people = [Entrant(player, 0, player) for player in range(size)]
    records: list[MatchRecord] = []
    for day in range(1, rounds + 1):
        pairing = STRICT.pair_round(people, records, today=day)
        for pair in pairing.pairs:
            own, other = (max(150, int(chance.gauss(400, 60))) for _ in range(2))
            records.append(
                MatchRecord(pair.first, pair.second, first_score=own, second_score=other, day=day)
            )
        records += [MatchRecord(bye.player, None, BYE, day=day) for bye in pairing.byes]
    return people, records


def run() -> list[dict[str, Any]]:
    """Return name, median seconds, limit, anchor (seconds of another way, or None)."""
    lines = []
    people, records = played(128, 7)
    lines.append(
        line_of(
            "Classique standings, 128 players, 7 rounds",
            median_of(lambda: STRICT.rank(people, records)),
            0.020,
        )
    )
    for rounds in (6, 15):
        many, history = played(1_000, rounds)
        ranked = STRICT.rank(many, history, for_pairing=True)
        order = [line.player for line in ranked]
        pm = {line.player: line.values["pm"] for line in ranked}
        met = STRICT.met(history)
        avoidable = STRICT.pair_ranked(order, pm, met).alternative is not None
        shown = ", avoidable repeat shown" if avoidable else ""
        lines.append(
            line_of(
                f"Classique strict round, 1,000 players after {rounds} rounds{shown}",
                median_of(lambda o=order, p=pm, m=met: STRICT.pair_ranked(o, p, m)),
                0.020 if avoidable else 0.004,
            )
        )
        lines.append(
            line_of(
                f"Classique look-ahead round, 1,000 players after {rounds} rounds",
                median_of(lambda o=order, p=pm, m=met: OPTIMAL.pair_ranked(o, p, m)),
                0.020,
            )
        )
    lines.append(
        line_of(
            "Classique possible places, 128 players, last round", median_of(_last_round()), 0.500
        )
    )
    return lines


def _last_round() -> Callable[[], object]:
    people, records = played(128, 6)
    pm, pdep = STRICT.totals(people, records)
    contenders = [Contender(player, pm[player], pdep[player], 1) for player in pm]
    pairing = STRICT.pair_round(people, records, today=7)
    boards = [(pair.first, pair.second) for pair in pairing.pairs]
    duels = STRICT.duels(records)
    return lambda: possible_places(contenders, duels, boards=boards)


if __name__ == "__main__":
    publish("classique", run())
