"""How fast lists are replayed: in numbers, into the database with reasons, and a correction's preview.

The anchor of the numbers is the same session loop in bare Python, written below for one system
each and measured in the same run.
"""

from __future__ import annotations

import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.long_list import (
    AT,
    PLAYERS,
    Session,
    long_list,
    members_of,
    post,
    sessions,
    starts,
    strengths_of,
)

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = ("faizers", "fisf")
PARTS = (0, 1, 10, 30, 60, 90, 100)
GAMES = int(os.environ.get("BENCH_GAMES", 1_000_000))
WRITTEN = int(os.environ.get("BENCH_WRITTEN", 100_000))


def run() -> list[dict[str, Any]]:
    """name, seconds (median), limit, anchor (seconds of another way in the same run, or None)."""
    lines = numbers()
    for database in ("sqlite", "postgres"):
        lines += in_database(database)
    return lines


def numbers() -> list[dict[str, Any]]:
    """1,000,000 games over 10,000 players, sessions of 300: system against bare loop."""
    from ratings.systems.faizers import Faizers
    from ratings.systems.fisf import Fisf

    start = dict(enumerate(strengths_of(PLAYERS)))
    held = list(sessions(GAMES, list(start.values())))
    lines = []
    for system, bare in ((Faizers(), bare_faizers), (Fisf(), bare_fisf)):
        ours, theirs = [], []
        for _time in range(3):
            own, other = dict(start), dict(start)
            theirs.append(_seconds(lambda b=bare, r=other: b(held, r)))
            ours.append(_seconds(lambda s=system, r=own: replay_numbers(s, held, r)))
        assert own == other, f"{system.code}: the bare loop gives other numbers"
        anchor = statistics.median(theirs)
        lines.append(
            {
                "name": f"{system.code} replay in numbers, {GAMES:,} games, {PLAYERS:,} players",
                "seconds": statistics.median(ours),
                "limit": 1.5 * anchor,
                "anchor": anchor,
                "anchor_name": "bare session loop",
            }
        )
    return lines


def replay_numbers(system: Any, held: Sequence[Session], ratings: dict[int, int]) -> None:
    for games in held:
        ratings.update(system.settle_numbers(ratings, games))


def bare_faizers(held: Sequence[Session], ratings: dict[int, int]) -> None:
    """E1 = E0 + K(W − We) a session, half-up, floor 1000: nothing else."""
    for games in held:
        gains: dict[int, list[float]] = {}
        for first, second, halves in games:
            a, b = ratings[first], ratings[second]
            expected = 1 / (1 + 10 ** ((b - a) / 400))
            gains.setdefault(first, []).append(halves / 2 - expected)
            gains.setdefault(second, []).append(expected - halves / 2)
        moved = {}
        for player, own in gains.items():
            e0 = ratings[player]
            k = 30 if e0 < 1400 else 20 if e0 < 1900 else 10
            moved[player] = max(1000, math.floor(e0 + k * math.fsum(own) + 0.5))
        ratings.update(moved)


def bare_fisf(held: Sequence[Session], ratings: dict[int, int]) -> None:
    """The table in hundredths, one rounding a session, floor 1000: nothing else."""
    from ratings.systems.fisf import Fisf

    system = Fisf()
    table = [int(100 * system.we(gap)) for gap in range(400)]
    for games in held:
        gains: dict[int, int] = {}
        for first, second, halves in games:
            gap = ratings[first] - ratings[second]
            own = table[min(gap, 399)] if gap >= 0 else 100 - table[min(-gap, 399)]
            gain = 50 * halves - own
            gains[first] = gains.get(first, 0) + gain
            gains[second] = gains.get(second, 0) - gain
        moved = {}
        for player, gain in gains.items():
            e0 = ratings[player]
            k = 20 if e0 < 1750 else 16 if e0 < 1900 else 10
            moved[player] = max(1000, (100 * e0 + k * gain + 50) // 100)
        ratings.update(moved)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_database(database: str) -> list[dict[str, Any]]:
    """A fresh folder, and a fresh process for each part."""
    from benchmarks.bench_web import _url

    with (
        tempfile.TemporaryDirectory(prefix="club-bench-") as folder,
        _url(database, Path(folder)) as url,
    ):
        told = {**os.environ, "DATA_DIR": folder, "DATABASE_URL": url, "REDIS_URL": ""}
        told.pop("SITE_ENV", None)
        lines = _in_process(told, "prepare", database)
        for code in SYSTEMS:
            lines += _in_process(told, "previews", database, code)
        return lines


def _in_process(told: dict[str, str], *arguments: str) -> list[dict[str, Any]]:
    """What a part prints last is its lines."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_replay", *arguments],
        cwd=ROOT,
        env=told,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def prepare(database: str) -> list[dict[str, Any]]:
    """The full replay of one list, measured; a long list for each system, for the previews."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from clubs.models import Organisation

    organisation = Organisation.objects.create(slug="bench", name="Bench", created_at=AT)
    ids = members_of(organisation, PLAYERS)
    lines = written(organisation, ids, database)
    for code in SYSTEMS:
        long_list(organisation, ids, code, GAMES)
    return lines


def written(organisation: Any, ids: Sequence[int], database: str) -> list[dict[str, Any]]:
    """100,000 games posted, then rated from the first to the last, with their reasons."""
    from django.db import transaction

    from clubs.actor import Actor
    from ratings import bulk, replay
    from ratings.models import LedgerEntry, RatingList

    rating_list = RatingList.objects.create(
        organisation=organisation, slug="written", name="Écrite", system="faizers"
    )
    strengths = strengths_of(PLAYERS)
    starts(rating_list, ids, strengths)
    with transaction.atomic():
        post(rating_list, ids, list(sessions(WRITTEN, strengths)))
    peaks: list[int] = []
    seconds = _seconds(
        lambda: bulk.settle_pending(
            rating_list=rating_list,
            by=Actor.system("bench"),
            at=AT,
            progress=lambda *_n: peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss),
        )
    )
    many = LedgerEntry.objects.filter(rating_list=rating_list).count()
    checked = _seconds(lambda: _nothing_differs(replay.check(rating_list)))
    grown = (peaks[-1] - peaks[0]) / 1024
    return [
        {
            "name": f"full replay with reasons, {WRITTEN:,} games, {database}",
            "seconds": seconds,
            "limit": 10 * WRITTEN / 100_000,
            "note": f"{many:,} entries, {grown:.0f} MB more at the end than after the first part",
        },
        {
            "name": f"check of that list, every number compared, {database}",
            "seconds": checked,
            "limit": None,
        },
    ]


def _nothing_differs(found: Iterator[Any]) -> None:
    for mismatch in found:
        raise AssertionError(mismatch)


def previews(database: str, code: str) -> list[dict[str, Any]]:
    """A long list; one game at a time the other way, from the first to the last, in a process that
    has done nothing yet."""
    from ratings import corrections, replay
    from ratings.models import RatedGame, RatingList
    from ratings.postings import Posting

    rating_list = RatingList.objects.get(slug=f"{code}-long")
    periods = list(rating_list.periods.filter(kind="").in_order())
    cold, reached = 0.0, []
    times: dict[int, list[float]] = {part: [] for part in PARTS}
    for part, own in times.items():
        for game in (0, 100, 200):
            period = periods[(len(periods) - 1) * part // 100]
            wish = _other_way(period, RatedGame, Posting, corrections, game)
            if not cold:
                cold = _seconds(lambda w=wish: replay.preview(rating_list, w))
            own.append(_seconds(lambda w=wish: reached.append(replay.preview(rating_list, w))))
    most = max(len(found.finals) for found in reached)
    where = ", ".join(
        f"{max(own) * 1000:.0f} at {part} %" for part, own in times.items() if part in (0, 10, 60)
    )
    everything = [seconds for own in times.values() for seconds in own]
    return [
        {
            "name": f"{code} preview, {GAMES:,} games, worst of {len(everything)}, {database}",
            "seconds": max(everything),
            "limit": 0.2,
            "note": f"median {statistics.median(everything) * 1000:.0f} ms, worst {where} of the "
            f"list, up to {most} members",
        },
        {
            "name": f"{code} preview at its first game, first of a process, {database}",
            "seconds": cold,
            "limit": None,
            "note": "with what the process still has to import and to open",
        },
    ]


def _other_way(period: Any, games: Any, posting: Any, corrections: Any, number: int) -> Any:
    game = games.objects.get(period=period, position=number)
    lost = posting(
        source=game.source,
        first_id=game.first_id,
        second_id=game.second_id,
        first_halves=2 - game.first_halves,
        position=game.position,
    )
    return corrections.change_game(period, lost)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        import django

        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        print(json.dumps({"prepare": prepare, "previews": previews}[sys.argv[1]](*sys.argv[2:])))
    else:
        from benchmarks.report import publish

        publish("replay", run())
