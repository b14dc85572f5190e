"""Reads of a rating list: latest states, the ranking on a day, one page of it, movements.

The rank is that of the printed number: two equal numbers are ex æquo (the badge, too, is that of
the printed number). Movements are counted from an edition's frozen ranks.
"""

from __future__ import annotations

import hashlib
import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from django.core.cache import cache
from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from clubs.members.models import Member, name_order
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from clubs.search import search_words
from ratings import systems
from ratings.ledger.impact import condition_of
from ratings.ledger.models import Edition, LedgerEntry, RatingList, StandingCote
from ratings.ledger.timeline import rule_book_on
from ratings.lists import filters
from ratings.systems.columns import ListColumn, ListRow, ListSection, ListTable, cells_of
from ratings.systems.protocol import RatingSystem, State
from ratings.systems.storage import state_from_json


@dataclass(frozen=True, slots=True)
class MemberStanding:
    """One member's state in a list on a day."""

    member_id: int
    state: State
    shown: int


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a list: `total` players in the section, `matching` of them pass the filter.

    `labels`: the series or grades to filter by, with how many have each where that is known.
    """

    columns: tuple[ListColumn, ...]
    rows: tuple[ListRow, ...]
    members: Mapping[int, Member]
    sections: tuple[ListSection, ...]
    section: str
    total: int
    matching: int
    since: int | None
    label: str = ""
    labels: Mapping[str, int | None] = field(default_factory=dict)


def system_on(rating_list: RatingList, on: date) -> RatingSystem:
    """Return the list's system with the numbers in force on a day."""
    system: RatingSystem = rulebooks.rules(
        rule_book_on(rating_list, on), rating_list.system, "cote"
    )
    return system


def latest(rating_list: RatingList, *, viewer_is_member: bool) -> QuerySet[StandingCote]:
    """Return the latest states, best first; members without a cote are left out.

    Equal numbers are in the order of the names that reader sees: no document says another.
    """
    return (
        StandingCote.objects.filter(rating_list=rating_list, shown__isnull=False)
        .select_related("member")
        .order_by("-shown", name_order(viewer_is_member=viewer_is_member, path="member__"), "pk")
    )


def states_on(rating_list: RatingList, on: date) -> dict[int, MemberStanding]:
    """Return everybody's state at the end of a day. The latest states are read from their cache."""
    system = system_on(rating_list, on)
    standings: dict[int, MemberStanding] = {}
    if not rating_list.periods.filter(settled_at__isnull=False, held_on__gt=on).exists():
        cotes = StandingCote.objects.filter(rating_list=rating_list).order_by("pk")
        for cote in cotes.iterator(chunk_size=2000):
            if cote.shown is not None:
                state = state_from_json(cote.state)
                standings[cote.member_id] = MemberStanding(cote.member_id, state, cote.shown)
        return standings
    for member_id, entry in _entries_on(rating_list, on).items():
        state = state_from_json(entry.after)
        shown = system.shown(state)
        if shown is not None:
            standings[member_id] = MemberStanding(member_id, state, shown)
    return standings


def _entries_on(rating_list: RatingList, on: date) -> dict[int, LedgerEntry]:
    """Return each member's last entry in force on or before a day, in the order of periods.

    Reasons and states are read of these alone: a list has many entries and few last ones.
    """
    in_order = ("-period__held_on", "-period__position", "-period", "-pk")
    place = Window(RowNumber(), partition_by=F("member"), order_by=in_order)
    entries = LedgerEntry.objects.filter(rating_list=rating_list, period__held_on__lte=on)
    last = entries.in_force().annotate(place=place).filter(place=1).values("pk")
    return {
        entry.member_id: entry
        for entry in LedgerEntry.objects.filter(pk__in=last).only("member", "after", "held_on")
    }


def ranking_on(
    rating_list: RatingList,
    on: date,
    *,
    day: date | None = None,
    since: Edition | None = None,
    viewer_is_member: bool = False,
) -> ListTable:
    """Return the whole list after the competitions of a day, section by section, with movements.

    `day`: the day it is read, on whose rules, statuses, series and sections depend (a player not seen
    for a year, a season's bars), the same day by default. `since`: the edition that movements are counted from. Members
    merged into another one are left out; names, and the order of equal numbers, are those that this
    reader may see. A later section that takes everybody only repeats the others (the organisers'
    file): it is left out.
    """
    day = day or on
    system = system_on(rating_list, day)
    first, *others = system.sections(day)
    sections = (first, *(s for s in others if not s.is_for_everybody))
    standings = states_on(rating_list, on)
    members = _members(rating_list.organisation, standings)
    by_name = {
        pk: member.order_for(viewer_is_member=viewer_is_member) for pk, member in members.items()
    }
    before = places_of(since)
    rows: list[ListRow] = []
    for section in sections:
        taken = [
            standing
            for standing in standings.values()
            if standing.member_id in members and section.takes(standing.state)
        ]
        taken.sort(key=lambda s: (-s.shown, by_name[s.member_id], s.member_id))
        ranks = ranks_of([standing.shown for standing in taken])
        for standing, (rank, ex_aequo) in zip(taken, ranks, strict=True):
            rows.append(
                ListRow(
                    member=standing.member_id,
                    name=members[standing.member_id].name_for(viewer_is_member=viewer_is_member),
                    rank=rank,
                    ex_aequo=ex_aequo,
                    move=_move(before, section.code, standing.member_id, rank),
                    section=section.code,
                    cells=cells_of(system, standing.state, day, rating_list.kind, asides=False),
                )
            )
    number = since.number if since is not None else None
    columns = tuple(column for column in system.columns() if not column.aside)
    return ListTable(columns, tuple(rows), sections, number)


def _row_of(
    cote: StandingCote,
    numbers: Sequence[int],
    system: RatingSystem,
    section: ListSection,
    before: Mapping[tuple[str, int], int],
    on: date,
    viewer_is_member: bool,
    kind: str,
) -> ListRow:
    """Return a player's row; their rank is their place among `numbers`, the section's, negated."""
    shown = int(cote.shown or 0)
    above = bisect_right(numbers, -shown - 1)
    equal = bisect_right(numbers, -shown) - above
    return ListRow(
        member=cote.member_id,
        name=cote.member.name_for(viewer_is_member=viewer_is_member),
        rank=above + 1,
        ex_aequo=equal > 1,
        move=_move(before, section.code, cote.member_id, above + 1),
        section=section.code,
        cells=cells_of(system, state_from_json(cote.state), on, kind),
    )


def page(
    rating_list: RatingList,
    *,
    on: date,
    start: int = 0,
    size: int | None = 50,
    section: str = "",
    words: str = "",
    label: str = "",
    among: Mapping[str, str] | None = None,
    viewer_is_member: bool = False,
) -> ListPage:
    """Return a page of the latest list. A few queries whatever the length of the list.

    `size` None: every row, for a page that sorts them by something else than the number.
    `among`: country and club, of players whose whole name that reader may see.
    """
    system = system_on(rating_list, on)
    sections = system.sections(on)
    chosen, cotes = _of_section(rating_list, sections, section, viewer_is_member)
    numbers = _numbers(rating_list, chosen, cotes)
    label = label if label in filters.choices_of(system) else ""
    is_searched = bool(words.strip() or among)
    wanted = _searched(rating_list, cotes, words, among, viewer_is_member)
    if label:
        label_ids = filters.holders(rating_list, chosen, cotes, system, on)[label]
        if is_searched:
            matching = set(wanted.values_list("pk", flat=True))
            label_ids = [pk for pk in label_ids if pk in matching]
        line_count, asked = len(label_ids), label_ids[start : size and start + size]
        wanted, start = cotes.filter(pk__in=asked), 0
    else:
        line_count = wanted.count() if is_searched else len(numbers)
    labels = filters.counts(rating_list, chosen, cotes, system, on, total=len(numbers))
    # No edition has a later section that repeats the others: nobody is new there.
    is_repeated = chosen.is_for_everybody and chosen != sections[0]
    since = None if is_repeated else last_edition(rating_list.organisation, rating_list)
    before = {} if since is None else _places_by_digest(since.pk, since.sha256)
    rows, members = [], {}
    if not is_searched and not label and 0 < start < len(numbers):
        # By the value, not by OFFSET: a database then reads no row before it.
        first = bisect_left(numbers, numbers[start])
        wanted, start = wanted.filter(shown__lte=-numbers[start]), start - first
    for cote in wanted[start : size and start + size]:
        members[cote.member_id] = cote.member
        rows.append(
            _row_of(cote, numbers, system, chosen, before, on, viewer_is_member, rating_list.kind)
        )
    return ListPage(
        columns=system.columns(),
        rows=tuple(rows),
        members=members,
        sections=sections,
        section=chosen.code,
        total=len(numbers),
        matching=line_count,
        since=since.number if since is not None else None,
        label=label,
        labels=labels,
    )


def order_of(
    rating_list: RatingList,
    *,
    on: date,
    section: str = "",
    words: str = "",
    viewer_is_member: bool = False,
) -> Callable[[int], tuple[object, ...]]:
    """Return a function of a place: what stays equal while the rows of `page` before it are the same.

    A new number has a new version of the list. A new name moves its row among equal numbers alone:
    of the whole list only those are read which have the number on both sides of the place. What a
    search finds depends on every name.
    """
    sections = system_on(rating_list, on).sections(on)
    chosen, cotes = _of_section(rating_list, sections, section, viewer_is_member)
    known = rating_list.version, repr(chosen)
    if search_words(words):
        wanted = _searched(rating_list, cotes, words, None, viewer_is_member)
        found = (*known, *wanted.values_list("member_id", flat=True))
        return lambda _place: found
    numbers = _numbers(rating_list, chosen, cotes)

    def order_before(place: int) -> tuple[object, ...]:
        if not 0 < place < len(numbers) or numbers[place - 1] != numbers[place]:
            return known
        return (*known, *cotes.filter(shown=-numbers[place]).values_list("member_id", flat=True))

    return order_before


def _of_section(
    rating_list: RatingList, sections: Sequence[ListSection], code: str, viewer_is_member: bool
) -> tuple[ListSection, QuerySet[StandingCote]]:
    """Return the section of that code, else the first, and the latest cotes of its players."""
    chosen = next((known for known in sections if known.code == code), sections[0])
    cotes = latest(rating_list, viewer_is_member=viewer_is_member)
    return chosen, cotes.filter(condition_of(chosen), member__merged_into__isnull=True)


def _searched(
    rating_list: RatingList,
    cotes: QuerySet[StandingCote],
    words: str,
    among: Mapping[str, str] | None,
    viewer_is_member: bool,
) -> QuerySet[StandingCote]:
    """Return the cotes of the players who have that name, and that country and club."""
    if search_words(words):
        people = Member.objects.of(rating_list.organisation)
        people = people.matching_for(words, viewer_is_member=viewer_is_member)
        cotes = cotes.filter(member__in=people.values("pk"))
    if among:
        persons = filters.persons_of(rating_list, viewer_is_member=viewer_is_member)
        cotes = cotes.filter(member__in=persons.filter(**among).values("member"))
    return cotes


def _numbers(
    rating_list: RatingList, section: ListSection, cotes: QuerySet[StandingCote]
) -> list[int]:
    """Return every printed number of a section, negated and so ascending.

    Cached until the list changes.
    """
    limits = hashlib.sha256(repr(section).encode()).hexdigest()[:12]
    key = f"list-numbers:{rating_list.pk}:{rating_list.version}:{section.code}:{limits}"
    negated_numbers: list[int] | None = cache.get(key)
    if negated_numbers is None:
        shown = cotes.order_by("-shown").values_list("shown", flat=True)
        negated_numbers = [-int(number or 0) for number in shown]
        cache.set(key, negated_numbers, 3600)
    return negated_numbers


def ranks_of(values: Sequence[object]) -> list[tuple[int, bool]]:
    """Return (rank, ex æquo) for values already in order: 1, 2 =, 2 =, 4."""
    ranks: list[tuple[int, bool]] = []
    for _value, group in itertools.groupby(values):
        size = len(list(group))
        ranks += [(len(ranks) + 1, size > 1)] * size
    return ranks


def last_edition(organisation: Organisation, rating_list: RatingList | None) -> Edition | None:
    """Return the edition of the newest day; `rating_list` None is the club's own ranking.

    Of an edition and its errata the last erratum counts: movements start from corrected ranks.
    """
    editions = Edition.objects.filter(organisation=organisation, rating_list=rating_list)
    light = editions.defer("rows", "columns")  # deferred: these columns may be long
    newest: Edition | None = light.order_by("-covers_until", "-number").first()
    return newest


def places_of(edition: Edition | None) -> Mapping[tuple[str, int], int]:
    """Return (section, member id) → the frozen rank. Empty without an edition."""
    if edition is None:
        return {}
    return {(row["section"], row["member"]): row["rank"] for row in edition.rows}


@lru_cache(maxsize=4)
def _places_by_digest(edition_id: int, sha256: str) -> Mapping[tuple[str, int], int]:
    """Return the frozen ranks for a page: an edition never changes."""
    return places_of(Edition.objects.only("rows").get(pk=edition_id, sha256=sha256))


def _move(
    before: Mapping[tuple[str, int], int], section: str, member_id: int, rank: int
) -> int | None:
    old_rank = before.get((section, member_id))
    return None if old_rank is None else old_rank - rank


def _members(organisation: Organisation, ids: Iterable[int]) -> dict[int, Member]:
    """Return the organisation's members among these, without those merged into another."""
    wanted = set(ids)
    everybody = Member.objects.filter(organisation=organisation, merged_into__isnull=True)
    if len(wanted) < 900:
        everybody = everybody.filter(pk__in=wanted)
    return {member.pk: member for member in everybody.order_by("pk") if member.pk in wanted}


def lists_holding(member: Member) -> list[RatingList]:
    """Return the lists where a member has a state, the club ladder's first, then by system."""
    cotes = StandingCote.objects.filter(member=member).select_related("rating_list")
    order = {known.code: place for place, known in enumerate(systems.SYSTEMS)}
    return sorted(
        (cote.rating_list for cote in cotes),
        key=lambda one: (order.get(one.system, len(order)), one.slug),
    )
