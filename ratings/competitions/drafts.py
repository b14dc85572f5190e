"""What a draft says of its event: one table or two, official or not, the facts of the system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, reason_of
from clubs.journal import chain as journal
from clubs.members.models import Member
from clubs.persons.actions import people_of
from clubs.persons.matching import name_key
from clubs.search import without_accents
from ratings import systems
from ratings.competitions.files.headings import GAMES, STARTS
from ratings.competitions.files.lines import CompetitionLine
from ratings.competitions.models import CompetitionDraft
from ratings.ledger import settlement
from ratings.ledger.models import LedgerEntry, Period, RatingList
from ratings.ledger.origins import UNOFFICIAL, OriginKind
from ratings.ledger.posting import LedgerRefused
from ratings.lists import queries as list_queries
from ratings.systems.protocol import FactAsked, Game
from ratings.systems.rated_games import part_of

ONE, LAST = "one_table", "split_after"
NOT_OF_THE_EVENT = ("sheet", "columns", "named", LAST)
"""What a draft notes about its file, beside the facts of the event."""


def proposed(draft: CompetitionDraft, lines: Sequence[CompetitionLine]) -> int | None:
    """Return after which round the list's document cuts these games in two; None: one table."""
    if draft.facts["sheet"] != GAMES:
        return None
    games = [
        Game(
            line.source,
            line.players[0] or line.key(0),
            line.players[1] or line.key(1),
            line.halves,
            facts={**line.facts, "round": line.round},
        )
        for line in lines
        if not line.problems and line.unplayed is None
    ]
    return list_queries.system_on(draft.rating_list, draft.held_on).proposed_split(games)


@transaction.atomic
def drop(*, draft: CompetitionDraft, by: Actor, at: datetime) -> bool:
    """Remove a draft, as another file takes its place or nobody imports it.

    One that is imported stays. Returns whether it was removed.
    """
    waiting = CompetitionDraft.objects.select_for_update().filter(pk=draft.pk, period=None)
    if not waiting:
        return False
    CompetitionDraft.objects.filter(pk=draft.pk).delete()
    journal.record(
        organisation=draft.rating_list.organisation,
        verb="draft_dropped",
        subject=f"list:{draft.rating_list_id}",
        by=by,
        at=at,
        before={"draft": draft.pk, "file": draft.file_name},
    )
    return True


def replaced() -> LedgerRefused:
    """Return why a draft whose corrected file was read meanwhile is not imported."""
    return LedgerRefused(_("Cette compétition vient de changer."), code="replaced")


def already_there(draft: CompetitionDraft) -> list[Period]:
    """Return what the list has of that day under the same name, or from a file of the same lines.

    Of what clubs hand over, only what came from a file: evenings of two clubs may share a name.
    """
    periods = draft.rating_list.periods.filter(held_on=draft.held_on, removed_at=None).in_order()
    if draft.handed:
        periods = periods.filter(origin=OriginKind.FILE.value)
    files = CompetitionDraft.objects.filter(period__in=periods).values_list("period", "rows")
    same = {period for period, rows in files if rows == draft.rows}
    name = without_accents(draft.label)
    return [one for one in periods if one.pk in same or without_accents(one.label) == name]


def question(draft: CompetitionDraft, lines: Sequence[CompetitionLine]) -> dict[str, Any] | None:
    """Return what the desk asks about the tables: rounds to cut after, and what is chosen now."""
    cut, last = proposed(draft, lines), draft.facts.get(LAST)
    if cut is None and last is None:
        return None
    is_decided = last is not None or bool(draft.facts.get(ONE))
    chosen = last if is_decided else cut
    return {"rounds": rounds_of(lines), "chosen": chosen, "is_decided": is_decided}


def check_decided(draft: CompetitionDraft, lines: Sequence[CompetitionLine]) -> None:
    """Refuse a large table for which nobody said whether it is rated as one or as two (003 §12)."""
    asked = question(draft, lines)
    if asked is not None and not asked["is_decided"]:
        raise LedgerRefused(
            _("Un joueur a trop de parties pour un tableau : choisissez un tableau ou deux."),
            code="undecided",
        )


def rounds_of(lines: Sequence[CompetitionLine]) -> list[int]:
    """Return the rounds after which these games may be cut."""
    return sorted({int(line.round) for line in lines if line.round.isdecimal()})[:-1]


def choose(*, draft: CompetitionDraft, last: int | None) -> None:
    """Keep in the draft after which round it is cut in two; None: one table, decided before."""
    kept = {name: value for name, value in draft.facts.items() if name not in (ONE, LAST)}
    chosen = {ONE: True} if last is None else {LAST: last}
    moved = CompetitionDraft.objects.filter(pk=draft.pk, period=None).update(facts=kept | chosen)
    if not moved:
        raise LedgerRefused(_("Cette compétition est déjà importée."), code="stale")


def tables_of(
    draft: CompetitionDraft, lines: Sequence[CompetitionLine]
) -> list[list[CompetitionLine]]:
    """Return the lines of each table: one, or two where the draft says after which round."""
    last = draft.facts.get(LAST)
    tables: list[list[CompetitionLine]] = [[], []]
    for line in lines:
        tables[part_of(line.round, last) - 1].append(line)
    return [table for table in tables if table]


def kind_of(draft: CompetitionDraft) -> str:
    """Return the kind of its period: starting cotes, games to rate, or not official."""
    if draft.facts["sheet"] == STARTS:
        return settlement.START
    return settlement.GAMES if draft.facts.get("official", True) else UNOFFICIAL


def starts_of(
    lines: Sequence[CompetitionLine],
) -> list[tuple[CompetitionLine, dict[str, object]]]:
    """Return each line of a sheet of starts with what it says; a rank is one among so many players."""
    ranked = max((line.facts.get("rank", 0) for line in lines), default=0)
    return [
        (line, {**({"players": ranked} if "rank" in line.facts else {}), **line.facts})
        for line in lines
    ]


def facts_of(
    draft: CompetitionDraft, lines: Sequence[CompetitionLine], newcomers: Mapping[str, int]
) -> dict[str, object]:
    """Return the event's facts for the system: declared ones, and the file's per player."""
    system = systems.system(draft.rating_list.system)
    event_facts = {k: v for k, v in draft.facts.items() if k not in NOT_OF_THE_EVENT}
    if draft.rating_list.kind:
        event_facts["list_kind"] = draft.rating_list.kind
    players: dict[str, Any] = {}
    if draft.facts["sheet"] == STARTS:
        for line, start in starts_of(lines):
            players[str(line.players[0] or newcomers[line.key(0)])] = start
    for asked in system.asks:
        for row in draft.facts.get("named", {}).get(asked.name, []):
            pk = _named(draft, row[0], newcomers)
            facts = dict(zip(asked.parts, row[1:], strict=False))
            players.setdefault(str(pk), {}).update(facts)
    if players:
        event_facts["players"] = players
    return event_facts


def lines_asked(rating_list: RatingList) -> tuple[FactAsked, ...]:
    """Return what the list's document asks about new players, a line each."""
    return tuple(one for one in systems.system(rating_list.system).asks if one.kind == "lines")


def newcomers_of(period: Period) -> QuerySet[Member]:
    """Select those of the competition who had no rating on the list before its day."""
    rated = LedgerEntry.objects.in_force().filter(
        rating_list=period.rating_list_id, held_on__lt=period.held_on, shown_after__isnull=False
    )
    players = period.games.in_force().values_list("first_id", "second_id")
    here = {pk for pair in players for pk in pair}
    return Member.objects.filter(pk__in=here).exclude(pk__in=rated.values("member"))


def _named(draft: CompetitionDraft, name: str, newcomers: Mapping[str, int]) -> int:
    """Return the player that a declared line names: someone in the file or among the members."""
    if name_key(name) in newcomers:
        return newcomers[name_key(name)]
    member_id, problem = people_of(draft.rating_list.organisation, draft.choices).find(name)
    if member_id is None:
        raise LedgerRefused(
            problem or _("« %(name)s » n’est pas connu.") % {"name": name[:60]},
            code="unknown_player",
        )
    return member_id


def byes_of(lines: Sequence[CompetitionLine], newcomers: Mapping[str, int]) -> dict[str, object]:
    """Return who had no opponent, as [player, half points, round]: kept with the event's facts."""
    byes = [
        [line.players[0] or newcomers[line.key(0)], line.halves, line.round]
        for line in lines
        if line.is_bye
    ]
    return {"byes": byes} if byes else {}


@transaction.atomic
def say_official(*, period: Period, official: bool, reason: str, by: Actor, at: datetime) -> None:
    """Let a competition kept as not official be rated, or keep one that waits without rating it."""
    reason = reason_of(reason, LedgerRefused)
    row = Period.objects.select_for_update(no_key=True).get(pk=period.pk)
    facts = {k: v for k, v in row.facts.items() if k not in ("official", "why_not")}
    facts |= {"official": True} if official else {"official": False, "why_not": reason}
    kinds = (UNOFFICIAL, settlement.GAMES) if official else (settlement.GAMES, UNOFFICIAL)
    moved = Period.objects.filter(
        pk=period.pk, kind=kinds[0], settled_at=None, removed_at=None
    ).update(kind=kinds[1], facts=facts)
    if not moved:
        raise LedgerRefused(_("Cette compétition vient de changer."), code="stale")
    verb = "competition_made_official" if official else "competition_not_official"
    journal.note(period, verb, by=by, at=at, reason=reason)
