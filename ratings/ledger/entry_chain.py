"""The ledger's chain of entries as a replay reads it, and what must be written to change it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from ratings.ledger.models import LedgerEntry, Period, RatingList
from ratings.ledger.timeline import Calendar, Key, chunks
from ratings.systems.protocol import Change, RatingSystem, State
from ratings.systems.storage import reason_to_json, state_from_json, state_to_json


@dataclass(frozen=True, slots=True)
class Head:
    """A member's entry in force in a period, as stored."""

    pk: int
    before: Mapping[str, object]
    after: Mapping[str, object]
    because: list[Any] | None
    shown_before: int | None
    shown_after: int | None
    held_on: date
    voided: bool


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One ledger entry to be superseded, added or voided.

    `moved`: the numbers differ (else only their reasons do); `counted`: an entry was in force
    there.
    """

    period_id: int
    held_on: date
    member_id: int
    entry_id: int | None
    change: Change
    rule_book_id: int | None
    shown_before: int | None
    shown_after: int | None
    voided: bool = False
    moved: bool = True
    counted: bool = True


def heads_of(period_id: int, members: set[int] | None = None) -> dict[int, Head]:
    """Return the last entry of each member in a period, voided ones included."""
    rows = LedgerEntry.objects.filter(period=period_id, superseded_by__isnull=True)
    heads = {}
    wanted: list[Any] = [None] if members is None else list(chunks(sorted(members)))
    for chunk in wanted:
        part = rows if chunk is None else rows.filter(member__in=chunk)
        for member, *values in part.order_by("pk").values_list(
            "member_id",
            "pk",
            "before",
            "after",
            "because",
            "shown_before",
            "shown_after",
            "held_on",
            "voided",
        ):
            heads[member] = Head(*values)
    return heads


def stored_states(calendar: Calendar, key: Key, members: Iterable[int] | None) -> dict[int, State]:
    """Return states just before `key` by the entries in force; omit members without one."""
    by_entry = {
        pk: member for member, pk in newest_entries(calendar.rating_list, members, key).items()
    }
    states = {}
    for chunk in chunks(sorted(by_entry)):
        for pk, after in LedgerEntry.objects.filter(pk__in=chunk).values_list("pk", "after"):
            states[by_entry[pk]] = state_from_json(after)
    return states


def newest_entries(
    rating_list: RatingList, members: Iterable[int] | None, before: Key | None = None
) -> dict[int, int]:
    """Return {member: id of their newest entry in force}, in the order of periods, before a place."""
    entries = LedgerEntry.objects.filter(rating_list=rating_list).in_force()
    if before is not None:
        entries = entries.filter(period__held_on__lte=before[0])
    newest: dict[int, tuple[Key, int]] = {}
    wanted: list[Any] = [None] if members is None else list(chunks(sorted(members)))
    for chunk in wanted:
        part = entries if chunk is None else entries.filter(member__in=chunk)
        rows = part.values_list(
            "member_id", "period__held_on", "period__position", "period_id", "pk"
        )
        for member, held_on, position, period_id, pk in rows.iterator(chunk_size=2000):
            at = (held_on, position, period_id)
            if (before is None or at < before) and (member not in newest or newest[member][0] < at):
                newest[member] = at, pk
    return {member: pk for member, (_at, pk) in newest.items()}


def line_of(
    period: Period,
    system: RatingSystem,
    member: int,
    change: Change | None,
    head: Head | None,
) -> EntryChange | None:
    """Return what must be written for the ledger to hold `change`; None where it already does."""
    if change is None:
        if head is None or head.voided:
            return None
        state = state_from_json(head.before)
        change = Change(player=member, before=state, after=state)
        return EntryChange(
            period_id=period.pk,
            held_on=period.held_on,
            member_id=member,
            entry_id=head.pk,
            change=change,
            rule_book_id=period.rule_book_id,
            shown_before=head.shown_before,
            shown_after=head.shown_before,
            voided=True,
        )
    before, after = state_to_json(change.before), state_to_json(change.after)
    counted = head is not None and not head.voided
    moved = not (counted and head.before == before and head.after == after)  # type: ignore[union-attr]
    if not moved and head is not None and head.held_on == period.held_on:
        because = [reason_to_json(item) for item in change.because]
        if head.because is None or head.because == because:
            return None
    return EntryChange(
        period_id=period.pk,
        held_on=period.held_on,
        member_id=member,
        entry_id=head.pk if head else None,
        change=change,
        rule_book_id=period.rule_book_id,
        shown_before=system.shown(change.before),
        shown_after=system.shown(change.after),
        moved=moved,
        counted=counted,
    )
