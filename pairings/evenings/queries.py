"""Reads: what a player, an arbiter, the wall and the ranking page must see now. Writes nothing."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from django.core.cache import caches
from django.db.models import Exists, Max, OuterRef, Q

from clubs.journal.models import JournalHead
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebook
from clubs.rulebooks.models import RuleBook
from pairings.absences import suspensions
from pairings.arbitration import opinions
from pairings.arbitration.models import Contest
from pairings.evenings.models import CheckIn, Evening
from pairings.live.models import LiveEvent
from pairings.matches import rating as posting
from pairings.matches.models import Match
from pairings.ranking import season
from pairings.ranking.models import PdiWaiver
from pairings.rules.scoring import MatchRecord
from pairings.rules.tiebreaks import Line
from ratings.ledger import replay
from ratings.ledger.models import RatingList, StandingCote
from ratings.systems.categories import category_of
from ratings.systems.protocol import Change, Event, Game
from ratings.systems.storage import state_from_json


def live_evening(organisation: Organisation) -> Evening | None:
    """The evening whose doors are open, if there is one."""
    return (
        Evening.objects.of(organisation)
        .live()
        .select_related("organisation", "season", "rule_book")
        .order_by("pk")
        .first()
    )


def last_closed(organisation: Organisation) -> Evening | None:
    return (
        Evening.objects.of(organisation)
        .closed()
        .select_related("organisation", "season", "rule_book")
        .order_by("-held_on", "-pk")
        .first()
    )


def next_evening(organisation: Organisation, *, at: datetime) -> Evening | None:
    today = at.astimezone(organisation.zone).date()
    return (
        Evening.objects.of(organisation)
        .filter(state=Evening.PLANNED, held_on__gte=today)
        .order_by("held_on", "pk")
        .first()
    )


def season_of(organisation: Organisation, *, at: datetime) -> Season | None:
    """The season of today, or the newest one that has begun."""
    today = at.astimezone(organisation.zone).date()
    seasons = Season.objects.filter(organisation=organisation)
    return (
        seasons.on(today).order_by("pk").first()
        or seasons.filter(starts_on__lte=today).order_by("-starts_on", "-pk").first()
    )


# The ranking


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the ranking as pages print it."""

    member: Member
    rank: int
    move: int | None
    values: Mapping[str, Any]
    parted_by: str | None
    ex_aequo: bool
    cote: int | None
    projected: int | None
    category: str
    pdi_ignored: bool = False

    @property
    def shown_cote(self) -> int | None:
        return self.cote if self.projected is None else self.projected

    @property
    def is_projected(self) -> bool:
        return self.projected is not None


@dataclass(frozen=True, slots=True)
class Ranking:
    """`since`: the evening the movements are counted from."""

    rows: list[Row]
    evening: Evening | None
    since: Evening | None
    live: bool
    waiting_results: int
    open_contests: int
    counts: Mapping[str, int]
    ds_mode: str
    waivers: list[PdiWaiver]


UNPACKED = 8
_unpacked: dict[str, Ranking] = {}


def version_of(organisation: Organisation) -> str:
    """Moves with every change that a page may show: the key of what is cached.

    The outbox moves with play, the journal with every other act: a name that a member hides too.
    """
    last = LiveEvent.objects.filter(organisation=organisation).aggregate(last=Max("pk"))["last"]
    head = JournalHead.objects.filter(organisation=organisation).values_list("seq", flat=True)
    return f"{last or 0}:{head.first() or 0}"


def ranking(
    organisation: Organisation, *, at: datetime, live: bool, version: str = ""
) -> Ranking | None:
    """The live ranking (tonight's agreed results in, cotes projected) or that of the last closed
    evening. None before the first season. Cached until something moves (`version_of`, if read).

    The cache says which ranking holds; a process unpacks that one once, not for each reader."""
    moved = version or version_of(organisation)
    key = f"ranking:{organisation.pk}:{moved}:{int(live)}:{at:%Y%m%d}"
    name = caches["process"].get(key)
    found = _unpacked.get(name)
    if found is None:
        found = caches["process"].get(f"{key}:{name}") if name else None
    if found is None:
        found, name = _ranking(organisation, at=at, live=live), uuid.uuid4().hex
        if found is None:
            return None
        caches["process"].set(f"{key}:{name}", found, 600)
        caches["process"].set(key, name, 600)
    _unpacked[name] = found
    for old in list(_unpacked)[:-UNPACKED]:
        _unpacked.pop(old, None)
    return found


def _ranking(organisation: Organisation, *, at: datetime, live: bool) -> Ranking | None:
    """As few questions as there are kinds of rows, however many of each."""
    tonight, evening, since = _evenings(organisation, live=live)
    current = evening.season if evening else season_of(organisation, at=at)
    if current is None:
        return None
    book = evening.rule_book if evening else rulebook.in_force(organisation, "faizers", at)
    day = evening.held_on if evening else at.astimezone(organisation.zone).date()
    matches = list(season.matches_of(current, until=day)) if evening else []
    known, here, people = _people(current, tonight) if evening else ({}, set(), {})
    waivers = list(PdiWaiver.objects.filter(season=current).in_force().order_by("decided_at", "pk"))
    waived = [tuple(waiver.group) for waiver in waivers]
    records = season.records_in(matches, people)
    now = season.standing(
        current, book, today=day, also=here, records=records, waived=waived, known=known
    )
    before: dict[int, int] = {}
    if since is not None and since.season_id == current.pk:
        past = season.standing(
            current,
            book,
            today=since.held_on,
            until=since.held_on,
            records=records,
            waived=waived,
            known=known,
        )
        before = past.places
    held = [match for match in matches if tonight is not None and match.evening_id == tonight.pk]
    games = _games(tonight, sorted(held, key=lambda match: match.pk), None, people)
    cotes = cotes_of(organisation)
    projected = _projected(organisation, book, games, day)
    ignored = _pdi_ignored(now.lines, waivers)
    rows = [
        replace(
            _row(line, now.members, before, cotes, projected, book),
            pdi_ignored=int(str(line.player)) in ignored,
        )
        for line in now.lines
    ]
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.category] = counts.get(row.category, 0) + 1
    open_contests = Contest.objects.of(organisation).open().filter(late=False).count()
    return Ranking(
        rows=rows,
        evening=evening,
        since=since,
        live=tonight is not None,
        waiting_results=sum(match.status in ("submitted", "absence_claimed") for match in held),
        open_contests=open_contests,
        counts=counts,
        ds_mode=season.pairing_rules(book, season=current).ds_mode,
        waivers=waivers,
    )


def _pdi_ignored(lines: list[Line], waivers: list[PdiWaiver]) -> set[int]:
    """Members of a group named by the committee that is still level on PR."""
    pr = {int(str(line.player)): line.values["pr"] for line in lines}
    return {
        pk
        for waiver in waivers
        if len({pr.get(member) for member in waiver.group}) == 1
        for pk in waiver.group
    }


def _evenings(
    organisation: Organisation, *, live: bool
) -> tuple[Evening | None, Evening | None, Evening | None]:
    """Tonight's, the one shown (tonight's or the last closed), the one movements are counted from.

    One question: the live one, if there is one, and the last two closed."""
    shown = Evening.objects.of(organisation).select_related("organisation", "season", "rule_book")
    closed = shown.closed()
    found: list[Any] = list(
        (shown.filter(state__in=[*Evening.LIVE, Evening.CLOSED]) if live else closed)
        .annotate(is_closed=Q(state=Evening.CLOSED))
        .order_by("is_closed", "-held_on", "-pk")[:3]
    )
    tonight = next((evening for evening in found if evening.is_live), None)
    evening = next(iter(found), None)
    if evening is None:
        return None, None, None
    earlier = [e for e in found if not e.is_live and e.held_on < evening.held_on]
    if not earlier and len(found) == 3:  # closed ones of later days only
        earlier = list(closed.filter(held_on__lt=evening.held_on).order_by("-held_on", "-pk")[:1])
    return tonight, evening, next(iter(earlier), None)


def _people(
    current: Season, tonight: Evening | None
) -> tuple[dict[int, Member], set[int], dict[int, int]]:
    """Members who have a match in the season or are here tonight; who is here; who is whom now.

    One question, and none of it a list of numbers: it asks the same of twenty and of twenty
    thousand."""
    played = Match.objects.filter(evening__season=current)
    rows = Member.objects.filter(organisation=current.organisation_id)
    here = CheckIn.objects.filter(evening=tonight, member=OuterRef("pk"))
    wanted = rows.annotate(is_here=Exists(here)).filter(
        Q(pk__in=played.values("first"))
        | Q(pk__in=played.filter(second__isnull=False).values("second"))
        | Q(is_here=True)
        | Q(merged_into__isnull=False)
        | Q(pk__in=rows.filter(merged_into__isnull=False).values("merged_into"))
    )
    found: list[Any] = list(wanted.order_by("pk"))
    merged = {m.pk: m.merged_into_id for m in found if m.merged_into_id is not None}
    people = members.followed(merged)
    known = {member.pk: member for member in found if member.merged_into_id is None}
    return known, {member.pk for member in found if member.is_here}, people


def _row(
    line: Line,
    members: Mapping[int, Member],
    before: Mapping[int, int],
    cotes: Mapping[int, int],
    projected: Mapping[int, Change],
    book: RuleBook | None,
) -> Row:
    member_id = int(str(line.player))
    member = members[member_id]
    cote = cotes.get(member_id, initial_cote(book))
    change = projected.get(member_id)
    shown = int(str(change.after.rating)) if change is not None else None
    return Row(
        member=member,
        rank=line.rank,
        move=before[member_id] - line.rank if member_id in before else None,
        values=line.values,
        parted_by=line.parted_by,
        ex_aequo=line.ex_aequo,
        cote=cote,
        projected=shown,
        category=category_code(shown if shown is not None else cote, book),
    )


def cote_rules(book: RuleBook | None) -> Any:
    return rulebook.rules(book, posting.SYSTEM, "cote")


def initial_cote(book: RuleBook | None) -> int:
    """What a member never rated holds."""
    return int(str(cote_rules(book).newcomer().rating))


def category_code(cote: int | None, book: RuleBook | None) -> str:
    """The badge of the number shown, by the thresholds of that rule version."""
    if cote is None:
        return ""
    return category_of(cote, cote_rules(book).bands()).code


def club_list(organisation: Organisation) -> RatingList | None:
    return RatingList.objects.filter(organisation=organisation, system=posting.SYSTEM).first()


def cotes_of(organisation: Organisation) -> dict[int, int]:
    """The official club cotes by member id. One query."""
    cotes = StandingCote.objects.filter(
        rating_list__organisation=organisation,
        rating_list__system=posting.SYSTEM,
        shown__isnull=False,
    )
    return {pk: shown for pk, shown in cotes.values_list("member_id", "shown") if shown is not None}


def project(
    evening: Evening, override: Mapping[int, Game | None] | None = None
) -> dict[int, Change]:
    """The live cote: the session's games so far through the same formula, never stored."""
    final = evening.matches.filter(status="final").order_by("pk")
    games = _games(evening, final, override, members.same_people(evening.organisation_id))
    return _projected(evening.organisation, evening.rule_book, games, evening.held_on)


def _games(
    evening: Evening | None,
    matches: Iterable[Match],
    override: Mapping[int, Game | None] | None,
    people: Mapping[int, int],
) -> list[Game]:
    """The rated games of an evening's matches, everybody under the row that stands for him."""
    made = []
    for match in matches:
        if evening is not None and match.rule_book_id == evening.rule_book_id:
            match.rule_book = evening.rule_book
        if override is None or match.pk not in override:
            made.append(game_of(match))
    games = [game for game in [*made, *(override or {}).values()] if game is not None]
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


def _projected(
    organisation: Organisation, book: RuleBook | None, games: list[Game], day: date
) -> dict[int, Change]:
    """What these games would make of the cotes held now. One question, none without games."""
    if not games:
        return {}
    players = {game.first for game in games} | {game.second for game in games}
    cotes = StandingCote.objects.filter(
        rating_list__organisation=organisation,
        rating_list__system=posting.SYSTEM,
        member_id__in=players,
    )
    states = {cote.member_id: state_from_json(cote.state) for cote in cotes.order_by("pk")}
    event = Event(key="live", held_on=day, games=tuple(games))
    return {int(str(c.player)): c for c in cote_rules(book).settle(states, event)}


def game_of(match: Match) -> Game | None:
    posted = posting.posting_of(match)
    if posted is None:
        return None
    return Game(
        key=posted.source,
        first=posted.first_id,
        second=posted.second_id,
        first_halves=posted.first_halves,
        first_score=posted.first_score,
        second_score=posted.second_score,
    )


# The effect of a decision before it is made


@dataclass(frozen=True, slots=True)
class Effect:
    """One player's line of the before → after table."""

    member: Member
    rank: tuple[int | None, int | None]
    pr: tuple[Any, Any]
    cote: tuple[int | None, int | None]
    category: tuple[str, str]


@dataclass(frozen=True, slots=True)
class EffectTable:
    """`periods`: later evenings whose numbers are recomputed too (a closed evening's correction)."""

    rows: list[Effect]
    categories_changed: int
    periods: list[str]


def effect_of(
    match: Match, record: MatchRecord | None, trial: Match, entered: Match | None = None
) -> EffectTable:
    """What the ranking becomes if `match` ends as `trial` (an unsaved copy) says.

    A contested match counts nowhere; with `entered`, the copy that holds the version entered, the
    table goes from that version to the one retained (UX J6.2).
    """
    evening = match.evening
    assert evening is not None
    book, day = evening.rule_book, evening.held_on
    today = max(day, _latest_day(evening))
    held_record = {match.pk: trial_record(entered, day)} if entered is not None else None
    now = season.standing(evening.season, book, today=today, override=held_record)
    then = season.standing(evening.season, book, today=today, override={match.pk: record})
    cotes = cotes_of(match.organisation)
    if evening.state == Evening.CLOSED:
        difference = replay.difference(
            posting.list_of(evening),
            posting.period_of(evening),
            replay.GameChange(posting.source_of(match), game_of(trial)),
        )
        held = {pid: before for pid, (before, _after) in difference.finals.items()}
        becomes = {pid: after for pid, (_before, after) in difference.finals.items()}
        periods = sorted({period.label for period in difference.periods})
    else:
        held_games = {match.pk: game_of(entered)} if entered is not None else None
        held = {
            int(str(p)): int(str(c.after.rating)) for p, c in project(evening, held_games).items()
        }
        trial_games = project(evening, {match.pk: game_of(trial)})
        becomes = {int(str(p)): int(str(c.after.rating)) for p, c in trial_games.items()}
        periods = []
    return _table(now, then, cotes, held, becomes, periods, book)


def _latest_day(evening: Evening) -> date:
    last = (
        Evening.objects.filter(season=evening.season_id, state=Evening.CLOSED)
        .order_by("-held_on")
        .values_list("held_on", flat=True)
        .first()
    )
    return last or evening.held_on


def _table(
    now: season.Standing,
    then: season.Standing,
    cotes: Mapping[int, int],
    held: Mapping[int, int | None],
    becomes: Mapping[int, int | None],
    periods: list[str],
    book: RuleBook | None,
) -> EffectTable:
    members = {**now.members, **then.members}
    first = {int(str(line.player)): line for line in now.lines}
    second = {int(str(line.player)): line for line in then.lines}
    start = initial_cote(book)
    rows = []
    for pid, member in members.items():
        a, b = first.get(pid), second.get(pid)
        base = cotes.get(pid, start)
        cote = (held.get(pid, base), becomes.get(pid, base))
        rank = (a.rank if a else None, b.rank if b else None)
        pr = (a.values["pr"] if a else None, b.values["pr"] if b else None)
        category = (category_code(cote[0], book), category_code(cote[1], book))
        if rank[0] != rank[1] or pr[0] != pr[1] or cote[0] != cote[1]:
            rows.append(Effect(member, rank, pr, cote, category))
    rows.sort(key=lambda row: (row.rank[1] or 10**6, row.member.pk))
    changed = sum(row.category[0] != row.category[1] for row in rows)
    return EffectTable(rows, changed, periods)


def trial_of(match: Match, **values: Any) -> Match:
    """An unsaved copy of a match that ended otherwise."""
    copy = Match(**{f.attname: getattr(match, f.attname) for f in Match._meta.concrete_fields})
    for name, value in values.items():
        setattr(copy, name, value)
    copy.evening, copy.organisation, copy.rule_book = (
        match.evening,
        match.organisation,
        match.rule_book,
    )
    return copy


# One player's evening


@dataclass(frozen=True, slots=True)
class Card:
    """What `/ma-soiree/` shows: one state, one sentence, at most one filled button."""

    state: str
    evening: Evening | None = None
    check_in: CheckIn | None = None
    match: Match | None = None
    contest: Contest | None = None
    suspension: suspensions.Suspension | None = None
    free_others: int = 0
    upcoming: Evening | None = None


def my_card(member: Member, organisation: Organisation, *, at: datetime) -> Card:
    """The state of this member's evening. Every state has a name: none is blank."""
    evening = live_evening(organisation)
    match = open_match(member)
    if match is not None:
        return _match_card(match, member, evening)
    if evening is None:
        return Card("none", upcoming=next_evening(organisation, at=at))
    suspension = suspensions.of_member(member, evening)
    found = CheckIn.objects.filter(evening=evening, member=member).first()
    if suspension is not None:
        return Card("suspended", evening, found, suspension=suspension)
    if evening.state == Evening.CLOSING:
        return Card("closing", evening, found)
    if found is None:
        return Card("arrive", evening)
    if found.state == CheckIn.LEFT:
        return Card("left", evening, found)
    if found.paused_until and found.paused_until > at:
        return Card("paused", evening, found)
    free = CheckIn.objects.filter(evening=evening).waiting(at=at).exclude(member=member).count()
    state = {
        Evening.OPEN: "before_start",
        Evening.RUNNING: "waiting",
        Evening.LAST_GAMES: "last_games",
    }[evening.state]
    return Card(state, evening, found, free_others=free)


def open_match(member: Member) -> Match | None:
    """The open match that a member was called to last.

    They have one live seat; an older match may be open too, while a contest waits.
    """
    return (
        Match.objects.open()
        .involving(member)
        .select_related(
            "first", "second", "evening", "round__tournament", "organisation", "rule_book"
        )
        .order_by("-proposed_at", "-pk")
        .first()
    )


def _match_card(match: Match, member: Member, evening: Evening | None) -> Card:
    mine = match.submitted_by_id == member.pk
    state = {
        "proposed": "called",
        "playing": "playing",
        "submitted": "sent" if mine else "to_confirm",
        "absence_claimed": "absence_sent" if mine else "absence_to_answer",
        "contested": "contested",
    }[match.status]
    if match.status == "submitted" and match.confirmed:
        state = "agreed"
    contest = match.contests.open().filter(late=False).first()
    return Card(state, match.evening or evening, match=match, contest=contest)


# The arbiter's desk


@dataclass(frozen=True, slots=True)
class Task:
    """One item of the queue, by urgency: contest, absence, unanswered entry, call overdue, request.

    `asked`: an arbiter asks the others for a second opinion on it.
    """

    kind: str
    match: Match
    since: datetime
    contest: Contest | None = None
    asked: bool = False


URGENCY = ("contest", "absence", "call", "unanswered", "request")


def queue(organisation: Organisation, *, at: datetime) -> list[Task]:
    """What waits for an arbiter, most urgent first, oldest first inside a kind."""
    tasks = []
    contests = (
        Contest.objects.of(organisation)
        .open()
        .select_related("match__first", "match__second", "match__evening", "taken_by", "opened_by")
    )
    asked = opinions.waiting_for([contest.pk for contest in contests])
    for contest in contests:
        kind = "request" if contest.late else "contest"
        held = contest.pk in asked
        tasks.append(Task(kind, contest.match, contest.opened_at, contest, held))
    matches = (
        Match.objects.of(organisation)
        .open()
        .exclude(status="contested")
        .select_related("first", "second", "evening")
    )
    for match in matches:
        if match.status == "absence_claimed":
            tasks.append(Task("absence", match, match.submitted_at or match.proposed_at))
        elif match.status == "submitted":
            tasks.append(Task("unanswered", match, match.submitted_at or match.proposed_at))
        elif match.status == "proposed" and match.round_id is None and call_ends(match) < at:
            tasks.append(Task("call", match, call_ends(match)))
    return sorted(tasks, key=lambda task: (URGENCY.index(task.kind), task.since, task.match.pk))


def call_ends(match: Match) -> datetime:
    """Until when the players are called to their table."""
    delay = match.evening.call_delay_s if match.evening else 600
    ends = match.proposed_at + timedelta(seconds=delay)
    return ends if match.round is None else max(ends, match.round.starts_at)


def tables(evening: Evening) -> list[Match]:
    """Open matches: called and contested first, then by table."""
    order = {"contested": 0, "proposed": 1, "submitted": 2, "absence_claimed": 2, "playing": 3}
    found = list(
        evening.matches.open().select_related("first", "second").order_by("table_number", "pk")
    )
    for match in found:
        match.evening = evening
    return sorted(found, key=lambda match: (order[match.status], match.table_number or 0))


def last_results(evening: Evening, limit: int = 5) -> list[Match]:
    return list(
        evening.matches.filter(status="final", kind="played")
        .select_related("first", "second")
        .order_by("-ended_at", "-pk")[:limit]
    )


def meetings_of(a: Member, b: Member) -> list[Match]:
    """Every match between two members, newest first, under whichever row they played it."""
    one, other = members.family_of(a), members.family_of(b)
    return list(
        Match.objects.filter(
            Q(first__in=one, second__in=other) | Q(first__in=other, second__in=one)
        )
        .filter(status="final")
        .select_related("evening", "first__merged_into", "second__merged_into")
        .order_by("-proposed_at", "-pk")
    )


def trial_record(match: Match, day: date) -> MatchRecord | None:
    """The record a trial copy would make."""
    return season.record_of(match, day)
