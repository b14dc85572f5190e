"""Rate a whole history at once: every period posted and not settled, in order, in flat memory.

What it writes is what settling the periods one by one writes; a test compares. Entries go to the
table without an object each: by COPY on PostgreSQL, by one prepared statement on SQLite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

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
AT_ONCE = 128
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
    texts: dict[int, tuple[State, str]] = {}
    for place, period, event in calendar.events(places):
        changes = changes_of(system_of(period), states, event, period.kind)
        for change in changes:
            states[change.player] = change.after
        number += len(changes)
        Period.objects.filter(pk=place.pk).update(
            settled_at=at, rule_book=period.rule_book, rule_fixed=True
        )
        insert(TABLE, COLUMNS, rows_of(period, changes, texts, by=by, at=at))
        numbers.keep(period, event, changes)
    _remember(rating_list, pks, texts)
    journal.record(
        organisation=rating_list.organisation,
        verb="period_settled",
        subject=f"list:{rating_list.pk}",
        by=by,
        at=at,
        after={"list": rating_list.slug, "periods": len(pks), "entries": number},
    )
    return number


def _remember(
    rating_list: RatingList, pks: Sequence[int], texts: Mapping[int, tuple[State, str]]
) -> None:
    """The latest cotes of those who moved, from the newest of the entries just written."""
    order = {pk: place for place, pk in enumerate(pks)}
    days = dict(Period.objects.filter(pk__in=pks).values_list("pk", "held_on"))
    rows = LedgerEntry.objects.filter(period__in=pks, supersedes__isnull=True)
    newest: dict[int, tuple[int, int, int | None, date]] = {}
    for member, period, pk, shown in rows.values_list(
        "member_id", "period_id", "pk", "shown_after"
    ).iterator(chunk_size=2000):
        if member not in newest or newest[member][0] < order[period]:
            newest[member] = order[period], pk, shown, days[period]
    fresh = [
        (rating_list.pk, member, text, shown, state.games, state.status, held_on, pk)
        for member, (state, text) in texts.items()
        for _order, pk, shown, held_on in [newest[member]]
    ]
    columns = "rating_list_id, member_id, state, shown, games, status, last_on, last_entry_id"
    kept = ", ".join(f"{name} = excluded.{name}" for name in columns.split(", ")[2:])
    with connection.cursor() as cursor:
        adapt = connection.ops.adapt_datefield_value
        cursor.executemany(
            f"INSERT INTO {StandingCote._meta.db_table} ({columns}) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s, %s) "
            f"ON CONFLICT (rating_list_id, member_id) DO UPDATE SET {kept}",
            [(*row[:6], adapt(row[6]), row[7]) for row in fresh],
        )


def rows_of(
    period: Period,
    changes: Iterable[Change],
    texts: dict[int, tuple[State, str]],
    *,
    by: Actor,
    at: datetime,
) -> list[tuple[Any, ...]]:
    """A settled period's entries as rows of the table. `texts` remembers each member's last state
    as written: it is what he begins the next period with."""
    system = system_of(period)
    user = by.user.pk if by.user else None
    kind = LedgerEntry.ADJUSTED if period.kind == ADJUSTMENT else LedgerEntry.SETTLED
    reason = period.facts.get("reason", "")
    rows = []
    for change in changes:
        held, text = texts.get(change.player, (None, ""))
        if held is not change.before:
            text = state_text(change.before)
        after = state_text(change.after)
        texts[change.player] = change.after, after
        rows.append(
            (
                period.rating_list_id,
                period.pk,
                change.player,
                kind,
                text,
                after,
                system.shown(change.before),
                system.shown(change.after),
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


def insert(table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows to a table: by COPY on PostgreSQL, by one prepared statement on SQLite."""
    named = ", ".join(columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({named}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        marks = ", ".join(["%s"] * len(columns))
        cursor.executemany(
            f"INSERT INTO {table} ({named}) VALUES ({marks})", list(_adapted(rows, connection.ops))
        )


def _adapted(rows: Sequence[tuple[Any, ...]], adapt: Any) -> Iterator[list[Any]]:
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
