"""How well pairing systems order players of known strength: repeats, floats, error of the places.

`run()` gives one line a system and size; `python -m benchmarks.bench_swiss` writes the tables of
docs/pairing-systems.md. Strengths are ratings drawn from a normal distribution of 250 points; a
player 200 points above wins three games of four, by a margin that grows with the difference.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from pairings.rules.scoring import BYE, MatchRecord
from pairings.systems.faizers.system import FaizersPairing
from pairings.systems.formule_classique.system import FormuleClassique
from pairings.systems.king_of_the_hill.system import KingOfTheHill
from pairings.systems.protocol import Entrant, Pairing
from pairings.systems.schedule.system import Range, Schedule
from pairings.systems.swiss.system import Swiss
from pairings.systems.wins_and_spread.ranking import WinsAndSpread

SEED = 2026
SPREAD = 250
PAGE = Path(__file__).parent.parent / "docs" / "pairing-systems.md"
BEGIN, END = "<!-- simulation -->\n", "<!-- /simulation -->\n"
SIZES = ((24, 7, 60), (24, 15, 60), (60, 7, 20), (60, 15, 12), (120, 15, 4), (200, 15, 2))
"""Players, rounds, tournaments simulated."""
RANKED = WinsAndSpread()


class Played(NamedTuple):
    """One simulated tournament: the sums that the table shows."""

    repeats: int
    floats: int
    error: float
    winner: bool
    top: float


def mixed(rounds: int) -> Schedule:
    """Return quads, then Swiss, then three rounds of king of the hill."""
    last = rounds - 2
    return Schedule(
        schedule=(Range(1, 3, "quads"), Range(4, last - 1, "swiss"), Range(last, rounds, KOTH))
    )


KOTH = KingOfTheHill.code
SYSTEMS: tuple[tuple[str, Callable[[int], Any]], ...] = (
    ("Swiss", lambda rounds: Swiss(rounds=rounds)),
    ("Swiss, lag 1", lambda rounds: Swiss(rounds=rounds, lag=1)),
    ("Quads, Swiss, king of the hill", mixed),
    ("Formule Classique, book", lambda rounds: FormuleClassique(rounds=rounds)),
    (
        "Formule Classique, look-ahead",
        lambda rounds: FormuleClassique(rounds=rounds, strategy="optimal"),
    ),
    ("FAIZERS, book", lambda rounds: FaizersPairing()),
    ("FAIZERS, look-ahead", lambda rounds: FaizersPairing(strategy="optimal")),
    (
        "King of the hill only",
        lambda rounds: KingOfTheHill(rounds=rounds, wins_and_spread=RANKED),
    ),
)


def simulate(system: Any, size: int, rounds: int, seed: int) -> Played:
    """Play one tournament; initial places follow ratings known to within 100 points."""
    chance = random.Random(seed)
    strength = {player: chance.gauss(1500, SPREAD) for player in range(size)}
    known = {player: value + chance.gauss(0, 100) for player, value in strength.items()}
    seeds = sorted(known, key=known.__getitem__, reverse=True)
    people = [Entrant(player, 0, place) for place, player in enumerate(seeds, start=1)]
    records: list[MatchRecord] = []
    repeats = floats = 0
    for day in range(1, rounds + 1):
        pairing: Pairing = system.pair_round(people, records, today=day)
        wins = RANKED.totals(people, records)[0]
        repeats += pairing.repeats
        floats += sum(wins[pair.first] != wins[pair.second] for pair in pairing.pairs)
        records += [_game(pair.first, pair.second, strength, chance, day) for pair in pairing.pairs]
        records += [MatchRecord(bye.player, None, BYE, day=day) for bye in pairing.byes]
    lines = system.rank(people, records, today=rounds + 1)
    order = [line.player for line in lines]
    truth = sorted(strength, key=strength.__getitem__, reverse=True)
    place = {player: number for number, player in enumerate(truth)}
    error = statistics.mean(abs(place[player] - n) for n, player in enumerate(order))
    best = set(truth[: size // 8])
    top = sum(player in best for player in order[: size // 8]) / (size // 8)
    return Played(repeats, floats, error, order[0] == truth[0], top)


def _game(
    first: Any, second: Any, strength: dict[Any, float], chance: random.Random, day: int
) -> MatchRecord:
    """Draw a game: a logistic chance of winning (200 points: three of four), then the margin."""
    expected = 1 / (1 + 3 ** ((strength[second] - strength[first]) / 200))
    margin = max(1, round(abs(chance.gauss(90 + 60 * abs(expected - 0.5), 60))))
    own, other = (430, 430 - margin) if chance.random() < expected else (430 - margin, 430)
    return MatchRecord(first, second, first_score=own, second_score=other, day=day)


def run(sizes: tuple[tuple[int, int, int], ...] = SIZES) -> list[dict[str, Any]]:
    """Return one line a system and size: means over its tournaments."""
    lines = []
    for size, rounds, times in sizes:
        for name, system in SYSTEMS:
            played = [simulate(system(rounds), size, rounds, SEED + n) for n in range(times)]
            lines.append(
                {
                    "system": name,
                    "size": size,
                    "rounds": rounds,
                    "tournaments": times,
                    **{
                        field: statistics.mean(getattr(one, field) for one in played)
                        for field in Played._fields
                    },
                }
            )
    return lines


def table(lines: list[dict[str, Any]]) -> str:
    """Return the lines as a table of Markdown for each size."""
    parts = []
    for (size, rounds, times), held in groupby(
        lines, key=lambda line: (line["size"], line["rounds"], line["tournaments"])
    ):
        parts.append(f"### {size} players, {rounds} rounds ({times} tournaments)\n")
        parts.append(
            "| system | repeats | floats | places off | strongest wins | true top eighth |"
        )
        parts.append("|---|---|---|---|---|---|")
        parts += [
            f"| {line['system']} | {line['repeats']:.1f} | {line['floats']:.1f} "
            f"| {line['error']:.1f} | {line['winner']:.0%} | {line['top']:.0%} |"
            for line in held
        ]
        parts.append("")
    return "\n".join(parts)


def write(lines: list[dict[str, Any]]) -> None:
    """Put the table between the marks of the page."""
    page = PAGE.read_text()
    before, _begin, rest = page.partition(BEGIN)
    _old, _end, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + table(lines) + END + after)


if __name__ == "__main__":
    measured = run()
    print(table(measured))
    write(measured)
