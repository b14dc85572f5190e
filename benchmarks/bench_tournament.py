"""A tournament day: a round of 1,000 with its reasons, standings, and paper for 128.

`bench_classique` measures the rule alone after more histories; here each line is what a director
waits for. `run()` gives one line a measure; a runner prints them.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from benchmarks.bench_classique import OPTIMAL, STRICT, played
from benchmarks.report import line_of, median_of, publish
from pairings.exchange.snapshot import (
    BYE,
    PLAYED,
    SheetBoard,
    SheetColumn,
    SheetPlayer,
    SheetRound,
    SheetStanding,
    SheetValue,
    TournamentSheet,
)
from pairings.rules.scoring import MatchRecord

MORNING = datetime(2026, 11, 28, 8, 30, tzinfo=UTC)
CODES = ("pm", "ppm", "pdep")


def sheet(size: int, rounds: int) -> TournamentSheet:
    """Return the tournament of `bench_classique`, as its prints and files take it."""
    people, records = played(size, rounds)
    chance = random.Random(size)
    names = ("Ștefania Țurcanu", "Émile Œhler", "Marie-Christine Vandenbroucke", "Karim N’Diaye")
    return TournamentSheet(
        name="Tournoi de mesure",
        held_on=date(2026, 11, 28),
        place="Salle Brâncuși",
        organisation="Club FAIZERS",
        rounds_planned=rounds,
        players=tuple(
            SheetPlayer(
                number=n,
                name=f"{names[n % 4]} {n}",
                club="Brașov",
                rating=chance.randint(1000, 2000),
                initial_rank=n,
            )
            for n in range(1, size + 1)
        ),
        rounds=tuple(
            SheetRound(
                number=day,
                published=True,
                starts_at=MORNING + timedelta(hours=day),
                boards=tuple(boards),
            )
            for day, boards in sorted(boards_by_day(records).items())
        ),
        columns=tuple(SheetColumn(code=code, label=code) for code in CODES),
        standings=tuple(
            SheetStanding(
                place=place,
                player=line.player + 1,
                values={
                    code: SheetValue(text=str(line.values[code] or ""), exact=line.values[code])
                    for code in CODES
                },
            )
            for place, line in enumerate(STRICT.rank(people, records), start=1)
        ),
        standings_after=rounds,
        final=True,
    )


def boards_by_day(records: Sequence[MatchRecord]) -> dict[int, list[SheetBoard]]:
    """Return the boards of each round, a bye as a board of one player."""
    by_day: dict[int, list[SheetBoard]] = {}
    for record in records:
        boards = by_day.setdefault(record.day, [])
        table, second = len(boards) + 1, record.second
        if second is None:
            boards.append(SheetBoard(table=table, first=record.first + 1, second=None, kind=BYE))
            continue
        boards.append(
            SheetBoard(
                table=table,
                first=record.first + 1,
                second=second + 1,
                kind=PLAYED,
                first_score=record.first_score,
                second_score=record.second_score,
            )
        )
    return by_day


def run() -> list[dict[str, Any]]:
    """Return name, seconds (median), limit, anchor (None: nothing to compare with)."""
    import django

    django.setup()
    return [*_rounds(), *_standings(), *_paper(), *_files()]


def _rounds() -> Iterator[dict[str, Any]]:
    """Compute a whole round as the draft stores it: ranked, paired, with its reasons as JSON."""
    people, records = played(1_000, 6)
    met = STRICT.met(records)
    ranked = STRICT.rank(people, records, for_pairing=True)
    order = [line.player for line in ranked]
    pm = {line.player: line.values["pm"] for line in ranked}
    for system, words, limit in ((STRICT, "strict", 0.004), (OPTIMAL, "look-ahead", 0.020)):
        pairing = system.pair_ranked(order, pm, met)
        # The strict rule also looks for the round that would avoid its repeats, where it has any.
        shown = ", avoidable repeat shown" if pairing.alternative is not None else ""
        yield line_of(
            f"{words} round of 1,000, with the reason of each board{shown}",
            median_of(lambda s=system: s.pair_ranked(order, pm, met)),  # type: ignore[misc]
            0.020 if shown else limit,
        )
        yield line_of(
            f"{words}: the same, as stored", median_of(lambda p=pairing: p.to_json()), None
        )  # type: ignore[misc]
    yield line_of(
        "everything from the results: meetings, ranking, strict round", median_of(_whole), None
    )


def _whole() -> object:
    people, records = _WHOLE
    ranked = STRICT.rank(people, records, for_pairing=True)
    return STRICT.pair_ranked(
        [line.player for line in ranked],
        {line.player: line.values["pm"] for line in ranked},
        STRICT.met(records),
    )


_WHOLE = played(1_000, 6)


def _standings() -> Iterator[dict[str, Any]]:
    people, records = played(128, 7)
    yield line_of(
        "standings of 128 players after 7 rounds",
        median_of(lambda: STRICT.rank(people, records)),
        0.020,
    )


def _paper() -> Iterator[dict[str, Any]]:
    from clubs.exchange import paper
    from pairings.exchange.pdf import handouts, wall_sheets

    whole = sheet(128, 7)
    start = time.perf_counter()
    paper.fonts()
    yield line_of("fonts, once for the process", time.perf_counter() - start, None)
    works: dict[str, Callable[[], bytes]] = {
        "pairings by table": lambda: wall_sheets.pairings_by_table(whole, 7),
        "pairings by name": lambda: wall_sheets.pairings_by_name(whole, 7),
        "result slips, a QR for each table": lambda: handouts.result_slips(
            whole, 7, address=lambda board: f"https://club.example/t/mesure/7/{board.table}/"
        ),
        "final ranking": lambda: wall_sheets.final_ranking(whole),
        "crosstable": lambda: wall_sheets.crosstable(whole),
        "128 certificates": lambda: handouts.certificates(whole),
    }
    for words, work in works.items():
        yield line_of(f"PDF for 128 players: {words}", median_of(work, repeats=3), 1.0)


def _files() -> Iterator[dict[str, Any]]:
    from pairings.exchange.formats import csv_xlsx, trf, tsh
    from pairings.exchange.formats import json as tournament_json

    whole = sheet(128, 7)
    told, division = tournament_json.write(whole), tsh.write(whole)
    works: dict[str, Callable[[], object]] = {
        "JSON out": lambda: tournament_json.write(whole),
        "JSON in, checked": lambda: tournament_json.read(told),
        "tsh out": lambda: tsh.write(whole),
        "tsh in, checked": lambda: tsh.read(division, name="a", held_on=whole.held_on),
        "FIDE report": lambda: trf.write(whole),
        "results as XLSX": lambda: csv_xlsx.write_xlsx(*csv_xlsx.results(whole), title="7"),
    }
    for words, work in works.items():
        yield line_of(f"128 players, 7 rounds: {words}", median_of(work, repeats=3), None)


if __name__ == "__main__":
    publish("tournament", run())
