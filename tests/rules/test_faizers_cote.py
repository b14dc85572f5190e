"""The club cote: the document's examples, limits by three, and what always holds (002 IV, VII)."""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems.categories import category_of
from ratings.systems.faizers.system import Faizers
from ratings.systems.protocol import Event, Game, State
from ratings.systems.rounding import half_up
from ratings.systems.score_difference import ds_of_match

RULES = Faizers()
DAY = date(2026, 1, 1)


def session(games, cotes, rules=RULES):
    states = {player: State(rating=cote) for player, cote in cotes.items()}
    event = Event("s", date(2026, 1, 1), games=tuple(games))
    return {change.player: change for change in rules.settle(states, event)}


def game(a, b, score=(400, 350), key="m"):
    margin = score[0] - score[1]
    return Game(key, a, b, 2 if margin > 0 else 0 if margin < 0 else 1, *score)


def test_the_worked_example_of_iv_b_is_24_percent():
    assert RULES.win_probability(1000, 1200) == pytest.approx(0.2402530734, abs=1e-10)


@pytest.mark.parametrize(
    ("cote", "k"),
    [(1399, 30), (1400, 20), (1401, 20), (1899, 20), (1900, 10), (1901, 10), (999, 30)],
)
def test_k_changes_at_its_bounds(cote, k):
    assert RULES.k_of(cote) == k


@pytest.mark.parametrize(
    ("cote", "code"),
    [
        (999, "onyx"),
        (1000, "onyx"),
        (1399, "onyx"),
        (1400, "amethyste"),
        (1401, "amethyste"),
        (1699, "amethyste"),
        (1700, "topaze"),
        (1701, "topaze"),
        (1899, "topaze"),
        (1900, "diamant"),
        (1901, "diamant"),
    ],
)
def test_categories_include_their_lower_bound(cote, code):
    assert category_of(cote, RULES.bands()).code == code


def test_both_cotes_are_those_of_the_start_of_the_session():
    games = [game("a", "b"), game("a", "c")]
    moved = session(games, {"a": 1200, "b": 1200, "c": 1200})
    assert moved["a"].after.rating == 1230
    assert moved["c"].after.rating == 1185


@pytest.mark.parametrize(("value", "rounded"), [(2.5, 3), (3.5, 4), (-0.5, 0), (1902.4999, 1902)])
def test_halves_go_up(value, rounded):
    assert half_up(value) == rounded


def test_a_loser_on_the_floor_stays_there_and_the_line_says_so():
    moved = session([game("a", "b")], {"a": 1000, "b": 1000})
    assert (moved["a"].after.rating, moved["b"].after.rating) == (1015, 1000)
    assert [line.kind for line in moved["b"].because] == ["game", "rounding", "floor"]


def test_without_a_floor_the_cote_goes_below():
    moved = session([game("a", "b")], {"a": 1000, "b": 1000}, Faizers(floor=None))
    assert moved["b"].after.rating == 985


@pytest.mark.parametrize(
    ("winner", "loser", "ds"),
    [
        (401, 200, Fraction(100)),
        (400, 200, Fraction(100)),
        (399, 200, Fraction(199, 2)),
        (300, 0, Fraction(100)),
        (300, -10, Fraction(100)),
        (300, 300, Fraction(0)),
    ],
)
def test_ds_is_capped_at_100_and_defined_for_a_loser_at_zero(winner, loser, ds):
    assert ds_of_match(winner, loser) == ds


@pytest.mark.parametrize(("cut", "rating"), [("5", 1425), ("0.1", 1499), ("50", 1000)])
def test_a_percent_cut_rounds_half_up_and_stops_at_the_floor(cut, rating):
    change = RULES.adjust_percent("a", State(rating=1500), cut)
    assert change.after.rating == rating
    assert sum(line.effect for line in change.because) == rating - 1500


@pytest.mark.parametrize(
    "values",
    [
        {"divisor": 0},
        {"k_intermediate_from": 1900, "k_expert_from": 1400},
        {"amethyste_from": 1750, "topaze_from": 1700},
    ],
)
def test_numbers_that_make_no_sense_are_refused(values):
    with pytest.raises(ValueError):
        Faizers(**values)


@pytest.mark.parametrize(
    ("rating", "cut_floor", "after"),
    [(1101, 990, 991), (1100, 990, 990), (1099, 990, 990), (1015, 990, 990), (1015, None, 1000)],
)
def test_a_cut_of_a_tenth_stops_at_the_floor_of_cuts(rating, cut_floor, after):
    assert RULES.after_cut(rating, 10, cut_floor=cut_floor) == after


def test_a_cut_never_raises_a_cote_kept_with_decimals():
    assert RULES.after_cut(Fraction(1981, 2), "0.1") == Fraction(1981, 2)


PLAYERS = st.sampled_from("abcdef")
SCORES = st.tuples(st.integers(100, 700), st.integers(100, 700))
GAMES = st.lists(
    st.tuples(PLAYERS, PLAYERS, SCORES).filter(lambda g: g[0] != g[1]).map(lambda g: game(*g)),
    min_size=1,
    max_size=20,
)
COTES = st.fixed_dictionaries({player: st.integers(1000, 2200) for player in "abcdef"})


@given(GAMES, COTES, st.sampled_from([0.0, 0.2]))
def test_the_lines_add_up_to_the_change(games, cotes, alpha):
    for change in session(games, cotes, Faizers(alpha=alpha)).values():
        total = math.fsum(float(line.effect) for line in change.because)
        assert total == pytest.approx(change.delta, abs=1e-9)


@given(GAMES, COTES)
def test_the_order_of_the_games_changes_nothing(games, cotes):
    forwards, backwards = session(games, cotes), session(games[::-1], cotes)
    assert {p: c.after.rating for p, c in forwards.items()} == {
        p: c.after.rating for p, c in backwards.items()
    }


@given(GAMES, st.integers(1450, 1850), st.sampled_from([0.0, 0.3]))
def test_equal_k_conserves_the_sum_before_rounding(games, cote, alpha):
    rules = Faizers(alpha=alpha)
    moved = session(games, dict.fromkeys("abcdef", cote), rules)
    raw = math.fsum(
        line.values["raw"] - cote
        for change in moved.values()
        for line in change.because
        if line.kind == "rounding"
    )
    assert raw == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("scores", [(None, None), (400, None), (None, 400)])
def test_a_match_without_both_scores_has_no_difference(scores):
    assert RULES.ds_of(*scores) == 0


def test_a_category_is_printed_for_a_cote_and_for_nothing_else():
    assert RULES.labels_of(State(rating=None), DAY) == {"category": None}
    code = category_of(1500, RULES.bands()).code
    assert RULES.labels_of(State(rating=1500), DAY) == {"category": code}
