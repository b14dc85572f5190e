"""Entries and results as tables: out safely, back equal, every wrong line named, all or nothing."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from django.utils.translation import override
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from pairings.exchange.formats import csv_xlsx, csv_xlsx_reading
from pairings.exchange.problems import FileRefused
from pairings.exchange.snapshot import PENDING, SheetBoard, TournamentSheet
from tests.our_code import LANGUAGES
from tests.sheets import played, player, sheets, tournament

WRITERS = {
    "csv": csv_xlsx.write_csv,
    "xlsx": lambda head, rows: csv_xlsx.write_xlsx(head, rows, title="Résultats"),
}


def wiped(sheet: TournamentSheet) -> TournamentSheet:
    """The same boards before anybody played."""
    rounds = [
        replace(
            each,
            boards=tuple(
                board
                if board.second is None
                else replace(
                    board, kind=PENDING, first_score=None, second_score=None, games=(), absent=""
                )
                for board in each.boards
            ),
        )
        for each in sheet.rounds
    ]
    return replace(sheet, rounds=tuple(rounds))


def refusal(text: str | bytes, sheet: TournamentSheet) -> FileRefused:
    content = text.encode() if isinstance(text, str) else text
    with pytest.raises(FileRefused) as refused:
        csv_xlsx_reading.read_results("r.csv", content, sheet)
    return refused.value


def distinct(sheet: TournamentSheet) -> TournamentSheet:
    return replace(sheet, players=tuple(player(each.number) for each in sheet.players))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", WRITERS)
def test_results_come_back_as_they_went(kind, language):
    sheet = tournament(9, 3)
    with override(language):
        content = WRITERS[kind](*csv_xlsx.results(sheet))
    lines = csv_xlsx_reading.read_results(f"r.{kind}", content, wiped(sheet))
    told = {(line.round, line.board) for line in lines}
    assert told == {
        (each.number, board)
        for each in sheet.rounds
        for board in each.boards
        if board.kind not in (PENDING, "bye")
    }


@settings(deadline=None, max_examples=40)
@given(sheets(winning_games=1).map(distinct))
def test_any_results_come_back_by_csv(sheet):
    content = csv_xlsx.write_csv(*csv_xlsx.results(sheet))
    if not any(each.boards for each in sheet.rounds):
        return
    lines = csv_xlsx_reading.read_results("r.csv", content, wiped(sheet))
    found = {(line.round, line.board.table): line.board for line in lines}
    for each in sheet.rounds:
        for board in each.boards:
            if board.kind not in (PENDING, "bye"):
                assert found.pop((each.number, board.table)) == board
    assert not found


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_winning_games_come_back_game_by_game(language):
    games = ((412, 388), (300, 350), (401, 400))
    sheet = replace(tournament(2, 1), winning_games=2)
    board = played(1, 1, 2, 2, 1, games=games)
    sheet = replace(sheet, rounds=(replace(sheet.rounds[0], boards=(board,)),))
    with override(language):
        content = csv_xlsx.write_csv(*csv_xlsx.results(sheet))
    (line,) = csv_xlsx_reading.read_results("r.csv", content, wiped(sheet))
    assert line.board == board


def test_what_is_known_already_is_left_out_and_a_difference_is_refused():
    sheet = tournament(4, 1, pending=False)
    content = csv_xlsx.write_csv(*csv_xlsx.results(sheet))
    assert csv_xlsx_reading.read_results("r.csv", content, sheet) == ()
    other = replace(
        sheet.rounds[0],
        boards=(replace(sheet.rounds[0].boards[0], first_score=1),) + sheet.rounds[0].boards[1:],
    )
    refused = refusal(content, replace(sheet, rounds=(other,)))
    assert refused.problems[0].line == 2 and "autre résultat" in str(refused)


SHEET = replace(
    tournament(4, 1),
    rounds=(
        replace(
            tournament(4, 1).rounds[0],
            boards=(
                replace(played(1, 1, 2, 0, 0), kind=PENDING, first_score=None, second_score=None),
                replace(played(2, 3, 4, 0, 0), kind=PENDING, first_score=None, second_score=None),
            ),
        ),
    ),
)
HEAD = "Ronde;Table;Joueur 1;Joueur 2;Score 1;Score 2;Absent\r\n"


@pytest.mark.parametrize(
    ("cells", "kind", "absent"),
    [
        ("50;0;non", "forfeit", "b"),
        ("0;50;nu", "forfeit", "a"),
        ("0;0;no", "forfeit", "both"),
        (";;non", "forfeit", "both"),
        ("50;0;oui", "played", ""),
        ("50;0;", "played", ""),
    ],
)
def test_a_match_that_was_not_played_is_a_forfeit(cells, kind, absent):
    head = "Ronde;Table;Joueur 1;Joueur 2;Score 1;Score 2;Joué\n"
    text = f"{head}1;1;Stefania TURCANU;Émile Œhler;{cells}\n"
    (line,) = csv_xlsx_reading.read_results("r.csv", text.encode(), SHEET)
    assert (line.board.kind, line.board.absent) == (kind, absent)
    assert (line.board.first_score is None) is (kind == "forfeit")
    turned = f"{head}1;1;Émile Œhler;Stefania TURCANU;{cells}\n"
    (line,) = csv_xlsx_reading.read_results("r.csv", turned.encode(), SHEET)
    assert line.board.absent == {"a": "b", "b": "a"}.get(absent, absent)


def test_whether_a_match_was_played_is_said_by_yes_or_no():
    text = "Ronde;Table;Score 1;Score 2;Joué\n1;1;50;0;peut-être\n"
    assert "oui ou non" in str(refusal(text, SHEET))


def test_names_the_other_way_round_turn_the_scores():
    text = HEAD + "1;1;Émile Œhler;Stefania TURCANU;380;400;\r\n"
    (line,) = csv_xlsx_reading.read_results("r.csv", text.encode(), SHEET)
    assert (line.board.first, line.board.first_score, line.board.second_score) == (1, 400, 380)
    text = "Ronde;Joueur 1;Joueur 2;Score 1;Score 2;Absent\n1;Karim N’Diaye;Amélie de La Fontaine-Dupont;;;1\n"
    (line,) = csv_xlsx_reading.read_results("r.csv", text.encode(), SHEET)
    assert (line.board.first, line.board.absent) == (3, "b")


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ("1;1;;;400;38O;", 2, "« 38O »"),
        ("1;1;;;400;;", 2, "manque un des deux scores"),
        ("1;1;;;400;2001;", 2, "« 2001 »"),
        ("1;1;;;400;-201;", 2, "« -201 »"),
        ("9;1;;;400;380;", 2, "cette ronde n’existe pas"),
        ("1;7;;;400;380;", 2, "ce match n’existe pas"),
        ("1;1;Karim N’Diaye;Émile Œhler;400;380;", 2, "les joueurs de cette table sont"),
        ("1;1;;;400;380;2", 2, "un forfait n’a pas de score"),
        ("1;1;;;;;Karim", 2, "écrivez 1, 2 ou 1+2"),
        ("1;1;;;400;380;\r\n\r\n1;1;;;400;380;", 4, "même match qu’à la ligne 2"),
        ("1;1;;;400;380;\r\n\r\n\r\n1;2;;;x;380;", 5, "« x »"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_taken(lines, line, words):
    refused = refusal(HEAD + lines + "\r\n", SHEET)
    assert refused.problems[0].line == line
    assert words in str(refused), refused


def test_a_two_win_match_with_three_wins_is_refused():
    sheet = replace(SHEET, winning_games=2)
    head = "Ronde;Table;Score 1;Score 2;" + ";".join(
        f"Manche {game} joueur {seat}" for game in (1, 2, 3) for seat in (1, 2)
    )
    three_wins = refusal(f"{head}\n1;1;;;400;300;400;300;400;300\n", sheet)
    assert "déjà gagné" in str(three_wins)
    unfinished = refusal(f"{head}\n1;1;;;400;300;;;;\n", sheet)
    assert "il en manque une" in str(unfinished)
    wrong_sum = refusal(f"{head}\n1;1;1;0;400;300;400;300;;\n", sheet)
    assert "les manches gagnées" in str(wrong_sum)


def test_a_bye_has_no_score():
    sheet = tournament(3, 1, pending=False)
    bye = sheet.rounds[0].boards[-1]
    refused = refusal(HEAD + f"1;{bye.table};;;400;380;\r\n", sheet)
    assert "exempt" in str(refused)


def test_a_bye_is_at_no_table_and_is_found_by_its_name():
    sheet = tournament(4, 1, pending=False)
    byes = tuple(SheetBoard(table=0, first=number, second=None, kind="bye") for number in (1, 2))
    sheet = replace(sheet, rounds=(replace(sheet.rounds[0], boards=byes),))
    head, rows = csv_xlsx.results(sheet)
    assert [row[head.index("Table")] for row in rows] == ["", ""]
    assert csv_xlsx_reading.read_results("r.csv", csv_xlsx.write_csv(head, rows), sheet) == ()
    rows[1][head.index("Score 1")], rows[1][head.index("Score 2")] = 400, 300
    refused = refusal(csv_xlsx.write_csv(head, rows), sheet)
    assert [problem.line for problem in refused.problems] == [3]
    assert "exempt" in str(refused)


@pytest.mark.parametrize(
    "content", ["", "Ronde\n", "Nom;Âge\nPaul;3\n", b"PK\x03\x04cut", b"%PDF-1.7\nx"]
)
def test_another_file_is_refused(content):
    assert str(refusal(content, SHEET))


def test_half_an_xlsx_is_refused():
    content = WRITERS["xlsx"](*csv_xlsx.results(tournament()))
    assert "illisible" in str(refusal(content[: len(content) // 2], SHEET))


# Entries


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", WRITERS)
def test_entries_come_back_as_they_went(kind, language):
    sheet = tournament(12, 0)
    with override(language):
        content = WRITERS[kind](*csv_xlsx.entries(sheet))
    lines = csv_xlsx_reading.read_entries(f"e.{kind}", content)
    assert [(e.first_name, e.last_name, e.number, e.club, e.rating, e.paid) for e in lines] == [
        (p.first_name, p.last_name, p.member_number, p.club, p.rating, p.fee_paid)
        for p in sheet.players
    ]
    assert [line.line for line in lines] == list(range(2, 14))


@pytest.mark.parametrize("kind", WRITERS)
def test_a_name_that_looks_like_a_formula_comes_back_as_it_went(kind):
    sheet = tournament(2, 0)
    first, second = sheet.players
    sheet = replace(sheet, players=(replace(first, first_name="+Ana", club="=Lyon"), second))
    content = WRITERS[kind](*csv_xlsx.entries(sheet))
    line, _other = csv_xlsx_reading.read_entries(f"e.{kind}", content)
    assert (line.first_name, line.club) == ("+Ana", "=Lyon")


def test_a_whole_name_in_one_column_is_enough():
    (line,) = csv_xlsx_reading.read_entries(
        "e.csv", b"Player,Rating,Paid\nPaul van den Berg,1500,yes\n"
    )
    assert (line.first_name, line.last_name, line.rating, line.paid) == (
        "Paul", "van den Berg", 1500, True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ("Paul;Martin;101;1500\n;;102;1500", 3, "le nom manque"),
        ("Paul;Martin;101;1500\nLéa;Roy;101;1500", 3, "même joueur qu’à la ligne 2"),
        ("Paul;Martin;;1500\nPAUL;Mârtin;;1500", 3, "même joueur qu’à la ligne 2"),
        ("Paul;Martin;101;fort", 2, "« fort »"),
        ("Paul;Martin;0;1500", 2, "« 0 »"),
        (f"{'P' * 61};Martin;;1500", 2, "60 caractères"),
    ],
)
def test_a_wrong_entry_is_named_and_nobody_is_taken(lines, line, words):
    with pytest.raises(FileRefused) as refused:
        csv_xlsx_reading.read_entries("e.csv", f"Prénom;Nom;Numéro;Cote\n{lines}\n".encode())
    assert refused.value.problems[0].line == line
    assert words in str(refused.value)


def test_entries_without_names_are_refused():
    with pytest.raises(FileRefused, match="Il manque la colonne"):
        csv_xlsx_reading.read_entries("e.csv", b"Cote;Club\n1500;Lyon\n")


# What a spreadsheet must not run


@settings(deadline=None)
@given(st.sampled_from(["=1+1", "+1", "-1", "@A1", " =1", "\t=1", "＝1", "=cmd|' /C calc'!A0"]))
def test_no_cell_is_a_formula(name):
    sheet = replace(tournament(2, 1), players=(player(1, name=name, club=name), player(2)))
    for table in (csv_xlsx.results(sheet), csv_xlsx.standings(sheet)):
        text = WRITERS["csv"](*table).decode("utf-8-sig")
        cells = [cell for row in csv.reader(io.StringIO(text), delimiter=";") for cell in row]
        assert not any(cell.lstrip().startswith(("=", "+", "@", "＝")) for cell in cells)
        book = load_workbook(io.BytesIO(WRITERS["xlsx"](*table)))
        assert not any(c.data_type == "f" for row in book.active.iter_rows() for c in row)


def test_control_characters_do_not_break_a_file():
    sheet = replace(tournament(2, 1), players=(player(1, name="a\x00\x0bb"), player(2)))
    for write in WRITERS.values():
        assert write(*csv_xlsx.standings(sheet))


def test_standings_hold_whole_numbers_as_numbers_and_the_rest_as_shown():
    head, rows = csv_xlsx.standings(tournament())
    assert head == ["Place", "Joueur", "Club", "PM", "PPM", "Pdep"]
    assert rows[0][3:] == [19, "2,5", -7]
    content = WRITERS["csv"](head, rows)
    assert content.startswith("\ufeffPlace;Joueur".encode())
    assert "1;Ștefania Țurcanu;Lyon;19;2,5;-7\r\n" in content.decode("utf-8-sig")


@pytest.mark.parametrize(
    ("score", "ok"), [(499, True), (500, True), (501, False), (-11, False), (-10, True)]
)
def test_the_bounds_of_a_score_are_those_of_the_tournament(score, ok):
    sheet = replace(SHEET, settings={"match_rules": {"min_score": -10, "max_score": 500}})
    text = HEAD + f"1;1;;;400;{score};\r\n"
    if ok:
        (line,) = csv_xlsx_reading.read_results("r.csv", text.encode(), sheet)
        assert line.board.second_score == score
    else:
        assert "de -10 à 500" in str(refusal(text, sheet))


def test_a_tournament_without_match_rules_has_the_usual_bounds():
    for told in ({}, {"match_rules": "x"}, {"match_rules": {"min_score": "1", "max_score": None}}):
        assert replace(SHEET, settings=told).score_bounds == (-200, 2000)
