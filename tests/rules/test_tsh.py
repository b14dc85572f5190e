"""tsh division files: what the format can hold comes back equal; a wrong line is named."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

from pairings.exchange.formats import tsh, tsh_entries, tsh_ranking
from pairings.exchange.problems import FileRefused
from pairings.exchange.snapshot import BYE, FORFEIT, PENDING, PLAYED, SheetBoard, TournamentSheet
from tests.sheets import DAY, played, player, sheets, tournament

SAMPLE = """\
# a division as tsh writes it
Poultry, Phil            1823 2 3 0; 412 388 50; board 1 2 0; p12 1 2 0
Œhler, Émile             1700 1 0 3; 350 -50 401; board 1 0 1; p12 2 0 1; rtime 12 34 56

Țurcanu, Ștefania        0    0 1 2; 50 402 400; board 0 2 1; p12 0 1 2; off 0 # went home
"""


def read(content: bytes | str) -> TournamentSheet:
    raw = content.encode() if isinstance(content, str) else content
    return tsh.read(raw, name="Division A", held_on=DAY)


def refusal(content: bytes | str) -> FileRefused:
    with pytest.raises(FileRefused) as refused:
        read(content)
    return refused.value


def told(sheet: TournamentSheet) -> object:
    """What a tsh file can say of a tournament."""
    people = [(p.name, p.rating or None, p.present) for p in sheet.players]
    rounds = [
        (
            each.number,
            {
                (b.first, b.second, b.kind, b.first_score, b.second_score, b.absent, b.table)
                for b in each.boards
            },
            set(each.absent),
        )
        for each in sheet.rounds
    ]
    return people, rounds


def without_gaps(sheet: TournamentSheet) -> TournamentSheet:
    """Only the last round may wait for results."""
    rounds = [
        each
        if each.number == len(sheet.rounds)
        else replace(
            each,
            boards=tuple(
                played(b.table, b.first, b.second, 400, 300) if b.kind == PENDING else b
                for b in each.boards
            ),
        )
        for each in sheet.rounds
    ]
    return replace(sheet, rounds=tuple(rounds))


@settings(deadline=None)
@given(sheets(winning_games=1))
def test_what_tsh_can_hold_comes_back_equal(sheet):
    sheet = without_gaps(sheet)
    content = tsh.write(sheet)
    back = read(content)
    assert told(back) == told(sheet)
    assert tsh.write(back) == content


def test_a_sample_is_read_game_by_game():
    sheet = read(SAMPLE)
    assert [p.name for p in sheet.players] == ["Phil Poultry", "Émile Œhler", "Ștefania Țurcanu"]
    assert [p.rating for p in sheet.players] == [1823, 1700, None]
    assert [p.present for p in sheet.players] == [True, True, False]
    first, second, third = sheet.rounds
    assert first.boards[0] == played(1, 1, 2, 412, 350)
    assert [(b.first, b.kind) for b in first.boards[1:]] == [(3, BYE)]
    assert second.boards == (played(2, 3, 1, 402, 388),)  # p12: player 3 went first
    assert second.absent == (2,)
    assert (third.boards[0].first, third.boards[0].first_score) == (2, 401)


def test_the_lines_are_tshs_own():
    sheet = tournament(4, 1, pending=False)
    boards = (
        played(1, 3, 1, 401, 388),
        SheetBoard(table=2, first=2, second=4, kind=FORFEIT, absent="b"),
    )
    sheet = replace(sheet, rounds=(replace(sheet.rounds[0], boards=boards),))
    lines = tsh.write(sheet).decode().splitlines()
    assert lines[0].split() == [
        "Țurcanu,",
        "Ștefania",
        "1990",
        "3;",
        "388;",
        "board",
        "1;",
        "p12",
        "2;",
        "team",
        "Lyon",
    ]
    assert lines[1].split("; ")[1:] == ["50", "board 2", "p12 1", "forfeit 4"]
    assert lines[2].split("; ")[1:4] == ["401", "board 1", "p12 1"]
    assert lines[3].split("; ")[1:5] == ["-50", "board 2", "p12 2", "forfeit -2"]
    assert told(read(tsh.write(sheet))) == told(sheet)


def test_a_name_with_a_figure_or_a_semicolon_does_not_become_a_rating():
    odd = player(1, name="retiré 17; # Joueur", first_name="retiré 17", last_name="Joueur; #")
    sheet = replace(tournament(2, 1, pending=False), players=(odd, player(2)))
    content = tsh.write(sheet)
    back = read(content)
    assert back.players[0].rating == odd.rating
    assert back.players[0].name == "retiré 17 Joueur" and len(back.players) == 2


@pytest.mark.parametrize(
    ("word", "without"),
    [
        ("(17)", "17"),
        ("(17),", "17,"),
        ("(a1b),", "a1b,"),
        ("((1))", "(1)"),
        ("(),1)", "),1"),
        ("(17),,", "(17),,"),
        ("(a)", "(a)"),
        ("()", "()"),
        ("(1", "(1"),
        ("1)", "1)"),
        (",", ","),
        ("(" + "1" * 100 + "x", "(" + "1" * 100 + "x"),
    ],
)
def test_parentheses_around_a_word_with_a_figure_are_taken_off(word, without):
    """By its two ends: a pattern would look for the second one from each figure."""
    assert tsh_entries.unbracketed(word) == without


def test_two_winning_games_are_refused():
    with pytest.raises(FileRefused, match="une manche par match"):
        tsh.write(replace(tournament(), winning_games=2))


def test_a_round_left_unfinished_before_the_last_is_refused():
    sheet = tournament(6, 2)
    again = replace(sheet.rounds[0], number=3, absent=())
    with pytest.raises(FileRefused, match="n’est pas terminée"):
        tsh.write(replace(sheet, rounds=(*sheet.rounds, again)))


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("Poultry, Phil 1823 2; 400;\nDuck, Dan", 2, "il faut"),
        ("Poultry, Phil 1823 2; 400;\nDuck, Dan 1700 1", 2, "coupée"),
        ("Poultry, Phil 1823 2; 400;\nDuck, Dan 1700 1; 3x0;", 2, "score n’est pas"),
        ("Poultry, Phil 1823 2; 400;\nDuck, Dan 1700 1; 300 200;", 2, "2 scores pour 1"),
        ("Poultry, Phil 1823 2; 400;\nDuck, Dan 1700 -1; 300;", 2, "un adversaire"),
        ("Poultry, Phil 1823 2; 400;\nDuck, Dan 1700 1; 3000;", 2, "un score va de"),
        ("Poultry, Phil 1823 2; 400;\nDuck, Dan 1700 0; 50;", 1, "est différent"),
        ("Poultry, Phil 1823 9; 400;\nDuck, Dan 1700 0; 50;", 1, "n’existe pas"),
        ("Poultry, Phil 1823 1; 400;\nDuck, Dan 1700 0; 50;", 1, "n’existe pas"),
        ("Poultry, Phil 1823 2; 400;\nDuck, Dan 1700 1;", 2, "manque un des deux scores"),
        ("Poultry, Phil 1823 2; 400; board a\nDuck, Dan 1700 1; 300", 1, "nombres entiers"),
        ("Poultry, Phil 1823 0; 50; forfeit 2\nDuck, Dan 1700 0; 0", 1, "ce forfait"),
        ("P, P 1823 0; 50; forfeit 2\nDuck, Dan 1700 0; 50; forfeit 1", 1, "ce forfait"),
    ],
)
def test_a_wrong_line_is_named(content, line, words):
    refused = refusal(content + "\n")
    assert refused.problems[0].line == line
    assert words in str(refused), refused


def test_a_file_cut_anywhere_is_refused():
    content = tsh.write(tournament(8, 3, pending=False))
    for at in range(1, len(content)):
        refused = refusal(content[:at])
        assert refused.problems[0].line or refused.code == "empty"


def test_a_file_cut_inside_a_score_says_so():
    refused = refusal("Poultry, Phil 1823 2; 400\nDuck, Dan 1700 1; 30")
    assert refused.code == "cut" and refused.problems[0].line == 2


@pytest.mark.parametrize(
    "content", [b"", b"# nobody\n", b"\x00\x01", b"a,b;c\n1,2;3\n", b"%PDF-1.7\n", b"PK\x03\x04"]
)
def test_another_file_is_refused(content):
    assert str(refusal(content))


@pytest.mark.parametrize(("rounds", "code"), [(40, ""), (41, "rounds")])
def test_rounds_are_bounded_before_a_sheet_is_made_of_them(rounds, code):
    """Each player stands in each round of the sheet: one long line would make thousands for all."""
    content = f"Poultry, Phil 1823 {'0 ' * rounds}; {'0 ' * rounds}\nDuck, Dan 1700 0; 0\n"
    if not code:
        assert len(read(content).rounds) == rounds
        return
    assert refusal(content).code == code


def test_windows_files_are_read_too():
    sheet = read("Noël, Zoé 1500 2; 400;\r\nDuck, Dan 1400 1; 300;\r\n".encode("cp1252"))
    assert sheet.players[0].name == "Zoé Noël"
    assert sheet.rounds[0].boards[0].kind == PLAYED


# tsh's own ranking

EVENT = """\
Ann, A  1800 2 3 4 0; 400 350 500 75; p12 1 2 1 0
Bob, B  1700 1 0 3 4; 300 75 410 400; p12 2 0 1 2
Cid, C  1600 4 1 2 0; 420 350 405 -60; p12 1 1 2 0
Dan, D  1500 3 0 1 2; 380 -60 300 390; p12 2 0 2 1
"""


def own(content: str) -> TournamentSheet:
    return tsh.read(content.encode(), name="Open", held_on=DAY, own_ranking=True)


def test_a_division_brings_its_own_ranking_with_the_spreads_it_was_played_by():
    sheet = own(EVENT)
    assert sheet.system == "swiss"
    assert sheet.settings == {"wins_and_spread": {"bye_spread": 75, "forfeit_spread": 60}}
    # Ann 3½ +375, Bob 3 -10, Cid 1½ -25, Dan 0 -310
    assert [(line.player, line.place) for line in sheet.standings] == [
        (1, 1),
        (2, 2),
        (3, 3),
        (4, 4),
    ]
    assert "swiss" not in read(EVENT).system and not read(EVENT).standings


def test_equal_players_share_a_place_and_values_are_compared_in_one_pass(monkeypatch):
    compared = []

    def places(spreads: list[int]) -> list[int]:
        compared.append(0)
        alone = {(1, number): spread for number, spread in enumerate(spreads, start=1)}
        people = tuple(player(number) for number in range(1, len(spreads) + 1))
        sheet = replace(tournament(2, 1), players=people, rounds=())
        return [line.place for line in tsh_ranking.standings_of(sheet, alone, 50)]

    equal = Fraction.__eq__

    def counted(one: Fraction, other: object) -> bool:
        compared[-1] += 1
        return equal(one, other)

    monkeypatch.setattr(Fraction, "__eq__", counted)
    assert places([30, 50, 50, 10, 30, 70]) == [1, 2, 2, 4, 4, 6]
    few, many = list(range(1, 101)), list(range(1, 401))
    assert (places(few), places(many)) == (few, many)
    assert compared[2] < 8 * compared[1], "four times the players compare sixteen times as often"


def test_a_loss_and_a_win_without_opponents_are_one_forfeit():
    fifty = EVENT.replace("75", "50").replace("-60", "-50")
    rounds = own(fifty).rounds
    assert [(b.first, b.second, b.absent) for b in rounds[1].boards if b.kind == FORFEIT] == [
        (4, 2, "a")
    ]
    assert [(b.first, b.second, b.absent) for b in rounds[3].boards if b.kind == FORFEIT] == [
        (3, 1, "a")
    ]
    assert not any(board.kind == BYE for each in rounds for board in each.boards)
    both = fifty.replace("500 50;", "500 -50;")
    last = [b for b in own(both).rounds[3].boards if b.kind == FORFEIT]
    assert [(b.first, b.second, b.absent) for b in last] == [(1, 3, "both")]
    alone = own(EVENT).rounds[1]
    assert [b.first for b in alone.boards if b.kind == BYE] == [2] and alone.absent == (4,)


def test_a_division_goes_out_with_its_own_spreads_and_comes_back_equal():
    sheet = own(EVENT.replace("-60", "-75"))
    content = tsh.write(sheet).decode()
    assert " 75" in content and " -75" in content and " 50;" not in content
    back = own(content)
    assert back.settings["wins_and_spread"]["bye_spread"] in (50, 75)
    assert [line.place for line in back.standings] == [line.place for line in sheet.standings]
