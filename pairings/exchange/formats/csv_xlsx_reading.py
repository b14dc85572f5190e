"""Entries and results of a tournament, read from CSV or XLSX.

Any usual separator, columns found by their names in three languages, every wrong row reported; one
wrong row refuses the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from clubs.exchange import tables
from clubs.search import without_accents
from pairings.exchange.formats.csv_xlsx import ABSENT_WORDS
from pairings.exchange.problems import FileRefused, Problem
from pairings.exchange.snapshot import (
    BOTH_ABSENT,
    BYE,
    FIRST_ABSENT,
    FORFEIT,
    OTHER_SIDE,
    PENDING,
    PLAYED,
    SECOND_ABSENT,
    SheetBoard,
    TournamentSheet,
)
from pairings.systems.points.match_points import GAME_PROBLEMS, games_won, problem_with
from ratings.systems.unplayed import WON, halves_by_scores, unplayed

COLUMNS: tables.Known = {
    "first_name": ("prenom", "first name", "firstname", "prenume"),
    "last_name": ("nom", "nom de famille", "last name", "surname", "nume"),
    "name": ("joueur", "nom complet", "player", "name", "jucator"),
    "number": ("numero", "numero de joueur", "number", "no", "n", "numar"),
    "club": ("club",),
    "rating": ("cote", "cote initiale", "rating", "cota"),
    "paid": ("paye", "paid", "platit"),
    "round": ("ronde", "round", "runda"),
    "table": ("table", "masa", "board"),
    "first": ("joueur 1", "player 1", "jucator 1"),
    "second": ("joueur 2", "player 2", "jucator 2"),
    "first_score": ("score 1", "scor 1"),
    "second_score": ("score 2", "scor 2"),
    "absent": ("absent", "forfait", "forfeit"),
    "played": ("joue", "jouee", "played", "jucat", "jucata"),
    **{
        f"game_{game}_{seat}": (f"manche {game} joueur {seat}", f"game {game} player {seat}")
        + (f"partida {game} jucator {seat}",)
        for game in (1, 2, 3)
        for seat in (1, 2)
    },
}
YES, NO = ("oui", "o", "yes", "y", "da", "d", "x", "1", "true"), ("", "non", "n", "no", "nu", "0")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryLine:
    """One row of a file of entries. `number` is the member's; None for a new player."""

    line: int
    first_name: str
    last_name: str = ""
    number: int | None = None
    club: str = ""
    rating: int | None = None
    paid: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLine:
    """One result to enter: the board with its new result."""

    line: int
    round: int
    board: SheetBoard


@dataclass(slots=True)
class _Row:
    """One row of a table by column name, and the problems found in it."""

    line: int
    values: dict[str, str]
    problems: list[Problem]

    def text(self, name: str) -> str:
        value = self.values.get(name, "")
        return value[1:] if re.match(r"'[=+\-@]", value) else value

    def number(self, name: str, low: int, high: int) -> int | None:
        value = self.text(name).replace("−", "-")
        if not value:
            return None
        if not re.fullmatch(r"[+-]?\d{1,9}", value, re.ASCII) or not low <= int(value) <= high:
            text = _("« %(value)s » n’est pas un nombre entier de %(low)s à %(high)s.")
            shown = {"value": value[:20], "low": low, "high": high}
            self.wrong(text % shown, name)
            return None
        return int(value)

    def wrong(self, text: str, name: str = "") -> None:
        self.problems.append(Problem(text, self.line, COLUMNS[name][0] if name else ""))


def read_entries(name: str, content: bytes) -> tuple[EntryLine, ...]:
    """Return every row, or raise FileRefused with all problems."""
    rows, problems = _rows(name, content)
    if not rows[0].values.keys() & {"first_name", "name"}:
        raise FileRefused(_("Il manque la colonne « Prénom » ou « Joueur »."), code="columns")
    entries: list[EntryLine] = []
    seen: dict[object, int] = {}
    for row in rows:
        line = _entry(row)
        key = without_accents(f"{line.first_name} {line.last_name}")
        for mark in filter(None, (line.number, key)):
            if mark in seen:
                row.wrong(_("même joueur qu’à la ligne %(line)s.") % {"line": seen[mark]})
            seen.setdefault(mark, row.line)
        entries.append(line)
    if problems:
        raise FileRefused(problems)
    return tuple(entries)


def _entry(row: _Row) -> EntryLine:
    first, last = row.text("first_name"), row.text("last_name")
    if not first and row.text("name"):
        first, _space, last = row.text("name").partition(" ")
    if not first and last:
        first, last = last, ""
    if not first:
        row.wrong(_("le nom manque."))
    for each in (first, last, row.text("club")):
        if len(each) > 60:
            row.wrong(_("un nom dépasse 60 caractères."))
    paid = without_accents(row.text("paid"))
    if paid not in YES + NO:
        row.wrong(_("écrivez oui ou non."), "paid")
    return EntryLine(
        line=row.line,
        first_name=first,
        last_name=last,
        number=row.number("number", 1, 999_999),
        club=row.text("club"),
        rating=row.number("rating", 0, 5000),
        paid=paid in YES,
    )


def read_results(name: str, content: bytes, sheet: TournamentSheet) -> tuple[ResultLine, ...]:
    """Return the results that the sheet does not have yet, or raise FileRefused with all problems.

    A row finds its board by round and table, or by its two names; names in the opposite order swap
    the scores too. A row without a result, or with a known one, is skipped.
    """
    rows, problems = _rows(name, content)
    columns = rows[0].values.keys()
    if not (("table" in columns) or {"first", "second"} <= columns) or "first_score" not in columns:
        raise FileRefused(
            _("Il manque des colonnes : Ronde, Table, Joueur 1, Joueur 2, Score 1, Score 2."),
            code="columns",
        )
    finder = _Finder(sheet)
    results: list[ResultLine] = []
    seen: dict[tuple[int, int], int] = {}
    for row in rows:
        place = finder.find(row)
        if place is None:
            continue
        number, board, turned = place
        if (number, board.first) in seen:
            line = seen[number, board.first]
            row.wrong(_("même match qu’à la ligne %(line)s.") % {"line": line})
        seen.setdefault((number, board.first), row.line)
        new = _result(row, board, sheet, turned)
        if new is None or new == board:
            continue
        if board.kind != PENDING:
            row.wrong(_("ce match a déjà un autre résultat : corrigez-le sur le site."))
        results.append(ResultLine(line=row.line, round=number, board=new))
    if problems:
        raise FileRefused(problems)
    return tuple(results)


class _Finder:
    """Boards by round and table, and by names."""

    def __init__(self, sheet: TournamentSheet) -> None:
        self.sheet = sheet
        self.rounds = {each.number: each for each in sheet.rounds}
        self.plain = {each.number: without_accents(each.name) for each in sheet.players}

    def find(self, row: _Row) -> tuple[int, SheetBoard, bool] | None:
        """Return the round, the board, and whether the row names the second seat first."""
        before = len(row.problems)
        number = row.number("round", 1, 999)
        table = row.number("table", 0, 9999)
        if len(row.problems) > before:
            return None
        if number is None and len(self.rounds) == 1:
            number = next(iter(self.rounds))
        if number not in self.rounds:
            row.wrong(_("cette ronde n’existe pas."), "round")
            return None
        named = tuple(without_accents(row.text(name)) for name in ("first", "second"))
        for board in self.rounds[number].boards:
            if table is not None and board.table != table:
                continue
            turned = self._is_turned(board, named, by_table=table is not None)
            if turned is not None:
                return number, board, turned
            if table is not None:
                names = " – ".join(self.sheet.by_number[each].name for each in board.players())
                text = _("les joueurs de cette table sont %(names)s.") % {"names": names}
                row.wrong(text, "table")
                return None
        row.wrong(_("ce match n’existe pas dans cette ronde."))
        return None

    def _is_turned(
        self, board: SheetBoard, named: tuple[str, ...], *, by_table: bool
    ) -> bool | None:
        """Return whether these names are the board's, turned; None where they are not."""
        seats = tuple(self.plain.get(player, "") for player in board.players())
        if by_table and (board.kind == BYE or not any(named)):
            return False
        if board.kind == BYE:
            return False if seats == named[:1] else None
        return {named[::-1]: True, named: False}.get(seats)


@dataclass(frozen=True, slots=True)
class _Said:
    """What a row says of its match, its players in the row's own order."""

    scores: tuple[int, int] | None
    games: Sequence[tuple[int, int]]
    absentee: str | None


def _result(
    row: _Row, board: SheetBoard, sheet: TournamentSheet, turned: bool
) -> SheetBoard | None:
    """Return the board with the row's result; None for a row without one."""
    said = _said(row, board, sheet)
    if said is None:
        return None
    if board.kind == BYE:
        row.wrong(_("ce joueur est exempt : il n’a pas de score."))
        return None
    if said.absentee is not None:
        if said.scores or said.games:
            row.wrong(_("un forfait n’a pas de score."), "absent")
        absentee = OTHER_SIDE[said.absentee] if turned else said.absentee
        return replace(board, kind=FORFEIT, absent=absentee)
    scores, games = said.scores, said.games
    if sheet.winning_games > 1:
        scores = _won_games(row, said, sheet.winning_games)
    if scores is None:
        return None
    if turned:
        scores, games = scores[::-1], [game[::-1] for game in games]
    first, second = scores
    return replace(
        board, kind=PLAYED, first_score=first, second_score=second, games=tuple(games), absent=""
    )


def _said(row: _Row, board: SheetBoard, sheet: TournamentSheet) -> _Said | None:
    """Return what the row says; None where it says nothing, or something wrong."""
    before, several = len(row.problems), sheet.winning_games > 1
    least, most = sheet.score_bounds
    games: list[tuple[int, int]] = []
    for game in (1, 2, 3) if several else ():
        mine, theirs = (row.number(f"game_{game}_{seat}", least, most) for seat in (1, 2))
        pair = _both(row, mine, theirs, f"game_{game}_1")
        games += [pair] if pair else []
    low, high = (0, 3) if several else (least, most)
    score, other = (row.number(f"{seat}_score", low, high) for seat in ("first", "second"))
    absent = re.sub(r"[\s,;/&]+", "+", row.text("absent"))
    absentee = {word: code for code, word in ABSENT_WORDS.items()}.get(absent)
    if absent and absentee is None:
        row.wrong(_("écrivez 1, 2 ou 1+2."), "absent")
    if absentee is None and (score is not None or games or board.kind != BYE):
        best = games_won(games) if games else (score, other)
        absentee = _absent_by_played(row, *best)
        if absentee is not None:
            score, other, games = None, None, []
    scores = _both(row, score, other, "first_score")
    if len(row.problems) > before or not (scores or games or absentee):
        return None
    return _Said(scores, games, absentee)


def _both(row: _Row, score: int | None, other: int | None, column: str) -> tuple[int, int] | None:
    """Return the two scores of a match or a game; one without the other is a problem."""
    if score is not None and other is not None:
        return score, other
    if score is not None or other is not None:
        row.wrong(_("il manque un des deux scores."), column)
    return None


def _won_games(row: _Row, said: _Said, winning_games: int) -> tuple[int, int] | None:
    """Return the games each has won; None where the games cannot be those of a match."""
    wrong = problem_with(said.games, winning_games)
    if wrong:
        row.wrong(_(GAME_PROBLEMS[wrong]))
        return None
    won = games_won(said.games)
    if said.scores is not None and said.scores != won:
        row.wrong(_("les scores ne sont pas les manches gagnées."), "first_score")
    return won


def _absent_by_played(row: _Row, score: int | None, other: int | None) -> str | None:
    """Return who was absent by the column "joué": not the one with the better score, else both."""
    played, halves = without_accents(row.text("played")).strip(), halves_by_scores(score, other)
    try:
        match = unplayed(result="", halves=halves, played=played, absent="", names=())
    except ValueError as unclear:
        row.wrong(_(str(unclear)), "played")
        return None
    if match is None or match.both:
        return None if match is None else BOTH_ABSENT
    return SECOND_ABSENT if match.halves == WON else FIRST_ABSENT


def _rows(name: str, content: bytes) -> tuple[list[_Row], list[Problem]]:
    """Return the rows under the header by column, and the list that collects their problems."""
    try:
        table = tables.read(name, content, COLUMNS)
    except tables.ImportRefused as refused:
        raise FileRefused(str(refused), code=refused.code) from refused
    problems: list[Problem] = []
    rows = []
    for record in tables.records(table.rows, tables.columns_of(table.rows[0], COLUMNS)):
        rows.append(_Row(record.line, record.values, problems))
        problems += [Problem(text, record.line) for text in record.problems]
    return rows, problems
