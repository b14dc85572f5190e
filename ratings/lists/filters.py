"""Filters of a list by series or grade: who holds which label, best first.

A label may depend on the day (the series of FISF are frozen by season), so no column of the
database holds it. It is computed from the states once and cached until the list, its rules or the
day change; a short list is read on every first page, for its counts, a long one on request.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.core.cache import cache
from django.db.models import QuerySet

from ratings.ledger.models import RatingList, StandingCote
from ratings.systems.columns import ListColumn, ListSection, cells_of
from ratings.systems.storage import state_from_json

COUNTED = 2000
"""Up to this many players the labels are counted on every page of the list."""


def column_of(system: Any) -> ListColumn | None:
    """Return the column a reader may filter the list by, where the system names its choices."""
    return next((column for column in system.columns() if column.choices), None)


def choices_of(system: Any) -> tuple[str, ...]:
    """Return the labels of that column, best first."""
    column = column_of(system)
    return column.choices if column is not None else ()


def holders(
    rating_list: RatingList,
    section: ListSection,
    cotes: QuerySet[StandingCote],
    system: Any,
    on: date,
) -> Mapping[str, Sequence[int]]:
    """Return label → the ids of the states in `cotes` that have it, best first."""
    column = column_of(system)
    if column is None:
        return {}
    key = _key(rating_list, section, system, on)
    found: dict[str, list[int]] | None = cache.get(key)
    if found is None:
        found = {label: [] for label in column.choices}
        rows = cotes.select_related(None).values_list("pk", "state")
        for pk, state in rows.iterator(chunk_size=2000):
            label = cells_of(system, state_from_json(state), on).get(column.code)
            if label in found:
                found[label].append(pk)
        cache.set(key, found, 3600)
    return found


def counts(
    rating_list: RatingList,
    section: ListSection,
    cotes: QuerySet[StandingCote],
    system: Any,
    on: date,
    *,
    total: int,
) -> Mapping[str, int | None]:
    """Return label → how many have it; None in a long list not filtered yet."""
    if total > COUNTED and cache.get(_key(rating_list, section, system, on)) is None:
        return dict.fromkeys(choices_of(system))
    found = holders(rating_list, section, cotes, system, on)
    return {label: len(held) for label, held in found.items()}


def _key(rating_list: RatingList, section: ListSection, system: Any, on: date) -> str:
    rules = hashlib.sha256(repr(system).encode()).hexdigest()[:12]
    return f"list-labels:{rating_list.pk}:{rating_list.version}:{section.code}:{on}:{rules}"
