"""The club cote: the document's examples, limits by three, and what always holds (002 IV, VII)."""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clubs.rulebooks.fields import settings_of
from ratings.systems.categories import category_of
from ratings.systems.faizers import conformance
from ratings.systems.faizers.system import Faizers
from ratings.systems.protocol import Event, Game, State
from ratings.systems.rounding import half_up
from ratings.systems.score_difference import ds_of_match
from ratings.systems.words import rounding_line

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
        {"amethyste_from": 1700, "topaze_from": 1700},
        {"amethyste_from": 1750, "topaze_from": 1700},
        {"topaze_from": 1900, "diamant_from": 1900},
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


# The numbers of the document, worked by hand

DOCUMENT = {
    "initial": (1000, 0, 3000),
    "k_beginner": (30, 1, 100),
    "k_intermediate": (20, 1, 100),
    "k_expert": (10, 1, 100),
    "k_intermediate_from": (1400, 0, 4000),
    "k_expert_from": (1900, 0, 4000),
    "k_beginner_games": (0, 0, 500),
    "divisor": (400, 1, 4000),
    "alpha": (0, 0, 1),
    "floor": (1000, 0, 3000),
    "decimals": (0, 0, 4),
    "amethyste_from": (1400, 0, None),
    "topaze_from": (1700, 0, None),
    "diamant_from": (1900, 0, None),
}


@pytest.mark.parametrize("name", DOCUMENT)
def test_a_number_of_the_document_and_the_limits_of_the_committee(name):
    words = settings_of(Faizers)[name]
    assert (getattr(RULES, name), words.minimum, words.maximum) == DOCUMENT[name]


@pytest.mark.parametrize(
    ("decimals", "winner", "loser"),
    [
        (0, 1023, 1177),
        (1, Fraction("1022.8"), Fraction("1177.2")),
        (2, Fraction("1022.79"), Fraction("1177.21")),
        (4, Fraction("1022.7924"), Fraction("1177.2076")),
    ],
)
def test_a_win_of_1000_against_1200_moves_both_by_22_7924(decimals, winner, loser):
    """30 × (1 − 0.2402530734) = 22.7924078."""
    rules = Faizers(decimals=decimals)
    moved = session([game("a", "b")], {"a": 1000, "b": 1200}, rules)
    found = moved["a"].after, moved["b"].after
    assert [state.rating for state in found] == [winner, loser]
    assert [rules.shown(state) for state in found] == [1023, 1177]
    assert {type(state.rating) for state in found} == {Fraction if decimals else int}
    assert [(state.games, state.events) for state in found] == [(1, 1), (1, 1)]


def test_002_vii_the_category_is_that_of_the_number_a_list_prints():
    """1399.6 is printed 1400: Améthyste on the list and in a conformance case."""
    cells = Faizers(decimals=1).cells(State(Fraction("1399.6")), DAY)
    cfg = {"decimals": 1, "floor": None}
    players = {"a": 1399.6, "b": 1399.6}
    match = {"a": "a", "b": "b", "sa": 400, "sb": 400}
    rated = conformance.rate_session({"players": players, "matches": [match], "cfg": cfg})
    assert (cells["cote"], cells["category"]) == (1400, "amethyste")
    assert rated["a"]["category"] == "AMETHYSTE"
    assert conformance.category({"e": 1399.6}) == "AMETHYSTE"
    assert conformance.category({"e": 1399.4}) == "ONYX"


@pytest.mark.parametrize(
    ("how", "games", "rating", "effect"),
    [
        ("sum", [(300, 200)], 1223, 7.5),
        ("sum", [(300, 200), (400, 200)], 1253, 22.5),
        ("mean", [(300, 200), (400, 200)], 1241, 11.25),
        ("mean", [(300, 200), (None, None)], 1234, 3.75),
        ("sum", [(None, None)], 1215, 0),
    ],
)
def test_half_of_the_difference_counts_beside_the_result(how, games, rating, effect):
    """Between equals a win is 15; DS 50 and 100: 30 × ½ × 50 % = 7.5, 150 % = 22.5, 75 % = 11.25."""
    rules = Faizers(alpha=0.5, ds_in_rating=how)
    played = [Game(f"m{n}", "a", f"b{n}", 2, *scores) for n, scores in enumerate(games)]
    cotes = dict.fromkeys(["a", "b0", "b1"][: len(games) + 1], 1200)
    change = session(played, cotes, rules)["a"]
    assert change.after.rating == rating
    assert [line.effect for line in change.because if line.kind == "ds"] == [effect]
    known = [0.0 if None in each else {300: 50.0, 400: 100.0}[each[0]] for each in games]
    assert [line.values["DS"] for line in change.because if line.kind == "game"] == known


@pytest.mark.parametrize(
    ("cut", "lines"),
    [
        ("5", [("cut", -75)]),
        ("0.1", [("cut", Fraction(-3, 2)), ("rounding", Fraction(1, 2))]),
        ("50", [("cut", -750), ("floor", 250)]),
    ],
)
def test_the_lines_of_a_cut_of_1500_say_what_the_rounding_and_the_floor_give_back(cut, lines):
    change = RULES.adjust_percent("a", State(rating=1500), cut)
    assert [(line.kind, line.effect) for line in change.because] == lines


@pytest.mark.parametrize(
    ("e0", "after", "lifted"), [(1014, 1000, 1), (1015, 1000, 0), (1016, 1001, 0)]
)
def test_only_a_cote_below_the_floor_is_lifted(e0, after, lifted):
    change = session([game("a", "b")], {"a": e0, "b": e0})["b"]
    assert change.after.rating == after
    assert [line.effect for line in change.because if line.kind == "floor"] == [1] * lifted


@pytest.mark.parametrize(("games", "k"), [(0, 30), (19, 30), (20, 20), (21, 20), (None, 20)])
def test_the_first_games_keep_the_k_of_beginners(games, k):
    assert Faizers(k_beginner_games=20).k_of(1500, games) == k


@pytest.mark.parametrize(("first", "ok"), [(1899, True), (1900, True), (1901, False)])
def test_the_steps_of_k_may_be_one_but_not_cross(first, ok):
    if ok:
        assert Faizers(k_intermediate_from=first).k_of(1900) == 10
    else:
        with pytest.raises(ValueError):
            Faizers(k_intermediate_from=first)


@pytest.mark.parametrize(("divisor", "ok"), [(-1, False), (0, False), (1, True)])
def test_a_divisor_is_positive(divisor, ok):
    if ok:
        assert Faizers(divisor=divisor).win_probability(1000, 1000) == 0.5
    else:
        with pytest.raises(ValueError):
            Faizers(divisor=divisor)


def test_a_draw_of_equals_has_two_lines_of_nothing():
    change = session([game("a", "b", (300, 300))], {"a": 1200, "b": 1200})["a"]
    assert [(line.kind, line.effect) for line in change.because] == [("game", 0), ("rounding", 0)]


@pytest.mark.parametrize(
    ("decimals", "words"),
    [
        (0, ("Arrondi à l’entier", "1522,79")),
        (1, ("Arrondi à 1 décimale", "1522,79")),
        (4, ("Arrondi à 4 décimales", "1522,79241")),
    ],
)
def test_the_line_of_the_rounding_says_to_what_it_rounds(decimals, words):
    cotes = {"a": State(1500, games=40), "b": State(1700, games=40)}
    game = Game("match:1", "a", "b", 2)
    rules = Faizers(decimals=decimals, k_intermediate=30)
    moved = {one.player: one for one in rules.settle(cotes, Event("e", DAY, games=(game,)))}
    line = moved["a"].because[-1]
    assert line.kind == "rounding"
    assert rounding_line(line.values, "") == words


@pytest.mark.parametrize(
    ("raw", "decimals", "printed"),
    [
        (1547.494, 0, "1547,49"),
        (1547.497, 0, "1547,497"),
        (Fraction(3095, 2) - Fraction(1, 10**6), 0, "1547,499999"),
        (1547.5, 0, "1547,50"),
        (1547.504, 0, "1547,50"),
        (Fraction(3095, 2) - Fraction(1, 10**40), 0, "1547,500000000000"),
        (1547.2497, 1, "1547,2497"),
    ],
)
def test_the_number_before_the_rounding_shows_to_which_side_it_goes(raw, decimals, printed):
    """1547.497 becomes 1547: printed as 1547,50 it would become 1548."""
    assert rounding_line({"raw": raw, "decimals": decimals}, "")[1] == printed
