"""Import of a whole tournament from a file: members matched, all or nothing, one journal entry.

The sheet has been checked (`pairings.exchange.validation`). Entries use the actions; rounds and
results are written as in the file, each with its results in force, and the ranking is computed
again: the answer names the players whose place differs from the file's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.accounts.permissions import lock_open
from clubs.journal.models import JournalEntry, parts_of
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.search import without_accents
from clubs.upkeep import jobs
from pairings.exchange.problems import FileRefused, Problem
from pairings.exchange.snapshot import MATCH_RULES, SheetPlayer, SheetRound, TournamentSheet
from pairings.matches.reasons import FROM_TOURNAMENT
from pairings.systems.schedule.system import MOST_ROUNDS
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments import registration
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files.boards import make_matches, without_names
from pairings.tournaments.files.named import members_by_name
from pairings.tournaments.models import Entry, Round, Tournament
from pairings.tournaments.rules import LONGEST_INTERVAL, TournamentRefused

RESTORED = "tournament_restored"
"""Verb of the journal's entry, which has the digest of the file."""
LENGTHS = {"name": 120, "place": 120, "director": 80, "fee": 40}
RANGES = {
    "minutes": range(601),
    "byoyomi": range(3601),
    "round_minutes": range(LONGEST_INTERVAL + 1),
    "split_after": range(1, 41),
}
HIGHEST = 99_999
"""Limit of a table's number and of an initial rank: above any tournament, within the database's
range.
"""
PLAYER_LENGTHS = {"name": 120, "first_name": 60, "last_name": 60, "club": 60, "rating_origin": 10}
FIRST_HOUR = time(9, 30)
"""When a tournament starts whose file names its day alone, at the club."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of an import.

    `differences`: names of the players whose place is not the file's; `moved`: their members.
    """

    tournament: Tournament
    guests: int
    differences: tuple[str, ...]
    moved: tuple[int, ...]


@transaction.atomic
def restore(
    *,
    sheet: TournamentSheet,
    organisation: Organisation,
    digest: str,
    by: Actor,
    at: datetime,
    progress: jobs.Progress = jobs.no_progress,
) -> Restored:
    """Create a new tournament from the sheet; `progress` counts its players and boards.

    Raises FileRefused or TournamentRefused, and then writes nothing.
    """
    check(sheet)
    lock_players(sheet, organisation)
    sheet = without_names(sheet)
    total, done = size_of(sheet), 0
    progress(0, total)
    people, guests = _people(sheet, organisation, by, at)
    row = _announced(sheet, organisation, by, at)
    for done, player in enumerate(sheet.players, start=1):
        registration.enter(
            tournament=row,
            member=people[player.number],
            cote=player.rating or 0,
            cote_origin=player.rating_origin,
            paid=player.fee_paid,
            home_club=player.club,
            source=Entry.FILE,
            by=by,
            at=at,
        )
        progress(done, total)
    if any(each.published for each in sheet.rounds) or any(p.initial_rank for p in sheet.players):
        row = tournaments.freeze(tournament=row, by=by, at=at)
        ids = {number: member.pk for number, member in people.items()}
        _initial(row, sheet, ids)
        _presence(row, sheet, ids)
        for each in sheet.rounds:
            _round(row, each, ids, by, at)
            done += len(each.boards)
            progress(done, total)
    tournaments.note(
        row,
        RESTORED,
        by,
        at,
        after={"players": len(people), "rounds": len(sheet.shown_rounds), "digest": digest},
    )
    differing = _differences(row, sheet, people)
    if sheet.final:
        tournament_closing.close(tournament=row, by=by, at=at, reason=FROM_TOURNAMENT)
        row.refresh_from_db()
    names = tuple(sheet.by_number[number].name for number in differing)
    return Restored(row, guests, names, tuple(people[number].pk for number in differing))


def check(sheet: TournamentSheet) -> None:
    """Raise FileRefused where this site cannot store the sheet."""
    problems = _unfit(sheet)
    if problems:
        raise FileRefused(problems)


def made_of(digest: str, organisation: Organisation) -> Tournament | None:
    """Return the newest tournament here that a file with this digest made, unless it was cancelled.

    Within the caller's transaction: an import at the same moment waits for its end.
    """
    Organisation.objects.select_for_update(no_key=True).get(pk=organisation.pk)
    imports = JournalEntry.objects.filter(
        organisation=organisation, verb=RESTORED, after__digest=digest
    )
    keys = [parts_of(subject)[1] for subject in imports.values_list("subject", flat=True)]
    made = Tournament.objects.filter(pk__in=[int(key) for key in keys])
    return made.exclude(state=Tournament.State.CANCELLED).order_by("-pk").first()


def size_of(sheet: TournamentSheet) -> int:
    """Return how many players and boards a sheet has: what an import writes row by row."""
    return len(sheet.players) + sum(len(each.boards) for each in sheet.rounds)


def _unfit(sheet: TournamentSheet) -> list[Problem]:
    """Return what this site cannot store, although the sheet is consistent."""
    problems = [
        Problem(_("dépasse %(count)s caractères.") % {"count": most}, field=name)
        for name, most in LENGTHS.items()
        if len(getattr(sheet, name)) > most
    ]
    problems += [
        _about(player, _("dépasse %(count)s caractères.") % {"count": most})
        for player in sheet.players
        for name, most in PLAYER_LENGTHS.items()
        if len(getattr(player, name)) > most
    ]
    problems += [
        Problem(_("cette valeur ne convient pas."), field=name)
        for name, allowed in RANGES.items()
        if getattr(sheet, name) is not None and getattr(sheet, name) not in allowed
    ]
    problems += [
        _about(player, _("dépasse %(count)s caractères.") % {"count": 60})
        for player in sheet.players
        if not player.first_name and len(player.name) > 60
    ]
    tables = [board.table for each in sheet.rounds for board in each.boards]
    if max([0, *tables, *(player.initial_rank for player in sheet.players)]) > HIGHEST:
        problems.append(
            Problem(_("une table ou un rang initial dépasse %(most)s.") % {"most": HIGHEST})
        )
    if len(sheet.players) < tournaments.FEWEST:
        problems.append(Problem(_("Il faut au moins deux inscrits.")))
    if max(len(sheet.rounds), sheet.rounds_planned) > MOST_ROUNDS:
        text = _("Choisissez de 1 à %(most)s rondes.") % {"most": MOST_ROUNDS}
        problems.append(Problem(text))
    open_before = 0
    for each in sheet.shown_rounds:
        if open_before:
            text = _("la ronde %(number)s n’est pas terminée.") % {"number": open_before}
            where = _("Ronde %(number)s") % {"number": each.number}
            problems.append(Problem(text, field=where))
            break
        open_before = 0 if _is_over(each) else each.number
    return problems


def _is_over(each: SheetRound) -> bool:
    return each.closed and not each.missing


def _announced(
    sheet: TournamentSheet, organisation: Organisation, by: Actor, at: datetime
) -> Tournament:
    rules = dict(sheet.settings)
    match_rules = rules.pop(MATCH_RULES, {})
    if sheet.winning_games > 1:
        rules.setdefault("winning_games", sheet.winning_games)
    hours = [each.starts_at for each in sheet.rounds if each.starts_at is not None]
    first = sheet.starts_at or (hours[0] if hours else None)
    details: dict[str, object] = {
        "round_count": max(len(sheet.rounds), sheet.rounds_planned) or None,
        "ends_on": sheet.ends_on,
        "place": sheet.place,
        "director": sheet.director,
        "fee": sheet.fee,
        "byoyomi": sheet.byoyomi,
        "split_after": sheet.split_after,
        "rounds_a_day": _rounds_a_day([start.astimezone(organisation.zone) for start in hours]),
    }
    # A file without these settings keeps the site's own.
    details |= {n: getattr(sheet, n) for n in ("minutes", "round_minutes") if getattr(sheet, n)}
    return tournaments.create(
        organisation=organisation,
        name=sheet.name,
        starts_at=first or datetime.combine(sheet.held_on, FIRST_HOUR, organisation.zone),
        system=sheet.system,
        rules=rules,
        match_rules=match_rules if isinstance(match_rules, Mapping) else {},
        held_on=sheet.held_on,
        self_entry=False,
        by=by,
        at=at,
        **details,
    )


def _rounds_a_day(starts: Sequence[datetime]) -> int | None:
    """Return how many rounds the first day has where the next one begins at its hour again.

    A file has the start of each round; `starts` are those of the club's clock, in order.
    """
    first_day = [start for start in starts if start.date() == starts[0].date()]
    later = starts[len(first_day) :]
    return len(first_day) if later and later[0].time() == starts[0].time() else None


# Members


def _people(
    sheet: TournamentSheet, organisation: Organisation, by: Actor, at: datetime
) -> tuple[dict[int, Member], int]:
    """Return each player's member, and how many were unknown and became guests."""
    members, unknown, problems = people_of(sheet, organisation)
    if problems:
        raise FileRefused(problems)
    for player in unknown:
        members[player.number] = _guest(player, organisation, by, at)
    return members, len(unknown)


def lock_players(sheet: TournamentSheet, organisation: Organisation) -> None:
    """Lock the club and those whom a sheet names, before a new guest is an entry of the journal."""
    lock_open(organisation, TournamentRefused)
    known, _unknown, _problems = people_of(sheet, organisation)
    Member.objects.filter(pk__in=[member.pk for member in known.values()]).lock()


def people_of(
    sheet: TournamentSheet, organisation: Organisation
) -> tuple[dict[int, Member], list[SheetPlayer], list[Problem]]:
    """Return each player's member, the unknown players, and whose name says too little.

    Found by name, and by number too where several members have it. Writes nothing.
    """
    by_name = members_by_name(organisation, {without_accents(p.name) for p in sheet.players})
    members: dict[int, Member] = {}
    unknown: list[SheetPlayer] = []
    problems, taken = [], set()
    for player in sheet.players:
        same = by_name.get(without_accents(player.name), [])
        if len(same) > 1:
            same = [member for member in same if member.number == player.member_number]
            if len(same) != 1:
                text = _("plusieurs membres s’appellent %(name)s, et le numéro ne dit pas lequel.")
                problems.append(_about(player, text % {"name": player.name}))
                continue
        if same and same[0].pk in taken:
            text = _("%(name)s est deux fois dans le fichier.") % {"name": player.name}
            problems.append(_about(player, text))
            continue
        if same:
            taken.add(same[0].pk)
            members[player.number] = same[0]
        else:
            unknown.append(player)
    return members, unknown, problems


def _guest(player: SheetPlayer, organisation: Organisation, by: Actor, at: datetime) -> Member:
    first, last = player.first_name, player.last_name
    if not first:
        first, _space, last = player.name.partition(" ")
    return members.create(
        organisation=organisation,
        first_name=first,
        last_name=last,
        is_guest=True,
        is_outsider=True,
        by=by,
        at=at,
    )


def _about(player: SheetPlayer, text: str) -> Problem:
    return Problem(text, field=_("joueur nº %(number)s") % {"number": player.number})


# Initial ranking and presence


def _initial(row: Tournament, sheet: TournamentSheet, ids: Mapping[int, int]) -> None:
    """Store the file's initial ranking, if any: late arrivals and its own order are kept."""
    ranks = {ids[player.number]: player.initial_rank for player in sheet.players}
    if not all(ranks.values()) or len(set(ranks.values())) < len(ranks):
        return
    entries = list(row.entries.all())
    row.entries.update(initial=None)
    for entry in entries:
        entry.initial = ranks[entry.member_id]
    Entry.objects.bulk_update(entries, ["initial"], batch_size=200)


def _presence(row: Tournament, sheet: TournamentSheet, ids: Mapping[int, int]) -> None:
    away: dict[int, list[int]] = {pk: [] for pk in ids.values()}
    for each in sheet.rounds:
        for number in each.absent:
            away[ids[number]].append(each.number)
    gone = {ids[player.number] for player in sheet.players if player.withdrawn}
    entries = list(row.entries.all())
    last = len(sheet.rounds)
    for entry in entries:
        missed = away[entry.member_id]
        if entry.member_id in gone:
            start = last + 1
            while start - 1 in missed:
                start -= 1
            entry.withdrawn_from = start
            missed = [number for number in missed if number < start]
        entry.away = missed
    Entry.objects.bulk_update(entries, ["away", "withdrawn_from"], batch_size=200)


# Rounds and results


def _round(
    row: Tournament, each: SheetRound, ids: Mapping[int, int], by: Actor, at: datetime
) -> None:
    stored = row.rounds.get(number=each.number)
    changes: dict[str, Any] = {}
    if each.starts_at is not None:
        changes["starts_at"] = each.starts_at
    elif each.published:  # the day is known, the time is not: midnight, which no page prints
        changes["starts_at"] = datetime.combine(row.held_on, time(), row.organisation.zone)
    stored.starts_at = changes.get("starts_at", stored.starts_at)
    if each.published:
        over = _is_over(each)
        changes["state"] = Round.State.CLOSED if over else Round.State.PUBLISHED
        changes["published_at"] = at
        changes["closed_at"] = at if over else None
        make_matches(stored, each, ids, by, at)
    if changes:
        Round.objects.filter(pk=stored.pk).update(version=F("version") + 1, **changes)


def _differences(
    row: Tournament, sheet: TournamentSheet, people: Mapping[int, Member]
) -> tuple[int, ...]:
    """Return the players, by number, whose place in the computed ranking differs from the file."""
    if not sheet.standings or not sheet.shown_rounds:
        return ()
    standing = tournament_standings.standing(tournament_standings.sheet_of(row))
    ranks = {r.entry.member_id: r.rank for r in standing.rows}
    return tuple(
        line.player for line in sheet.standings if ranks.get(people[line.player].pk) != line.place
    )
