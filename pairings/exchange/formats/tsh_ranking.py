"""The ranking that a tsh division carries: wins, then spread, by the spreads it wrote itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from pairings.exchange.snapshot import (
    BOTH_ABSENT,
    BYE,
    FIRST_ABSENT,
    FORFEIT,
    PLAYED,
    SheetBoard,
    SheetRound,
    SheetStanding,
    TournamentSheet,
)
from pairings.systems.swiss.system import Swiss
from pairings.systems.wins_and_spread.ranking import WinsAndSpread

Alone = Mapping[tuple[int, int], int]
"""The spread written for a player without an opponent, by round and player; 0 says absent."""
USUAL = WinsAndSpread()


def spreads_of(sheet: TournamentSheet) -> tuple[int, int]:
    """Return the spread of a bye and of a forfeit in this sheet's own rules."""
    settings = sheet.settings.get(WinsAndSpread.code)
    rules = settings if isinstance(settings, Mapping) else {}
    return (
        int(rules.get("bye_spread", USUAL.bye_spread)),
        int(rules.get("forfeit_spread", USUAL.forfeit_spread)),
    )


def with_own_ranking(sheet: TournamentSheet, alone: Alone) -> TournamentSheet:
    """Return the sheet ranked by wins and spread, with the places that the file's numbers give.

    tsh writes both players of a forfeit as without an opponent; a loss and a win by the same spread
    in one round become one forfeited match, two losses one in which both were absent.
    """
    byes = Counter(spread for spread in alone.values() if spread > 0)
    losses = Counter(-spread for spread in alone.values() if spread < 0)
    bye = byes.most_common(1)[0][0] if byes else USUAL.bye_spread
    forfeit = losses.most_common(1)[0][0] if losses else USUAL.forfeit_spread
    rounds = tuple(_with_forfeits(each, alone) for each in sheet.rounds)
    return replace(
        sheet,
        system=Swiss.code,
        system_label=Swiss.label,
        settings={WinsAndSpread.code: {"bye_spread": bye, "forfeit_spread": forfeit}},
        rounds=rounds,
        standings=standings_of(sheet, alone, forfeit),
        standings_after=len(rounds),
    )


def _with_forfeits(each: SheetRound, alone: Alone) -> SheetRound:
    boards, absent = list(each.boards), list(each.absent)
    lost = [player for player in absent if alone.get((each.number, player), 0) < 0]
    table = max((board.table for board in boards), default=0)
    for player in list(lost):
        if player not in lost:
            continue
        spread = -alone[each.number, player]
        won = next(
            (
                board
                for board in boards
                if board.kind == BYE and alone.get((each.number, board.first)) == spread
            ),
            None,
        )
        other = next((one for one in lost if one != player), None)
        if won is not None:
            boards.remove(won)
            other = won.first
        elif other is not None:
            absent.remove(other)
            lost.remove(other)
        else:
            continue
        table += 1
        missing = FIRST_ABSENT if won is not None else BOTH_ABSENT
        boards.append(
            SheetBoard(table=table, first=player, second=other, kind=FORFEIT, absent=missing)
        )
        absent.remove(player)
        lost.remove(player)
    return replace(each, boards=tuple(boards), absent=tuple(absent))


def standings_of(sheet: TournamentSheet, alone: Alone, forfeit: int) -> tuple[SheetStanding, ...]:
    """Return the places that the numbers of the file give, whatever the site makes of them."""
    totals: dict[int, tuple[Fraction, int]] = {
        player.number: (Fraction(0), 0) for player in sheet.players
    }

    def add(player: int, spread: int, wins: Fraction) -> None:
        totals[player] = (totals[player][0] + wins, totals[player][1] + spread)

    for each in sheet.rounds:
        for board in each.boards:
            if board.kind == PLAYED and board.second is not None:
                half = Fraction((board.margin > 0) - (board.margin < 0) + 1, 2)
                add(board.first, board.margin, half)
                add(board.second, -board.margin, 1 - half)
            elif board.kind == FORFEIT:
                away = _absentees(board)
                for player in board.players():
                    add(
                        player,
                        -forfeit if player in away else forfeit,
                        Fraction(player not in away),
                    )
    for (_number, player), spread in alone.items():
        add(player, spread, Fraction(spread > 0))
    ordered = sorted(totals, key=totals.__getitem__, reverse=True)
    places: dict[tuple[Fraction, int], int] = {}
    for place, player in enumerate(ordered, start=1):
        places.setdefault(totals[player], place)  # equal values share the first place of theirs
    return tuple(SheetStanding(place=places[totals[player]], player=player) for player in ordered)


def _absentees(board: SheetBoard) -> Sequence[int]:
    players = board.players()
    if board.absent == BOTH_ABSENT:
        return players
    return players[:1] if board.absent == FIRST_ABSENT else players[1:]
