"""Entries, results and standings as CSV and XLSX; `csv_xlsx_reading` reads them again.

CSV is UTF-8 with BOM and the signs of the page's language; no cell that a spreadsheet runs as a formula.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from clubs.exchange import xlsx
from clubs.exchange.csv import csv_text
from pairings.exchange.snapshot import (
    BOTH_ABSENT,
    FIRST_ABSENT,
    PLAYED,
    SECOND_ABSENT,
    SheetBoard,
    TournamentSheet,
)

Rows = list[list[object]]
ABSENT_WORDS = {FIRST_ABSENT: "1", SECOND_ABSENT: "2", BOTH_ABSENT: "1+2"}


def entries(sheet: TournamentSheet) -> tuple[list[str], Rows]:
    """Return the players in the order of the initial ranking."""
    head = [_("Rang initial"), _("Nom"), _("Prénom"), _("Numéro"), _("Club"), _("Cote"), _("Payé")]
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
        for each in sheet.by_initial_rank
    ]


def results(sheet: TournamentSheet) -> tuple[list[str], Rows]:
    """Return every board of every round, a bye's without a table; `read_results` reads the same."""
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
            row: list[object] = [each.number, board.table or "", *_names(sheet, board)]
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
            "" if value is None else value.exact if isinstance(value.exact, int) else value.text
            for value in values
        ]
        player = known[line.player]
        rows.append([line.place, player.name, player.club, *shown])
    return head, rows


def _names(sheet: TournamentSheet, board: SheetBoard) -> list[str]:
    known = sheet.by_number
    second = _("exempt") if board.second is None else known[board.second].name
    return [known[board.first].name, second]


def write_csv(head: Sequence[str], rows: Rows) -> bytes:
    """Return the table as UTF-8 CSV with BOM."""
    return csv_text(head, rows).encode()


def write_xlsx(head: Sequence[str], rows: Rows, *, title: str) -> bytes:
    """Return one sheet with its header frozen; text that could be a formula is escaped as in CSV."""
    return xlsx.bytes_of(xlsx.book_of(title, head, rows))
