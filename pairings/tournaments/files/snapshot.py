"""A snapshot of one tournament from its rows, the input of every print and every file.

Three queries, whatever the number of players; everything else is computed from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from pairings.exchange.snapshot import (
    MATCH_RULES,
    SheetColumn,
    SheetPlayer,
    SheetRound,
    SheetSlot,
    SheetStanding,
    SheetValue,
    TournamentSheet,
)
from pairings.rules.match_state import Status
from pairings.tournaments import actions as tournaments
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files.boards import board_of
from pairings.tournaments.models import Entry, Round, Tournament
from pairings.tournaments.standings import Sheet, TournamentStanding
from pairings.tournaments.wording import Named, columns_of, parted_words, value_words


def photograph(rows: Sheet, *, named: Named | None = None) -> TournamentSheet:
    """Return the tournament as it is now, in the reader's language.

    `named`: the names this reader may see, by member id; without it everybody's full name, family
    name and number, as the desk and the federations need them.
    """
    tournament = rows.tournament
    numbers = _numbers(rows)
    standing = tournament_standings.standing(rows)
    upcoming = rows.next.number if rows.next is not None else len(rows.rounds) + 1
    return TournamentSheet(
        name=tournament.name,
        code=tournament.slug,
        held_on=tournament.held_on,
        ends_on=tournament.ends_on,
        starts_at=tournament.starts_at,
        place=tournament.place,
        organisation=tournament.organisation.name,
        system=tournament.system,
        system_label=str(_(tournament_rules.rules_of(tournament).label)),
        winning_games=tournament_rules.rules_of(tournament).winning_games,
        director=tournament.director,
        minutes=tournament.minutes,
        byoyomi=tournament.byoyomi,
        round_minutes=tournament.round_minutes,
        fee=tournament.fee,
        split_after=tournament.split_after,
        rounds_planned=len(rows.rounds)
        or tournament_rules.rounds_of(tournament, len(rows.entries))
        or 0,
        rating_list=str(tournament.rating_list) if tournament.rating_list is not None else "",
        rated_on=tournament.rated_on,
        zone=tournament.organisation.time_zone,
        settings=_settings(tournament),
        players=tuple(
            _player(entry, numbers[entry.member_id], upcoming, named)
            for entry in sorted(rows.entries, key=lambda e: numbers[e.member_id])
        ),
        rounds=tuple(_round(rows, each, numbers) for each in rows.rounds),
        columns=tuple(
            SheetColumn(code=c["code"], label=str(c["label"]), long_label=str(c["long"]))
            for c in columns_of(standing)
        ),
        standings=tuple(_standings(standing, numbers)),
        standings_after=standing.after,
        is_ranked=standing.is_ranked,
        final=standing.final and tournament.state == Tournament.State.CLOSED,
        provisional=any(m.counts and m.status != Status.FINAL.value for m in rows.matches),
        schedule=tuple(
            SheetSlot(
                label=_("Ronde %(number)s") % {"number": each.number},
                starts_at=each.starts_at,
                ends_at=each.starts_at + _length_of_a_round(tournament),
                round=each.number,
            )
            for each in rows.rounds
        ),
    )


def _length_of_a_round(tournament: Tournament) -> timedelta:
    """Return how long a calendar shows a round: until the next one of its day, or both clocks."""
    if tournament.round_minutes < tournament_rules.MINUTES_OF_A_DAY:
        return timedelta(minutes=tournament.round_minutes)
    return timedelta(minutes=2 * tournament.minutes)


def _numbers(rows: Sheet) -> dict[int, int]:
    """Return each member's place in the initial ranking.

    Before the first round it is not frozen yet.
    """
    entries = rows.entries
    if rows.tournament.state == Tournament.State.ENTRIES:
        entries = tournaments.initial_order(entries)
    return {entry.member_id: place for place, entry in enumerate(entries, start=1)}


def _settings(tournament: Tournament) -> dict[str, object]:
    settings = {name: _frozen(value) for name, value in tournament.rules.items()}
    if tournament.match_rules:
        settings[MATCH_RULES] = _frozen(tournament.match_rules)
    return settings


def _frozen(value: object) -> object:
    """Return JSON's lists as tuples, as a sheet holds them."""
    if isinstance(value, list):
        return tuple(_frozen(each) for each in value)
    if isinstance(value, dict):
        return {key: _frozen(each) for key, each in value.items()}
    return value


def _player(entry: Entry, number: int, upcoming: int, named: Named | None) -> SheetPlayer:
    member = entry.person
    name = named(entry.member_id) if named is not None else member.full_name
    is_whole = name == member.full_name
    return SheetPlayer(
        number=number,
        name=name,
        first_name=member.first_name if is_whole else "",
        last_name=member.last_name if is_whole else "",
        club=entry.home_club,
        rating=entry.rating,
        rating_origin=entry.cote_origin,
        initial_rank=entry.initial or 0,
        present=entry.is_present(upcoming),
        withdrawn=entry.withdrawn_from is not None,
        fee_paid=entry.paid if named is None else False,
        member_number=member.number if named is None else None,
    )


def _round(rows: Sheet, each: Round, numbers: Mapping[int, int]) -> SheetRound:
    """Return a round of the sheet.

    A round that is not public yet has no boards: its draft is only for the arbiters.
    """
    matches = rows.of_round(each.number) if each.is_public else []
    seated = {pk for match in matches for pk in (match.first_id, match.second_id)}
    return SheetRound(
        number=each.number,
        published=each.is_public,
        closed=each.state == Round.State.CLOSED,
        starts_at=each.starts_at,
        boards=tuple(board_of(rows.tournament, match, numbers) for match in matches),
        absent=tuple(
            sorted(
                numbers[entry.member_id]
                for entry in rows.entries
                if not entry.is_present(each.number) and entry.member_id not in seated
            )
        ),
    )


def _standings(standing: TournamentStanding, numbers: Mapping[int, int]) -> Iterable[SheetStanding]:
    shared = Counter(row.rank for row in standing.rows)
    for place, row in enumerate(standing.rows):
        above = standing.rows[place - 1] if place else None
        yield SheetStanding(
            place=row.rank,
            player=numbers[row.entry.member_id],
            tied=shared[row.rank] > 1,
            values={
                name: SheetValue(text=value_words(name, row.values[name]), exact=_exact(row, name))
                for name in standing.columns
            },
            why=parted_words(row, above),
        )


def _exact(row: Any, name: str) -> int | Fraction | None:
    value = row.values[name]
    return value if isinstance(value, int | Fraction) and not isinstance(value, bool) else None
