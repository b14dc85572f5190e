"""The grades of FESA at each limit of their table (003 §3, §11)."""

from __future__ import annotations

import pytest

from ratings.systems.fesa.grades import (
    GRADES,
    Distance,
    Promotion,
    interpolate,
    next_grade,
    promotion,
    rank_of,
    row_of,
)

# 003 §3: (grade, LB, MP, UB, #LB, #MP)
TABLE = (
    ("15 Kyu", 400, 440, 480, 6, 3),
    ("14 Kyu", 480, 520, 560, 6, 3),
    ("13 Kyu", 560, 600, 640, 6, 3),
    ("12 Kyu", 640, 680, 720, 6, 3),
    ("11 Kyu", 720, 760, 800, 8, 4),
    ("10 Kyu", 800, 840, 880, 8, 4),
    ("9 Kyu", 880, 920, 960, 8, 4),
    ("8 Kyu", 960, 1000, 1040, 8, 4),
    ("7 Kyu", 1040, 1080, 1120, 10, 5),
    ("6 Kyu", 1120, 1160, 1200, 10, 5),
    ("5 Kyu", 1200, 1240, 1280, 10, 5),
    ("4 Kyu", 1280, 1320, 1360, 12, 6),
    ("3 Kyu", 1360, 1410, 1460, 12, 6),
    ("2 Kyu", 1460, 1510, 1560, 12, 6),
    ("1 Kyu", 1560, 1620, 1680, 14, 7),
    ("1 Dan", 1680, 1740, 1800, 14, 7),
    ("2 Dan", 1800, 1860, 1920, 14, 7),
    ("3 Dan", 1920, 2000, 2080, 16, 8),
    ("4 Dan", 2080, 2160, 2240, 16, 8),
    ("5 Dan", 2240, 2340, 2440, None, 10),
    ("6 Dan", 2440, 2540, 2640, None, None),
)
SHODAN = TABLE[15]
K = 24


def reached(rating, grade, trail=(), category="established", approved=(), strict=False):
    return promotion(
        category=category,
        rating=rating,
        grade=grade,
        trail=trail,
        approved=approved,
        k_of=lambda _rating: K,
        strictly_above=strict,
    )


def ahead(rating, grade, trail=(), category="established", strict=False):
    return next_grade(
        category=category,
        rating=rating,
        grade=grade,
        trail=trail,
        k_of=lambda _rating: K,
        strictly_above=strict,
    )


def test_003_3_the_rows_are_those_of_the_document():
    assert GRADES == TABLE
    assert row_of("1 Dan") == SHODAN


@pytest.mark.parametrize(("grade", "rank"), [("15 Kyu", 0), ("14 Kyu", 1), ("6 Dan", 20)])
def test_003_3_grades_are_counted_from_the_weakest(grade, rank):
    assert rank_of(grade) == rank
    assert rank_of(None) == rank_of("16 Kyu") == -1
    with pytest.raises(KeyError):
        row_of("16 Kyu")


def test_003_12_a_table_is_spread_evenly_over_its_games():
    assert interpolate(1500, 1530, 3) == [1510, 1520, 1530]


# The UB of a settled player: reached at 1800 itself


@pytest.mark.parametrize(
    ("rating", "found"),
    [(1799, Promotion()), (1800, Promotion("1 Dan", "UB")), (1801, Promotion("1 Dan", "UB"))],
)
def test_003_11_the_ub_of_1_dan(rating, found):
    assert reached(rating, "1 Kyu") == found


# #MP: seven games at 1740, or so many that no defeat can bring the seventh below it


@pytest.mark.parametrize(
    ("value", "strict", "route"),
    [(1739, False, None), (1740, False, "MP"), (1741, False, "MP"), (1740, True, None)],
)
def test_003_11_the_mp_of_1_dan(value, strict, route):
    assert reached(1740, "1 Kyu", [value] * 7, strict=strict).route == route


@pytest.mark.parametrize(("games", "route"), [(6, None), (7, "MP"), (8, "MP")])
def test_003_11_seven_games_at_the_mp_of_1_dan(games, route):
    assert reached(1740, "1 Kyu", [1700, *[1740] * games]).route == route


@pytest.mark.parametrize(
    ("last", "route"), [(1740 + K - 1, None), (1740 + K, "MP early"), (1740 + K + 1, "MP early")]
)
def test_003_11_the_seventh_game_lost_stays_at_the_mp_of_1_dan(last, route):
    assert reached(1790, "1 Kyu", [1700, *[last] * 6]).route == route


@pytest.mark.parametrize(("last", "route"), [(1740 + K - 1, None), (1740 + K, "MP early")])
def test_003_11_the_games_still_missing_are_counted_from_the_last_rating(last, route):
    assert reached(1790, "1 Kyu", [1700, *[1790] * 5, last]).route == route


@pytest.mark.parametrize(("missing", "route"), [(2, "MP early"), (3, None)])
def test_003_11_each_missing_game_is_counted_as_a_defeat(missing, route):
    trail = [1700, *[1740 + 2 * K] * (7 - missing)]
    assert reached(1790, "1 Kyu", trail).route == route


# #LB: fourteen games at 1680, one of them at 1740


@pytest.mark.parametrize(
    ("low", "middle", "route"),
    [
        (1679, 1740, None),
        (1680, 1739, None),
        (1680, 1740, "LB"),
        (1681, 1741, "LB"),
    ],
)
def test_003_11_the_lb_of_1_dan(low, middle, route):
    assert reached(1690, "1 Kyu", [middle, *[low] * 13]).route == route


@pytest.mark.parametrize(("games", "route"), [(12, None), (13, "LB"), (14, "LB")])
def test_003_11_fourteen_games_at_the_lb_of_1_dan(games, route):
    assert reached(1690, "1 Kyu", [1600, 1740, *[1680] * games]).route == route


def test_003_11_the_game_at_the_mp_is_one_of_those_at_the_lb():
    assert reached(1690, "1 Kyu", [1740, 1600, *[1690] * 14]).route is None


@pytest.mark.parametrize(("last", "route"), [(1680 + K - 1, None), (1680 + K, "LB early")])
def test_003_11_the_fourteenth_game_lost_stays_at_the_lb_of_1_dan(last, route):
    assert reached(1690, "1 Kyu", [1600, 1740, *[last] * 12]).route == route


def test_003_3_the_5_dan_has_no_lb_and_the_6_dan_only_its_ub():
    approved = ("5 Dan", "6 Dan")
    assert reached(2339, "4 Dan", [2340, *[2339] * 30], approved=approved).grade is None
    assert reached(2639, "5 Dan", [2639] * 30, approved=approved).grade is None
    assert reached(2640, "5 Dan", approved=approved) == Promotion("6 Dan", "UB")


def test_003_11_the_best_grade_that_waits_is_named():
    assert reached(2640, "4 Dan") == Promotion(waiting="6 Dan")
    assert reached(2640, "4 Dan", approved=("5 Dan",)) == Promotion("5 Dan", "UB", "6 Dan")


# A provisional player: the grade below the one whose UB they reached; an unrated one none


@pytest.mark.parametrize(
    ("rating", "grade"), [(100, None), (480, None), (559, None), (560, "15 Kyu"), (561, "15 Kyu")]
)
def test_003_11_the_first_grade_of_a_provisional_player(rating, grade):
    found = reached(rating, None, [rating] * 30, category="provisional")
    assert found.grade == grade
    assert found.route == (grade and "UB of next grade (provisional)")


@pytest.mark.parametrize(
    ("rating", "grade"), [(639, None), (640, "14 Kyu"), (720, "13 Kyu"), (641, "14 Kyu")]
)
def test_003_11_a_provisional_player_only_rises(rating, grade):
    assert reached(rating, "15 Kyu", category="provisional").grade == grade


def test_003_11_a_provisional_player_at_the_top_waits_too():
    found = reached(2640, "3 Dan", category="provisional")
    assert found == Promotion("4 Dan", "UB of next grade (provisional)", "5 Dan")


def test_003_11_an_unrated_player_gets_no_grade():
    assert reached(2000, None, [2000] * 20, category="unrated") == Promotion()
    assert ahead(2000, None, [2000] * 20, category="unrated") is None


# What a grade still asks


@pytest.mark.parametrize(("rating", "limit"), [(559, 560), (560, 640), (561, 640)])
def test_003_11_the_limit_ahead_of_a_provisional_player(rating, limit):
    row = (*TABLE[limit == 640][:3], limit, None, None)
    assert ahead(rating, None, category="provisional") == Distance(row, 0, 0, False)


def test_003_11_above_the_last_limit_nothing_is_ahead():
    assert ahead(2640, "4 Dan", category="provisional") is None
    assert ahead(2640, "6 Dan") is None


@pytest.mark.parametrize(
    ("trail", "counts"),
    [
        ((), (0, 0, False)),
        ((1740, 1679), (0, 0, False)),
        ((1740, 1680), (0, 2, True)),
        ((1740, 1600, 1680, 1739), (0, 2, False)),
        ((1680, 1740, 1741), (2, 3, True)),
    ],
)
def test_003_11_games_in_a_row_towards_1_dan(trail, counts):
    assert ahead(1700, "1 Kyu", trail) == Distance(SHODAN, *counts)


def test_003_11_above_may_mean_strictly_above():
    assert ahead(1700, "1 Kyu", (1741, 1681, 1740), strict=True) == Distance(SHODAN, 0, 3, True)
    assert ahead(1700, "1 Kyu", (1681, 1740), strict=True) == Distance(SHODAN, 0, 2, False)
