"""One reader for every imported table: its head below titles, its separator, its columns, its cells."""

from __future__ import annotations

from io import BytesIO

import pytest
from openpyxl import Workbook

from clubs.exchange import tables
from clubs.members import imports
from pairings.exchange.formats import csv_xlsx_reading
from pairings.exchange.problems import FileRefused
from ratings.competitions.files import import_files
from ratings.competitions.files.headings import GAMES
from ratings.competitions.files.import_files import People
from tests.refusals import refused

HEAD = ["Joueur 1", "Joueur 2", "Score 1", "Score 2"]
ROWS = [["Ana Unu", "Ion Doi", "400", "350"], ["Zoé Trei", "Ada Patru", "390", "391"]]
NAMES = {"first": ("joueur 1",), "second": ("joueur 2",), "score": ("score 1",)}


def csv_of(rows, separator=";"):
    return "".join(separator.join(row) + "\n" for row in rows).encode()


def xlsx_of(rows):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def read(rows, form="csv", known=NAMES):
    return tables.read(f"t.{form}", (xlsx_of if form == "xlsx" else csv_of)(rows), known)


def lines(table):
    columns = tables.columns_of(table.rows[0], NAMES)
    return [(one.line, one.values["first"]) for one in tables.records(table.rows, columns)]


@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.parametrize(
    "titles",
    [
        [],
        [["Tournoi de Lyon, le 3 mai, 2026"]],
        [["Tournoi de Lyon"], [], ["3 mai 2026", "32 joueurs"]],
        [[str(n)] for n in range(1, 11)],
    ],
)
def test_titles_above_the_head_are_no_players_and_shift_no_number(form, titles):
    table = read([*titles, HEAD, *ROWS], form)
    assert table.rows[0] == HEAD
    first = len(titles) + 2
    assert lines(table) == [(first, "Ana Unu"), (first + 1, "Zoé Trei")]


def test_the_head_is_looked_for_in_ten_lines_below_the_first():
    table = read([*([["titre"]] * 11), HEAD, *ROWS])
    assert table.rows[0] == ["titre"]


def test_no_line_as_wide_as_the_head_is_taken_for_a_title():
    rows = [["a", "b", "c", "d"], ["Joueur 1", "Joueur 2", "x", "y"]]
    assert read(rows).rows[0] == rows[0]


def test_a_title_with_commas_does_not_choose_the_separator():
    assert read([["Lyon, le 3 mai, 2026, salle 4, étage 2"], HEAD, *ROWS]).rows[0] == HEAD


def test_columns_of_unknown_names_are_parted_by_the_sign_that_is_there_most_often():
    rows = [["Vorname", "Name", "Ort; Land"], ["Ana", "Unu", "Bern"]]
    assert tables.read("t.csv", csv_of(rows, ","), NAMES).rows == rows


def test_titles_without_a_line_below_the_head_are_no_table():
    with pytest.raises(tables.ImportRefused, match="pas de lignes"):
        read([["Tournoi de Lyon"], HEAD])


@pytest.mark.parametrize("word", ["N°", "Numéro", "number", "Număr", "NUMERO_DE_JOUEUR", "no."])
def test_a_column_is_known_by_its_names_in_three_languages(word):
    assert tables.columns_of(["x", word], imports.COLUMNS) == {"number": 1}


@pytest.mark.parametrize("words", ["joueur1;score1", "JOUEUR_1;Score (1)", "Joueur n° 1;Score 1 :"])
def test_a_number_may_stand_close_to_its_word(words):
    """As programs name their columns."""
    known = {"first": ("joueur 1", "joueur n 1"), "score": ("score 1",)}
    assert tables.columns_of(words.split(";"), known) == {"first": 0, "score": 1}


def test_the_first_of_two_columns_with_one_name_counts():
    assert tables.columns_of(["joueur 1", "Joueur 1", "score 1"], NAMES) == {"first": 0, "score": 2}


@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.parametrize(
    ("wide", "long", "lines", "code"),
    [
        (tables.MAX_COLUMNS, tables.MAX_CELL, 4, None),
        (tables.MAX_COLUMNS + 1, 1, 1, "too_wide"),
        (1, tables.MAX_CELL + 1, 1, "too_wide"),
        (1, 1, 5, "too_many_rows"),
    ],
)
def test_a_table_has_its_most_columns_letters_and_lines(monkeypatch, form, wide, long, lines, code):
    monkeypatch.setattr(tables, "MAX_ROWS", 4)
    rows = [HEAD, *[["x" * long, *["x"] * (wide - 1)]] * lines]
    if code is None:
        assert len(read(rows, form).rows) == lines + 1
        return
    with refused(code):
        read(rows, form)


# The three files that are imported


def test_the_three_imports_skip_the_titles_of_a_sheet():
    members = tables.read("m.csv", "Liste 2026\nPrénom;Nom\nAna;Unu\n".encode(), imports.COLUMNS)
    assert members.rows == [["Prénom", "Nom"], [], ["Ana", "Unu"]]
    (entry,) = csv_xlsx_reading.read_entries("e.csv", "Inscrits\n\nPrénom;Nom\nAna;Unu\n".encode())
    assert (entry.line, entry.first_name, entry.last_name) == (4, "Ana", "Unu")
    games = import_files.read("g.csv", csv_of([["Coupe"], HEAD, *ROWS]), GAMES)
    people = People.of([(1, 1, "Ana", "Unu")])
    columns = import_files.columns_of(games.rows[0], GAMES)
    assert [one.number for one in import_files.lines_of(games.rows, GAMES, people, columns)] == [
        3,
        4,
    ]


@pytest.mark.parametrize("cell", ["#REF!", "=A1"])
def test_an_entry_that_is_a_failed_formula_enters_nobody(cell):
    content = xlsx_of([["Prénom", "Nom"], [cell, "Unu"]])
    with pytest.raises(FileRefused, match=r"Ligne 2\s: colonne «\sPrénom\s»"):
        csv_xlsx_reading.read_entries("e.xlsx", content)
