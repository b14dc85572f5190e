"""Files of tsh (`a.t`), the Scrabble directors' free program: one line a player. A line reads

    Surname, Given     1823 4 2 0; 412 388 50; board 1 3 0; p12 1 2 0; off 0

the rating, the opponent of each round by line number (0: nobody), then the player's own scores,
then named lists. Somebody without an opponent has +50 for a bye, 0 for an announced absence, −50
for a forfeit (tsh's own convention); no scores here, but settings of an import that takes tsh's own
ranking (`tsh_ranking`).

What tsh cannot represent is stored in extra lists, which tsh keeps and does not read: `forfeit`
(the opponent who was not met; negative when it was this player who was absent). A club is its
`team`. tsh numbers the players by line: a sheet numbered otherwise comes back numbered from 1. A
word that contains a digit would be read as the rating, so it is put in parentheses: "retiré (17)".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from django.utils.translation import gettext as _

from pairings.exchange.formats.tsh_entries import TshEntry, cross_checked, entries_of
from pairings.exchange.formats.tsh_ranking import spreads_of, with_own_ranking
from pairings.exchange.problems import FileRefused, Problem
from pairings.exchange.snapshot import (
    BOTH_ABSENT,
    BYE,
    CANCELLED,
    FIRST_ABSENT,
    FORFEIT,
    PENDING,
    PLAYED,
    SECOND_ABSENT,
    SheetBoard,
    SheetPlayer,
    SheetRound,
    TournamentSheet,
)
from pairings.exchange.validation import problems_of
from pairings.systems.schedule.system import MOST_ROUNDS

ABSENT_SPREAD = 0
MAX_BYTES = 2 * 1024 * 1024
FIRST_SEAT, SECOND_SEAT, NO_SEAT = 1, 2, 0
FIGURED = re.compile(r"^(\S*?\d\S*?)(,?)$")
UNFIT = re.compile(r"[;#\x00-\x1f\x7f]+")


# Export


def write(sheet: TournamentSheet) -> bytes:
    """Return the division file, in UTF-8 (tsh: `config tfile_encoding = 'utf8'`).

    Refused for matches of two winning games, which tsh cannot represent without changing who wins.
    """
    if sheet.winning_games > 1:
        raise FileRefused(
            _(
                "tsh n’accepte qu’une manche par match : ce tournoi se joue en deux "
                "manches gagnantes."
            ),
            code="two_games",
        )
    lines_of = {player.number: n for n, player in enumerate(sheet.players, start=1)}
    lines = []
    for player in sheet.players:
        player_line = _Line(player.listed, *spreads_of(sheet))
        for each in sheet.shown_rounds:
            player_line.add(player.number, each, lines_of)
        lines.append(player_line.text(player))
    return "".join(f"{line}\n" for line in lines).encode()


class _Line:
    """One player's rounds as tsh expects them."""

    def __init__(self, name: str, bye: int, forfeit: int) -> None:
        self.bye, self.forfeit = bye, forfeit
        words = UNFIT.sub(" ", name).split()
        self.name = " ".join(FIGURED.sub(r"(\1)\2", w) for w in words) or "?"
        self.opponents: list[int] = []
        self.scores: list[int | None] = []
        self.boards: list[int] = []
        self.seats: list[int] = []
        self.forfeits: list[int] = []

    def add(self, number: int, each: SheetRound, lines_of: Mapping[int, int]) -> None:
        """Add the player's board of a round; opponents are lines of the file, 0 for nobody met."""
        board = next((b for b in each.boards if number in b.players()), None)
        if board is None:
            self._append(0, ABSENT_SPREAD, table=0, seat=NO_SEAT)
            return
        is_first = number == board.first
        seat = FIRST_SEAT if is_first else SECOND_SEAT
        other = board.opponent_of(number)
        opponent = lines_of[other] if other is not None else 0
        if board.kind == BYE:
            self._append(0, self.bye, table=board.table, seat=NO_SEAT)
        elif board.kind == CANCELLED:
            self._append(0, ABSENT_SPREAD, table=board.table, seat=NO_SEAT)
        elif board.kind == FORFEIT:
            was_there = board.absent == (SECOND_ABSENT if is_first else FIRST_ABSENT)
            sign = 1 if was_there else -1
            self._append(
                0, sign * self.forfeit, table=board.table, seat=seat, forfeit=sign * opponent
            )
        else:
            self._append(opponent, board.scores_of(number)[0], table=board.table, seat=seat)

    def _append(
        self, opponent: int, score: int | None, *, table: int, seat: int, forfeit: int = 0
    ) -> None:
        """Add one round to every column. `forfeit`: the opponent's line, negative for who was away."""
        self.opponents.append(opponent)
        self.scores.append(score)
        self.boards.append(table)
        self.seats.append(seat)
        self.forfeits.append(forfeit)

    def text(self, player: SheetPlayer) -> str:
        """Return the player's line.

        A round without a score yet may only be followed by others without one.
        """
        while self.scores and self.scores[-1] is None:
            self.scores.pop()
        if None in self.scores:
            raise FileRefused(
                _(
                    "Une ronde précédente n’est pas terminée pour %(name)s : tsh exige "
                    "les scores dans l’ordre."
                )
                % {"name": player.name},
                code="gap",
            )
        opponents = " ".join(map(str, self.opponents))
        scores = " ".join(map(str, self.scores))
        parts = [
            f"{self.name:<24} {player.rating or 0} {opponents}".rstrip() + f"; {scores}".rstrip()
        ]
        for name, values in (
            ("board", self.boards),
            ("p12", self.seats),
            ("forfeit", self.forfeits),
        ):
            if any(values):
                parts.append(f"{name} {' '.join(map(str, values))}")
        if not player.present:
            parts.append("off 0")
        club = " ".join(UNFIT.sub(" ", player.club).split())
        if club:
            parts.append(f"team {club}")
        return "; ".join(parts)


# Import


def read(content: bytes, *, name: str, held_on: date, own_ranking: bool = False) -> TournamentSheet:
    """Return the tournament of a division file; `own_ranking`: by wins and spread, as tsh ranks.

    Raises FileRefused with the line of every problem.
    """
    entries, problems = entries_of(_text(content))
    if not entries and not problems:
        raise FileRefused(_("Ce fichier ne contient aucun joueur."), code="empty")
    rounds = max((len(entry.opponents) for entry in entries), default=0)
    if rounds > MOST_ROUNDS:  # each round names every player: a short file would make millions
        raise FileRefused(
            _("Choisissez de 1 à %(most)s rondes.") % {"most": MOST_ROUNDS}, code="rounds"
        )
    plain = TournamentSheet(name=name, held_on=held_on)
    if not problems:
        problems = list(cross_checked(entries, plain.score_bounds))
    if problems:
        raise FileRefused(problems)
    sheet = replace(
        plain,
        rounds_planned=rounds,
        players=tuple(_player(n, entry) for n, entry in enumerate(entries, start=1)),
        rounds=tuple(_round(place, entries) for place in range(rounds)),
    )
    wrong = problems_of(sheet)
    if wrong:
        raise FileRefused(wrong, code="nonsense")
    return with_own_ranking(sheet, _alone(entries)) if own_ranking else sheet


def _alone(entries: Sequence[TshEntry]) -> dict[tuple[int, int], int]:
    """Return the spreads of byes, absences and forfeits, by round and line."""
    return {
        (place + 1, number): score
        for number, entry in enumerate(entries, start=1)
        for place, score in enumerate(entry.scores)
        if not entry.opponents[place] and not entry.at("forfeit", place)
    }


def _text(content: bytes) -> str:
    if len(content) > MAX_BYTES:
        raise FileRefused(_("Ce fichier dépasse 2 Mo."), code="too_big")
    if b"\x00" in content:
        raise FileRefused(_("Ce fichier n’est pas un fichier de division tsh."), code="format")
    if content.strip() and not content.endswith((b"\n", b"\r")):
        # tsh ends every line; a truncated score could still be read as a score.
        line = len(re.findall(rb"\r\n|\r|\n", content)) + 1
        text = _("la dernière ligne n’est pas finie : le fichier est coupé.")
        raise FileRefused([Problem(text, line)], code="cut")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _player(number: int, entry: TshEntry) -> SheetPlayer:
    last, comma, first = (part.strip() for part in entry.name.partition(","))
    if not comma or not last or not first:
        # Without a comma tsh stores the whole name; its two parts cannot be distinguished.
        name, first, last = entry.name.replace(",", " ").strip() or entry.name, "", ""
    else:
        name = f"{first} {last}"
    return SheetPlayer(
        number=number,
        name=name,
        first_name=first,
        last_name=last,
        club=entry.club,
        rating=entry.rating or None,
        present="off" not in entry.lists,
    )


def _round(place: int, entries: Sequence[TshEntry]) -> SheetRound:
    boards: list[SheetBoard] = []
    absent: list[int] = []
    for number, entry in enumerate(entries, start=1):
        if place >= len(entry.opponents):
            absent.append(number)
            continue
        opponent, missed = entry.opponents[place], entry.at("forfeit", place)
        if opponent or missed:
            board = _board(number, opponent or missed, place, entries)
            if board is not None:
                boards.append(board)
            continue
        score = entry.scores[place] if place < len(entry.scores) else ABSENT_SPREAD
        if score > 0:
            boards.append(
                SheetBoard(table=entry.at("board", place), first=number, second=None, kind=BYE)
            )
        else:
            absent.append(number)
    boards.sort(key=lambda board: (board.table == 0, board.table, board.first))
    numbered_boards = _numbered(boards)
    closed = all(board.kind != PENDING for board in numbered_boards)
    return SheetRound(
        number=place + 1,
        published=True,
        closed=closed,
        boards=numbered_boards,
        absent=tuple(absent),
    )


def _board(own: int, other: int, place: int, entries: Sequence[TshEntry]) -> SheetBoard | None:
    """Return the board of two lines, made once.

    It is made from the line of the first seat, or from the upper one.
    """
    mine, theirs = entries[own - 1], entries[abs(other) - 1]
    seat, across = mine.at("p12", place), theirs.at("p12", place)
    starts = seat == FIRST_SEAT if {seat, across} == {FIRST_SEAT, SECOND_SEAT} else own < abs(other)
    if not starts:
        return None
    table = mine.at("board", place)
    if not mine.opponents[place]:
        both_away = other < 0 and theirs.at("forfeit", place) < 0
        absent = BOTH_ABSENT if both_away else FIRST_ABSENT if other < 0 else SECOND_ABSENT
        return SheetBoard(table=table, first=own, second=abs(other), kind=FORFEIT, absent=absent)
    if place >= len(mine.scores):
        return SheetBoard(table=table, first=own, second=other, kind=PENDING)
    return SheetBoard(
        table=table,
        first=own,
        second=other,
        kind=PLAYED,
        first_score=mine.scores[place],
        second_score=theirs.scores[place],
    )


def _numbered(boards: Sequence[SheetBoard]) -> tuple[SheetBoard, ...]:
    """Return the boards with the file's table numbers.

    They are numbered by line where the file gives none, or one twice. A bye needs no table.
    """
    tables = [board.table for board in boards if board.table]
    if len(set(tables)) == len(tables) and all(b.table for b in boards if b.second is not None):
        return tuple(boards)
    return tuple(replace(board, table=n) for n, board in enumerate(boards, start=1))
