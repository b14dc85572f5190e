"""Glicko-2: the paper's worked example to its digits, its limits, and what always holds."""

from __future__ import annotations

import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems.glicko2 import formula
from ratings.systems.glicko2.formula import SCALE, Scored
from ratings.systems.glicko2.system import Glicko2
from ratings.systems.protocol import Event, EventRefused, Game, State, frozen

RULES = Glicko2()
OPPONENTS = {"b": (1400, 30), "c": (1550, 100), "d": (1700, 300)}


def held(rating, rd, sigma=0.06, games=0):
    return State(float(rating), games, 0, "", frozen({"rd": float(rd), "volatility": sigma}))


def play(games, states, rules=RULES):
    played = tuple(Game(str(n), *game) for n, game in enumerate(games))
    changes = rules.settle(states, Event("p", date(2026, 1, 1), games=played))
    return {change.player: change for change in changes}


@pytest.fixture
def example():
    """A player of 1500 who beats the first opponent and loses to the two others."""
    states = {"a": held(1500, 200)} | {name: held(*line) for name, line in OPPONENTS.items()}
    return play([("a", "b", 2), ("a", "c", 0), ("a", "d", 0)], states)


class TestTheWorkedExample:
    def test_it_ends_on_1464_06_with_a_deviation_of_151_52(self, example):
        after = example["a"].after
        # The paper carries four decimals and prints 1464.06; with all of them it is 1464.0507.
        assert after.rating == pytest.approx(1464.06, abs=0.01)
        assert after.rating == pytest.approx(1464.0506705, abs=1e-6)
        assert after.extra["rd"] == pytest.approx(151.52, abs=0.005)
        assert after.extra["volatility"] == pytest.approx(0.05999, abs=0.000006)
        assert (after.games, after.events) == (3, 1)

    @pytest.mark.parametrize(
        ("opponent", "mu", "phi", "g", "e"),
        [
            ("b", -0.5756, 0.1727, 0.9955, 0.639),
            ("c", 0.2878, 0.5756, 0.9531, 0.432),
            ("d", 1.1513, 1.7269, 0.7242, 0.303),
        ],
    )
    def test_each_line_of_its_table(self, example, opponent, mu, phi, g, e):
        rating, rd = OPPONENTS[opponent]
        assert (rating - 1500) / SCALE == pytest.approx(mu, abs=6e-5)
        assert rd / SCALE == pytest.approx(phi, abs=6e-5)
        line = next(line for line in example["a"].because if line.opponent == opponent)
        assert line.values["g"] == pytest.approx(g, abs=6e-5)
        assert line.values["We"] == pytest.approx(e, abs=6e-4)

    def test_the_volatility_from_its_own_v_and_delta(self):
        found = formula.volatility(1.1513, 0.06, 1.7785, -0.4834, 0.5)
        assert found == pytest.approx(0.05999, abs=0.000006)

    def test_the_deviation_before_and_after_the_games(self, example):
        assert formula.grown(1.1513, 0.05999) == pytest.approx(1.152862, abs=5e-5)
        assert example["a"].after.extra["rd"] / SCALE == pytest.approx(0.8722, abs=5e-5)

    def test_its_reasons_say_the_deviation(self, example):
        note = example["a"].because[-1]
        assert (note.kind, note.effect, note.values["RD"]) == ("deviation", None, 200)
        assert note.values["RD_after"] == example["a"].after.extra["rd"]


def test_a_player_without_games_keeps_the_rating_and_is_less_certain():
    moved = play([("b", "c", 2)], {"a": held(1500, 50), "b": held(1400, 30), "c": held(1550, 100)})
    before, after = moved["a"].before, moved["a"].after
    assert (after.rating, after.games, after.extra["volatility"]) == (1500, 0, 0.06)
    assert after.extra["rd"] == pytest.approx(math.hypot(50, 0.06 * SCALE))
    assert after.extra["rd"] > before.extra["rd"]
    assert moved["a"].because[0].kind == "idle"


def test_a_period_without_games_grows_everybody():
    assert set(play([], {"a": held(1500, 50), "b": held(1400, 30)})) == {"a", "b"}


@pytest.mark.parametrize(("rd", "after"), [(349, 349.2), (349.9, 350), (350, 350)])
def test_the_ceiling_holds_a_deviation_that_grows(rd, after):
    capped = play([], {"a": held(1500, rd)}, Glicko2(rd_most=350))["a"].after.extra["rd"]
    assert capped == pytest.approx(after, abs=0.05)
    assert play([], {"a": held(1500, 350)})["a"].after.extra["rd"] > 350


@pytest.mark.parametrize(("most", "after"), [(170, 170), (None, 228.97)])
def test_the_ceiling_holds_the_deviation_of_a_player_with_games(most, after):
    moved = play(
        [("a", "b", 2)], {"a": held(1500, 230), "b": held(2600, 350)}, Glicko2(rd_most=most)
    )
    assert moved["a"].after.extra["rd"] == pytest.approx(after, abs=0.01)


def test_a_newcomer_starts_from_the_numbers_of_the_committee():
    rules = Glicko2(initial=1200, initial_rd=300, initial_volatility=0.05)
    before = play([("n", "m", 2)], {}, rules)["n"].before
    assert (before.rating, before.games, dict(before.extra)) == (
        1200,
        0,
        {"rd": 300, "volatility": 0.05},
    )


@pytest.mark.parametrize("tau", [0.3, 0.5, 1.2])
def test_a_volatility_moves_by_the_tau_of_the_committee(tau):
    """The volatility is where f of step 5 is zero: above it f is negative, below positive."""
    states = {"a": held(1500, 60)} | {n: held(1500, 60) for n in range(6)}
    after = play([("a", n, 2) for n in range(6)], states, Glicko2(tau=tau))["a"].after
    phi = 60 / SCALE
    g = formula.g(phi)
    v, delta = 1 / (6 * g**2 / 4), 6 * g / 2 / (6 * g**2 / 4)

    def f(sigma):
        square = sigma**2
        surplus = delta**2 - phi**2 - v - square
        drift = 2 * math.log(sigma / 0.06) / tau**2
        return square * surplus / (2 * (phi**2 + v + square) ** 2) - drift

    sigma = after.extra["volatility"]
    assert f(sigma - 1e-6) > 0 > f(sigma + 1e-6)


def test_all_games_of_a_period_count_at_once_whatever_their_order():
    states = {"a": held(1500, 200)} | {name: held(*line) for name, line in OPPONENTS.items()}
    games = [("a", "b", 2), ("a", "c", 0), ("a", "d", 0)]
    one, other = play(games, states), play(games[::-1], states)
    assert one["a"].after == other["a"].after


@pytest.mark.parametrize("win", [True, False])
def test_a_great_surprise_makes_a_player_more_volatile(win):
    """Δ² above φ² + v takes the other end of step 5.2."""
    phi = 30 / SCALE
    foes = [Scored(3.0 if win else -3.0, 0.2, float(win))] * 8
    period = formula.rate(0, phi, 0.06, foes, 0.5)
    assert period.sigma > 0.06
    assert (sum(period.gains) > 0) is win


@pytest.mark.parametrize("rd", ["", "0", "-5", "x", "4001"])
def test_a_declared_deviation_that_is_none_is_refused(rd):
    with pytest.raises(EventRefused, match=r"\.$"):
        RULES.newcomer(frozen({"rating": 1500, "rd": rd}))


def test_a_declared_player_starts_from_what_the_organiser_says():
    facts = frozen({"players": {"n": {"rating": "1640", "rd": "80,5"}}})
    event = Event("p", date(2026, 1, 1), games=(Game("1", "n", "b", 2),), facts=facts)
    before = {c.player: c.before for c in RULES.settle({"b": held(1400, 30)}, event)}
    assert (before["n"].rating, before["n"].extra["rd"]) == (1640, 80.5)


def test_a_calculator_s_player_is_the_surer_the_more_they_played():
    new, known = (RULES.sample(1500, games).extra["rd"] for games in (0, 50))
    assert new == pytest.approx(350)
    assert 40 < known < 60


ratings = st.integers(600, 2600)
deviations = st.floats(20, 350)


@given(
    st.tuples(ratings, deviations),
    st.lists(st.tuples(ratings, deviations, st.sampled_from([0, 1, 2])), min_size=1, max_size=12),
    st.sampled_from([0.2, 0.5, 1.2]),
)
def test_whatever_is_played_the_reasons_add_up_and_everything_stays_finite(own, games, tau):
    states = {"a": held(*own)} | {n: held(r, rd) for n, (r, rd, _w) in enumerate(games)}
    played = [("a", n, w) for n, (_r, _rd, w) in enumerate(games)]
    moved = play(played, states, Glicko2(tau=tau))["a"]
    assert math.fsum(line.effect or 0 for line in moved.because) == pytest.approx(
        moved.delta, abs=1e-9
    )
    assert 0 < moved.after.extra["volatility"] < 1
    assert (
        0 < moved.after.extra["rd"] <= math.hypot(own[1], moved.after.extra["volatility"] * SCALE)
    )


@given(ratings, deviations, ratings, deviations)
def test_a_win_never_lowers_and_a_loss_never_raises(own, rd, other, other_rd):
    states = {"a": held(own, rd), "b": held(other, other_rd)}
    moved = play([("a", "b", 2)], states)
    assert moved["a"].delta >= 0 >= moved["b"].delta
