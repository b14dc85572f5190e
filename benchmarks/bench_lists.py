"""A list of 100,000 players beside a bare page of the same frame, and a FESA table of 100 players."""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

PLAYERS = 100_000
TURNS = 25


def run() -> list[dict[str, Any]]:
    """Return name, seconds (median), limit, anchor (the bare page in the same run)."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DATA_DIR": folder, "DATABASE_URL": "", "REDIS_URL": ""}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django

        django.setup()
        return [_fesa(), *_pages()]


def _median(work: Callable[[], Any], turns: int = TURNS) -> float:
    work()
    times = []
    for _turn in range(turns):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _fesa() -> dict[str, Any]:
    from ratings.systems.fesa.elo import TablePlayer
    from ratings.systems.fesa.system import Fesa

    dice = random.Random(3)
    players = {
        n: TablePlayer()
        if n % 5 == 0
        else TablePlayer(rating=dice.randrange(500, 2300), games=50, outcomes="wl")
        for n in range(100)
    }
    games = []
    for _round in range(9):
        order = dice.sample(range(100), 100)
        games += [(a, b, dice.randrange(3)) for a, b in zip(order[::2], order[1::2], strict=True)]
    rules = Fesa()
    found = rules.rate_table(players, games).fixed_point
    return {
        "name": "FESA table of 100 players, 9 rounds, to its fixed point",
        "seconds": _median(lambda: rules.rate_table(players, games), 9),
        "limit": 0.05,
        "note": f"{found.passes} passes, {found.mode}",
    }


def _pages() -> list[dict[str, Any]]:
    from django.core.cache import cache
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    call_command("migrate", verbosity=0)
    slug = _fill()
    client = Client(HTTP_HOST="localhost")
    page, deep, bare = f"/cotes/{slug}/", f"/cotes/{slug}/?page=1500", "/aide/"
    for address in (page, deep, bare):
        assert client.get(address).status_code == 200, address
    asked: list[str] = []

    def count(execute: Any, sql: str, *more: Any) -> Any:
        asked.append(sql)
        return execute(sql, *more)

    cache.clear()
    with connection.execute_wrapper(count):
        client.get(page)
    anchor = _median(lambda: client.get(bare))
    return [
        {
            "name": f"list page, {label} of {PLAYERS:,} players",
            "seconds": _median(lambda address=address: client.get(address)),
            "limit": 2 * anchor,
            "anchor": anchor,
            "anchor_name": "a bare page",
            "note": f"{len(asked)} queries the first time",
        }
        for label, address in (("first 50", page), ("rows 75,000 on", deep))
    ]


def _fill() -> str:
    """Create a federation with one list by bulk: reading is measured here, not writing."""
    from django.utils import timezone

    from clubs.members.models import Member
    from clubs.organisations.models import Organisation
    from ratings.ledger.models import RatingList, StandingCote

    now = timezone.now()
    organisation = Organisation.objects.create(
        slug="large", name="Large", kind=Organisation.FEDERATION, created_at=now
    )
    held = RatingList.objects.create(
        organisation=organisation, slug="fisf", name="Liste", system="fisf"
    )
    dice, day = random.Random(1), (now - timedelta(days=30)).date()
    people = [
        Member(
            organisation=organisation,
            first_name=f"P{n}",
            last_name=f"N{n % 977}",
            slug=f"p{n}",
            number=n + 1,
            search_name=f"p{n} n{n % 977}",
            sort_name=f"n{n % 977} p{n}",
            joined_on=day,
        )
        for n in range(PLAYERS)
    ]
    Member.objects.bulk_create(people, batch_size=2000)
    states = {"games": 60, "events": 9, "status": "ranked"}
    extra = {"last": day.isoformat(), "cotes": []}
    cotes = []
    for member in people:
        shown = dice.randrange(1000, 2100)
        cotes.append(
            StandingCote(
                rating_list=held,
                member=member,
                state={**states, "rating": shown, "extra": extra},
                shown=shown,
                games=60,
                status="ranked",
                last_on=day,
            )
        )
    StandingCote.objects.bulk_create(cotes, batch_size=2000)
    return held.slug


if __name__ == "__main__":
    from benchmarks.report import publish

    publish("lists", run())
    sys.exit(0)
