"""Long lists for the benchmarks: random sessions, posted as games, and a ledger made without reasons.

What is made is what a list is that was settled evening by evening; only the reasons are empty. It
goes into the tables as a restored backup does: indexes are made at the end.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any

SEED = 2026
PLAYERS, SESSION = 10_000, 300
AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
FIRST_DAY = date(2000, 1, 1)
Session = list[tuple[int, int, int]]


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


def members_of(organisation: Any, many: int) -> list[int]:
    from clubs.models import Member

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


@contextmanager
def restoring(*models: Any) -> Iterator[None]:
    """Without the tables' own indexes, which are made at the end, and without asking for each row
    whether what it names is there."""
    from django.db import connection

    lite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute(
            "PRAGMA foreign_keys = OFF" if lite else "SET session_replication_role = replica"
        )
        made = []
        for model in models:
            if lite:
                cursor.execute(
                    "SELECT name, sql FROM sqlite_master "
                    "WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = %s",
                    [model._meta.db_table],
                )
            else:
                cursor.execute(
                    "SELECT i.indexname, i.indexdef FROM pg_indexes i LEFT JOIN pg_constraint c "
                    "ON c.conname = i.indexname WHERE i.tablename = %s AND c.conname IS NULL",
                    [model._meta.db_table],
                )
            made += cursor.fetchall()
        for name, _sql in made:
            cursor.execute(f'DROP INDEX "{name}"')
    yield
    with connection.cursor() as cursor:
        for _name, sql in made:
            cursor.execute(sql.replace("%", "%%"))
        cursor.execute(
            "PRAGMA foreign_keys = ON" if lite else "SET session_replication_role = origin"
        )
        if not lite:
            cursor.execute("ANALYZE")


def fill(
    rating_list: Any,
    periods: Sequence[Any],
    held: Sequence[Session],
    ids: Sequence[int],
    strengths: Sequence[int],
) -> None:
    """The ledger and the packed numbers that settling these periods leaves."""
    from ratings import bulk, numbers, systems
    from ratings.models import PeriodNumbers
    from ratings.systems.base import Event, Game, frozen
    from ratings.systems.storage import state_text

    system = systems.system(rating_list.system)()
    rating_list.periods.filter(settled_at__isnull=True).update(settled_at=AT, rule_fixed=True)
    players = {}
    for pk, strength in zip(ids, strengths, strict=True):
        state = system.newcomer(frozen({"on": FIRST_DAY.isoformat(), "rating": strength}))
        players[pk] = [state.rating, 0, 0, state_text(state), state.extra.get("cotes", [])]
    packed = []
    for period, meetings in zip(periods, held, strict=True):
        games = [(ids[first], ids[second], halves) for first, second, halves in meetings]
        count: dict[int, int] = {}
        for first, second, _halves in games:
            count[first] = count.get(first, 0) + 1
            count[second] = count.get(second, 0) + 1
        ratings = {pk: players[pk][0] for pk in count}
        moved = system.settle_numbers(ratings, games, {pk: players[pk][1] for pk in count})
        rows, moves = [], {}
        for pk, rating in moved.items():
            own = players[pk]
            before, played, events, text, _cotes = own
            moves[pk] = before, rating, played
            status, extra = "", "{}"
            if rating_list.system == "fisf":
                status, extra = _fisf(system, own, period.held_on, rating, played + count[pk])
            after = (
                f'{{"rating": {rating}, "games": {played + count[pk]}, "events": {events + 1}, '
                f'"status": "{status}", "extra": {extra}}}'
            )
            own[:4] = rating, played + count[pk], events + 1, after
            rows.append(
                (
                    *(rating_list.pk, period.pk, pk, "settled", text, after, before, rating),
                    *("[]", None, period.held_on, AT, None, "", False, None),
                )
            )
        bulk.insert(bulk.TABLE, bulk.COLUMNS, rows)
        event = Event(
            key=period.key,
            held_on=period.held_on,
            games=tuple(Game(str(n), *game) for n, game in enumerate(games)),
        )
        packed.append(PeriodNumbers(period=period, data=numbers.pack(system, period, event, moves)))
    PeriodNumbers.objects.bulk_create(packed, batch_size=100)


def _fisf(system: Any, own: list[Any], on: date, rating: int, games: int) -> tuple[str, str]:
    """The status and the dated cotes that a FISF state holds after an event."""
    from ratings.systems.fisf_seasons import dated

    own[4] = dated(own[4], on, rating)
    extra = {"last": on.isoformat(), "cotes": own[4]}
    return system.status(own[2] + 1, games, on, on), json.dumps(extra)


def long_list(
    organisation: Any, ids: Sequence[int], code: str, games: int
) -> tuple[Any, list[Any]]:
    """A list of that system with so many games, filled; the list and its sessions in order."""
    from django.db import transaction

    from ratings import entries
    from ratings.models import LedgerEntry, RatedGame, RatingList

    rating_list = RatingList.objects.create(
        organisation=organisation, slug=f"{code}-long", name=code, system=code
    )
    strengths = strengths_of(len(ids))
    starts(rating_list, ids, strengths)
    held = list(sessions(games, strengths))
    with restoring(RatedGame, LedgerEntry), transaction.atomic():
        periods = post(rating_list, ids, held)
        fill(rating_list, periods, held, ids, strengths)
    entries.rebuild_cotes(rating_list)
    for period in (periods[0], periods[-1]):
        is_settled_alike(period)
    return rating_list, periods


def is_settled_alike(period: Any) -> None:
    """What was filled in for this period is what its system gives, to the letter."""
    from ratings.calendar import Calendar, system_of
    from ratings.models import LedgerEntry
    from ratings.systems.storage import state_from_json, state_to_json

    calendar = Calendar(period.rating_list)
    event = calendar.event(period, 0, calendar.games([period.pk])[period.pk])
    rows = LedgerEntry.objects.filter(period=period).values_list("member_id", "before", "after")
    held = {member: (before, after) for member, before, after in rows}
    states = {member: state_from_json(before) for member, (before, _after) in held.items()}
    changes = system_of(period).settle(states, event)
    assert {change.player: state_to_json(change.after) for change in changes} == {
        member: after for member, (_before, after) in held.items()
    }, f"{period.label}: filled in otherwise than settled"
