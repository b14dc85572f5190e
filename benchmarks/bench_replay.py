"""How fast lists are replayed: in numbers, into the database with reasons, and a correction's preview.

The anchor of the numbers is the same session loop in bare Python, written below for one system
each and measured in the same run.
"""

from __future__ import annotations

import json
import math
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

SEED = 2026
PLAYERS, SESSION = 10_000, 300
GAMES = int(os.environ.get("BENCH_GAMES", 1_000_000))
WRITTEN = int(os.environ.get("BENCH_WRITTEN", 100_000))
AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
FIRST_DAY = date(2000, 1, 1)
Session = list[tuple[int, int, int]]


def run() -> list[dict[str, Any]]:
    """name, seconds (median), limit, anchor (seconds of another way in the same run, or None)."""
    lines = numbers()
    for database in ("sqlite", "postgres"):
        lines += in_database(database)
    return lines


def sessions(games: int, strengths: Sequence[float], seed: int = SEED) -> Iterator[Session]:
    """Random meetings; the stronger wins as often as the logistic says."""
    chance = random.Random(seed)
    many = len(strengths)
    for _session in range(games // SESSION):
        found = []
        for _game in range(SESSION):
            one, other = chance.randrange(many), chance.randrange(many - 1)
            other += other >= one
            wins = 1 / (1 + 10 ** ((strengths[other] - strengths[one]) / 400))
            found.append((one, other, 2 if chance.random() < wins else 0))
        yield found


def strengths_of(many: int, seed: int = SEED) -> list[int]:
    chance = random.Random(seed)
    return [max(1000, int(chance.gauss(1500, 200))) for _player in range(many)]


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
    """A fresh folder, a fresh process: what it prints last is its lines."""
    from benchmarks.bench_web import _url

    root = Path(__file__).resolve().parent.parent
    with (
        tempfile.TemporaryDirectory(prefix="club-bench-") as folder,
        _url(database, Path(folder)) as url,
    ):
        told = {**os.environ, "DATA_DIR": folder, "DATABASE_URL": url, "REDIS_URL": ""}
        told.pop("SITE_ENV", None)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.bench_replay", "database", database],
            cwd=root,
            env=told,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
        return found


def measure(database: str) -> list[dict[str, Any]]:
    """In its own process: the full replay of one list, the previews of another."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from clubs.models import Member, Organisation

    organisation = Organisation.objects.create(slug="bench", name="Bench", created_at=AT)
    members = Member.objects.bulk_create(
        [
            Member(
                organisation=organisation,
                first_name=f"Joueur {n}",
                search_name=f"joueur {n}",
                sort_name=f"joueur {n}",
                slug=f"j{n}",
                number=n + 1,
                joined_on=FIRST_DAY,
            )
            for n in range(PLAYERS)
        ],
        batch_size=1000,
    )
    ids = [member.pk for member in members]
    return [
        *written(organisation, ids, database),
        *previews(organisation, ids, database, "faizers"),
        *(previews(organisation, ids, database, "fisf") if database == "sqlite" else ()),
    ]


def post(rating_list: Any, ids: Sequence[int], held: Sequence[Session]) -> list[Any]:
    """Open a period a session and post its games."""
    from ratings import bulk
    from ratings.models import Period, RatedGame

    periods = Period.objects.bulk_create(
        [
            Period(
                rating_list=rating_list,
                key=f"session:{n}",
                label=f"Session {n}",
                held_on=FIRST_DAY + timedelta(days=n + 1),
            )
            for n in range(len(held))
        ],
        batch_size=500,
    )
    columns = "period_id source revision position first_id second_id first_halves first_score"
    columns += " second_score facts withdrawn posted_at supersedes_id"
    for period, games in zip(periods, held, strict=True):
        bulk.insert(
            RatedGame._meta.db_table,
            columns.split(),
            [
                (
                    *(period.pk, f"game:{n}", 0, n, ids[first], ids[second], halves),
                    *(None, None, "{}", False, AT, None),
                )
                for n, (first, second, halves) in enumerate(games)
            ],
        )
    return list(periods)


def starts(rating_list: Any, ids: Sequence[int], strengths: Sequence[int]) -> None:
    """Everybody's cote on the first day, as a list that is imported has it."""
    from clubs.actor import Actor
    from ratings import ledger

    period = ledger.open_period(
        rating_list=rating_list,
        key="start",
        label="Départ",
        held_on=FIRST_DAY,
        kind=ledger.START,
        facts={"players": {str(pk): {"rating": s} for pk, s in zip(ids, strengths, strict=True)}},
    )
    ledger.settle(period=period, by=Actor.system("bench"), at=AT)


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


def previews(
    organisation: Any, ids: Sequence[int], database: str, code: str
) -> list[dict[str, Any]]:
    """A million games in the ledger; one game at a time the other way, early to late."""
    from django.db import transaction

    from ratings import corrections, replay
    from ratings.models import RatedGame, RatingList
    from ratings.postings import Posting

    rating_list = RatingList.objects.create(
        organisation=organisation, slug=f"{code}-million", name=code, system=code
    )
    strengths = strengths_of(PLAYERS)
    starts(rating_list, ids, strengths)
    held = list(sessions(GAMES, strengths))
    with transaction.atomic():
        periods = post(rating_list, ids, held)
        fill(rating_list, periods, held, ids, strengths)
    times, reached = [], []
    replay.preview(rating_list, _other_way(periods[-1], RatedGame, Posting, corrections, 0))
    for part in (0, 1, 10, 30, 60, 90):
        for game in (0, 100, 200):
            period = periods[len(periods) * part // 100]
            wish = _other_way(period, RatedGame, Posting, corrections, game)
            times.append(_seconds(lambda w=wish: reached.append(replay.preview(rating_list, w))))
    most = max(len(found.finals) for found in reached)
    return [
        {
            "name": f"{code} preview in a list of {GAMES:,} games, worst of {len(times)}, {database}",
            "seconds": max(times),
            "limit": 0.2,
            "note": f"median {statistics.median(times) * 1000:.0f} ms, up to {most} members",
        }
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


def fill(
    rating_list: Any,
    periods: Sequence[Any],
    held: Sequence[Session],
    ids: Sequence[int],
    strengths: Sequence[int],
) -> None:
    """The ledger of a list, with the numbers of its system and no reasons: quicker than settling."""
    from ratings import bulk, entries, numbers, systems
    from ratings.models import Period, PeriodNumbers
    from ratings.systems.base import Event, Game, State, frozen
    from ratings.systems.storage import state_to_json

    system = systems.system(rating_list.system)()
    Period.objects.filter(pk__in=[p.pk for p in periods[:1]]).update(settled_at=AT)
    rating_list.periods.filter(settled_at__isnull=True).update(settled_at=AT, rule_fixed=True)
    states = {
        pk: system.newcomer(frozen({"on": FIRST_DAY.isoformat(), "rating": strength}))
        for pk, strength in zip(ids, strengths, strict=True)
    }
    packed = []
    for period, games in zip(periods, held, strict=True):
        games = [(ids[first], ids[second], halves) for first, second, halves in games]
        event = Event(
            key=period.key,
            held_on=period.held_on,
            games=tuple(Game(str(n), *game) for n, game in enumerate(games)),
        )
        count: dict[int, int] = {}
        for first, second, _halves in games:
            count[first] = count.get(first, 0) + 1
            count[second] = count.get(second, 0) + 1
        before = {pk: states[pk] for pk in count}
        moved = system.settle_numbers(
            {pk: state.rating for pk, state in before.items()},
            games,
            {pk: state.games for pk, state in before.items()},
        )
        for pk, rating in moved.items():
            own = before[pk]
            states[pk] = State(rating, own.games + count[pk], own.events + 1, own.status, own.extra)
        bulk.insert(
            bulk.TABLE,
            bulk.COLUMNS,
            [
                (
                    rating_list.pk,
                    period.pk,
                    pk,
                    "settled",
                    json.dumps(state_to_json(before[pk])),
                    json.dumps(state_to_json(states[pk])),
                    before[pk].rating,
                    rating,
                    "[]",
                    None,
                    period.held_on,
                    AT,
                    None,
                    "",
                    False,
                    None,
                )
                for pk, rating in moved.items()
            ],
        )
        moves = {pk: (before[pk].rating, rating, before[pk].games) for pk, rating in moved.items()}
        data = numbers.pack(system, period, event, moves)
        packed.append(PeriodNumbers(period=period, data=data))
    PeriodNumbers.objects.bulk_create(packed, batch_size=100)
    entries.rebuild_cotes(rating_list)


if __name__ == "__main__":
    if sys.argv[1:2] == ["database"]:
        print(json.dumps(measure(sys.argv[2])))
    else:
        from benchmarks.report import publish

        publish("replay", run())
