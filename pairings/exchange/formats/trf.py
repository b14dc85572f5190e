"""The tournament as a FIDE Tournament Report File (TRF16, Handbook C.04 Annex 2), export only.

Columns are counted in characters, so the text is plain ASCII: accents are removed, Œ becomes OE.
The first seat of a board is "white". Points are the first column of the standings ("the number of
points in the tournament standings, which depends on the scoring points system used"), or 1, ½ and 0
where the sheet has no standings. A pairing without a result yet has a blank one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from fractions import Fraction
from zoneinfo import ZoneInfo

from pairings.exchange.snapshot import (
    ABSENT,
    BYE,
    CANCELLED,
    DRAW,
    FORFEIT_WIN,
    LOSS,
    PENDING,
    WIN,
    SheetPlayer,
    SheetRound,
    TournamentSheet,
)

RESULTS = {WIN: "1", DRAW: "=", LOSS: "0", FORFEIT_WIN: "+", ABSENT: "-", PENDING: " "}
NOT_PAIRED, ALLOCATED_BYE = "0000 - Z", "0000 - U"
HALF = Fraction(1, 2)
WORTH = {WIN: Fraction(1), DRAW: HALF, FORFEIT_WIN: Fraction(1), BYE: Fraction(1)}
NAME_WIDTH = 33
LETTERS = str.maketrans({"Œ": "OE", "œ": "oe", "Æ": "AE", "æ": "ae", "ß": "ss", "Ø": "O", "ø": "o"})
LETTERS |= str.maketrans({"Ł": "L", "ł": "l", "Đ": "D", "đ": "d", "’": "'", "–": "-", "—": "-"})
LETTERS |= str.maketrans({"«": '"', "»": '"', "“": '"', "”": '"', "„": '"', "\u00a0": " "})


def write(sheet: TournamentSheet) -> bytes:
    """Return the report, one line per player, lines ended by CR LF."""
    ranks = starting_ranks(sheet)
    places = {line.player: line.place for line in sheet.standings}
    points = _points(sheet)
    lines = list(_head(sheet))
    for player in sorted(sheet.players, key=lambda each: ranks[each.number]):
        number = player.number
        line = _player(player, ranks[number], points[number], places.get(number))
        for each in sheet.shown_rounds:
            line += f"  {_played(each, number, ranks)}"
        lines.append(line)
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")


def starting_ranks(sheet: TournamentSheet) -> dict[int, int]:
    """Return the initial ranking where it is frozen, else the order of entry."""
    initial = [player.initial_rank for player in sheet.players]
    if all(initial) and len(set(initial)) == len(initial):
        return {player.number: player.initial_rank for player in sheet.players}
    return {player.number: place for place, player in enumerate(sheet.players, start=1)}


def plain(text: str) -> str:
    """Return the text in ASCII, on one line."""
    bare = unicodedata.normalize("NFKD", " ".join(text.split()).translate(LETTERS))
    kept = "".join(letter for letter in bare if not unicodedata.combining(letter))
    return "".join(letter if " " <= letter <= "~" else "?" for letter in kept)


def _head(sheet: TournamentSheet) -> Iterator[str]:
    ends_on = sheet.ends_on or sheet.held_on
    rated = sum(player.rating is not None for player in sheet.players)
    yield f"012 {plain(sheet.name)}"
    yield f"022 {plain(sheet.place)}"
    yield "032 "
    yield f"042 {sheet.held_on:%Y/%m/%d}"
    yield f"052 {ends_on:%Y/%m/%d}"
    yield f"062 {len(sheet.players)}"
    yield f"072 {rated}"
    yield "082 0"
    yield f"092 Individual: {plain(sheet.system_label)}"
    yield f"102 {plain(sheet.director)}"
    if sheet.minutes:
        more = f" + {sheet.byoyomi} s" if sheet.byoyomi else ""
        yield f"122 {sheet.minutes} min{more}"
    zone = ZoneInfo(sheet.zone)
    dates = [
        each.starts_at.astimezone(zone).date() if each.starts_at is not None else sheet.held_on
        for each in sheet.shown_rounds
    ]
    yield "132".ljust(89) + "".join(f"  {day:%y/%m/%d}" for day in dates)


def _player(player: SheetPlayer, rank: int, points: Fraction, place: int | None) -> str:
    """Return positions 1 to 89 of a player's line.

    Sex, title, FIDE number and birth date stay blank: the site does not disclose them.
    """
    rating = str(player.rating) if player.rating is not None else ""
    line = f"001 {rank:>4} {'':1}{'':3} {plain(player.listed)[:NAME_WIDTH]:<{NAME_WIDTH}} "
    line += f"{rating[:4]:>4} {'':3} {'':>11} {'':<10} "
    worth = f"{float(points):.1f}"
    if len(worth) > 4:  # four columns: 11.5, 100
        worth = worth.partition(".")[0][-4:]
    return line + f"{worth:>4} {place or '':>4}"


def _points(sheet: TournamentSheet) -> Mapping[int, Fraction]:
    if sheet.standings and sheet.columns:
        code = sheet.columns[0].code
        exact = {
            line.player: line.values[code].exact for line in sheet.standings if code in line.values
        }
        return {player.number: Fraction(exact.get(player.number) or 0) for player in sheet.players}
    won = dict.fromkeys((player.number for player in sheet.players), Fraction(0))
    for each in sheet.shown_rounds:
        for board in each.boards:
            for number in board.players():
                won[number] += WORTH.get(board.outcome(number), Fraction(0))
    return won


def _played(each: SheetRound, number: int, ranks: Mapping[int, int]) -> str:
    """Return eight characters: the opponent, the colour, the result."""
    board = next((board for board in each.boards if number in board.players()), None)
    if board is None or board.kind == CANCELLED:
        return NOT_PAIRED
    opponent = board.opponent_of(number)
    if opponent is None:
        return ALLOCATED_BYE
    colour = "w" if number == board.first else "b"
    return f"{ranks[opponent]:>4} {colour} {RESULTS[board.outcome(number)]}"
