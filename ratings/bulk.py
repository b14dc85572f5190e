"""Rate a whole history at once: every period posted and not settled, in order, in flat memory.

What it writes is what settling the periods one by one writes; a test compares. Entries go to the
table without an object each: by COPY on PostgreSQL, by one prepared statement on SQLite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs import journal
from clubs.actor import Actor
from ratings import numbers
from ratings.calendar import ADJUSTMENT, Calendar, chunks, system_of
from ratings.collector import without_collector
from ratings.corrections import Correction
from ratings.forward import changes_of
from ratings.models import LedgerEntry, Period, RatingList, StandingCote
from ratings.postings import LedgerRefused
from ratings.replay import latest_states
from ratings.systems.base import Change, State
from ratings.systems.storage import reasons_text, state_text

Progress = Callable[[int, int], None]
Rows = Sequence[tuple[Any, ...]]
AT_ONCE = 128
IN_MEMORY = 32
LAST = "last_entry_id"
TABLE = LedgerEntry._meta.db_table
COLUMNS = (
    "rating_list_id",
    "period_id",
    "member_id",
    "kind",
    "before",
    "after",
    "shown_before",
    "shown_after",
    "because",
    "rule_book_id",
    "held_on",
    "written_at",
    "written_by_id",
    "reason",
    "voided",
    "supersedes_id",
)


class Latest(NamedTuple):
    """A member's state as it was last written, and the day and the period of it."""

    state: State
    text: str
    shown: int | None
    where: tuple[date, int]


def settle_pending(
    *, rating_list: RatingList, by: Actor, at: datetime, progress: Progress | None = None
) -> int:
    """Settle every period not settled yet, in order; how many entries that made.

    Some periods at a time are one transaction: stopped half-way, what is done is done well, and
    the next call goes on. Raises LedgerRefused for a period older than one already settled, and
    for what the rules cannot rate.
    """
    pending = list(
        rating_list.periods.filter(settled_at__isnull=True, removed_at__isnull=True)
        .in_order()
        .values_list("pk", flat=True)
    )
    states: dict[Any, State] = {}
    version = -1
    done = entries = 0
    for part in chunks(pending, AT_ONCE):
        with transaction.atomic(), without_collector():
            RatingList.objects.filter(pk=rating_list.pk).update(version=F("version") + 1)
            held = RatingList.objects.select_for_update().get(pk=rating_list.pk)
            if held.version != version + 1:
                states = latest_states(held)
            version = held.version
            entries += _settle(held, part, states, by, at)
        done += len(part)
        if progress is not None:
            progress(done, len(pending))
    return entries


def _settle(
    rating_list: RatingList, pks: Sequence[int], states: dict[Any, State], by: Actor, at: datetime
) -> int:
    """One transaction's worth of periods, in order."""
    calendar = Calendar(rating_list, Correction(inserted=frozenset(pks)))
    places = [place for place in calendar.places if place.pk in set(pks)]
    later = [place for place in calendar.places if place.stored]
    if later and places and places[0].key < later[-1].key:
        raise LedgerRefused(
            _("Une période plus récente est déjà calculée : passez par la correction."),
            code="out_of_order",
        )
    number = 0
    latest: dict[int, Latest] = {}
    for part in chunks(places, IN_MEMORY):
        events, packed = list(calendar.events(part)), []
        with adding(TABLE, COLUMNS) as add:  # PostgreSQL takes them in while the next are settled
            for place, period, event in events:
                changes = changes_of(system_of(period), states, event, period.kind)
                for change in changes:
                    states[change.player] = change.after
                number += len(changes)
                add(rows_of(period, changes, latest, by=by, at=at))
                packed.append((place.pk, numbers.packed_changes(period, event, changes)))
        _close([period for _place, period, _event in events], at)
        numbers.write(packed)
    _remember(rating_list, latest)
    journal.record(
        organisation=rating_list.organisation,
        verb="period_settled",
        subject=f"list:{rating_list.pk}",
        by=by,
        at=at,
        after={"list": rating_list.slug, "periods": len(pks), "entries": number},
    )
    return number


def _close(periods: Sequence[Period], at: datetime) -> None:
    """These are settled, each by the rules that it keeps from now on."""
    by_rules: dict[int | None, list[int]] = {}
    for period in periods:
        by_rules.setdefault(period.rule_book_id, []).append(period.pk)
    for rule_book, pks in by_rules.items():
        Period.objects.filter(pk__in=pks).update(
            settled_at=at, rule_book_id=rule_book, rule_fixed=True
        )


def _remember(rating_list: RatingList, latest: Mapping[int, Latest]) -> None:
    """The latest cotes of those who moved, each with the entry just written in his last period."""
    table, entries = StandingCote._meta.db_table, TABLE
    names = ("member_id", "state", "shown", "games", "status", "last_on")
    told = ", ".join(names)
    kept = ", ".join(f"{name} = excluded.{name}" for name in (*names[1:], LAST))
    rows = [
        (member, held.text, held.shown, held.state.games, held.state.status, *held.where)
        for member, held in latest.items()
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TEMPORARY TABLE latest AS SELECT {told}, {LAST} AS period_id "
            f"FROM {table} WHERE 1 = 0"
        )
        insert("latest", (*names, "period_id"), rows)
        cursor.execute(
            f"INSERT INTO {table} (rating_list_id, {told}, {LAST}) "
            "SELECT %s, l.member_id, l.state, l.shown, l.games, l.status, l.last_on, e.id "
            # SQLite takes CROSS to mean: in this order, by the key of period and member.
            f"FROM latest l CROSS JOIN {entries} e WHERE e.period_id = l.period_id "
            "AND e.member_id = l.member_id AND e.supersedes_id IS NULL "
            f"ON CONFLICT (rating_list_id, member_id) DO UPDATE SET {kept}",
            [rating_list.pk],
        )
        cursor.execute("DROP TABLE latest")


def rows_of(
    period: Period,
    changes: Iterable[Change],
    latest: dict[int, Latest],
    *,
    by: Actor,
    at: datetime,
) -> list[tuple[Any, ...]]:
    """A settled period's entries as rows of the table. `latest` remembers each member's last state
    as written: it is what he begins the next period with."""
    system = system_of(period)
    user = by.user.pk if by.user else None
    kind = LedgerEntry.ADJUSTED if period.kind == ADJUSTMENT else LedgerEntry.SETTLED
    reason = period.facts.get("reason", "")
    rows, where = [], (period.held_on, period.pk)
    for change in changes:
        held = latest.get(change.player)
        before = held.text if held and held.state is change.before else state_text(change.before)
        after, shown = state_text(change.after), system.shown(change.after)
        latest[change.player] = Latest(change.after, after, shown, where)
        rows.append(
            (
                period.rating_list_id,
                period.pk,
                change.player,
                kind,
                before,
                after,
                system.shown(change.before),
                shown,
                reasons_text(change.because),
                period.rule_book_id,
                period.held_on,
                at,
                user,
                reason,
                False,
                None,
            )
        )
    return rows


@contextmanager
def adding(table: str, columns: Sequence[str]) -> Iterator[Callable[[Rows], None]]:
    """Add rows to a table, some at a time: by COPY on PostgreSQL, by one prepared statement on
    SQLite. Nothing else may be asked of the database inside."""
    named = ", ".join(columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({named}) FROM STDIN") as copy:

                def write(rows: Rows) -> None:
                    for row in rows:
                        copy.write_row(row)

                yield write
            return
        marks = ", ".join(["%s"] * len(columns))
        text = f"INSERT INTO {table} ({named}) VALUES ({marks})"
        yield lambda rows: cursor.executemany(text, list(_adapted(rows, connection.ops)))


def insert(table: str, columns: Sequence[str], rows: Rows) -> None:
    """Add these rows."""
    with adding(table, columns) as add:
        add(rows)


def _adapted(rows: Rows, adapt: Any) -> Iterator[list[Any]]:
    """Days and times as the database writes them."""
    known: dict[Any, Any] = {}
    if not rows:
        return
    ways: dict[type, Any] = {
        date: adapt.adapt_datefield_value,
        datetime: adapt.adapt_datetimefield_value,
    }
    places = [place for place, value in enumerate(rows[0]) if type(value) in ways]
    for row in rows:
        own = list(row)
        for place in places:
            value = own[place]
            if value not in known:
                known[value] = ways[type(value)](value)
            own[place] = known[value]
        yield own
