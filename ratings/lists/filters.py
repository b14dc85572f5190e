"""Filters of a list: series or grade (who holds which label, best first), country and club.

A label may depend on the day (the series of FISF are frozen by season), so no column of the
database holds it. It is computed from the states once and cached until the list, its rules or the
day change; a short list is read on every first page, for its counts, a long one on request.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from django.core.cache import cache
from django.db.models import QuerySet

from clubs.members.models import Member
from clubs.persons.models import Person
from clubs.search import without_accents
from ratings.ledger.models import RatingList, StandingCote
from ratings.systems.columns import ListColumn, ListSection, cells_of
from ratings.systems.protocol import RatingSystem
from ratings.systems.storage import state_from_json

PLACES = ("country", "club")
"""What the register of a federation says of a player and a list can be narrowed by."""
COUNTED = 2000
"""Up to this many players the labels are counted on every page of the list."""


def column_of(system: RatingSystem) -> ListColumn | None:
    """Return the column a reader may filter the list by, where the system names its choices."""
    return next((column for column in system.columns() if column.choices), None)


def choices_of(system: RatingSystem) -> tuple[str, ...]:
    """Return the labels of that column, best first."""
    column = column_of(system)
    return column.choices if column is not None else ()


def holders(
    rating_list: RatingList,
    section: ListSection,
    cotes: QuerySet[StandingCote],
    system: RatingSystem,
    on: date,
) -> Mapping[str, Sequence[int]]:
    """Return label → the ids of the states in `cotes` that have it, best first."""
    column = column_of(system)
    if column is None:
        return {}
    key = _key(rating_list, section, system, on)
    ids_by_label: dict[str, list[int]] | None = cache.get(key)
    if ids_by_label is None:
        ids_by_label = {label: [] for label in column.choices}
        # By no name: the cache is for every reader.
        rows = cotes.select_related(None).order_by("-shown", "pk").values_list("pk", "state")
        for pk, state in rows.iterator(chunk_size=2000):
            label = cells_of(system, state_from_json(state), on).get(column.code)
            if label in ids_by_label:
                ids_by_label[label].append(pk)
        cache.set(key, ids_by_label, 3600)
    return ids_by_label


def counts(
    rating_list: RatingList,
    section: ListSection,
    cotes: QuerySet[StandingCote],
    system: RatingSystem,
    on: date,
    *,
    total: int,
) -> Mapping[str, int | None]:
    """Return label → how many have it; None in a long list not filtered yet."""
    if total > COUNTED and cache.get(_key(rating_list, section, system, on)) is None:
        return dict.fromkeys(choices_of(system))
    ids_by_label = holders(rating_list, section, cotes, system, on)
    return {label: len(ids) for label, ids in ids_by_label.items()}


def persons_of(rating_list: RatingList, *, viewer_is_member: bool) -> QuerySet[Person]:
    """Return the register's part of the players of a list whose whole name that reader may see."""
    named = Member.objects.of(rating_list.organisation).showing_whole_name(
        viewer_is_member=viewer_is_member
    )
    return Person.objects.of(rating_list.organisation).filter(
        member__in=named.values("pk"), member__cotes__rating_list=rating_list
    )


def places_of(rating_list: RatingList, *, viewer_is_member: bool) -> Mapping[str, list[str]]:
    """Return the countries and the clubs that a reader may choose, in the order of the alphabet."""
    persons = persons_of(rating_list, viewer_is_member=viewer_is_member)
    pairs = list(persons.values_list(*PLACES).distinct())
    return {
        name: sorted({pair[n] for pair in pairs if pair[n]}, key=without_accents)
        for n, name in enumerate(PLACES)
    }


def places_by_member(
    rating_list: RatingList, members: Iterable[int], *, viewer_is_member: bool
) -> Mapping[int, str]:
    """Return member → "club · country", of those whose whole name that reader may see."""
    persons = persons_of(rating_list, viewer_is_member=viewer_is_member).filter(member__in=members)
    rows = persons.values_list("member_id", "club", "country")
    return {pk: " · ".join(filter(None, places)) for pk, *places in rows}


def _key(rating_list: RatingList, section: ListSection, system: RatingSystem, on: date) -> str:
    rules = hashlib.sha256(repr(system).encode()).hexdigest()[:12]
    return f"list-labels:{rating_list.pk}:{rating_list.version}:{section.code}:{on}:{rules}"
