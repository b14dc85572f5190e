"""The way to the next grade, series or status: what each document asks, and its limits."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from ratings.lists.explanations import ahead_of
from ratings.systems.faizers.system import Faizers
from ratings.systems.fesa.system import Fesa
from ratings.systems.fisf.system import Fisf
from ratings.systems.protocol import State, frozen
from ratings.systems.romania.system import Romania

DAY = date(2026, 11, 20)
KIND = "duplicat_clasic"


def values(system, state, kind=""):
    return {line.kind: line.values for line in system.ahead(state, DAY, kind)}


def shogi(rating, status="established", games=100, **extra):
    return State(rating, games, 3, status, frozen({"grade": "4 Kyu", **extra}))


def words_holder(cote, day="2026-11-01", games=100, events=10, cotes=()):
    extra = {"last": day, "cotes": [list(line) for line in cotes]}
    return State(cote, games, events, "", frozen(extra))


def test_003_11_the_three_ways_to_the_next_grade_of_a_settled_player():
    held = shogi(1400, trail=[1300, 1365, 1370, 1412, 1415, 1400])
    told = values(Fesa(), held)
    assert set(told) == {"to_upper", "to_middle", "to_lower"}
    upper, middle, lower = told["to_upper"], told["to_middle"], told["to_lower"]
    assert (upper["grade"], upper["limit"], upper["left"]) == ("3 Kyu", 1460, 60)
    assert (middle["limit"], middle["have"], middle["need"]) == (1410, 0, 6)
    assert (lower["limit"], lower["have"], lower["need"]) == (1360, 5, 12)
    assert lower["has_middle"] is True


@pytest.mark.parametrize(("last", "have"), [(1409.9, 0), (1410, 3), (1410.1, 3)])
def test_003_11_a_game_at_the_mp_counts_and_one_below_ends_the_row(last, have):
    told = values(Fesa(), shogi(1400, trail=[1420, 1420, last]))
    assert told["to_middle"]["have"] == have


def test_003_11_a_row_at_the_lb_wants_one_game_at_the_mp():
    told = values(Fesa(), shogi(1390, trail=[1410, 1300, 1380, 1390]))
    assert (told["to_lower"]["have"], told["to_lower"]["has_middle"]) == (2, False)
    told = values(Fesa(), shogi(1390))
    assert (told["to_lower"]["have"], told["to_lower"]["has_middle"]) == (0, False)


def test_003_11_a_provisional_player_needs_the_ub_of_the_grade_above():
    told = values(Fesa(), shogi(1400, "provisional", 12))
    assert (told["to_status"]["have"], told["to_status"]["need"]) == (12, 18)
    assert (told["to_upper"]["grade"], told["to_upper"]["limit"]) == ("3 Kyu", 1560)
    assert "to_middle" not in told and "to_lower" not in told


def test_003_4_an_unrated_player_has_games_to_play_and_no_grade_ahead():
    told = values(Fesa(), shogi(1400, "unrated", 5))
    assert set(told) == {"to_status"}
    assert (told["to_status"]["have"], told["to_status"]["need"]) == (5, 9)


def test_003_11_a_grade_already_reached_is_no_longer_ahead():
    state = State(1500, 100, 3, "established", frozen({"grade": None}))
    assert values(Fesa(), state)["to_upper"]["grade"] == "2 Kyu"
    best = State(2700, 100, 3, "established", frozen({"grade": "6 Dan"}))
    assert values(Fesa(), best) == {}


def test_003_11_the_5_dan_asks_for_an_approval_and_has_no_lb():
    told = values(Fesa(), State(2300, 100, 3, "established", frozen({"grade": "4 Dan"})))
    assert told["to_upper"]["approval"] is True
    assert told["to_middle"]["need"] == 10 and "to_lower" not in told


@pytest.mark.parametrize(("cote", "serie", "left"), [(1809, "A", 1), (1810, "Joker", 107)])
def test_000_2_the_bar_of_the_next_series_and_the_season_it_holds_from(cote, serie, left):
    told = values(Fisf(), words_holder(cote, cotes=[("2026-08-20", 1600)]))
    assert (told["to_bar"]["serie"], told["to_bar"]["left"]) == (serie, left)
    assert told["to_bar"]["from"] == "2027-09-01"
    assert told["coming_serie"]["held"] == "B"
    assert told["coming_serie"]["coming"] == ("A" if cote == 1810 else "B")


def test_000_2_there_is_no_bar_above_the_joker():
    told = values(Fisf(), words_holder(1917))
    assert "to_bar" not in told and told["coming_serie"]["coming"] == "Joker"


def test_000_6_a_provisional_player_sees_tournaments_and_games_that_are_missing():
    lines = Fisf().ahead(words_holder(1500, games=7, events=1), DAY)
    asked = [(line.values["what"], line.values["have"], line.values["need"]) for line in lines[:2]]
    assert asked == [("tournaments", 1, 2), ("games", 7, 15)]


@pytest.mark.parametrize(("last", "inactive"), [("2025-11-20", False), ("2025-11-19", True)])
def test_000_6_a_ranked_player_leaves_the_ranking_after_a_year(last, inactive):
    told = values(Fisf(), words_holder(1500, last))["ranked_until"]
    assert told["inactive"] is inactive
    assert told["until"] == last.replace("2025", "2026")


def test_000_6_the_last_day_in_the_ranking_is_the_last_on_which_a_player_is_ranked():
    """Also over 29 February: a year before it is the 28th, so who played on the 28th is ranked on it."""
    for day in range(date(2026, 1, 1).toordinal(), date(2030, 1, 1).toordinal()):
        last = date.fromordinal(day)
        state = words_holder(1500, last.isoformat())
        until = date.fromisoformat(values(Fisf(), state)["ranked_until"]["until"])
        after = [Fisf().status_on(state, until + timedelta(days=more)) for more in (0, 1)]
        assert after == ["ranked", "inactive"], last


@pytest.mark.parametrize(
    ("held", "kinds"),
    [
        (2, ["to_active", "filled"]),
        (3, ["filled", "stays_active"]),
        (14, ["filled", "stays_active"]),
    ],
)
def test_001_3_three_of_twenty_games_make_a_rating_active(held, kinds):
    window = [[number, 150] for number in range(held)]
    state = State(150, held, held, "active", frozen({"window": window}))
    lines = Romania().ahead(state, DAY, KIND)
    assert [line.kind for line in lines] == kinds
    filled = next(line for line in lines if line.kind == "filled")
    assert (filled.values["have"], filled.values["need"]) == (held, 20)
    assert Romania().cells(state, DAY, KIND)["window"] == (held, 20)


@pytest.mark.parametrize(
    ("cote", "category", "left"),
    [(1000, "Améthyste", 400), (1399, "Améthyste", 1), (1400, "Topaze", 300), (1899, "Diamant", 1)],
)
def test_002_vii_points_to_the_next_category(cote, category, left):
    (line,) = Faizers().ahead(State(cote), DAY)
    assert (line.values["category"], line.values["left"]) == (category, left)


def test_002_vii_nothing_is_above_the_diamond():
    assert Faizers().ahead(State(1900), DAY) == []
    assert Faizers().cells(State(1900), DAY)["to_next"] is None


def test_every_way_has_its_words_and_a_count_its_bar():
    fesa = shogi(1400, trail=[1420, 1420])
    lines = [
        *ahead_of(Fesa(), fesa, DAY, ""),
        *ahead_of(Fesa(), shogi(1400, "provisional", 1), DAY, ""),
        *ahead_of(Fisf(), words_holder(1500, games=7, events=1), DAY, ""),
        *ahead_of(Fisf(), words_holder(1800, "2024-01-01"), DAY, ""),
        *ahead_of(Romania(), State(150, extra=frozen({"window": [[1, 150]]})), DAY, KIND),
        *ahead_of(Faizers(), State(1399), DAY, ""),
    ]
    heads = [line.head for line in lines]
    assert "3 Kyu par le point médian (MP 1410) : 2 parties de suite sur 6" in heads
    assert "Améthyste à partir de 1400 : encore 1 point" in heads
    assert "Série A, barre 1810 : encore 10 points" in heads
    assert all(line.article for line in lines)
    assert not [line for line in lines if "%(" in line.head + line.formula]
    assert {(line.have, line.need) for line in lines if line.need} >= {(2, 6), (1, 18), (1, 20)}
