"""Rate a whole history at once: every period posted and not settled, in order, in flat memory.

What it writes is what settling the periods one by one writes; a test compares. Entries go to the
table without an object each: by COPY on PostgreSQL, by one prepared statement on SQLite.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs import journal
from clubs.actor import Actor
from ratings import numbers
from ratings.calendar import ADJUSTMENT, Calendar, chunks, system_of
from ratings.corrections import Correction
from ratings.entries import cote_of, write_cotes
from ratings.forward import changes_of
from ratings.models import LedgerEntry, Period, RatingList
from ratings.postings import LedgerRefused
from ratings.replay import latest_states
from ratings.systems.base import Change, State
from ratings.systems.storage import reason_to_json, state_to_json

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
        with transaction.atomic():
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
            _("Une période plus récente est déjà calculée : passez par la correction."),
            code="out_of_order",
        )
    number = 0
    moved: set[int] = set()
    for place, period, event in calendar.events(places):
        changes = changes_of(system_of(period), states, event, period.kind)
        for change in changes:
            states[change.player] = change.after
            moved.add(int(str(change.player)))
        number += len(changes)
        Period.objects.filter(pk=place.pk).update(
            settled_at=at, rule_book=period.rule_book, rule_fixed=True
        )
        insert(rows_of(period, changes, by=by, at=at))
        numbers.keep(period, event, changes)
    _remember(rating_list, pks, moved)
    journal.record(
        organisation=rating_list.organisation,
        verb="period_settled",
        subject=f"list:{rating_list.pk}",
        by=by,
        at=at,
        after={"list": rating_list.slug, "periods": len(pks), "entries": number},
    )
    return number


def _remember(rating_list: RatingList, pks: Sequence[int], moved: set[int]) -> None:
    """The latest cotes of those who moved, from the newest of the entries just written."""
    order = {pk: place for place, pk in enumerate(pks)}
    rows = LedgerEntry.objects.filter(period__in=pks, supersedes__isnull=True)
    found: dict[int, tuple[int, int]] = {}
    for member, period, pk in rows.values_list("member_id", "period_id", "pk").iterator():
        if member not in found or found[member][0] < order[period]:
            found[member] = order[period], pk
    newest = {member: pk for member, (_order, pk) in found.items() if member in moved}
    for chunk in chunks(sorted(newest.values())):
        write_cotes([cote_of(entry) for entry in LedgerEntry.objects.filter(pk__in=chunk)])


def rows_of(
    period: Period, changes: Iterable[Change], *, by: Actor, at: datetime
) -> list[tuple[Any, ...]]:
    """A settled period's entries as rows of the table."""
    system = system_of(period)
    user = by.user.pk if by.user else None
    kind = LedgerEntry.ADJUSTED if period.kind == ADJUSTMENT else LedgerEntry.SETTLED
    return [
        (
            period.rating_list_id,
            period.pk,
            change.player,
            kind,
            json.dumps(state_to_json(change.before)),
            json.dumps(state_to_json(change.after)),
            system.shown(change.before),
            system.shown(change.after),
            json.dumps([reason_to_json(item) for item in change.because]),
            period.rule_book_id,
            period.held_on,
            at,
            user,
            period.facts.get("reason", ""),
            False,
            None,
        )
        for change in changes
    ]


def insert(rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows to the ledger."""
    columns = ", ".join(COLUMNS)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {TABLE} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        adapt = connection.ops
        marks = ", ".join(["%s"] * len(COLUMNS))
        days: dict[date, Any] = {}
        ready = []
        for row in rows:
            own = list(row)
            own[10] = days.setdefault(row[10], adapt.adapt_datefield_value(row[10]))
            own[11] = adapt.adapt_datetimefield_value(row[11])
            ready.append(own)
        cursor.executemany(f"INSERT INTO {TABLE} ({columns}) VALUES ({marks})", ready)
