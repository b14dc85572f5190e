"""A match as the board of a file, and boards of a restored round as matches with their seats and decisions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from pairings.exchange.snapshot import (
    BOTH_ABSENT,
    BYE,
    CANCELLED,
    FORFEIT,
    PENDING,
    PLAYED,
    SheetBoard,
    SheetRound,
    TournamentSheet,
)
from pairings.matches import seats as held_seats
from pairings.matches.models import Decision, Match, Seat
from pairings.matches.reasons import BOARD_OF_A_FILE, FROM_TOURNAMENT
from pairings.matches.state import columns_of
from pairings.rules.match_state import Absent, Ending, Kind, Result, Status
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments.models import Round, Tournament
from pairings.tournaments.rules import TournamentRefused
from pairings.tournaments.wording import is_repeat, why_words


def numbered(number: int | None) -> str:
    """Return the player of that number in the reason of a board: the text of a file names nobody.

    Pages show a name as its person chose for each reader, and it is forgotten with them.
    """
    return "?" if number is None else _("nº %(n)s") % {"n": number}


def without_names(sheet: TournamentSheet) -> TournamentSheet:
    """Return the sheet with numbers for the names in the reasons of its boards.

    Files of versions before 1.11 named players there, behind the first semicolon.
    """
    numbers = {player.name: numbered(player.number) for player in sheet.players}
    longest_first = sorted(numbers, key=len, reverse=True)
    names = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")

    def nameless(board: SheetBoard) -> SheetBoard:
        lead, mark, details = board.reason.partition(";")
        details = names.sub(lambda found: numbers[found.group()], details)
        return replace(board, reason=f"{lead}{mark}{details}")

    rounds = (replace(each, boards=tuple(map(nameless, each.boards))) for each in sheet.rounds)
    return replace(sheet, rounds=tuple(rounds))


def make_matches(
    stored: Round, each: SheetRound, ids: Mapping[int, int], by: Actor, at: datetime
) -> None:
    """Make the matches of a round as the file gives them, with their seats and decisions."""
    deadline = tournament_rules.deadline_of(stored, at)
    boards = [board for board in each.boards if board.kind != CANCELLED]
    free = max((board.table for board in boards), default=0)
    matches = []
    for board in boards:
        table: int | None = board.table
        if board.second is None:
            table = None
        elif not board.table:
            free += 1
            table = free
        matches.append(
            Match(
                organisation_id=stored.tournament.organisation_id,
                round=stored,
                table_number=table,
                first_id=ids[board.first],
                second_id=ids[board.second] if board.second is not None else None,
                proposed_at=at,
                deadline_until=deadline,
                pairing_reason={
                    "reason": board.reason[:500] or BOARD_OF_A_FILE,
                    **({"repeat": True} if board.is_repeat else {}),
                },
                **_stored(board, at),
            )
        )
    matches = Match.objects.bulk_create(matches)
    _take_seats(matches, at)
    Decision.objects.bulk_create(
        Decision(
            match=match,
            rev=match.rev,
            status=match.status,
            **match.result_columns(),
            basis=match.why or match.status,
            by=by.user,
            by_member=by.member,
            at=at,
            reason=FROM_TOURNAMENT,
        )
        for match in matches
        if not match.is_open
    )


def _take_seats(matches: list[Match], at: datetime) -> None:
    seats = [
        Seat(match=match, member_id=pk, side=side, live=match.is_open)
        for match in matches
        for pk, side in ((match.first_id, "first"), (match.second_id, "second"))
        if pk is not None
    ]
    held_seats.free_old([seat.member_id for seat in seats if seat.live], at=at)
    try:
        with transaction.atomic():
            Seat.objects.bulk_create(seats)
    except IntegrityError as clash:
        raise TournamentRefused(
            _("Un joueur de la ronde en cours a encore un match ouvert ailleurs."),
            code="already_playing",
        ) from clash


def _stored(board: SheetBoard, at: datetime) -> dict[str, object]:
    """Return the result of a board as its match stores it; empty for one still to be played.

    It ends as if typed at the desk, so that it may be corrected there.
    """
    result = result_on(board)
    if result is None:
        return {}
    void = result.absent == Absent.BOTH
    return {
        **columns_of(result),
        "status": Status.VOID.value if void else Status.FINAL.value,
        "counts": not void,
        "why": Ending.BYE.value if result.kind == Kind.BYE else Ending.DESK.value,
        "ended_at": at,
    }


def result_on(board: SheetBoard) -> Result | None:
    """Return the result of a board; None for one still to be played."""
    if board.kind in (PENDING, CANCELLED):
        return None
    if board.kind == BYE:
        return Result(Kind.BYE)
    if board.kind == FORFEIT:
        return Result(Kind.ABSENT, absent=Absent(board.absent))
    return Result(Kind.PLAYED, board.first_score, board.second_score, games=board.games)


def board_of(tournament: Tournament, match: Match, numbers: Mapping[int, int]) -> SheetBoard:
    """Return a match as a board: the other way round."""
    fields: dict[str, Any] = {
        "table": match.table_number or 0,
        "first": numbers[match.first_id],
        "second": numbers[match.second_id] if match.second_id is not None else None,
        "reason": why_words(
            tournament,
            match.pairing_reason,
            lambda pk: numbered(numbers.get(pk)),
            for_members=True,
        ),
        "is_repeat": is_repeat(match.pairing_reason),
        "match": match.pk,
    }
    if match.second_id is None:
        return SheetBoard(kind=BYE, **fields)
    if match.status == Status.VOID.value:
        return SheetBoard(kind=FORFEIT, absent=BOTH_ABSENT, **fields)
    if not match.counts:
        return SheetBoard(kind=PENDING, **fields)
    fields["is_provisional"] = match.status != Status.FINAL.value
    if match.kind == Kind.ABSENT:
        return SheetBoard(kind=FORFEIT, absent=match.absent, **fields)
    return SheetBoard(
        kind=PLAYED,
        first_score=match.first_score,
        second_score=match.second_score,
        games=tuple((score, other) for score, other in match.games),
        **fields,
    )
