"""How well rules predicted: log loss, ten bins of chance, intervals of a bootstrap with a fixed seed."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from ratings.systems import SYSTEMS
from ratings.systems.faizers.system import Faizers
from ratings.systems.protocol import Change, Reason, State, frozen
from ratings.trials import prediction
from ratings.trials.prediction import Forecast, Predictions

HELD = State(rating=1000)


def told(player, *games):
    """A change whose reasons give (key, We, W) of each game."""
    lines = (
        Reason("game", "002 IV.A", game=key, values=frozen({"We": chance, "W": scored}))
        for key, chance, scored in games
    )
    return Change(player, HELD, HELD, tuple(lines))


def period(chance, *results):
    """The changes of both players of each game; the first has this chance and each result."""
    games = [(str(number), chance, scored) for number, scored in enumerate(results)]
    return [
        told("a", *games),
        told("b", *((key, 1 - chance, 1 - scored) for key, chance, scored in games)),
    ]


def record(periods):
    found = Predictions()
    for chance, *results in periods:
        found.add(period(chance, *results))
    return found


def test_a_game_told_by_both_players_is_one_forecast_of_the_favourite():
    assert prediction.forecasts(period(0.25, 1.0)) == [Forecast(0.75, 0.0)]


def test_chances_that_do_not_sum_to_one_are_averaged():
    changes = [told("a", ("1", 0.75, 1.0)), told("b", ("1", 0.375, 0.0))]
    assert prediction.forecasts(changes) == [Forecast(0.6875, 1.0)]


def test_equal_chances_have_no_favourite_and_lose_ln_2_whoever_wins():
    found = prediction.forecasts(period(0.5, 1.0, 0.0))
    assert found == [Forecast(0.5, 0.5), Forecast(0.5, 0.5)]
    assert found[0].loss == pytest.approx(math.log(2))


def test_the_loss_is_minus_ln_of_the_chance_given_to_what_happened():
    assert record([(0.8, 1.0, 0.0)]).loss == pytest.approx(-(math.log(0.8) + math.log(0.2)) / 2)


def test_a_certainty_that_fails_costs_much_but_not_everything():
    assert record([(1.0, 0.0)]).loss == pytest.approx(-math.log(prediction.LEAST_CHANCE))


@pytest.mark.parametrize(
    ("chance", "low"),
    [(0.5, 50), (0.5499, 50), (0.55, 55), (0.6, 60), (0.65, 65), (0.95, 95), (1.0, 95)],
)
def test_a_chance_is_in_the_bin_that_begins_at_or_below_it(chance, low):
    filled = [one.low for one in record([(chance, 1.0)]).bins if one.games]
    assert filled == [low]


def test_a_bin_gives_its_games_and_what_was_expected_and_scored():
    rows = [one.as_row() for one in record([(0.7, 1.0, 1.0, 0.0, 0.5)]).bins]
    assert rows[4] == [70.0, 4, pytest.approx(0.7), 0.625]
    assert rows[0] == [50.0, 0, None, None]


def season(chance, periods=30):
    """Evenings of ten games, of which the favourite wins seven or eight."""
    wins = [[1.0] * (7 + number % 2) + [0.0] * (3 - number % 2) for number in range(periods)]
    return record([(chance, *results) for results in wins])


def test_rules_that_gave_the_right_chance_are_better_beyond_the_interval():
    found = prediction.report(season(0.95), season(0.75), [])
    assert not found["short"] and found["games"] == 300 and found["periods"] == 30
    low, high = found["gain"]
    assert 0 < low < found["present"]["loss"] - found["draft"]["loss"] < high
    side = found["draft"]
    assert side["interval"][0] <= side["loss"] <= side["interval"][1]


def test_the_same_past_always_gives_the_same_interval():
    first, second = (prediction.report(season(0.9), season(0.7), []) for _time in range(2))
    assert first == second
    assert prediction.draws_of(30) == prediction.draws_of(30)


def test_95_percent_of_the_values_lie_in_the_interval():
    low, high = prediction.interval(range(1000, 0, -1))
    assert (low, high) == (26, 975)
    assert sum(low <= value <= high for value in range(1, 1001)) == 950


def test_a_period_without_a_game_that_was_predicted_is_none():
    told_of = season(0.75, periods=9)
    told_of.add([])
    told = prediction.report(told_of, told_of, [])
    assert (told["periods"], told["short"]) == (9, True)


@pytest.mark.parametrize(("periods", "short"), [(9, True), (10, False), (11, False)])
def test_a_past_of_fewer_than_ten_periods_is_too_short(periods, short):
    told_of = season(0.75, periods=periods)
    for number in range(periods):
        told_of.games[number] = 20
    assert prediction.report(told_of, told_of, [])["short"] is short


@pytest.mark.parametrize(("games", "short"), [(99, True), (100, False), (101, False)])
def test_a_past_of_fewer_than_a_hundred_games_is_too_short(games, short):
    told_of = season(0.75, periods=20)
    told_of.games = [5] * 19 + [games - 95]
    assert prediction.report(told_of, told_of, [])["short"] is short


def test_a_past_without_a_chance_says_so_and_no_more():
    assert prediction.report(Predictions(), Predictions(), []) == {
        "games": 0,
        "periods": 0,
        "short": True,
    }


def test_periods_are_drawn_in_at_most_a_hundred_blocks_that_cover_them_all():
    assert prediction.edges_of(3) == [0, 1, 2, 3]
    edges = prediction.edges_of(250)
    assert len(edges) == prediction.MOST_BLOCKS + 1 and (edges[0], edges[-1]) == (0, 250)
    assert all(a < b for a, b in pairwise(edges))


def test_each_number_is_tried_alone_and_the_value_of_the_draft_is_among_them():
    draft = Faizers(divisor=410.0, k_beginner=32)
    divisor, k, alpha = prediction.candidates_of(draft)
    assert divisor.rules[divisor.own] is draft and alpha.rules[alpha.own] is draft
    assert {rules.k_beginner for rules in divisor.rules} == {32}
    assert [rules.alpha for rules in alpha.rules] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0]
    assert [(r.k_beginner, r.k_intermediate, r.k_expert) for r in k.rules][:2] == [
        (8, 5, 3),
        (16, 10, 5),
    ]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.code)
def test_every_number_to_try_belongs_to_its_system_and_has_values_to_compare(system):
    tried = prediction.candidates_of(system())
    assert len(tried) == len(system.tried)
    assert all(len(one.rules) > 2 for one in tried)


def answer(losses_by_value, own=0):
    """The answer about one number whose values predicted these chances in thirty evenings."""
    tried = prediction.candidates_of(Faizers())[0]
    tried.rules, tried.own = tried.rules[: len(losses_by_value)], own
    tried.records = [season(chance) for chance in losses_by_value]
    return prediction.report(tried.records[own], tried.records[own], [tried])["numbers"][0]


def test_the_best_value_is_found_and_the_draft_s_may_be_outside_of_its_interval():
    found = answer([0.95, 0.75, 0.55])
    assert (found["best"], found["low"], found["high"], found["own"]) == (1, 1, 1, 0)


def test_values_that_the_past_does_not_tell_apart_stay_possible():
    found = answer([0.745, 0.75, 0.755])
    assert found["low"] < found["high"]


def test_a_short_past_names_no_best_value():
    tried = prediction.candidates_of(Faizers())
    short = season(0.75, periods=5)
    assert prediction.report(short, short, tried)["numbers"] == []
