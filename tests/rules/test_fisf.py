"""The FISF rating: the document's example line by line, limits by three, and what always holds."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from datetime import date, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clubs.rulebooks.fields import settings_of
from ratings.systems import SYSTEMS
from ratings.systems.fisf.initial_ratings import start_order, start_rating, start_ratings
from ratings.systems.fisf.seasons import dated, season_of, years_before
from ratings.systems.fisf.series_thresholds import (
    Bars,
    counted,
    proposed_bars,
    thresholds_by_percent,
)
from ratings.systems.fisf.settings import THRESHOLDS
from ratings.systems.fisf.system import Fisf
from ratings.systems.protocol import Event, EventRefused, Game, State, frozen
from ratings.systems.storage import state_from_json, state_to_json

RULES = Fisf()
DAY = date(2020, 2, 1)


def held(cote, games=100, events=10, last="2020-01-01", cotes=()):
    extra = frozen({"last": last, "cotes": [list(line) for line in cotes]})
    return State(rating=cote, games=games, events=events, extra=extra)


def play(games, states, rules=RULES, day=DAY, facts=None):
    """`games`: (first, second, halves); keys are their numbers."""
    rated = tuple(Game(f"g{n}", a, b, halves) for n, (a, b, halves) in enumerate(games))
    event = Event("t", day, games=rated, facts=frozen(facts or {}))
    return {change.player: change for change in rules.settle(states, event)}


def effects(change, kind="game"):
    return [line.effect for line in change.because if line.kind == kind]


# 000 7, line by line

SECTION_7 = {
    "J0": held(1700),
    "J1": held(1900),
    "J2": held(1950),
    "J3": held(1550, games=14),
    "J4": held(1600),
    "J5": held(1700),
}
ROUNDS = [("J0", "J1", 0), ("J0", "J2", 2), ("J0", "J3", 2), ("J0", "J4", 0), ("J0", "J5", 2)]


def test_section_7_j0_ends_on_1715_by_the_five_printed_effects():
    j0 = play(ROUNDS, SECTION_7)["J0"]
    printed = ["-4.80", "16.20", "6.00", "-12.80", "10.00"]
    assert effects(j0) == [Fraction(effect) for effect in printed]
    assert j0.after.rating == 1715
    assert effects(j0, "rounding") == [Fraction("0.4")]


@pytest.mark.parametrize(
    ("player", "effect", "cote"),
    [
        ("J1", "2.40", 1902),
        ("J2", "-8.10", 1942),
        ("J3", "-12.00", 1538),
        ("J4", "12.80", 1613),
        ("J5", "-10.00", 1690),
    ],
)
def test_section_7_the_opponents_move_by_the_printed_effect(player, effect, cote):
    change = play(ROUNDS, SECTION_7)[player]
    assert effects(change) == [Fraction(effect)]
    assert change.after.rating == cote


def test_section_7_every_line_says_its_difference_its_row_and_its_probability():
    lines = [line for line in play(ROUNDS, SECTION_7)["J0"].because if line.kind == "game"]
    told = [(line.values["diff"], line.values["row"], line.values["We"]) for line in lines]
    assert told == [
        (-200, 198, Fraction("0.24")),
        (-250, 246, Fraction("0.19")),
        (150, 146, Fraction("0.70")),
        (100, 99, Fraction("0.64")),
        (0, 0, Fraction("0.50")),
    ]
    assert [(line.opponent, line.game) for line in lines] == [
        (f"J{n}", f"g{n - 1}") for n in range(1, 6)
    ]
    assert {line.values["K"] for line in lines} == {20}


def test_section_7_the_general_formula_is_1700_plus_20_times_3_minus_2_27():
    rounding = next(r for r in play(ROUNDS, SECTION_7)["J0"].because if r.kind == "rounding")
    assert (rounding.values["W"], rounding.values["We"]) == (3, Fraction("2.27"))


# Annexe 2: the table


@pytest.mark.parametrize("step", range(len(THRESHOLDS)))
def test_annexe_2_each_row_begins_on_its_own_difference(step):
    row, above = THRESHOLDS[step], Fraction(51 + step, 100)
    assert [RULES.we(row - 1), RULES.we(row), RULES.we(row + 1)] == [
        above - Fraction(1, 100),
        above,
        above,
    ]
    assert [RULES.we(1 - row), RULES.we(-row), RULES.we(-1 - row)] == [
        1 - above + Fraction(1, 100),
        1 - above,
        1 - above,
    ]


def test_annexe_2_the_printed_corners_of_the_table():
    printed = {4: "0.51", 62: "0.59", 154: "0.71", 246: "0.81", 345: "0.89", 392: "0.92"}
    assert {row: RULES.we(row) for row in printed} == {
        row: Fraction(we) for row, we in printed.items()
    }
    assert RULES.we(4000) == Fraction("0.92")
    assert RULES.we(-4000) == Fraction("0.08")
    assert len(THRESHOLDS) == 42


def test_annexe_2_is_a_table_and_stays_near_the_formula_of_elo():
    gaps = [abs(float(RULES.we(d)) - 1 / (1 + 10 ** (-d / 400))) for d in range(-391, 392)]
    assert 0.005 < max(gaps) < 0.0136


@given(st.integers(-3000, 3000))
def test_what_both_expect_adds_up_to_one(difference):
    assert RULES.we(difference) + RULES.we(-difference) == 1


# Annexe 2: K


@pytest.mark.parametrize(
    ("cote", "games", "k"),
    [
        (1399, 0, 50),
        (1400, 14, 50),
        (1401, 14, 40),
        (1402, 14, 40),
        (1400, 15, 20),
        (1400, 16, 20),
        (1749, 14, 40),
        (1749, 15, 20),
        (1750, 14, 16),
        (1751, 15, 16),
        (1899, 14, 16),
        (1899, 15, 16),
        (1900, 0, 10),
        (1900, 15, 10),
        (1901, 400, 10),
    ],
)
def test_annexe_2_k_by_games_and_cote_before_the_event(cote, games, k):
    assert RULES.k_of(cote, games) == k


def test_a_player_at_14_games_keeps_their_k_for_the_whole_event():
    change = play([("a", "b", 2)] * 3, {"a": held(1500, games=14), "b": held(1500)})["a"]
    assert effects(change) == [20, 20, 20]
    assert change.after.games == 17


# 000 4: rounding, floor, who moves


@pytest.mark.parametrize(("own", "other", "cote"), [(1911, 1722, 1904), (1911, 1723, 1904)])
def test_a_half_goes_up_and_not_to_the_even_number(own, other, cote):
    change = play([("a", "b", 0)], {"a": held(own), "b": held(other)})["a"]
    assert change.after.rating == cote


def test_half_even_is_the_committees_to_choose():
    even = Fisf(rounding="half_even")
    tie = {"a": held(1910), "b": held(1721)}
    assert play([("a", "b", 0)], tie)["a"].after.rating == 1903
    assert play([("a", "b", 0)], tie, even)["a"].after.rating == 1902
    assert [even.rounded(n) for n in (150, 250, 249, 251)] == [2, 2, 2, 3]


@pytest.mark.parametrize(("cote", "after"), [(1009, 1000), (1010, 1000), (1011, 1001)])
def test_000_4_a_cote_below_1000_is_raised_to_it(cote, after):
    change = play([("a", "b", 0)], {"a": held(cote), "b": held(cote)})["a"]
    assert change.after.rating == after
    assert bool(effects(change, "floor")) is (cote == 1009)


def test_the_floor_is_for_the_event_and_not_for_a_game():
    states = {"a": held(1003), "b": held(1005)}
    assert play([("a", "b", 0), ("a", "b", 2)], states)["a"].after.rating == 1003


def test_the_floor_does_not_touch_a_player_without_a_rated_game():
    """000 4: only a cote that *becomes* lower is raised."""
    assert (RULES.outcome(950, 20, []).rating, RULES.outcome(950, 20, []).floored) == (950, False)


def test_without_a_floor_the_cote_goes_below():
    states = {"a": held(1003), "b": held(1005)}
    assert play([("a", "b", 0)], states, Fisf(floor=None))["a"].after.rating == 993


def test_a_forfeit_is_not_rated_and_touches_nobody():
    games = (Game("1", "a", "b", 2), Game("2", "a", "c", 2, facts=frozen({"played": False})))
    event = Event("t", DAY, games=games)
    changes = RULES.settle({p: held(1500) for p in "abc"}, event)
    assert [(change.player, change.after.games) for change in changes] == [("a", 101), ("b", 101)]


@pytest.mark.parametrize(
    ("games", "words"),
    [
        ((Game("g", "a", "a", 2),), "la même personne"),
        ((Game("g", "a", "b", 3),), "ni une victoire"),
        ((Game("g", "a", "b", True),), "ni une victoire"),
        ((Game("g", "a", "b", 2), Game("g", "a", "b", 0)), "a déjà un résultat"),
    ],
)
def test_what_is_no_game_is_refused_naming_it(games, words):
    with pytest.raises(EventRefused, match=words) as refusal:
        RULES.settle({}, Event("t", DAY, games=games))
    assert "(g)" in str(refusal.value)


def test_an_event_before_the_last_one_is_refused():
    late = {"a": held(1500, last="2020-02-02"), "b": held(1500)}
    with pytest.raises(EventRefused, match="Corriger"):
        play([("a", "b", 2)], late)
    assert play([("a", "b", 2)], {**late, "a": held(1500, last="2020-02-01")})


# 000 5: new players


@pytest.mark.parametrize(
    ("facts", "cote"),
    [
        ({"rating": 1555}, 1555),
        ({"rank": 1, "players": 100}, 1950),
        ({"rank": 100, "players": 100}, 1400),
        ({"classique": "Joker"}, 1679),
        ({"classique": "A"}, 1430),
        ({"classique": "B"}, 1400),
        ({"classique": "C"}, 1400),
        ({}, 1400),
    ],
)
def test_000_5_a_new_player_starts_from_their_duplicate_ranking(facts, cote):
    state = RULES.newcomer(frozen(facts))
    assert (state.rating, state.games, state.status) == (cote, 0, "estimated")


@pytest.mark.parametrize(
    "facts",
    [
        {"rating": "beaucoup"},
        {"rating": "4001"},
        {"rank": "3"},
        {"rank": "x", "players": "9"},
        {"rank": "10", "players": "9"},
        {"classique": "D"},
        {"games": "-1"},
        {"tournaments": "x"},
        {"last": "31/08/2019"},
    ],
)
def test_what_an_organiser_typed_wrong_is_refused_with_a_sentence(facts):
    with pytest.raises(EventRefused, match=r"\.$"):
        play([("a", "b", 2)], {"b": held(1500)}, facts={"players": {"a": facts}})


def test_an_imported_player_brings_their_status_and_the_cote_of_their_last_day():
    known = RULES.newcomer(
        frozen({"rating": 1850, "games": 80, "tournaments": 9, "last": "2019-08-25"})
    )
    assert known.status == RULES.status_on(known, DAY) == "ranked"
    assert RULES.serie_on(known, DAY).label == "A"
    one = RULES.newcomer(frozen({"rating": 1850, "games": 20, "tournaments": 1}))
    assert one.status == RULES.status_on(one, DAY) == "provisional"


@pytest.mark.parametrize(("on", "serie"), [("2019-08-31", "A"), ("2019-09-01", None)])
def test_000_3_a_starting_cote_dated_up_to_31_august_gives_a_series(on, serie):
    found = RULES.serie_on(RULES.newcomer(frozen({"rating": 1850, "on": on})), DAY)
    assert (found.label if found else None) == serie


def test_what_the_form_asks_of_newcomers_is_what_a_start_reads():
    typed = {"rating": "1555", "rank": "1", "players": "100", "classique": "Joker"}
    typed["duplicate"] = "4A"
    rules = Fisf(start_table=(("4A", 1480),))
    for asked in Fisf.asks:
        facts = frozen({part: typed[part] for part in asked.parts})
        assert rules.newcomer(facts).rating in (1555, 1950, 1679, 1480)


def test_a_newcomer_of_an_event_takes_what_the_organiser_declared():
    facts = {"players": {"a": {"classique": "Joker"}}}
    moved = play([("a", "b", 2)], {"b": held(1679)}, facts=facts)["a"]
    assert (moved.before.rating, moved.after.rating) == (1679, 1699)


# 000 3 and 6: status


@pytest.mark.parametrize(
    ("tournaments", "games", "status"),
    [
        (0, 0, "estimated"),
        (1, 1, "provisional"),
        (1, 14, "provisional"),
        (1, 15, "provisional"),
        (2, 14, "provisional"),
        (2, 15, "ranked"),
        (2, 16, "ranked"),
        (3, 15, "ranked"),
    ],
)
def test_000_6_two_tournaments_and_15_games_rank_a_player(tournaments, games, status):
    assert RULES.status(tournaments, games, DAY if games else None, DAY) == status


@pytest.mark.parametrize(
    ("last", "on", "status"),
    [
        ("2019-02-28", "2020-02-29", "ranked"),
        ("2019-02-27", "2020-02-29", "inactive"),
        ("2020-02-29", "2021-02-28", "ranked"),
        ("2020-02-29", "2021-03-01", "inactive"),
        ("2019-06-10", "2020-06-09", "ranked"),
        ("2019-06-10", "2020-06-10", "ranked"),
        ("2019-06-10", "2020-06-11", "inactive"),
        ("2020-06-12", "2020-06-11", "inactive"),
    ],
)
def test_000_6_the_year_before_publication_includes_both_its_days(last, on, status):
    state = held(1500, last=last)
    assert RULES.status_on(state, date.fromisoformat(on)) == status


def test_a_stored_state_counts_tournaments_and_games():
    states = {}
    for day, expected in ((1, "provisional"), (2, "ranked")):
        games = [("a", "b", 2)] * 8
        moved = play(games, states, day=date(2020, 3, day))
        states = {player: change.after for player, change in moved.items()}
        assert states["a"].status == expected
    assert (states["a"].events, states["a"].games) == (2, 16)


# 000 2: series


@pytest.mark.parametrize(
    ("cote", "serie"),
    [
        (1000, "C"),
        (1543, "C"),
        (1544, "B"),
        (1545, "B"),
        (1809, "B"),
        (1810, "A"),
        (1811, "A"),
        (1916, "A"),
        (1917, "Joker"),
        (1918, "Joker"),
    ],
)
def test_000_2_bars_are_inclusive(cote, serie):
    assert RULES.serie(cote).label == serie


HISTORY = [
    (date(2019, 3, 1), 1805),
    (date(2019, 8, 31), 1812),
    (date(2019, 9, 1), 1790),
    (date(2020, 2, 1), 1950),
]


@pytest.mark.parametrize(
    ("on", "serie"),
    [
        ("2019-08-31", None),
        ("2019-09-01", "A"),
        ("2020-08-31", "A"),
        ("2020-09-01", "Joker"),
        ("2025-01-01", "Joker"),
    ],
)
def test_000_2_the_series_is_kept_from_31_august_for_the_season(on, serie):
    found = RULES.frozen_serie(HISTORY, date.fromisoformat(on))
    assert (found.label if found else None) == serie


def test_of_two_cotes_of_one_day_the_later_counts():
    twice = [(date(2019, 8, 31), 1700), (date(2019, 8, 31), 1600), (date(2018, 8, 31), 1950)]
    assert RULES.frozen_serie(twice, date(2019, 9, 1)).label == "B"
    assert RULES.frozen_serie(twice[:1] + [(date(2019, 8, 31), 1950)], DAY).label == "Joker"


def test_the_example_of_000_7_is_a_frozen_series_and_not_the_live_one():
    j0 = held(1700, cotes=[("2019-08-20", 1815), ("2020-01-15", 1700)])
    assert RULES.serie_on(j0, DAY).label == "A"
    assert RULES.serie(1700).label == "B"


def test_without_a_cote_on_31_august_there_is_no_series_unless_the_committee_allows_one():
    fresh = held(1600, cotes=[("2019-10-01", 1600)])
    assert RULES.serie_on(fresh, DAY) is None
    assert Fisf(entry_series=True).serie_on(fresh, DAY).label == "B"


DATES = st.dates(date(2015, 1, 1), date(2025, 12, 31))


@given(
    st.lists(st.tuples(DATES, st.integers(1000, 2100)), min_size=1, max_size=12),
    st.integers(0, 1500),
)
def test_two_dated_cotes_are_enough_for_the_series_of_this_season_and_later(history, later):
    history = sorted(history, key=lambda line: line[0])
    kept = []
    for day, cote in history:
        kept = dated(kept, day, cote)
    assert len(kept) <= 2
    last = history[-1][0]
    for on in (date(season_of(last), 9, 1), last, last + timedelta(days=later)):
        assert RULES.serie_on(held(1500, cotes=kept), on) == RULES.frozen_serie(history, on)


@given(DATES)
def test_a_season_runs_from_1_september_to_31_august(day):
    first = date(season_of(day), 9, 1)
    assert first <= day < first.replace(year=first.year + 1)


def test_29_february_a_year_before_is_28_february():
    assert years_before(date(2020, 2, 29), 1) == date(2019, 2, 28)
    assert years_before(date(2020, 2, 29), 4) == date(2016, 2, 29)


# 000 2: the quota tool


def test_000_2_bars_from_5_15_and_45_percent():
    assert thresholds_by_percent(range(1000, 2000, 10), RULES) == Bars(1950, 1850, 1550)


@pytest.mark.parametrize(
    ("players", "joker"),
    [(9, None), (10, 1900), (11, 1900), (29, 1900), (30, 1890), (31, 1890)],
)
def test_a_half_player_rounds_up(players, joker):
    cotes = [1900 - 10 * n for n in range(players)]
    assert thresholds_by_percent(cotes, RULES).joker == joker


def test_players_tied_on_a_bar_all_go_up():
    cotes = [1900, 1800, 1800, 1800, *[1500] * 16]
    bars = thresholds_by_percent(cotes, RULES)
    assert bars.a == 1800
    assert sum(cote >= bars.a for cote in cotes) == 4


@pytest.mark.parametrize(("cote", "bar"), [(1924, 1900), (1925, 1950), (1926, 1950)])
def test_a_step_rounds_the_bar_to_its_nearest_multiple(cote, bar):
    assert thresholds_by_percent([cote] * 100, Fisf(bar_step=50)).joker == bar


def test_the_two_years_before_and_only_ranked_players_are_counted():
    states = [
        held(1900, last="2018-02-01"),
        held(1800, last="2018-01-31"),
        held(1750, last="2020-02-02"),
        held(1700, games=14),
        held(1600, events=1),
        held(1500),
        held(1450, last="2020-02-01"),
        RULES.newcomer(),
    ]
    assert counted(states, DAY, RULES) == [1900, 1500, 1450]
    assert counted(states, DAY, Fisf(counted_unlisted=True)) == [1900, 1700, 1600, 1500, 1450]
    assert proposed_bars(states, DAY, RULES) == Bars(None, None, 1900)


@given(st.lists(st.integers(1000, 2100), min_size=3, max_size=80))
def test_bars_never_cross_and_every_series_holds_its_share(cotes):
    bars = thresholds_by_percent(cotes, RULES)
    for bar, percent in ((bars.joker, 5), (bars.a, 15), (bars.b, 45)):
        players = math.floor(len(cotes) * percent / 100 + 0.5)
        assert (bar is None) is (players == 0)
        if bar is not None:
            assert sum(cote > bar for cote in cotes) < players
            assert sum(cote >= bar for cote in cotes) >= players


# Annexe 1: starting cotes


def test_annexe_1_starting_cotes_fall_from_1950_to_1400_along_a_bell():
    cotes = start_ratings(1001, RULES)
    assert (cotes[0], cotes[-1], cotes[500]) == (1950, 1400, 1400)
    assert cotes == sorted(cotes, reverse=True)
    free = start_ratings(1001, Fisf(start_highest=2000, start_lowest=300))
    assert (free[0], free[500], free[-1]) == (2000, 1150, 300)
    assert all(abs(a + b - 2300) <= 1 for a, b in zip(free, reversed(free), strict=True))


@pytest.mark.parametrize(
    ("rank", "players", "cote"),
    [(2, 10, 1686), (3, 10, 1499), (2, 100, 1866), (10, 100, 1582), (2, 1000, 1917)],
)
def test_annexe_1_a_starting_cote_is_the_normal_score_of_its_rank(rank, players, cote):
    """z((n − r + ½)/n) from 2000 for the first to 300 for the last, computed by hand."""
    assert start_rating(rank, players, RULES) == cote


@pytest.mark.parametrize(("rank", "players"), [(0, 5), (6, 5)])
def test_a_rank_outside_the_ranking_is_refused(rank, players):
    with pytest.raises(EventRefused, match="rang"):
        start_rating(rank, players, RULES)


def test_annexe_1_jokers_lead_their_own_duplicate_series_whatever_its_sub_level():
    duplicate = [("d1", "4A"), ("d2", "4B"), ("d3", "4C"), ("d4", "4D"), ("d5", "5A")]
    classique = [("d4", "Joker"), ("d2", "Joker"), ("d3", "A")]
    assert start_order(duplicate, classique) == ["d4", "d2", "d1", "d3", "d5"]


def test_annexe_1_players_of_classique_only_come_at_the_end_of_series_3_to_6():
    duplicate = [("d1", "1"), ("d2", "3"), ("d3", "5"), ("d4", "7")]
    classique = [("x", "Joker"), ("y", "A"), ("z", "B"), ("w", "C")]
    assert start_order(duplicate, classique) == ["d1", "d2", "x", "y", "d3", "z", "w", "d4"]


def test_a_player_twice_or_an_unknown_series_is_refused():
    with pytest.raises(EventRefused, match="deux fois"):
        start_order([("a", "3"), ("a", "4")], [])
    with pytest.raises(EventRefused, match="Joker, A, B ou C"):
        start_order([], [("a", "D")])


# What the register and the committee's form need


def test_it_is_registered_and_every_number_has_its_words():
    assert Fisf in SYSTEMS
    assert set(settings_of(Fisf)) == {field.name for field in fields(Fisf)}
    assert all(words.article.startswith("000 ") for words in settings_of(Fisf).values())


@pytest.mark.parametrize(
    "values",
    [
        {"thresholds": (4, 4)},
        {"thresholds": ()},
        {"k_strong_from": 1901},
        {"bar_a": 1917},
        {"percent_b": 86},
        {"start_lowest": 1951},
    ],
)
def test_numbers_that_make_no_sense_are_refused(values):
    with pytest.raises(ValueError):
        Fisf(**values)


def test_the_list_shows_cote_frozen_series_status_k_and_games():
    state = held(1700, cotes=[("2019-08-20", 1815), ("2020-01-15", 1700)])
    cells = RULES.cells(state, DAY)
    assert set(cells) == {column.code for column in RULES.columns()}
    assert (cells["cote"], cells["serie"], cells["k"]) == (1700, "A", 20)
    assert (cells["games"], cells["status"]) == (100, "ranked")
    assert cells["last"] == date(2020, 1, 1)
    assert RULES.cells(RULES.newcomer(), DAY)["serie"] is None


@pytest.mark.parametrize(
    ("last", "where"),
    [
        ("2020-02-02", {"everybody"}),
        ("2020-02-01", {"ranked", "everybody"}),
        ("2019-02-01", {"ranked", "everybody"}),
        ("2019-01-31", {"everybody"}),
        (None, {"provisional", "everybody"}),
    ],
)
def test_000_6_the_published_list_names_the_year_and_the_organisers_file_everybody(last, where):
    assert {one.code for one in RULES.sections(DAY) if one.takes(held(1700, last=last))} == where


@given(
    st.integers(0, 20),
    st.integers(0, 4),
    st.sampled_from([None, "2019-01-31", "2019-02-01", "2020-02-01", "2020-02-02"]),
    st.sampled_from([RULES, Fisf(listed_tournaments=3, listed_games=10)]),
)
def test_000_6_the_section_is_that_of_the_status_by_the_rules_of_the_day(
    games, tournaments, last, rules
):
    state = held(1700, games, tournaments if games else 0, last if games else None)
    sections = {one.code for one in rules.sections(DAY) if one.takes(state)}
    assert sections - {"everybody"} == {rules.status_on(state, DAY)} - {"inactive"}


# What always holds

PLAYERS = st.sampled_from("abcdef")
GAMES = st.lists(
    st.tuples(PLAYERS, PLAYERS, st.integers(0, 2)).filter(lambda game: game[0] != game[1]),
    min_size=1,
    max_size=20,
)
STATES = st.fixed_dictionaries(
    {p: st.builds(held, st.integers(1000, 2200), st.integers(0, 40)) for p in "abcdef"}
)
BOOKS = st.sampled_from([RULES, Fisf(rounding="half_even"), Fisf(floor=None, k_new_games=0)])


@given(GAMES, STATES, BOOKS)
def test_the_lines_add_up_to_the_change_exactly(games, states, rules):
    for change in play(games, states, rules).values():
        assert sum(line.effect or 0 for line in change.because) == change.delta


@given(GAMES, STATES)
def test_the_order_of_the_games_changes_nothing(games, states):
    ways = [play(games, states), play(games[::-1], states)]
    first, second = ({p: change.after for p, change in way.items()} for way in ways)
    assert first == second


@given(GAMES, st.integers(1400, 1749))
def test_equal_k_conserves_the_sum_before_rounding(games, cote):
    moved = play(games, {player: held(cote) for player in "abcdef"}, Fisf(floor=None))
    assert sum(sum(effects(change)) for change in moved.values()) == 0


@given(GAMES, STATES)
def test_a_state_survives_its_storage_bit_for_bit(games, states):
    for change in play(games, states).values():
        stored = json.loads(json.dumps(state_to_json(change.after)))
        assert state_from_json(stored) == change.after


@given(GAMES, STATES, st.integers(0, 900))
def test_a_player_who_did_not_play_is_not_touched(games, states, later):
    moved = play(games, states, day=DAY + timedelta(days=later))
    assert set(moved) == {player for game in games for player in game[:2]}
