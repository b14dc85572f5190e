"""A season's matches as the plain values that the pairing and ranking rules take.

Every caller reads rows through this module: the pairing run, the live ranking, the wall screen, the
preview of a decision. `override` computes the result of another ending of a match without writing a
row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from types import MappingProxyType

from django.db.models import QuerySet, Subquery
from django.db.models.functions import Coalesce

from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from pairings.evenings.models import Evening
from pairings.matches import state
from pairings.matches.competition import evening_of
from pairings.matches.models import Match
from pairings.ranking.models import PdiWaiver
from pairings.rules.scoring import MatchRecord
from pairings.rules.tiebreaks import RankedPlayer
from pairings.systems.faizers.system import FaizersPairing
from pairings.systems.protocol import Bye, Entrant, Pairing
from ratings.systems.protocol import PlayerId

Override = Mapping[int, MatchRecord | None]


Groups = Sequence[tuple[PlayerId, ...]]


def rules_at(organisation: Organisation, at: datetime) -> FaizersPairing:
    """Return the numbers for what is decided now: floor of a cut, days to appeal."""
    return pairing_rules(rulebooks.in_force(organisation, rulebooks.LADDER, at))


def pairing_rules(
    rule_book: RuleBook | None, ignored: Groups = (), *, season: Season | None = None
) -> FaizersPairing:
    """Return the pairing and ranking numbers of a rule version.

    `season`: keeps the fields that order the whole season as they were at its start. `ignored`:
    groups whose PDI the committee ignores, besides those of the version itself.
    """
    rules: FaizersPairing = rulebooks.rules(rule_book, rulebooks.LADDER, "pairing")
    if season is not None:
        same = not season.rule_fixed or season.rule_book_id == getattr(rule_book, "pk", None)
        first = rules if same else rulebooks.rules(season.rule_book, rulebooks.LADDER, "pairing")
        rules = rules.ordered_as(first, ds_mode=season.ds_mode)
    if ignored:
        rules = replace(rules, pdi_ignore_groups=(*rules.pdi_ignore_groups, *ignored))
    return rules


def waived_groups(
    season: Season, merged: Mapping[int, int] | None = None, *, at: datetime | None = None
) -> list[tuple[PlayerId, ...]]:
    """Return the groups whose PDI the committee ignores in this season (002 II.B.1).

    Everybody is under their row after merges; `merged`: rows to treat as merged too. `at`: those
    ignored at that moment, now by default. One query where there is none.
    """
    waivers = list(PdiWaiver.objects.filter(season=season).in_force(at=at).order_by("pk"))
    people = people_of(season, merged) if waivers else {}
    return [waiver.members_in(people) for waiver in waivers]


def record_of(
    match: Match, day: date, people: Mapping[int, int] = MappingProxyType({})
) -> MatchRecord | None:
    """Return a match as the rules read it.

    None while it does not count (open, contested, cancelled). `people`: rows merged into another
    member, by `clubs.members.merging.same_people`.
    """
    return _renamed(state.record_of(match, day.toordinal()), people)


def records_of(
    season: Season,
    *,
    until: date | None = None,
    override: Override | None = None,
    merged: Mapping[int, int] | None = None,
) -> list[MatchRecord]:
    """Return everything that counts in a season, in the order played. Two queries.

    `until`: what closed evenings of that day and before have. `merged`: rows to treat as merged too.
    """
    people = people_of(season, merged)
    matches = matches_of(season, until=until, closed=until is not None)
    return records_in(matches, people, override=override)


def matches_of(
    season: Season,
    *,
    until: date | None = None,
    closed: bool = False,
    players: Collection[int] | None = None,
) -> Iterable[Match]:
    """Return a season's matches in the order played, each with its evening. One query.

    `closed`: those of closed evenings alone; another room of the day may still be open. `players`:
    those of these members alone.
    """
    matches = Match.objects.filter(evening__season=season).order_by(
        "evening__held_on", "proposed_at", "pk"
    )
    if players is not None:
        matches = matches.of_people(players)
    if until is not None:
        matches = matches.filter(evening__held_on__lte=until)
    if closed:
        matches = matches.filter(evening__state=Evening.State.CLOSED)
    return matches.select_related("evening").iterator(chunk_size=2000)


def records_in(
    matches: Iterable[Match], people: Mapping[int, int], *, override: Override | None = None
) -> list[MatchRecord]:
    """Return what counts among these matches of evenings.

    Everybody is under their row after merges. Each record carries the points of the rule version
    that its match was played under: a later version does not change them. One query, where there is
    a version.
    """
    rows = list(matches)
    versions = {match.rule_book_id for match in rows}
    books = RuleBook.objects.in_bulk(versions - {None})  # None: the numbers of the document
    scales = {pk: pairing_rules(books.get(pk or 0)).scale() for pk in versions}
    records = []
    for match in rows:
        record = record_of(match, evening_of(match).held_on, people)
        if override is not None and match.pk in override:
            record = _renamed(override[match.pk], people)
        if record is not None:
            records.append(record._replace(scale=scales[match.rule_book_id]))
    return records


def _renamed(record: MatchRecord | None, people: Mapping[int, int]) -> MatchRecord | None:
    """Return the record with everybody under their row after merges."""
    if record is None or not people:
        return record
    first, second = (None if pid is None else people.get(int(str(pid)), pid) for pid in record[:2])
    return record._replace(first=first, second=second)


def people_of(season: Season, merged: Mapping[int, int] | None = None) -> dict[int, int]:
    """Return whose matches count for whom: merged members, and those a preview merges."""
    people = merging.same_people(season.organisation_id)
    if merged:
        people = {old: merged.get(kept, kept) for old, kept in people.items()} | dict(merged)
    return people


def newcomers(season: Season, *, until: date) -> QuerySet[Member]:
    """Select who registered in a season by a day: no guest, no player of an imported file.

    Who registers between two seasons is a newcomer of the second one.
    """
    earlier = Season.objects.filter(
        organisation=season.organisation_id, ends_on__lt=season.starts_on
    )
    last_day = Subquery(earlier.order_by("-ends_on").values("ends_on")[:1])
    people = Member.objects.filter(organisation=season.organisation_id, is_guest=False)
    return people.belonging().filter(
        joined_on__gt=Coalesce(last_day, season.starts_on - timedelta(days=1)),
        joined_on__lte=until,
    )


def entrants_of(members: Iterable[Member]) -> list[Entrant]:
    """Return members as the rules take them, in a fixed order."""
    return [
        Entrant(member.pk, member.joined_on.toordinal(), member.initial_rank)
        for member in sorted(members, key=lambda member: member.pk)
    ]


@dataclass(frozen=True, slots=True)
class SeasonStanding:
    """The season's ranking at an instant: lines best first, and the members by id."""

    lines: list[RankedPlayer]
    members: Mapping[int, Member]
    records: list[MatchRecord]

    @property
    def by_member(self) -> dict[int, RankedPlayer]:
        return {int(str(line.player)): line for line in self.lines}

    @property
    def places(self) -> dict[int, int]:
        return {member: line.rank for member, line in self.by_member.items()}


def standing(
    season: Season,
    rule_book: RuleBook | None,
    *,
    today: date,
    until: date | None = None,
    also: Collection[int] = (),
    override: Override | None = None,
    records: list[MatchRecord] | None = None,
    waived: Groups | None = None,
    merged: Mapping[int, int] | None = None,
    known: Mapping[int, Member] | None = None,
    on_trial: bool = False,
    ds_mode: str = "",
) -> SeasonStanding:
    """Return the ranking by PR, PDI, DS, matches, form, seniority.

    It has everybody with a match, and `also`. `until`: what closed evenings of that day and before
    have. `records`: the season's, already read; `until` then only leaves out later days. `waived`:
    groups whose PDI is ignored; None reads the committee's decisions. `merged`: members to treat as
    merged. `known`: members already read, including everybody needed. `on_trial`: treat this version
    as in force for every match and since the season began, and `ds_mode` as chosen for the season
    (empty: as the version says).
    """
    if waived is None:
        waived = waived_groups(season, merged)
    if records is None:
        records = records_of(season, until=until, override=override, merged=merged)
    elif until is not None:
        records = [record for record in records if record.day <= until.toordinal()]
    ids = {pid for record in records for pid in record.players()} | set(also)
    if known is None:
        rows = Member.objects.filter(organisation=season.organisation_id, merged_into__isnull=True)
        members = rows.in_bulk(list(ids))
    else:
        members = {pk: row for pk, row in known.items() if pk in ids}
    if on_trial:
        records = [record._replace(scale=None) for record in records]
    rules = pairing_rules(rule_book, waived, season=None if on_trial else season)
    if ds_mode:
        rules = replace(rules, ds_mode=ds_mode)
    lines = rules.rank(entrants_of(members.values()), records, today=today.toordinal())
    return SeasonStanding(lines, members, records)


def propose(
    evening: Evening,
    waiting: Sequence[int],
    *,
    strategy: str | None = None,
    fresh_only: bool = False,
) -> Pairing:
    """Return one pairing of the waiting players, by the evening's rules. Writes nothing.

    Everybody of the season is ranked first; `waiting` are the available players,
    without the suspended ones.

    `fresh_only` (the automatic run): only pairs that never met, no bye; with an odd number the
    player left waiting is the one who would have had the bye, unless another choice makes more
    pairs: then the next whom the rules would exempt.
    """
    waived = waived_groups(evening.season)
    rules = pairing_rules(evening.rule_book, waived, season=evening.season)
    if strategy is not None:
        rules = replace(rules, strategy=strategy)
    records = records_of(evening.season)
    everybody = {pid for record in records for pid in record.players()} | set(waiting)
    entrants = entrants_of(Member.objects.filter(pk__in=everybody))
    today = evening.held_on.toordinal()
    if not fresh_only:
        return rules.pair_round(entrants, records, available=list(waiting), today=today)
    best = _fresh(rules, entrants, records, list(waiting), today)
    if len(waiting) % 2 and len(best.pairs) < len(waiting) // 2:
        for left_out in _by_exemption(rules, best.order, records):
            others = [pid for pid in waiting if pid != left_out]
            candidate = _fresh(rules, entrants, records, others, today)
            if len(candidate.pairs) > len(best.pairs):
                best = candidate
    return best


def matches_before_rematch(
    evening: Evening, one: Member, other: Member, people: Mapping[int, int]
) -> int | None:
    """Return how many matches the two lack before they may meet again at evenings (002 VI.4).

    Of the one who has played less since they met; 0 where they may. None where they have not met in
    this season. Two queries.
    """
    rows = merging.family_in(people, one) | merging.family_in(people, other)
    rules = pairing_rules(evening.rule_book, season=evening.season)
    records = records_in(matches_of(evening.season, players=rows), people)
    meeting = rules.met(records).get(one.pk, {}).get(other.pk)
    return None if meeting is None else max(0, rules.repeat_after - meeting.since)


def _by_exemption(
    rules: FaizersPairing, order: Sequence[PlayerId], records: list[MatchRecord]
) -> Iterator[PlayerId]:
    """Yield players in the order in which the rules would exempt them (002 II.B.3)."""
    left = list(order)
    while left:
        chosen = rules.choose_bye(left, records).player
        left.remove(chosen)
        yield chosen


def _fresh(
    rules: FaizersPairing,
    entrants: list[Entrant],
    records: list[MatchRecord],
    waiting: list[int],
    today: int,
) -> Pairing:
    pairing = rules.pair_round(entrants, records, available=waiting, today=today)
    pairs = tuple(pair for pair in pairing.pairs if not pair.is_repeat)
    repeats = {pid for pair in pairing.pairs if pair.is_repeat for pid in (pair.first, pair.second)}
    left = tuple(pairing.unpaired) + tuple(bye.player for bye in pairing.byes)
    return replace(
        pairing,
        pairs=pairs,
        byes=tuple[Bye, ...](),
        unpaired=left + tuple(pid for pid in waiting if pid in repeats),
        warnings=(),
        alternative=None,
    )


def evening_shown(organisation: Organisation) -> Evening | None:
    """Return the evening whose season and rules pages show: a live one, else the last closed."""
    evenings = Evening.objects.of(organisation).live_then_closed()
    return evenings.select_related("season", "rule_book").first()


def last_closed(organisation: Organisation, season_id: int | None = None) -> Evening | None:
    """Return the last closed evening, of a season where one is named."""
    evenings = Evening.objects.of(organisation).closed()
    if season_id is not None:
        evenings = evenings.filter(season__pk=season_id)  # a number beyond the column finds none
    return evenings.select_related("organisation", "season", "rule_book").newest_first().first()


def season_of(organisation: Organisation, *, at: datetime) -> Season | None:
    """Return the current season, or the newest one that has begun."""
    today = at.astimezone(organisation.zone).date()
    seasons = Season.objects.filter(organisation=organisation)
    return (
        seasons.on(today).order_by("pk").first()
        or seasons.filter(starts_on__lte=today).order_by("-starts_on", "-pk").first()
    )
