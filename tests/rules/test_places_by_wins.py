"""The final places still possible under wins and spread, compared with every way a round can end."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairings.systems.points.possible_places import Places
from pairings.systems.wins_and_spread.possible_places import possible_places

HALF = Fraction(1, 2)
ENDS = ((1, 0), (0, 1), (HALF, HALF), (0, 0))
HALVES = st.integers(0, 8).map(lambda number: Fraction(number, 2))


def reachable(wins, rounds):
    """The places of everybody over all endings of these rounds; level players in either order."""
    boards = [board for each in rounds for board in each]
    found = {player: set() for player in wins}
    for ends in product(ENDS, repeat=len(boards)):
        final = dict(wins)
        for board, end in zip(boards, ends, strict=True):
            for player, more in zip(board, end, strict=True):
                final[player] += more
        for player, own in final.items():
            above = sum(points > own for points in final.values())
            level = sum(points == own for points in final.values())
            found[player] |= {1 + above, above + level}
    return {player: Places(min(places), max(places)) for player, places in found.items()}


@settings(max_examples=40)
@given(st.lists(HALVES, min_size=6, max_size=7))
def test_in_the_last_round_the_places_are_exact(points):
    wins = dict(enumerate(points))
    boards = [(0, 1), (2, 3), (4, 5)]
    assert possible_places(wins, {}, boards) == reachable(wins, [boards])


@pytest.mark.parametrize(
    ("spread", "direct_games", "second"),
    [(299, False, (2, 2)), (300, False, (1, 1)), (300, True, (1, 2)), (301, True, (1, 1))],
)
def test_two_players_who_have_finished_are_parted_by_their_spread(spread, direct_games, second):
    """N6: "Order: wins, spread; level on both = same place"; C and D, who still play, reach neither."""
    places = possible_places(
        {"A": 5, "B": 5, "C": 2, "D": 1},
        {},
        [("C", "D")],
        spread={"A": 300, "B": spread, "C": 900, "D": 0},
        direct_games=direct_games,
    )
    assert places["B"] == Places(*second)


def test_a_spread_that_can_still_grow_parts_nobody_yet():
    places = possible_places(
        {"A": 5, "B": 4, "C": 0}, {}, [("B", "C")], spread={"A": 999, "B": 0, "C": 0}
    )
    assert (places["A"], places["B"]) == (Places(1, 2), Places(1, 2))


@settings(max_examples=20)
@given(st.lists(HALVES, min_size=4, max_size=5))
def test_before_the_last_round_nobody_ends_outside_the_bound(points):
    wins = dict(enumerate(points))
    rounds = [[(0, 1), (2, 3)], [(0, 2), (1, 3)]]
    left = {player: 2 if player < 4 else 0 for player in wins}
    bound = possible_places(wins, left)
    for player, true in reachable(wins, rounds).items():
        assert bound[player].best <= true.best <= true.worst <= bound[player].worst


@pytest.mark.parametrize(("lead", "best", "worst"), [(1, 1, 2), (2, 1, 2), (3, 1, 1)])
def test_a_leader_is_sure_of_the_first_place_with_more_wins_than_rounds_left(lead, best, worst):
    places = possible_places({"A": 4 + lead, "B": 4}, {"A": 2, "B": 2})
    assert places["A"] == Places(best, worst)
