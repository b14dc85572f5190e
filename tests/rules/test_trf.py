"""The FIDE report: every field stands in the columns that TRF16 gives it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings

from pairings.exchange.formats import trf
from pairings.exchange.snapshot import BYE, FORFEIT, SheetBoard, TournamentSheet
from tests.sheets import played, player, sheets, tournament


def rows(sheet: TournamentSheet) -> dict[int, str]:
    """The players' lines by starting rank."""
    lines = trf.write(sheet).decode("ascii").split("\r\n")
    return {int(line[4:8]): line for line in lines if line.startswith("001 ")}


def triplet(line: str, day: int) -> tuple[str, str, str]:
    """Opponent, colour and result: positions 92–95, 97, 99 for round 1, ten further each round."""
    start = 91 + 10 * (day - 1)
    return line[start : start + 4], line[start + 5], line[start + 7]


SHEET = replace(
    tournament(5, 2, pending=False),
    rounds=(
        replace(
            tournament(5, 2).rounds[0],
            boards=(
                played(1, 2, 1, 400, 380),
                SheetBoard(table=2, first=3, second=4, kind=FORFEIT, absent="b"),
                SheetBoard(table=3, first=5, second=None, kind=BYE),
            ),
            absent=(),
        ),
        replace(
            tournament(5, 2).rounds[1],
            boards=(played(1, 1, 3, 350, 350), SheetBoard(table=2, first=4, second=5)),
            absent=(2,),
        ),
    ),
)


def test_a_player_stands_in_the_columns_of_the_annex():
    line = rows(SHEET)[1]
    assert line[:3] == "001"
    assert line[4:8] == "   1"
    assert line[14:47].rstrip() == "Turcanu, Stefania"
    assert line[48:52] == "1990"
    assert line[53:56] == "   "
    assert line[57:68].strip() == "" and line[69:79].strip() == ""
    assert line[80:84] == "19.0"
    assert line[85:89] == "   1"


def test_each_result_has_the_letter_of_the_annex():
    lines = rows(SHEET)
    assert triplet(lines[2], 1) == ("   1", "w", "1")
    assert triplet(lines[1], 1) == ("   2", "b", "0")
    assert triplet(lines[3], 1) == ("   4", "w", "+")
    assert triplet(lines[4], 1) == ("   3", "b", "-")
    assert triplet(lines[5], 1) == ("0000", "-", "U")
    assert triplet(lines[1], 2) == ("   3", "w", "=")
    assert triplet(lines[2], 2) == ("0000", "-", "Z")
    assert triplet(lines[4], 2) == ("   5", "w", " ")


def test_a_double_forfeit_is_lost_by_both():
    both = SheetBoard(table=2, first=3, second=4, kind=FORFEIT, absent="both")
    boards = (SHEET.rounds[0].boards[0], both, SHEET.rounds[0].boards[2])
    sheet = replace(SHEET, rounds=(replace(SHEET.rounds[0], boards=boards),))
    assert [triplet(rows(sheet)[n], 1)[2] for n in (3, 4)] == ["-", "-"]


def test_the_head_names_the_event_and_dates_each_round():
    text = trf.write(SHEET).decode("ascii")
    lines = {line[:3]: line for line in text.split("\r\n") if line and line[:3] != "001"}
    assert lines["012"] == '012 Tournoi d\'automne " Sah si cuvinte "'
    assert lines["032"] == "032 "
    assert lines["042"] == "042 2026/11/28"
    assert lines["062"] == "062 5" and lines["072"] == "072 5"
    assert lines["092"] == "092 Individual: Formule Classique"
    assert lines["122"] == "122 20 min"
    assert lines["132"][91:99] == "26/11/28" and lines["132"][101:109] == "26/11/28"
    assert text.endswith("\r\n")


@pytest.mark.parametrize(
    ("start", "day"),
    [
        (datetime(2026, 11, 28, 22, 59, tzinfo=UTC), "26/11/28"),
        (datetime(2026, 11, 28, 23, 0, tzinfo=UTC), "26/11/29"),
        (datetime(2026, 11, 28, 23, 1, tzinfo=UTC), "26/11/29"),
    ],
)
def test_a_round_is_dated_by_the_clock_of_its_club(start, day):
    """Paris: midnight there is 23:00 in universal time, and a file without hours means midnight."""
    late = replace(SHEET.rounds[1], starts_at=start)
    text = trf.write(replace(SHEET, rounds=(SHEET.rounds[0], late))).decode("ascii")
    line = next(line for line in text.split("\r\n") if line.startswith("132"))
    assert line[91:99] == "26/11/28" and line[101:109] == day


def test_points_without_standings_are_one_a_half_and_nothing():
    lines = rows(replace(SHEET, standings=(), columns=()))
    assert [lines[n][80:84] for n in range(1, 6)] == [" 0.5", " 1.0", " 1.5", " 0.0", " 1.0"]


def test_the_starting_rank_is_the_initial_ranking_not_the_entry():
    people = (player(1, initial_rank=2), player(2, initial_rank=1))
    boards = (played(1, 1, 2, 400, 300),)
    sheet = replace(
        SHEET, players=people, rounds=(replace(SHEET.rounds[0], boards=boards),), standings=()
    )
    lines = rows(sheet)
    assert lines[1][14:47].rstrip() == "OEhler, Emile"
    assert triplet(lines[1], 1) == ("   2", "b", "0")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Œhler, Émile", "OEhler, Emile"),
        ("Țurcanu, Ștefania", "Turcanu, Stefania"),
        ("N’Diaye", "N'Diaye"),
    ],
)
def test_letters_beyond_ascii_become_their_nearest(text, shown):
    assert trf.plain(text) == shown


@settings(deadline=None)
@given(sheets())
def test_every_line_has_its_length_whatever_the_names(sheet):
    lines = rows(sheet)
    assert len(lines) == len({p.initial_rank for p in sheet.players}) or len(lines) == len(
        sheet.players
    )
    assert {len(line) for line in lines.values()} <= {89 + 10 * len(sheet.rounds)}


@settings(deadline=None)
@given(sheets())
def test_both_lines_of_a_game_name_each_other(sheet):
    lines = rows(sheet)
    for rank, line in lines.items():
        for day in range(1, len(sheet.rounds) + 1):
            opponent, colour, result = triplet(line, day)
            if opponent == "0000":
                assert colour == "-" and result in "UZ"
                continue
            back, theirs, across = triplet(lines[int(opponent)], day)
            assert int(back) == rank and {colour, theirs} == {"w", "b"}
            assert (result, across) in {
                ("1", "0"), ("0", "1"), ("=", "="), ("+", "-"), ("-", "+"), ("-", "-"), (" ", " ")
            }  # fmt: skip
