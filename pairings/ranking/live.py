"""The current ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from typing import Protocol

from django.db.models import Exists, OuterRef, Q, Subquery

from clubs.journal.models import JournalHead
from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from pairings.arbitration.models import Contest
from pairings.evenings.models import CheckIn, Evening
from pairings.live.models import LiveEvent
from pairings.matches.models import Match
from pairings.ranking import season
from pairings.ranking.models import PdiWaiver
from pairings.ranking.projection import (
    category_code,
    cote_after,
    cotes_of,
    cotes_on,
    games_of_evening,
    initial_cote,
    projected_changes,
)
from pairings.ranking.season import season_of
from pairings.rules.match_state import Status
from pairings.rules.scoring import Number
from pairings.rules.tiebreaks import RankedPlayer
from ratings.systems.protocol import Change


@dataclass(frozen=True, slots=True)
class RankingRow:
    """One line of the ranking as pages print it.

    `move` is None for a newcomer. `opens_season`: at the first evening of a later season, where
    nobody has an earlier place.
    """

    member: Member
    rank: int
    move: int | None
    values: Mapping[str, Number | None]
    parted_by: str | None
    ex_aequo: bool
    cote: int | None
    projected: int | None
    category: str
    pdi_ignored: bool = False
    opens_season: bool = False

    @property
    def shown_cote(self) -> int | None:
        return self.cote if self.projected is None else self.projected

    @property
    def is_projected(self) -> bool:
        return self.projected is not None


@dataclass(frozen=True, slots=True)
class Ranking:
    """`since`: the evening of the same season that the movements are counted from.

    `waivers`: the committee's decisions on tied groups, each with its members after merges.
    """

    rows: list[RankingRow]
    evening: Evening | None
    since: Evening | None
    live: bool
    waiting_results: int
    open_contests: int
    counts: Mapping[str, int]
    ds_mode: str
    waivers: list[tuple[PdiWaiver, tuple[int, ...]]]

    def row_of(self, member: Member) -> RankingRow | None:
        """Return a member's line; None where they are not ranked."""
        return next((row for row in self.rows if row.member.pk == member.pk), None)


NEWEST = 12
"""Evenings read at once: those of tonight and some closed ones of days before."""

KEPT = 32
kept_rankings: dict[tuple[int, str], tuple[str, Ranking]] = {}
"""The last rankings read in this process, by organisation and evening, with what each depends on."""


class Versioned(Protocol):
    """A row read with `version_columns`: the keys of the last event and entry of its organisation."""

    last_event: int | None
    last_entry: int | None


def version_columns(organisation: str) -> dict[str, Subquery]:
    """Return what `version_in` reads, as columns of a query whose field `organisation` holds the key."""
    of = OuterRef(organisation)
    events = LiveEvent.objects.filter(organisation=of).order_by("-pk").values("pk")
    heads = JournalHead.objects.filter(organisation=of).values("seq")
    return {"last_event": Subquery(events[:1]), "last_entry": Subquery(heads[:1])}


def version_in(row: Versioned) -> str:
    """Return `version_of` the organisation of a row that was read with `version_columns`."""
    return _version(row.last_event, row.last_entry)


def version_of(organisation: Organisation) -> str:
    """Return a value that changes with everything that a page may show, as the cache key.

    The outbox changes with play, the journal with every other action, such as a member hiding their
    name.
    """
    last_event = version_columns("organisation")["last_event"]
    head = JournalHead.objects.filter(organisation=organisation)
    return _version(*head.values_list(last_event, "seq").get())


def _version(event: int | None, entry: int | None) -> str:
    return f"{event or 0}:{entry or 0}"


def ranking(
    organisation: Organisation,
    *,
    at: datetime,
    live: bool,
    version: str = "",
    after: Evening | None = None,
) -> Ranking | None:
    """Return the live ranking or that of the last closed evening; `after`: of that closed evening.

    The live one includes tonight's agreed results, with cotes projected. None before the first
    season. Kept in the process until something changes (`version_of`, if read) or the club's day ends.
    """
    shown = f"after{after.pk}" if after is not None else "live" if live else "closed"
    key = (organisation.pk, shown)
    state = f"{version or version_of(organisation)}:{at.astimezone(organisation.zone):%Y%m%d}"
    previous_state, result = kept_rankings.get(key, ("", None))
    if previous_state == state:
        return result
    result = _ranking(organisation, at=at, live=live, after=after)
    if result is not None:
        # A key that is set again would keep its place among the oldest.
        kept_rankings.pop(key, None)
        kept_rankings[key] = (state, result)
    # Other threads may do the same: a copy of the keys, and no error for one already gone.
    for oldest in list(kept_rankings)[:-KEPT]:
        kept_rankings.pop(oldest, None)
    return result


def of_season(
    organisation: Organisation, season_id: int, *, at: datetime
) -> tuple[Evening, Ranking] | None:
    """Return the last closed evening of a season and the ranking after it; None without one.

    Its rows have the cotes of today: those of that evening are read for the rows shown (`as_of`).
    """
    evening = season.last_closed(organisation, season_id)
    if evening is None:
        return None
    found = ranking(organisation, at=at, live=False, after=evening)
    return (evening, found) if found is not None else None


def as_of(evening: Evening, rows: Iterable[RankingRow]) -> list[RankingRow]:
    """Return rows with the cotes that their players had at the end of that evening. One query."""
    rows, book = list(rows), evening.rule_book
    cotes = cotes_on(evening.organisation, [row.member.pk for row in rows], evening.held_on)
    held = [cotes.get(row.member.pk, initial_cote(book)) for row in rows]
    return [
        replace(row, cote=cote, category=category_code(cote, book))
        for row, cote in zip(rows, held, strict=True)
    ]


def _ranking(
    organisation: Organisation, *, at: datetime, live: bool, after: Evening | None = None
) -> Ranking | None:
    """Compute the ranking.

    The number of queries depends on the kinds of rows, not on their count.
    """
    if after is None:
        tonight, evening, since = _evenings(organisation, live=live)
    else:
        tonight, evening, since = [], after, _closed_before(after)
    current = evening.season if evening else season_of(organisation, at=at)
    if current is None:
        return None
    book = evening.rule_book if evening else rulebooks.in_force(organisation, rulebooks.LADDER, at)
    day = evening.held_on if evening else at.astimezone(organisation.zone).date()
    matches = list(season.matches_of(current, until=day, closed=not tonight)) if evening else []
    today = at.astimezone(organisation.zone).date()
    known, ranked, people = _people(current, tonight, until=day if after is not None else today)
    waivers = _waivers(current, people)
    waived = [group for _waiver, group in waivers]
    records = season.records_in(matches, people)
    standing = partial(season.standing, current, book, records=records, waived=waived, known=known)
    now = standing(today=day, also=ranked)
    before = _places_after(since, current, standing)
    of_tonight = {one.pk for one in tonight}
    tonight_matches = [match for match in matches if match.evening_id in of_tonight]
    # Games of two evenings at once are projected together; each is rated when it closes.
    games = games_of_evening(
        evening if tonight else None,
        sorted(tonight_matches, key=lambda match: match.pk),
        None,
        people,
    )
    cotes = cotes_of(organisation)
    projected = projected_changes(organisation, book, games, day)
    ignored = _pdi_ignored(now.lines, waived)
    rows = [
        replace(
            _row(line, now.members, before, cotes, projected, book),
            pdi_ignored=int(str(line.player)) in ignored,
        )
        for line in now.lines
    ]
    return Ranking(
        rows=rows,
        evening=evening,
        since=None if before is None else since,
        live=bool(tonight),
        waiting_results=sum(
            match.status in (Status.SUBMITTED, Status.ABSENCE_CLAIMED) for match in tonight_matches
        ),
        open_contests=Contest.objects.of(organisation)
        .open()
        .filter(late=False, match__evening__season=current)
        .count(),
        counts=Counter(row.category for row in rows),
        ds_mode=season.pairing_rules(book, season=current).ds_mode,
        waivers=waivers,
    )


def _places_after(
    since: Evening | None, current: Season, standing: Callable[..., season.SeasonStanding]
) -> Mapping[int, int] | None:
    """Return the places after an evening, none where there is no evening; None in another season."""
    if since is None:
        return {}
    if since.season_id != current.pk:
        return None
    return standing(today=since.held_on, until=since.held_on).places


def _waivers(current: Season, people: Mapping[int, int]) -> list[tuple[PdiWaiver, tuple[int, ...]]]:
    """Return the committee's decisions in force, each with its members after merges."""
    in_force = PdiWaiver.objects.filter(season=current).in_force().order_by("decided_at", "pk")
    return [(waiver, waiver.members_in(people)) for waiver in in_force]


def _pdi_ignored(lines: list[RankedPlayer], waived: list[tuple[int, ...]]) -> set[int]:
    """Return the members of a group, named by the committee, that is still level on PR."""
    pr = {int(str(line.player)): line.values["pr"] for line in lines}
    return {
        pk for group in waived if len({pr.get(member) for member in group}) == 1 for pk in group
    }


def _evenings(
    organisation: Organisation, *, live: bool
) -> tuple[list[Evening], Evening | None, Evening | None]:
    """Return tonight's evenings, the one shown and the one that movements are counted from.

    The one shown is tonight's first or the last closed. One query: the live ones, and the last closed.
    """
    shown = Evening.objects.of(organisation).select_related("organisation", "season", "rule_book")
    evenings: list[Evening] = list((shown if live else shown.closed()).live_then_closed()[:NEWEST])
    tonight = [evening for evening in reversed(evenings) if evening.is_live]
    evening = next(iter(tonight or evenings), None)
    if evening is None:
        return [], None, None
    earlier = [e for e in evenings if not e.is_live and e.held_on < evening.held_on]
    if not earlier and len(evenings) == NEWEST:  # all of them of one day, or of later days
        return tonight, evening, _closed_before(evening)
    return tonight, evening, next(iter(earlier), None)


def _closed_before(evening: Evening) -> Evening | None:
    closed = Evening.objects.of(evening.organisation).closed().filter(held_on__lt=evening.held_on)
    return closed.newest_first().first()


def _people(
    current: Season, tonight: list[Evening], *, until: date
) -> tuple[dict[int, Member], set[int], dict[int, int]]:
    """Return the members of the ranking, those ranked without a match, and the merged rows.

    Without a match: those here tonight, and those registered this season (`until` that day), who
    enter at once with the initial cote (002 III.C.2).

    One query without lists of ids, so its size is the same for twenty members and for twenty
    thousand.
    """
    played = Match.objects.filter(evening__season=current)
    rows = Member.objects.filter(organisation=current.organisation_id)
    here = CheckIn.objects.filter(evening__in=tonight, member=OuterRef("pk"))
    new = season.newcomers(current, until=until)
    wanted = rows.annotate(is_ranked=Exists(here) | Exists(new.filter(pk=OuterRef("pk")))).filter(
        Q(pk__in=played.values("first"))
        | Q(pk__in=played.filter(second__isnull=False).values("second"))
        | Q(is_ranked=True)
        | Q(merged_into__isnull=False)
        | Q(pk__in=rows.filter(merged_into__isnull=False).values("merged_into"))
    )
    members = list(wanted.order_by("pk"))
    merged = {m.pk: m.merged_into_id for m in members if m.merged_into_id is not None}
    people = merging.followed(merged)
    known: dict[int, Member] = {m.pk: m for m in members if m.merged_into_id is None}
    return known, {member.pk for member in members if member.is_ranked}, people


def _row(
    line: RankedPlayer,
    members: Mapping[int, Member],
    before: Mapping[int, int] | None,
    cotes: Mapping[int, int],
    projected: Mapping[int, Change],
    book: RuleBook | None,
) -> RankingRow:
    member_id = int(str(line.player))
    member = members[member_id]
    cote = cotes.get(member_id, initial_cote(book))
    change = projected.get(member_id)
    shown = cote_after(change, book)
    return RankingRow(
        member=member,
        rank=line.rank,
        move=before[member_id] - line.rank if before and member_id in before else None,
        values=line.values,
        parted_by=line.parted_by,
        ex_aequo=line.ex_aequo,
        cote=cote,
        projected=shown,
        category=category_code(shown if shown is not None else cote, book),
        opens_season=before is None,
    )
