"""The table of a rated competition: places, ties, games that were not played, rounds."""

from __future__ import annotations

from ratings.lists.crosstable import crosstable
from ratings.systems.protocol import Game

ORDER = {"a": "a", "b": "b", "c": "c", "d": "d"}


def game(first, second, halves, own=None, other=None, **facts):
    return Game(f"{first}{second}", first, second, halves, own, other, facts)


def shown(table):
    return [(line.place, line.player, line.halves, line.spread) for line in table.lines]


def test_places_are_by_points_then_by_spread():
    games = [
        game("a", "b", 2, 400, 350, round="1"),
        game("c", "d", 2, 500, 300, round="1"),
        game("a", "c", 1, 400, 400, round="2"),
        game("d", "b", 0, 300, 310, round="2"),
    ]
    table = crosstable(games, order=ORDER)
    assert shown(table) == [(1, "c", 3, 200), (2, "a", 3, 50), (3, "b", 2, -40), (4, "d", 0, -210)]
    assert table.rounds == ("1", "2") and table.has_rounds
    assert [[board.opponent for board in cell] for cell in table.lines[0].cells] == [["d"], ["a"]]


def test_without_all_scores_players_level_on_points_share_their_place():
    games = [game("a", "b", 2, 400, 350, round=1), game("c", "d", 2, round=1)]
    table = crosstable(games, order=ORDER)
    assert not table.has_spread
    assert shown(table) == [(1, "a", 2, 0), (1, "c", 2, 0), (3, "b", 0, 0), (3, "d", 0, 0)]
    assert all(line.ex_aequo for line in table.lines)


def test_a_forfeit_and_a_bye_count_in_the_points_and_not_in_the_spread():
    games = [
        game("a", "b", 2, round="1", played=False),
        game("c", "d", 2, round="2", played=False, both=True),
        game("a", "c", 2, 400, 390, round="3"),
    ]
    table = crosstable(games, [("d", 2, "1")], order=ORDER)
    assert shown(table) == [(1, "a", 4, 10), (2, "d", 2, 0), (3, "b", 0, 0), (4, "c", 0, -10)]
    (bye,) = table.lines[1].cells[0]
    assert (bye.opponent, bye.played) == (None, False)
    (nobody,) = table.lines[1].cells[1]
    assert (nobody.halves, nobody.played) == (0, False)


def test_rounds_stand_in_the_order_of_their_numbers():
    games = [game("a", "b", 2, round=name) for name in ("10", "finale", "2", "1")]
    assert crosstable(games, order=ORDER).rounds == ("1", "2", "10", "finale")


def test_without_rounds_the_columns_are_each_players_games_in_order():
    games = [game("a", "b", 2), game("a", "c", 0), game("b", "a", 1, round="3")]
    table = crosstable(games, order=ORDER)
    assert not table.has_rounds and table.rounds == ("1", "2", "3")
    cells = {line.player: line.cells for line in table.lines}
    assert [len(cell) for cell in cells["c"]] == [1, 0, 0]
    assert [cell[0].opponent for cell in cells["a"]] == ["b", "c", "b"]


def test_nothing_played_is_an_empty_table():
    assert crosstable([], order=ORDER).lines == ()
