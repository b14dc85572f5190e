"""Rebuild a list from its rated games, and preview what a correction would change.

Periods are settled in order, each with the rule version fixed on it. Replay never reads today's
settings, so it gives every stored number back, bit for bit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from clubs.upkeep.jobs import Progress, no_progress
from ratings.ledger import impact
from ratings.ledger.corrections import Correction
from ratings.ledger.corrections import check as check_correction
from ratings.ledger.entry_chain import EntryChange
from ratings.ledger.impact import Difference
from ratings.ledger.models import LedgerEntry, Period, RatingList, StandingCote
from ratings.ledger.propagation import changes_in, changes_of, players_of
from ratings.ledger.timeline import GAMES, Calendar, chunks, named_in, system_of
from ratings.systems.protocol import EVERYBODY, Change, Event, State
from ratings.systems.storage import state_from_json, state_to_json

__all__ = ["Difference", "EntryChange", "system_of"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A stored number that replay does not give back."""

    period: str
    member_id: int
    stored: object
    replayed: object


def settle_one(rating_list: RatingList, period: Period) -> list[Change]:
    """Return the newest period's changes, from the current cotes of the list."""
    system = system_of(period)
    calendar = Calendar(rating_list)
    event = calendar.event(
        period,
        sequence_of(rating_list, period),
        calendar.games([period.pk])[period.pk],
        calendar.placings([period.pk])[period.pk],
    )
    everybody = system.reach == EVERYBODY and not named_in(period, event.facts)
    wanted = None if everybody else players_of(event) | named_in(period, event.facts)
    return changes_of(system, latest_states(rating_list, wanted), event, period.kind)


def latest_states(rating_list: RatingList, members: Iterable[int] | None) -> dict[int, State]:
    """Return the current states of the list, of everybody or of some."""
    cotes = StandingCote.objects.filter(rating_list=rating_list)
    if members is not None:
        wanted = set(members)
        parts = [cotes.filter(member_id__in=chunk) for chunk in chunks(sorted(wanted))]
    else:
        parts = [cotes]
    return {
        member: state_from_json(state)
        for part in parts
        for member, state in part.order_by("pk").values_list("member_id", "state")
    }


def sequence_of(rating_list: RatingList, period: Period) -> int:
    """Return the period's number among the list's official games, from 1 (001 §2).

    A cut or a sheet of starts is no game: it has the number of the last one before it.
    """
    official = rating_list.periods.rated().filter(kind=GAMES)
    earlier = official.exclude(pk=period.pk).before(period).count()
    return earlier + (period.kind == GAMES)


def run(
    rating_list: RatingList, *, states: dict[int, State] | None = None
) -> Iterator[tuple[Period, Event, list[Change]]]:
    """Settle every period in order, each with its own rule version, from no state at all.

    `states` is carried along and changed in place. Periods are read a few at a time.
    """
    states = {} if states is None else states
    rating_list.refresh_from_db(fields=["version", "facts"])
    calendar = Calendar(rating_list)
    standing = [place for place in calendar.places if place.wanted]
    for _place, period, event in calendar.events(standing):
        changes = changes_in(period, system_of(period), states, event)
        for moved in changes:
            states[moved.player] = moved.after
        yield period, event, changes


def preview(
    rating_list: RatingList,
    correction: Correction,
    *,
    on: date,
    progress: Progress = no_progress,
) -> Difference:
    """Return the whole difference that a correction makes, before it is applied.

    Writes nothing. `on`: the day it is read, as in `impact.difference_of`. `progress`: as in
    `impact.of_walk`. A list that is settled meanwhile is read again, so that two states never mix.
    """
    check_correction(rating_list, correction)
    for _try in range(3):
        rating_list.refresh_from_db(fields=["version", "facts"])
        calendar = Calendar(rating_list, correction)
        difference = impact.of_walk(calendar, on=on, progress=progress)
        if RatingList.objects.filter(pk=rating_list.pk, version=rating_list.version).exists():
            break
    return difference


def check(rating_list: RatingList, progress: Progress = no_progress) -> Iterator[Mismatch]:
    """Replay from the first game and compare every stored number, bit for bit, in order."""
    states: dict[int, State] = {}
    total = len([place for place in Calendar(rating_list).places if place.wanted])
    batch: list[tuple[Period, Event, list[Change]]] = []
    done = 0
    for period, event, changes in run(rating_list, states=states):
        batch.append((period, event, changes))
        if len(batch) == 16:
            yield from _compare(batch)
            done += len(batch)
            batch.clear()
            progress(done, total)
    yield from _compare(batch)
    progress(total, total)
    seen = set()
    cotes = StandingCote.objects.filter(rating_list=rating_list).order_by("member_id", "pk")
    for member, stored_state in cotes.values_list("member_id", "state").iterator(chunk_size=2000):
        seen.add(member)
        state = states.get(member)
        if state is None or not same(stored_state, state_to_json(state)):
            yield Mismatch("cote", member, stored_state, state and state_to_json(state))
    for member in sorted(set(states) - seen):
        yield Mismatch("cote", member, None, state_to_json(states[member]))


def _compare(batch: list[tuple[Period, Event, list[Change]]]) -> Iterator[Mismatch]:
    """Compare some periods' changes with their entries in force."""
    stored: dict[int, dict[int, Any]] = {period.pk: {} for period, _event, _changes in batch}
    entries = LedgerEntry.objects.filter(period__in=stored).in_force()
    for period_id, *row in entries.values_list(
        "period_id", "member_id", "before", "after", "shown_before", "shown_after"
    ).iterator(chunk_size=2000):
        stored[period_id][row[0]] = row[1:]
    for period, _event, changes in batch:
        stored_entries, system = stored[period.pk], system_of(period)
        for change in sorted(changes, key=lambda change: int(str(change.player))):
            member = int(str(change.player))
            row = stored_entries.pop(member, None)
            replayed = [
                state_to_json(change.before),
                state_to_json(change.after),
                system.shown(change.before),
                system.shown(change.after),
            ]
            if row is None or not same(row, replayed):
                yield Mismatch(period.key, member, None if row is None else row[1], replayed[1])
        for member, row in sorted(stored_entries.items()):
            yield Mismatch(period.key, member, row[1], None)


def same(stored: object, replayed: object) -> bool:
    """Return whether two values are equal bit for bit: 1500 is not 1500.0."""
    return bool(stored == replayed) and json.dumps(stored, sort_keys=True) == json.dumps(
        replayed, sort_keys=True
    )
