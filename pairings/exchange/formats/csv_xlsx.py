"""Entries, results and standings as CSV and XLSX, and import of entries and results.

Written: UTF-8 with BOM and semicolons, no cell that a spreadsheet runs as a formula. Read: any
usual separator or an XLSX, columns found by their names in three languages, every wrong row
reported; one wrong row refuses the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from clubs.exchange import tables, xlsx
from clubs.exchange.csv import UNWRITABLE, csv_text
from clubs.members.models import without_accents
from pairings.exchange.problems import FileRefused, Problem
from pairings.exchange.snapshot import (
    BOTH_ABSENT,
    BYE,
    FIRST_ABSENT,
    FORFEIT,
    PENDING,
    PLAYED,
    SECOND_ABSENT,
    SheetBoard,
    TournamentSheet,
)
from pairings.systems.points.match_points import GAME_PROBLEMS, games_won, problem_with
from ratings.systems.unplayed import WON, halves_by_scores, unplayed

Rows = list[list[Any]]
ABSENT_WORDS = {FIRST_ABSENT: "1", SECOND_ABSENT: "2", BOTH_ABSENT: "1+2"}
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


# Export


def entries(sheet: TournamentSheet) -> tuple[list[str], Rows]:
    """Return the players in the order of the initial ranking."""
    head = [_("Rang initial"), _("Nom"), _("Prénom"), _("Numéro"), _("Club"), _("Cote"), _("Payé")]
    people = sorted(sheet.players, key=lambda each: (each.initial_rank or 10**6, each.number))
    return head, [
        [
            each.initial_rank or "",
            each.last_name or each.name,
            each.first_name,
            each.member_number if each.member_number is not None else "",
            each.club,
            each.rating if each.rating is not None else "",
            _("oui") if each.fee_paid else _("non"),
        ]
        for each in people
    ]


def results(sheet: TournamentSheet) -> tuple[list[str], Rows]:
    """Return every board of every round; `read_results` reads the same table."""
    head = [_("Ronde"), _("Table"), _("Joueur 1"), _("Joueur 2"), _("Score 1"), _("Score 2")]
    head.append(_("Absent"))
    games = range(1, 2 * sheet.winning_games if sheet.winning_games > 1 else 1)
    for game in games:
        head += [
            _("Manche %(game)s joueur %(seat)s") % {"game": game, "seat": seat} for seat in (1, 2)
        ]
    rows: Rows = []
    for each in sheet.rounds:
        for board in each.boards:
            played = board.kind == PLAYED
            row = [each.number, board.table, *_names(sheet, board)]
            row += [board.first_score, board.second_score] if played else ["", ""]
            row.append(ABSENT_WORDS.get(board.absent, ""))
            for game in games:
                row += list(board.games[game - 1]) if game <= len(board.games) else ["", ""]
            rows.append(row)
    return head, rows


def standings(sheet: TournamentSheet) -> tuple[list[str], Rows]:
    """Return the ranking with its tie-breaks: whole numbers as numbers, the rest as displayed."""
    head = [_("Place"), _("Joueur"), _("Club"), *(column.label for column in sheet.columns)]
    known = sheet.by_number
    rows: Rows = []
    for line in sheet.standings:
        values = [line.values.get(column.code) for column in sheet.columns]
        shown = [
            "" if value is None else value.exact if _is_whole(value.exact) else value.text
            for value in values
        ]
        player = known[line.player]
        rows.append([line.place, player.name, player.club, *shown])
    return head, rows


def _is_whole(value: int | Fraction | None) -> bool:
    return isinstance(value, int)


def _names(sheet: TournamentSheet, board: SheetBoard) -> list[str]:
    known = sheet.by_number
    second = _("exempt") if board.second is None else known[board.second].name
    return [known[board.first].name, second]


def write_csv(head: Sequence[str], rows: Rows) -> bytes:
    """Return the table as UTF-8 CSV with BOM and semicolons."""
    return csv_text([UNWRITABLE.sub("", each) for each in head], map(_clean, rows)).encode()


def write_xlsx(head: Sequence[str], rows: Rows, *, title: str) -> bytes:
    """Return one sheet with its header frozen; text that could be a formula is escaped as in CSV."""
    return xlsx.bytes_of(xlsx.book_of(title, head, rows))


def _clean(row: Sequence[Any]) -> list[Any]:
    return [UNWRITABLE.sub("", each) if isinstance(each, str) else each for each in row]


# Import


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
    seen: dict[Any, int] = {}
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
        first, second = (without_accents(row.text(name)) for name in ("first", "second"))
        for board in self.rounds[number].boards:
            if table is not None and board.table != table:
                continue
            seats = tuple(self.plain.get(player, "") for player in board.players())
            if table is not None and (board.kind == BYE or not (first or second)):
                return number, board, False
            for turned, order in ((False, (first, second)), (True, (second, first))):
                if seats == order:
                    return number, board, turned
            if table is not None:
                names = " – ".join(self.sheet.by_number[each].name for each in board.players())
                text = _("les joueurs de cette table sont %(names)s.") % {"names": names}
                row.wrong(text, "table")
                return None
        row.wrong(_("ce match n’existe pas dans cette ronde."))
        return None


def _result(
    row: _Row, board: SheetBoard, sheet: TournamentSheet, turned: bool
) -> SheetBoard | None:
    """Return the board with the row's result; None for a row without one."""
    before, winning_games = len(row.problems), sheet.winning_games
    least, most = sheet.score_bounds
    games: list[tuple[int, int]] = []
    for game in (1, 2, 3) if winning_games > 1 else ():
        score, other = (row.number(f"game_{game}_{s}", least, most) for s in (1, 2))
        if (score is None) != (other is None):
            row.wrong(_("il manque un des deux scores."), f"game_{game}_1")
        elif score is not None and other is not None:
            games.append((score, other))
    low, high = (0, 3) if winning_games > 1 else (least, most)
    score, other = (row.number(f"{seat}_score", low, high) for seat in ("first", "second"))
    absent = re.sub(r"[\s,;/&]+", "+", row.text("absent"))
    absentee = {word: code for code, word in ABSENT_WORDS.items()}.get(absent)
    if absent and absentee is None:
        row.wrong(_("écrivez 1, 2 ou 1+2."), "absent")
    has_result = score is not None or bool(games)
    if absentee is None and (has_result or board.kind != BYE):
        best = games_won(games) if games else (score, other)
        absentee = _absent_by_played(row, *best)
        if absentee is not None:
            score, other, games = None, None, []
    if (score is None) != (other is None):
        row.wrong(_("il manque un des deux scores."), "first_score")
    if len(row.problems) > before or (score is None and not games and absentee is None):
        return None
    if board.kind == BYE:
        row.wrong(_("ce joueur est exempt : il n’a pas de score."))
        return None
    if absentee is not None:
        if score is not None or games:
            row.wrong(_("un forfait n’a pas de score."), "absent")
        if turned and absentee != BOTH_ABSENT:
            absentee = FIRST_ABSENT if absentee == SECOND_ABSENT else SECOND_ABSENT
        return replace(board, kind=FORFEIT, absent=absentee)
    if winning_games > 1:
        wrong = problem_with(games, winning_games)
        if wrong:
            row.wrong(_(GAME_PROBLEMS[wrong]))
            return None
        if score is not None and (score, other) != games_won(games):
            row.wrong(_("les scores ne sont pas les manches gagnées."), "first_score")
        score, other = games_won(games)
    elif score is None or other is None:
        return None
    if turned:
        score, other, games = other, score, [(theirs, mine) for mine, theirs in games]
    return replace(
        board, kind=PLAYED, first_score=score, second_score=other, games=tuple(games), absent=""
    )


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
