"""Time to import a federation's history, and the cost of previewing a correction.

Anchors of the same run: the same number of ledger rows written by `bulk_create` alone, and reading
the list's ledger once.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.long_list import AT, members_of, post, sessions, settle_all, starts, strengths_of

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = ("faizers", "fisf")
PARTS = (0, 1, 10, 30, 60, 90, 100)
PLAYERS = 10_000
GAMES = int(os.environ.get("BENCH_GAMES", 100_000))


def run() -> list[dict[str, Any]]:
    """Return name, seconds, limit, anchor (seconds of another way in the same run, or None)."""
    lines = []
    for database in ("sqlite", "postgres"):
        lines += in_database(database)
    return lines


def in_database(database: str) -> list[dict[str, Any]]:
    """Measure each list in a fresh process, all in a fresh database."""
    from benchmarks.bench_web import _url

    with (
        tempfile.TemporaryDirectory(prefix="club-bench-") as folder,
        _url(database, Path(folder)) as url,
    ):
        told = {**os.environ, "DATA_DIR": folder, "DATABASE_URL": url, "REDIS_URL": ""}
        told.pop("SITE_ENV", None)
        lines = []
        for code in SYSTEMS:
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.bench_replay", code, database],
                cwd=ROOT,
                env=told,
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
            lines += json.loads(done.stdout.splitlines()[-1])
        return lines


def measure(code: str, database: str) -> list[dict[str, Any]]:
    """Measure one list of that system: history settled, compared, corrected at several places."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from clubs.organisations.models import Organisation
    from ratings.ledger import replay
    from ratings.ledger.models import LedgerEntry, RatingList

    organisation = Organisation.objects.create(slug=code, name=code, created_at=AT)
    ids, strengths = members_of(organisation, PLAYERS), strengths_of(PLAYERS)
    rating_list = RatingList.objects.create(
        organisation=organisation, slug=code, name=code, system=code
    )
    starts(rating_list, ids, strengths)
    periods = post(rating_list, ids, list(sessions(GAMES, strengths)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    settled = _seconds(lambda: settle_all(periods))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    many = LedgerEntry.objects.filter(rating_list=rating_list).count()
    checked = _seconds(lambda: _nothing_differs(replay.check(rating_list)))
    return [
        {
            "name": f"{code}: history of {GAMES:,} games with reasons, {database}",
            "seconds": settled,
            "limit": 6 * (anchor := _bare_rows(rating_list)),
            "anchor": anchor,
            "anchor_name": "the same rows by bulk_create alone",
            "note": f"{many:,} entries, {grown:.0f} MB more at the end than at the start",
        },
        {
            "name": f"{code}: every number of that list compared, {database}",
            "seconds": checked,
            "limit": None,
        },
        _previews(rating_list, periods, database),
    ]


def _bare_rows(rating_list: Any) -> float:
    """Write as many entries as the list holds, without rating anything; rolled back.

    Each says that it replaces the one it was copied from: a member has one first entry a period.
    """
    from django.db import transaction

    from ratings.ledger.models import LedgerEntry

    rows = list(LedgerEntry.objects.filter(rating_list=rating_list).order_by("pk"))
    for row in rows:
        row.supersedes_id, row.pk = row.pk, None
    with transaction.atomic():
        seconds = _seconds(lambda: LedgerEntry.objects.bulk_create(rows, batch_size=500))
        transaction.set_rollback(True)
    return seconds


def _nothing_differs(difference: Any) -> None:
    for mismatch in difference:
        raise AssertionError(mismatch)


def _previews(rating_list: Any, periods: list[Any], database: str) -> dict[str, Any]:
    """Preview the reversal of one game at a time, from the first period to the last."""
    from ratings.ledger import corrections, replay
    from ratings.ledger.models import LedgerEntry, RatedGame
    from ratings.systems.protocol import Game

    times = []
    for part in PARTS:
        period = periods[(len(periods) - 1) * part // 100]
        game = RatedGame.objects.get(period=period, position=0)
        lost = Game(
            key=game.source,
            first=game.first_id,
            second=game.second_id,
            first_halves=2 - game.first_halves,
            position=game.position,
        )
        wish = corrections.change_game(period, lost)
        times.append(_seconds(lambda w=wish: replay.preview(rating_list, w, on=AT.date())))
    entries = LedgerEntry.objects.filter(rating_list=rating_list).order_by("pk")
    anchor = _seconds(lambda: sum(1 for _entry in entries.iterator(chunk_size=2000)))
    return {
        "name": f"{rating_list.system}: preview, {GAMES:,} games, worst of {len(times)}, {database}",
        "seconds": max(times),
        "limit": anchor,
        "anchor": anchor,
        "anchor_name": "reading the list's ledger once",
        "note": f"median {statistics.median(times) * 1000:.0f} ms",
    }


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    if len(sys.argv) > 1:
        import django

        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        print(json.dumps(measure(*sys.argv[1:])))
    else:
        from benchmarks.report import publish

        publish("replay", run())
