"""Projected ratings from the games so far, and the preview of a ruling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import OuterRef, Subquery

from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from pairings.evenings.models import Evening
from pairings.matches import rating as match_rating
from pairings.matches.competition import Effect, EffectTable, evening_of
from pairings.matches.models import Match
from pairings.ranking import season
from pairings.rules.match_state import Status
from ratings.ledger import replay
from ratings.ledger.corrections import Correction
from ratings.ledger.models import LedgerEntry, LedgerEntryQuerySet, Period, RatingList, StandingCote
from ratings.systems.categories import category_of
from ratings.systems.protocol import Change, Event, Game, State
from ratings.systems.storage import state_from_json

TREND = 8
"""Cotes in the trend of a player's row, that of tonight not counted."""


def cote_rules(book: RuleBook | None) -> Any:
    return rulebooks.rules(book, rulebooks.LADDER, "cote")


def rules_shown(organisation: Organisation, *, at: datetime) -> RuleBook | None:
    """Return the version by which pages show cotes and badges, the ranking's: the last evening's.

    A version begins to count with the first evening that opens after its date. Before a club's
    first evening: the one in force. One query; two before the first evening.
    """
    evening = season.evening_shown(organisation)
    if evening is not None:
        return evening.rule_book
    return rulebooks.in_force(organisation, rulebooks.LADDER, at)


def initial_cote(book: RuleBook | None) -> int:
    """Return the cote of a member never rated."""
    return cote_of(None, book)


def cote_of(stored: Mapping[str, object] | None, book: RuleBook | None) -> int:
    """Return the cote as printed of a player's stored state; None: of a member never rated."""
    rules = cote_rules(book)
    return int(rules.shown(rules.newcomer() if stored is None else state_from_json(stored)))


def cote_after(change: Change | None, book: RuleBook | None) -> int | None:
    """Return the cote as printed after a change; None without one."""
    return None if change is None else int(cote_rules(book).shown(change.after))


def category_code(cote: int | None, book: RuleBook | None) -> str:
    """Return the badge of the displayed number, by the thresholds of that rule version."""
    if cote is None:
        return ""
    return category_of(cote, cote_rules(book).bands()).code


def club_list(organisation: Organisation) -> RatingList | None:
    return RatingList.objects.filter(organisation=organisation, slug=rulebooks.LADDER).first()


def cotes_of(organisation: Organisation, members: Iterable[Member] | None = None) -> dict[int, int]:
    """Return the official club cotes by member id, of everybody or of these members. One query."""
    cotes = StandingCote.objects.filter(
        rating_list__organisation=organisation,
        rating_list__slug=rulebooks.LADDER,
        shown__isnull=False,
    )
    if members is not None:
        cotes = cotes.filter(member__in=[member.pk for member in members])
    return {pk: shown for pk, shown in cotes.values_list("member_id", "shown") if shown is not None}


def recent_cotes(
    organisation: Organisation, members: Iterable[int], *, until: date
) -> dict[int, list[int]]:
    """Return the last `TREND` cotes as printed of these members, by id, oldest first. One query.

    Of the year before that day: a cote that has not moved since has no trend.
    """
    lines = _lines_until(organisation, until).filter(
        member__in=members, held_on__gte=until - timedelta(days=365)
    )
    cotes: dict[int, list[int]] = {}
    for member_id, cote in lines.values_list("member_id", "shown_after"):
        cotes.setdefault(member_id, []).append(cote)
    return {member_id: held[-TREND:] for member_id, held in cotes.items()}


def cotes_on(organisation: Organisation, members: Iterable[int], day: date) -> dict[int, int]:
    """Return the cotes as printed at the end of a day, of those of these members who had one.

    One query, which reads the last line of each.
    """
    last = _lines_until(organisation, day).filter(member=OuterRef("pk")).reverse()
    rows = Member.objects.filter(pk__in=members).annotate(
        cote=Subquery(last.values("shown_after")[:1])
    )
    return {pk: cote for pk, cote in rows.values_list("pk", "cote") if cote is not None}


def _lines_until(organisation: Organisation, day: date) -> LedgerEntryQuerySet:
    """Return the lines of the club's cote that print one, until the end of a day, in order."""
    lines = LedgerEntry.objects.in_force().filter(
        rating_list__organisation=organisation,
        rating_list__slug=rulebooks.LADDER,
        held_on__lte=day,
        shown_after__isnull=False,
    )
    return lines.in_order()


def project(
    evening: Evening, override: Mapping[int, Game | None] | None = None
) -> dict[int, Change]:
    """Return the live cote: tonight's games so far through the same formula. Never stored.

    As in the live ranking, those of another room that is open too are projected together with the
    evening's own; each room is rated when it closes (decision 0038).
    """
    tonight = Evening.objects.of(evening.organisation).live()
    final = Match.objects.filter(evening__in=tonight, status=Status.FINAL).order_by("pk")
    games = games_of_evening(evening, final, override, merging.same_people(evening.organisation_id))
    return projected_changes(evening.organisation, evening.rule_book, games, evening.held_on)


def of_player(
    member: Member,
    evening: Evening,
    matches: Iterable[Match],
    people: Mapping[int, int],
    states: Mapping[int, object] | None = None,
) -> Change | None:
    """Return what this player's own matches of tonight would change: the others' do not matter.

    `matches` are theirs, in every room that is open (see `project`), and perhaps older ones.
    `states`: as `states_of` returns them, where they were read before.
    """
    final_matches = [
        m for m in matches if m.competition.is_of_tonight() and m.status == Status.FINAL
    ]
    final_matches.sort(key=lambda match: match.pk)
    games = games_of_evening(evening, final_matches, None, people)
    if games and states is not None:
        changes = _settled(evening.rule_book, games, evening.held_on, states)
    else:
        changes = projected_changes(evening.organisation, evening.rule_book, games, evening.held_on)
    return changes.get(member.pk)


def states_of(matches: Iterable[Match]) -> dict[int, State]:
    """Return the states of the players of these matches, read `with_states`."""
    sides = [
        side
        for m in matches
        for side in ((m.first_id, m.first_state), (m.second_id, m.second_state))
    ]
    return {
        pk: state_from_json(state) for pk, state in sides if pk is not None and state is not None
    }


def games_of_evening(
    evening: Evening | None,
    matches: Iterable[Match],
    override: Mapping[int, Game | None] | None,
    people: Mapping[int, int],
) -> list[Game]:
    """Return the rated games of an evening's matches, everybody under their row after merges."""
    postings = []
    for match in matches:
        if evening is not None and match.rule_book_id == evening.rule_book_id:
            match.rule_book = evening.rule_book
        if override is None or match.pk not in override:
            postings.append(match_rating.posting_of(match))
    games = [game for game in [*postings, *(override or {}).values()] if game is not None]
    if not people:
        return games
    return [
        replace(
            game,
            first=people.get(int(str(game.first)), game.first),
            second=people.get(int(str(game.second)), game.second),
        )
        for game in games
    ]


def projected_changes(
    organisation: Organisation, book: RuleBook | None, games: list[Game], day: date
) -> dict[int, Change]:
    """Return the changes that these games would make to the current cotes.

    One query; none without games.
    """
    if not games:
        return {}
    players = {game.first for game in games} | {game.second for game in games}
    cotes = StandingCote.objects.filter(
        rating_list__organisation=organisation,
        rating_list__slug=rulebooks.LADDER,
        member_id__in=players,
    )
    states = {cote.member_id: state_from_json(cote.state) for cote in cotes.order_by("pk")}
    return _settled(book, games, day, states)


def _settled(
    book: RuleBook | None, games: list[Game], day: date, states: Mapping[int, object]
) -> dict[int, Change]:
    event = Event(key="live", held_on=day, games=tuple(games))
    return {int(str(c.player)): c for c in cote_rules(book).settle(states, event)}


def effect_of(match: Match, trial: Match, entered: Match | None = None) -> EffectTable:
    """Return how the ranking changes if `match` ends as `trial` (an unsaved copy).

    A contested match counts nowhere; with `entered`, the copy that holds the version entered, the
    table goes from that version to the retained one.
    """
    evening = evening_of(match)
    book, day = evening.rule_book, evening.held_on
    today = max(day, _latest_day(evening))
    held_record = {match.pk: season.record_of(entered, day)} if entered is not None else None
    now = season.standing(evening.season, book, today=today, override=held_record)
    record = season.record_of(trial, day)
    then = season.standing(evening.season, book, today=today, override={match.pk: record})
    cotes = cotes_of(match.organisation)
    if evening.state == Evening.State.CLOSED:
        period, wish = match_rating.period_of(evening), match_rating.posting_of(trial)
        correction = Correction(games={period.pk: {match_rating.source_of(match): wish}})
        difference = replay.preview(match_rating.list_of(evening), correction, on=today)
        previous = {pid: before for pid, (before, _after) in difference.finals.items()}
        becomes = {pid: after for pid, (_before, after) in difference.finals.items()}
        touched = [period.pk for period in difference.periods]
        rows = Period.objects.filter(pk__in=touched).in_order()
        periods = [f"{each.title} {each.held_on.year}" for each in rows]
        book = rules_shown(match.organisation, at=evening.starts_at)
    else:
        held_games = {match.pk: match_rating.posting_of(entered)} if entered is not None else None
        previous = _projected(evening, held_games)
        becomes = _projected(evening, {match.pk: match_rating.posting_of(trial)})
        periods = []
    return _table(now, then, cotes, previous, becomes, periods, book)


def effect_of_all(evening: Evening, trials: Iterable[Match]) -> EffectTable:
    """Return how the ranking changes if these open matches of an evening end as their trial copies."""
    trials, book, day = list(trials), evening.rule_book, evening.held_on
    records = {trial.pk: season.record_of(trial, day) for trial in trials}
    today = max(day, _latest_day(evening))
    now = season.standing(evening.season, book, today=today)
    then = season.standing(evening.season, book, today=today, override=records)
    games = {trial.pk: match_rating.posting_of(trial) for trial in trials}
    cotes, previous = cotes_of(evening.organisation), _projected(evening)
    return _table(now, then, cotes, previous, _projected(evening, games), [], book)


def _projected(
    evening: Evening, override: Mapping[int, Game | None] | None = None
) -> dict[int, int | None]:
    return {
        pid: cote_after(change, evening.rule_book)
        for pid, change in project(evening, override).items()
    }


def _latest_day(evening: Evening) -> date:
    last = (
        Evening.objects.filter(season=evening.season_id, state=Evening.State.CLOSED)
        .order_by("-held_on")
        .values_list("held_on", flat=True)
        .first()
    )
    return last or evening.held_on


def _table(
    now: season.SeasonStanding,
    then: season.SeasonStanding,
    cotes: Mapping[int, int],
    official: Mapping[int, int | None],
    becomes: Mapping[int, int | None],
    periods: list[str],
    book: RuleBook | None,
) -> EffectTable:
    members = {**now.members, **then.members}
    first, second = now.by_member, then.by_member
    start = initial_cote(book)
    rows, ties = [], 0
    for pid, member in members.items():
        a, b = first.get(pid), second.get(pid)
        base = cotes.get(pid, start)
        cote = (official.get(pid, base), becomes.get(pid, base))
        rank = (a.rank if a else None, b.rank if b else None)
        pr = (a.values["pr"] if a else None, b.values["pr"] if b else None)
        category = (category_code(cote[0], book), category_code(cote[1], book))
        if rank[0] != rank[1] or pr[0] != pr[1] or cote[0] != cote[1]:
            rows.append(Effect(member, rank, pr, cote, category))
        elif a is not None and b is not None and a.values != b.values:
            ties += 1
    rows.sort(key=lambda row: (row.rank[1] or 10**6, row.member.pk))
    changed = sum(row.category[0] != row.category[1] for row in rows)
    return EffectTable(rows, changed, periods, ties)


def trial_of(match: Match, **values: object) -> Match:
    """Return an unsaved copy of the match, ended differently."""
    copy = Match(**{f.attname: getattr(match, f.attname) for f in Match._meta.concrete_fields})
    for name, value in values.items():
        setattr(copy, name, value)
    copy.evening, copy.organisation, copy.rule_book = (
        match.evening,
        match.organisation,
        match.rule_book,
    )
    return copy
