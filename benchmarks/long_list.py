"""Long lists for the benchmarks: random sessions, posted as games and settled as the site does."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

SEED = 2026
PLAYERS, SESSION = 10_000, 300
AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
FIRST_DAY = date(2000, 1, 1)
Session = list[tuple[int, int, int]]


def sessions(games: int, strengths: Sequence[float], seed: int = SEED) -> Iterator[Session]:
    """Return random meetings; the stronger wins as often as the logistic says."""
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


def members_of(organisation: Any, many: int) -> list[int]:
    from clubs.members.models import Member

    found = Member.objects.bulk_create(
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
            for n in range(many)
        ],
        batch_size=1000,
    )
    return [member.pk for member in found]


def starts(rating_list: Any, ids: Sequence[int], strengths: Sequence[int]) -> None:
    """Return everybody's cote on the first day, as an imported list has it."""
    from clubs.accounts.actor import Actor
    from ratings.ledger import settlement

    period = settlement.open_period(
        rating_list=rating_list,
        key="start",
        label="Départ",
        held_on=FIRST_DAY,
        kind=settlement.START,
        facts={"players": {str(pk): {"rating": s} for pk, s in zip(ids, strengths, strict=True)}},
    )
    settlement.settle(period=period, by=Actor.system("bench"), at=AT)


def post(rating_list: Any, ids: Sequence[int], sessions: Sequence[Session]) -> list[Any]:
    """Open a period a session and post its games."""
    from ratings.ledger.models import Period, RatedGame

    periods = Period.objects.bulk_create(
        [
            Period(
                rating_list=rating_list,
                key=f"session:{n}",
                label=f"Session {n}",
                held_on=FIRST_DAY + timedelta(days=n + 1),
            )
            for n in range(len(sessions))
        ],
        batch_size=500,
    )
    for period, games in zip(periods, sessions, strict=True):
        RatedGame.objects.bulk_create(
            [
                RatedGame(
                    period=period,
                    source=f"game:{n}",
                    position=n,
                    first_id=ids[first],
                    second_id=ids[second],
                    first_halves=halves,
                    facts={},
                    posted_at=AT,
                )
                for n, (first, second, halves) in enumerate(games)
            ],
            batch_size=500,
        )
    return list(periods)


def settle_all(periods: Sequence[Any]) -> None:
    """Settle a whole history, oldest period first, in one transaction."""
    from django.db import transaction

    from clubs.accounts.actor import Actor
    from ratings.ledger import settlement

    with transaction.atomic():
        for period in periods:
            settlement.settle(period=period, by=Actor.system("bench"), at=AT)
