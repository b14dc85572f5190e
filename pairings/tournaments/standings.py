"""Queries on a tournament: standings with their ties explained, crosstable, possible places.

One `Sheet` is read from the rows (entries, rounds, matches: three queries) and everything else is
computed from it. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member
from pairings.matches.competition import Effect, EffectTable, round_of
from pairings.matches.models import Match
from pairings.rules.match_state import Absent, Kind, Status
from pairings.rules.scoring import MatchRecord, Records
from pairings.systems.points.possible_places import Places
from pairings.systems.protocol import Tie
from pairings.tournaments import records as tournament_records
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments.models import Entry, Round, Tournament

LAST_ROUNDS = 2
COLUMNS: Mapping[str, tuple[str | Promise, str | Promise]] = {
    "stage": (_("Tour"), _("tour atteint")),
    "pm": ("PM", _("points de match")),
    "ppm": ("PPM", _("points particuliers de match : entre les joueurs à égalité de PM")),
    "pdep": ("Pdep", _("points de départage : somme des différences de score, limitées")),
    "pr": ("PR", _("points de rencontre")),
    "pdi": ("PDI", _("points des duels individuels")),
    "ds": ("DS", _("différence de score")),
    "wins": (_("Vict."), _("victoires : une pour un match gagné, ½ pour un nul")),
    "spread": (_("Écart"), _("écart : somme des différences de score")),
    "direct_wins": (_("V. entre eux"), _("victoires dans les matchs entre ex æquo")),
    "direct_spread": (_("É. entre eux"), _("écart dans les matchs entre ex æquo")),
    "played": (_("Matchs"), _("matchs réellement joués")),
    "firsts": (_("Débuts"), _("matchs commencés")),
    "third": (_("3e place"), _("match pour la troisième place")),
    "initial": (_("Initial"), _("place au classement initial")),
}
"""Headers of the standings' columns: short, and in full."""
MAIN_COLUMNS = ("stage", "pm", "pdep", "pr", "ds", "wins", "spread")
"""Columns where there is room for two: the first two of these that the ranking has."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of one tournament, read once."""

    tournament: Tournament
    entries: list[Entry]
    rounds: list[Round]
    matches: list[Match]

    @property
    def by_member(self) -> dict[int, Entry]:
        return {entry.member_id: entry for entry in self.entries}

    def entry_of(self, member: Member | None) -> Entry | None:
        """Return the entry of this member, under their own row or one merged into it."""
        return next((entry for entry in self.entries if entry.is_of(member)), None)

    @property
    def closed(self) -> int:
        """Return the last round that is over; 0 before the first."""
        return max((r.number for r in self.rounds if r.state == Round.State.CLOSED), default=0)

    @property
    def current(self) -> Round | None:
        """Return the round in progress: published and not closed."""
        return next((r for r in self.rounds if r.state == Round.State.PUBLISHED), None)

    @property
    def next(self) -> Round | None:
        """Return the first round that is not public yet."""
        return next((r for r in self.rounds if not r.is_public), None)

    def still_in(self, number: int) -> set[int]:
        """Return the players who may still have a match from that round on."""
        rules = tournament_rules.rules_of(self.tournament)
        entrants = tournament_records.entrants_of(self.entries)
        records = tournament_records.records_of(self.matches, until=number - 1)
        return {int(str(player)) for player in rules.still_in(entrants, records, today=number)}

    def attendance(self, number: int) -> tuple[list[int], set[int]]:
        """Return who is absent from a round, in the order of entries, and who is announced.

        Both of those who may still have a match.
        """
        still_in = self.still_in(number)
        entries = [entry for entry in self.entries if entry.member_id in still_in]
        announced = {entry.member_id for entry in entries if entry.is_present(number)}
        return [e.member_id for e in entries if e.member_id not in announced], announced

    @property
    def is_over(self) -> bool:
        """Return whether every planned round is closed."""
        return bool(self.rounds) and all(r.state == Round.State.CLOSED for r in self.rounds)

    def of_round(self, number: int) -> list[Match]:
        """Return the boards of a round, by table; the fictive player's last."""
        boards = [m for m in self.matches if tournament_records.round_number(m) == number]
        return sorted(boards, key=lambda m: (m.second_id is None, m.table_number or 0, m.pk))


def sheet_of(tournament: Tournament) -> Sheet:
    """Read entries, rounds and matches: three queries."""
    rounds = tournament_records.rounds_of(tournament)
    return Sheet(
        tournament,
        tournament_records.entries_of(tournament),
        rounds,
        tournament_records.matches_of(tournament, rounds),
    )


# Standings


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One line. `parted_by`: what parted it from the line above; `awaits`: an open board.

    `provisional`: a result that is entered and not final counts here, or would.
    """

    entry: Entry
    rank: int
    values: Mapping[str, Any]
    parted_by: str | None
    ex_aequo: bool
    awaits: bool = False
    provisional: bool = False
    places: Places | None = None


@dataclass(frozen=True, slots=True)
class TournamentStanding:
    """The standings after round `after`.

    `final`: without the initial place (004 §9); `live`: with entered results that are not final
    yet; `games`: how many matches between two players count in it.
    """

    rows: list[StandingsRow]
    columns: list[str]
    ties: list[Tie]
    after: int
    final: bool
    live: bool
    missing: int
    games: int

    @property
    def is_ranked(self) -> bool:
        """Return whether places say something: a game counts, or the initial place parts everybody."""
        return self.games > 0 or len({row.rank for row in self.rows}) == len(self.rows)


def standing(
    sheet: Sheet,
    *,
    until: int | None = None,
    override: Mapping[int, MatchRecord | None] | None = None,
) -> TournamentStanding:
    """Return the ranking by the tournament's system: live during a round, final after the last one.

    A round in progress counts what is final or agreed; `awaits` marks players still playing.
    """
    rules = tournament_rules.rules_of(sheet.tournament)
    current = sheet.current
    playing = current is not None and (until is None or until >= current.number)
    after = sheet.closed if until is None else min(until, sheet.closed)
    if current is not None and playing:
        after = current.number
    final = sheet.is_over and (until is None or until >= sheet.closed)
    records = tournament_records.records_of(sheet.matches, until=after, override=override)
    entrants = tournament_records.entrants_of(sheet.entries)
    lines = rules.rank(entrants, records, today=after + 1, for_pairing=not final)
    open_now = [m for m in sheet.of_round(after) if m.is_open] if playing else []
    awaited = {pk for m in open_now for pk in (m.first_id, m.second_id) if pk is not None}
    entered = {
        pk
        for m in open_now
        if m.status != Status.PROPOSED.value and m.status != Status.PLAYING.value
        for pk in (m.first_id, m.second_id)
    }
    shown = [name for name in COLUMNS if lines and name in lines[0].values]
    places = places_of(sheet, records) if until is None else {}
    by_member = sheet.by_member
    rows = [
        StandingsRow(
            by_member[int(str(line.player))],
            line.rank,
            line.values,
            line.parted_by,
            line.ex_aequo,
            awaits=line.player in awaited,
            provisional=line.player in entered,
            places=places.get(int(str(line.player))),
        )
        for line in lines
    ]
    ties = rules.ties(lines, records)
    games = sum(record.second is not None for record in records)
    return TournamentStanding(rows, shown, ties, after, final, playing, len(open_now), games)


# Possible places


def places_of(sheet: Sheet, records: Records) -> dict[int, Places]:
    """Return the final places each can still reach, in the last two rounds (004 §9); else empty."""
    rules = tournament_rules.rules_of(sheet.tournament)
    left = [r for r in sheet.rounds if r.state != Round.State.CLOSED]
    if not 1 <= len(left) <= LAST_ROUNDS or sheet.tournament.state != Tournament.State.RUNNING:
        return {}
    current = sheet.current
    boards = [m for m in sheet.of_round(current.number) if m.is_open] if current else []
    seated = {pk for m in boards for pk in (m.first_id, m.second_id)}
    later = [r.number for r in left if current is None or r.number != current.number]
    to_play = {
        entry.member_id: (entry.member_id in seated) + sum(entry.is_present(n) for n in later)
        for entry in sheet.entries
    }
    last = current is not None and not later
    open_boards = [(m.first_id, m.second_id) for m in boards] if last else None
    entrants = tournament_records.entrants_of(sheet.entries)
    reachable_places = rules.possible_places(entrants, records, to_play, open_boards)
    return {int(str(player)): places for player, places in reachable_places.items()}


# Preview of a decision


def effect_of(match: Match, trial: Match, entered: Match | None = None) -> EffectTable:
    """Return who moves in the tournament's standings if the match ends as `trial`.

    With `entered`, the copy that holds a contested version, the table goes from that version.
    """
    number = round_of(match).number
    sheet = sheet_of(round_of(match).tournament)
    override = {match.pk: tournament_records.record_of(entered, number)} if entered else None
    now = {row.entry.member_id: row for row in standing(sheet, override=override).rows}
    then = standing(sheet, override={match.pk: tournament_records.record_of(trial, number)})
    rows, ties = [], 0
    for row in then.rows:
        before = now[row.entry.member_id]
        name = then.columns[0]
        points = (before.values[name], row.values[name])
        if before.rank != row.rank or points[0] != points[1]:
            rank = (before.rank, row.rank)
            rows.append(Effect(row.entry.member, rank, points, (None, None), ("", "")))
        elif before.values != row.values:
            ties += 1
    return EffectTable(rows, 0, [], ties)


# The crosstable


@dataclass(frozen=True, slots=True)
class Cell:
    """One round of one player.

    `outcome`: win, draw, loss, bye, forfeit_win, absent, pending, none (the player was absent).
    """

    outcome: str
    match: Match | None = None
    opponent: Entry | None = None
    opponent_rank: int | None = None
    own: int | None = None
    other: int | None = None


@dataclass(frozen=True, slots=True)
class CrossRow:
    """A line of the standings with its rounds."""

    row: StandingsRow
    cells: list[Cell]


def crosstable(sheet: Sheet, ranked: TournamentStanding) -> list[CrossRow]:
    """Return every player's rounds, in the order of the standings; only public rounds."""
    rank = {row.entry.member_id: row.rank for row in ranked.rows} if ranked.is_ranked else {}
    by_member = sheet.by_member
    boards: dict[tuple[int, int], Match] = {}
    for match in sheet.matches:
        number = tournament_records.round_number(match)
        boards[match.first_id, number] = match
        if match.second_id is not None:
            boards[match.second_id, number] = match
    public = [r.number for r in sheet.rounds if r.is_public]
    return [
        CrossRow(
            row,
            [
                _cell(row.entry.member_id, boards.get((row.entry.member_id, n)), rank, by_member)
                for n in public
            ],
        )
        for row in ranked.rows
    ]


def _cell(
    member_id: int, match: Match | None, rank: Mapping[int, int], by_member: Mapping[int, Entry]
) -> Cell:
    if match is None:
        return Cell("none")
    is_first = match.first_id == member_id
    other_id = match.second_id if is_first else match.first_id
    opponent = by_member.get(other_id or 0)
    scores = (match.first_score, match.second_score)
    score, other = scores if is_first else scores[::-1]
    return Cell(
        outcome_of(match, is_first=is_first),
        match,
        opponent,
        rank.get(other_id or 0),
        score if match.counts else None,
        other if match.counts else None,
    )


def outcome_of(match: Match, *, is_first: bool) -> str:
    """Return the outcome of the match for one of its players."""
    if match.second_id is None:
        return "bye"
    if match.status == Status.VOID.value:
        return "absent"
    if not match.counts:
        return "pending"
    if match.kind == Kind.ABSENT:
        return (
            "absent"
            if match.absent == (Absent.FIRST if is_first else Absent.SECOND)
            else "forfeit_win"
        )
    margin = (match.first_score or 0) - (match.second_score or 0)
    if not is_first:
        margin = -margin
    return "win" if margin > 0 else "loss" if margin < 0 else "draw"
