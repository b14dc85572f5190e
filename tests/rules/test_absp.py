"""The ABSP rating: published examples, limits by three, and what always holds (001 1)."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import date
from fractions import Fraction

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from clubs.rulebooks.fields import settings_of
from ratings.systems import SYSTEMS
from ratings.systems.absp.system import Absp
from ratings.systems.absp.window import Kept, stored, window_of
from ratings.systems.absp.wording import game_line
from ratings.systems.protocol import Event, EventRefused, Game, State, frozen
from ratings.systems.storage import state_from_json, state_to_json

RULES = Absp()
DAY = date(2011, 3, 1)


def held(rating, games=60):
    """A player whose whole window is at their rating."""
    window = [["old", rating * games, games, min(games, 150)]] if games else []
    return State(rating, games, 3, "rated", frozen({"window": window}))


def play(games, states, rules=RULES, facts=None):
    """`games`: (first, second, halves); keys are their numbers."""
    rated = tuple(Game(f"g{n}", a, b, halves) for n, (a, b, halves) in enumerate(games))
    event = Event("t", DAY, games=rated, facts=frozen(facts or {}))
    return {change.player: change for change in rules.settle(states, event)}


def division(games, states, rules=RULES):
    rated = [Game(f"g{n}", a, b, halves) for n, (a, b, halves) in enumerate(games)]
    return rules.rate_division(states, rated)


# ratings_detail and JAGrn1: points of a game


@pytest.mark.parametrize(
    ("mine", "other", "halves", "points"),
    [
        (169, 100, 2, 179),
        (150, 90, 2, 160),
        (90, 150, 0, 80),
        (150, 150, 1, 150),
        (150, 189, 2, 239),
        (150, 190, 2, 240),
        (150, 191, 2, 240),
        (150, 111, 0, 61),
        (150, 110, 0, 60),
        (150, 109, 0, 60),
        (None, 205, 2, 255),
    ],
)
def test_a_game_is_the_opponents_rating_within_40_plus_or_minus_50(mine, other, halves, points):
    assert RULES.game_points(mine, other, halves) == points


@pytest.mark.parametrize(
    ("other", "halves", "points"), [(169, 2, 199), (170, 2, 200), (171, 2, 200), (129, 0, 100)]
)
def test_a_game_by_the_numbers_of_the_committee(other, halves, points):
    assert Absp(win=30, cap=20).game_points(150, other, halves) == points


def test_the_penzance_example_gives_2001_points_in_12_games_and_167():
    won, lost = [161, 157, 154, 167, 155, 167, 160], [159, 154, 156, 155, 156]
    total = sum(RULES.game_points(169, other, 2) for other in won)
    total += sum(RULES.game_points(169, other, 0) for other in lost)
    assert total == 2001
    assert RULES.rated(Fraction(total, 12), 50) == 167


# news300111: the window


def test_the_newest_of_150_games_weighs_225_and_the_oldest_76():
    window = tuple(Kept(str(n), n, 1, 1) for n in range(150))
    weights = RULES.weights(window)
    assert (weights[-1], weights[-2], weights[0]) == (225, 224, 76)
    assert sum(weights) == RULES.weights((Kept("all", 1, 150, 150),))[0]


@pytest.mark.parametrize(("games", "left"), [(89, 60), (90, 60), (91, 59), (149, 1), (150, 0)])
def test_exactly_150_games_count_and_the_oldest_event_keeps_only_some(games, left):
    window = RULES.pushed((Kept("old", 9000, 60, 60),), Kept("new", 160 * games, games, games))
    assert [one.kept for one in window] == ([left, games] if left else [games])
    assert window[0].average == 150 or not left


def test_an_event_of_more_than_150_games_counts_by_its_average():
    window = RULES.pushed((), Kept("big", 40000, 200, 200))
    assert window == (Kept("big", 40000, 200, 150),)
    assert RULES.mean(window) == 200


def test_a_recent_event_weighs_more_than_an_older_one():
    window = (Kept("a", 1500, 10, 10), Kept("b", 1800, 10, 10))
    assert RULES.weights(window) == [2105, 2205]
    assert RULES.mean(window) == Fraction(2105 * 150 + 2205 * 180, 4310)


def test_an_empty_window_has_no_mean():
    assert RULES.mean(()) is None


@pytest.mark.parametrize(("mean", "shown"), [("49.4", 50), ("50.4", 50), ("50.5", 51), ("51", 51)])
def test_50_is_the_lowest_rating_and_a_half_goes_up(mean, shown):
    assert RULES.rated(Fraction(mean), 50) == shown


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (190, "victoire contre 190 : 240 points"),
        (191, "victoire contre 191 : 240 points, l’adversaire compté 190"),
        (110, "victoire contre 110 : 160 points"),
        (109, "victoire contre 109 : 160 points, l’adversaire compté 110"),
    ],
)
def test_an_opponent_counted_nearer_is_said_above_and_below(other, words):
    (game, *_rest) = play([("a", "b", 2)], {"a": held(150), "b": held(other)})["a"].because
    with override("fr"):
        assert game_line(game.values, "b") == ("b", words.replace(" :", "\u00a0:"))


# JAGrn5: the 10-point rule


def beaten(games, rules=RULES, wins=10):
    """One player of `games` games at 100 wins `wins` times against a settled 100."""
    return division([("y", "a", 2)] * wins, {"y": held(100, games), "a": held(100, 150)}, rules)


@pytest.mark.parametrize(("games", "again"), [(28, True), (29, True), (30, False), (31, False)])
def test_jagrn5_only_below_30_games_before_the_event(games, again):
    start = beaten(games)["y"].start
    assert (start != 100) is again


@pytest.mark.parametrize(
    ("wins", "new", "again"), [(6, 109, False), (7, 110, True), (8, 112, True)]
)
def test_jagrn5_from_a_difference_of_10_on(wins, new, again):
    assert beaten(29, Absp(ten_point=False), wins)["y"].new == new
    assert beaten(29, RULES, wins)["y"].start == (new if again else 100)


def test_jagrn5_a_rating_that_falls_by_ten_is_replaced_too():
    lines = division([("y", "a", 0)] * 10, {"y": held(100, 20), "a": held(100, 150)})
    assert lines["y"].start < 90


def test_jagrn5_the_opponents_too_meet_the_replaced_start_and_once_only():
    once = beaten(29)
    assert {game.value for game in once["a"].games} == {114}
    assert [once["y"].start, once["y"].new] == [114, 114]
    far = division([("y", "a", 2)] * 20, {"y": held(100, 20), "a": held(139, 150)})
    free = division(
        [("y", "a", 2)] * 20, {"y": held(100, 20), "a": held(139, 150)}, Absp(ten_point=False)
    )
    assert far["y"].start == free["y"].new


def test_jagrn5_the_change_says_so_and_starts_from_the_published_rating():
    change = play([("y", "a", 2)] * 10, {"y": held(100, 29), "a": held(100, 150)})["y"]
    line = next(line for line in change.because if line.kind == "ten_point")
    assert (line.values["E0"], line.values["start"], line.values["games"]) == (100, 114, 29)
    assert change.before.rating == 100


# Newcomers, in two phases (tsh)


def test_newcomers_first_meet_the_rated_then_each_others_estimate():
    states = {"a": held(150), "n": RULES.newcomer(), "m": RULES.newcomer()}
    lines = division([("a", "n", 2), ("a", "m", 2), ("n", "m", 2)], states)
    # Phase 1: both 100. Phase 2: n (100 + 150) / 2 = 125, m (100 + 50) / 2 = 75, raised to 80.
    assert {game.opponent: game.value for game in lines["a"].games} == {"n": 125, "m": 80}
    assert (lines["n"].points, lines["n"].new) == (230, 115)
    assert (lines["m"].points, lines["m"].new) == (175, 88)


def test_a_rated_player_takes_a_newcomers_value_whole():
    states = {"a": held(60), "n": RULES.newcomer(), "b": held(200)}
    lines = division([("n", "b", 2), ("a", "n", 0)], states)
    value = lines["a"].games[0]
    assert value.value == 180
    assert (value.brought, value.points) == (180, 130)


@pytest.mark.parametrize(("rating", "first"), [(129, 80), (130, 80), (131, 81)])
def test_a_first_rating_is_80_at_least(rating, first):
    states = {"a": held(rating), "n": RULES.newcomer()}
    assert division([("a", "n", 2)], states)["n"].new == first
    reasons = play([("a", "n", 2)], states)["n"].because
    raised = [one.values["floor"] for one in reasons if one.kind == "floor"]
    assert raised == ([80] if rating < 130 else [])


def test_a_newcomer_met_by_newcomers_only_is_reached_through_them():
    states = {p: RULES.newcomer() for p in "nmo"} | {"a": held(150)}
    lines = division([("a", "n", 1), ("n", "m", 1), ("m", "o", 1)], states)
    assert {p: line.new for p, line in lines.items()} == {"a": 150, "n": 150, "m": 150, "o": 150}


def test_a_newcomer_without_a_rated_opponent_has_an_estimate_from_the_second_phase_on():
    states = {p: RULES.newcomer() for p in "nm"} | {"a": held(150)}
    lines = division([("a", "n", 2), ("n", "m", 2)], states)
    # Phase 1: n 100. Phase 2: n 100 still (m was worth nothing yet), m 100 - 50, raised to 80.
    assert [game.value for game in lines["n"].games] == [150, 80]
    assert [game.value for game in lines["m"].games] == [100]


def test_a_division_without_a_rated_player_is_refused_asking_for_a_guess():
    with pytest.raises(EventRefused, match="cote estimée") as refusal:
        play([("n", "m", 2)], {})
    assert "2" in str(refusal.value)


def test_a_pair_apart_from_every_rated_player_is_refused_too():
    with pytest.raises(EventRefused, match="cote estimée"):
        play([("a", "b", 2), ("n", "m", 2)], {"a": held(150), "b": held(150)})


def test_the_committee_may_leave_them_without_rating():
    assert play([("n", "m", 2)], {}, Absp(without_anchor="keep")) == {}


def test_the_organisers_guess_anchors_a_division_of_newcomers():
    moved = play([("n", "m", 2)], {}, facts={"players": {"n": {"guess": 120}}})
    assert (moved["m"].after.rating, moved["n"].after.rating) == (80, 130)
    assert moved["n"].before.rating is None


def test_a_guess_for_a_player_who_has_a_rating_changes_nothing():
    states = {"a": held(150)}
    guessed = play([("n", "a", 2)], states, facts={"players": {"a": {"guess": 190}}})
    assert guessed == play([("n", "a", 2)], states)


def test_a_guess_that_is_no_number_is_refused():
    for guess in ("forte", "1001", "-1"):
        with pytest.raises(EventRefused, match="nombre"):
            play([("n", "m", 2)], {}, facts={"players": {"n": {"guess": guess}}})


# Events, states


def test_everybody_is_rated_from_the_ratings_at_the_start_of_the_division():
    states = {"a": held(150), "b": held(140), "c": held(130)}
    moved = play([("a", "b", 2), ("a", "c", 2), ("b", "c", 2)], states)
    points = {
        p: [r.values["points"] for r in c.because if r.kind == "game"] for p, c in moved.items()
    }
    assert points == {"a": [190, 180], "b": [100, 180], "c": [100, 90]}
    assert {p: c.after.rating for p, c in moved.items()} == {"a": 151, "b": 140, "c": 129}


def test_a_bye_or_forfeit_is_never_rated():
    game = Game("g", "a", "b", 2, facts=frozen({"played": False}))
    assert RULES.settle({"a": held(150), "b": held(150)}, Event("t", DAY, games=(game,))) == []


@pytest.mark.parametrize(
    "games", [(Game("g", "a", "a", 2),), (Game("g", "a", "b", 4),), (Game("g", "a", "b", 2),) * 2]
)
def test_what_is_no_game_is_refused(games):
    with pytest.raises(EventRefused, match=r"Partie \d \(g\)"):
        RULES.settle({"a": held(150), "b": held(150)}, Event("t", DAY, games=games))


def test_an_imported_rating_may_bring_its_games():
    state = RULES.newcomer(frozen({"rating": "141.5", "games": 40}))
    assert (state.rating, state.games, state.status) == (142, 40, "rated")
    assert window_of(state) == (Kept("start", 142 * 40, 40, 40),)
    assert window_of(RULES.newcomer(frozen({"rating": 142}))) == ()
    assert RULES.newcomer().status == RULES.status_on(RULES.newcomer(), DAY) == "unrated"


def test_the_stored_window_names_its_events_with_their_games():
    moved = play([("a", "b", 2)], {"a": held(150), "b": held(150)})
    assert (moved["a"].after.games, moved["a"].after.events) == (61, 4)
    assert moved["a"].after.extra["window"] == [["old", 9000, 60, 60], ["t", 200, 1, 1]]


@pytest.mark.parametrize(("games", "older", "left"), [(149, 149, 0), (150, 149, 1), (151, 149, 1)])
def test_the_line_of_the_window_says_how_many_games_leave_it(games, older, left):
    moved = play([("a", "b", 2)], {"a": held(150, games), "b": held(150)})["a"]
    line = next(line for line in moved.because if line.kind == "window")
    assert (line.values["games"], line.values["left"]) == (older, left)


def test_the_list_shows_rating_games_and_those_that_count():
    cells = RULES.cells(held(150, 160), DAY)
    assert cells == {"cote": 150, "games": 160, "window": (150, 150), "status": "rated"}
    assert set(cells) == {column.code for column in RULES.columns()}


def test_001_1_who_brings_a_competition_reads_which_libere_are_not_rated():
    """Pairs and inter-club championships limit who may meet (001 §1)."""
    assert "championnats par paires et par clubs ne sont pas cotées" in RULES.official_when


def test_it_is_registered_and_every_number_has_its_words():
    assert Absp in SYSTEMS
    assert set(settings_of(Absp)) == {field.name for field in fields(Absp)}
    assert all(words.article.startswith("001 1") for words in settings_of(Absp).values())


@pytest.mark.parametrize(("window", "sound"), [(224, True), (225, True), (226, False)])
def test_the_oldest_game_must_weigh_something(window, sound):
    if sound:
        assert Absp(window=window).weights((Kept("", 1, window, window),))[0] > 0
    else:
        with pytest.raises(ValueError):
            Absp(window=window)


# What always holds

PLAYERS = st.sampled_from("abcdef")
GAMES = st.lists(
    st.tuples(PLAYERS, PLAYERS, st.integers(0, 2)).filter(lambda game: game[0] != game[1]),
    min_size=1,
    max_size=20,
)
RATED = st.builds(held, st.integers(50, 205), st.integers(0, 160))
STATES = st.fixed_dictionaries({p: st.one_of(RATED, st.just(RULES.newcomer())) for p in "abcdef"})
OPEN = Absp(without_anchor="keep")


@given(GAMES, STATES)
def test_the_lines_add_up_to_the_change_exactly(games, states):
    for change in play(games, states, OPEN).values():
        if change.delta is not None:
            assert sum(line.effect or 0 for line in change.because) == change.delta
        else:
            assert all(line.effect is None for line in change.because)


@given(GAMES, STATES)
def test_the_order_of_the_games_changes_nothing(games, states):
    ways = [play(games, states, OPEN), play(games[::-1], states, OPEN)]
    first, second = ({p: change.after for p, change in way.items()} for way in ways)
    assert first == second


@given(GAMES, STATES)
def test_no_rating_falls_below_50_and_no_window_holds_more_than_150_games(games, states):
    for change in play(games, states, OPEN).values():
        assert change.after.rating >= (50 if change.before.rating is not None else 80)
        kept = [one.kept for one in window_of(change.after)]
        assert sum(kept) <= 150
        assert min(kept) > 0


@given(st.lists(st.tuples(st.integers(500, 2000), st.integers(1, 60)), min_size=1, max_size=8))
def test_the_mean_is_that_of_the_games_written_out_one_by_one(history):
    window, single = (), []
    for n, (points, games) in enumerate(history):
        window = RULES.pushed(window, Kept(str(n), points, games, games))
        single += [Fraction(points, games)] * games
    newest = single[::-1][:150]
    weights = [225 - age for age in range(len(newest))]
    expected = sum(w * v for w, v in zip(weights, newest, strict=True)) / sum(weights)
    assert RULES.mean(window) == expected


@given(GAMES, st.integers(60, 200))
def test_between_equals_the_points_of_both_add_up_to_both_ratings(games, rating):
    lines = division(games, {p: held(rating) for p in "abcdef"})
    assert sum(line.points for line in lines.values()) == 2 * rating * len(games)


@given(GAMES, STATES)
def test_a_state_survives_its_storage_bit_for_bit(games, states):
    for change in play(games, states, OPEN).values():
        kept = json.loads(json.dumps(state_to_json(change.after)))
        assert state_from_json(kept) == change.after
        assert stored(window_of(state_from_json(kept))) == kept["extra"]["window"]
