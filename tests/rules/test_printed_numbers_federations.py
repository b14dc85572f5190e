"""Every number printed in documents 001, 003 and 004, typed from the page and not from the code."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from pairings.rules.scoring import ABSENT, PLAYED, MatchRecord, Meeting
from pairings.systems.formule_classique.fixed_tables import table_for
from pairings.systems.formule_classique.opening import first_round_large
from pairings.systems.formule_classique.system import FormuleClassique, boards
from ratings.systems.absp.system import Absp
from ratings.systems.absp.window import Kept
from ratings.systems.fesa.system import Fesa, is_official
from ratings.systems.romania.system import Romania, general

RO = Romania()
FESA = Fesa()
TOURNAMENT = FormuleClassique()

# 001 §2 and §3: N, the games of one year, and the least for an active rating.
TYPES = [
    ("duplicat_clasic", 20, (7, 2, 1), 3),
    ("duplicat_completiv", 18, (7, 1, 1), 3),
    ("duplicat_eliptic", 14, (7,), 3),
    ("compunere", 18, (7, 1, 1), 3),
    ("anticipatie", 14, (7,), 3),
    ("libere", 8, (3, 1), 2),
]


@pytest.mark.parametrize(("kind", "n", "a_year", "least"), TYPES)
def test_001_2_and_3_n_is_two_years_of_the_calendar_and_15_percent_of_it_is_active(
    kind, n, a_year, least
):
    assert RO.window_of(kind) == n == 2 * sum(a_year)
    assert RO.active_least(n) == least


@pytest.mark.parametrize(("kind", "n", "a_year", "least"), TYPES)
def test_001_7_the_newest_weighs_145_and_5_n_the_oldest_155_less_5_n(kind, n, a_year, least):
    weights = RO.weights(n)
    assert (len(weights), weights[0], weights[-1]) == (n, 145 + 5 * n, 155 - 5 * n)
    assert {one - two for one, two in pairwise(weights)} == {10}


def test_001_7_the_two_printed_lists_of_weights():
    assert RO.weights(18)[:2] + RO.weights(18)[-2:] == [235, 225, 75, 65]
    assert RO.weights(14)[:2] + RO.weights(14)[-2:] == [215, 205, 95, 85]


@pytest.mark.parametrize("players", [2, 3, 10, 57])
def test_001_5_and_6_from_v_and_50_to_v_less_50(players):
    v = RO.value([None] * players)
    assert v == 150
    assert RO.points(v, players, Fraction(1)) == 200
    assert RO.points(v, players, Fraction(players)) == 100


def test_001_8_five_types_and_150_for_the_one_that_is_missing():
    assert general({"compunere": Fraction(250)}, {"compunere": "active"}) == (250 + 4 * 150) / 5


# 003 §1, the seven rows of k.
K_ROWS = [
    (2240, None, 16),
    (1920, 2240, 20),
    (1560, 1920, 24),
    (1280, 1560, 28),
    (1040, 1280, 32),
    (720, 1040, 36),
    (None, 720, 40),
]


@pytest.mark.parametrize(("least", "below", "k"), K_ROWS)
def test_003_1_k_from_its_lower_limit_to_just_below_its_upper_one(least, below, k):
    if least is not None:
        assert FESA.k_of(least) == k
    if below is not None:
        assert FESA.k_of(below - 0.001) == k
    assert FESA.k_of((least or 0) + 1) == k


# 003 §3, as it stands: grade, LB, MP, UB, #LB, #MP.
GRADES = """
6 Dan 2440 2540 2640 - -
5 Dan 2240 2340 2440 - 10
4 Dan 2080 2160 2240 16 8
3 Dan 1920 2000 2080 16 8
2 Dan 1800 1860 1920 14 7
1 Dan 1680 1740 1800 14 7
1 Kyu 1560 1620 1680 14 7
2 Kyu 1460 1510 1560 12 6
3 Kyu 1360 1410 1460 12 6
4 Kyu 1280 1320 1360 12 6
5 Kyu 1200 1240 1280 10 5
6 Kyu 1120 1160 1200 10 5
7 Kyu 1040 1080 1120 10 5
8 Kyu 960 1000 1040 8 4
9 Kyu 880 920 960 8 4
10 Kyu 800 840 880 8 4
11 Kyu 720 760 800 8 4
12 Kyu 640 680 720 6 3
13 Kyu 560 600 640 6 3
14 Kyu 480 520 560 6 3
15 Kyu 400 440 480 6 3
"""
ROWS = [
    (f"{number} {kind}", *[None if cell == "-" else int(cell) for cell in cells])
    for line in GRADES.strip().splitlines()
    for number, kind, *cells in [line.split()]
]


def test_003_3_all_21_rows():
    assert len(ROWS) == 21
    assert list(reversed(FESA.grades())) == ROWS


BELOW = {row[0]: under[0] for row, under in pairwise(ROWS)}
BOTH = ("5 Dan", "6 Dan")


def promoted(grade, trail):
    found = FESA.promote(
        category="established", rating=trail[-1], grade=BELOW[grade], trail=trail, approved=BOTH
    )
    return (found.grade, found.route) if found.grade == grade else (None, None)


@pytest.mark.parametrize("row", ROWS[:-1], ids=lambda row: row[0])
def test_003_11_each_row_by_its_ub_its_mp_and_its_lb(row):
    """#MP games at MP, #LB games at LB one of them at MP; one game or one point less is not enough.

    At the limit itself no defeat to come can be borne, so that nothing is given early.
    """
    grade, lower, middle, upper, games_lower, games_middle = row
    assert promoted(grade, [upper]) == (grade, "UB")
    assert promoted(grade, [upper - 1])[1] != "UB"
    if games_middle is not None:
        assert promoted(grade, [middle] * games_middle) == (grade, "MP")
        assert promoted(grade, [middle] * (games_middle - 1)) == (None, None)
        assert promoted(grade, [middle - 1] * games_middle) == (None, None)
    else:
        assert promoted(grade, [middle] * 40) == (None, None)
    if games_lower is not None:
        assert promoted(grade, [middle] + [lower] * (games_lower - 1)) == (grade, "LB")
        assert promoted(grade, [middle] + [lower] * (games_lower - 2)) == (None, None)
        assert promoted(grade, [middle - 1] + [lower] * (games_lower - 1)) == (None, None)
        assert promoted(grade, [middle, lower - 1] + [lower] * (games_lower - 2)) == (None, None)


def test_003_2_4_7_10_12_the_numbers_in_the_sentences():
    assert (FESA.divisor, FESA.upset_divisor) == (400, 160)
    assert (FESA.rated_games, FESA.established_games) == (9, 18)
    assert (FESA.counted_floor, FESA.zero_listed) == (400, 400)
    assert (FESA.bonus_below, FESA.bonus_divisor, FESA.bonus_most) == (1800, 200, 100)
    assert (FESA.split(16), FESA.split(17)) == ([16], [9, 8])


@pytest.mark.parametrize(
    ("minutes", "byoyomi", "official"),
    [(30, 30, True), (20, 40, True), (29, 30, False), (30, 29, False), (20, 39, False)],
)
def test_003_the_two_shortest_official_times(minutes, byoyomi, official):
    facts = {"arbiter": "A. Olufsen", "minutes": minutes, "byoyomi": byoyomi}
    assert is_official(facts) is official


@pytest.mark.parametrize(("fewest", "most", "matches"), [(8, 32, 5), (33, 64, 6), (65, 128, 7)])
def test_004_1_the_number_of_matches(fewest, most, matches):
    assert {TOURNAMENT.rounds_of(n) for n in range(fewest, most + 1)} == {matches}


def met(first, second, one, two):
    return TOURNAMENT.points_of(
        MatchRecord(first, second, PLAYED, day=1, key="1", games=((one, two),))
    )


@pytest.mark.parametrize(
    ("scores", "first", "second"),
    [
        ((451, 407), (3, 44), (1, -44)),
        ((512, 325), (3, 100), (1, -100)),
        ((350, 350), (2, 0), (2, 0)),
    ],
)
def test_004_3_and_4_2_the_printed_scores(scores, first, second):
    assert met("A", "B", *scores) == (first, second)


def test_004_3_and_4_2_a_forfeit_is_won_by_10_points():
    record = MatchRecord("E", "F", ABSENT, absent="b", day=1, key="1")
    won, lost = TOURNAMENT.points_of(record)
    assert (won.pm, won.pdep, lost.pm) == (3, 10, 0)


def test_004_4_1_six_four_two():
    records = [
        MatchRecord(first, second, PLAYED, day=day, key=str(day), games=((400, 300),))
        for day, (first, second) in enumerate(["AB", "AC", "BC"], start=1)
    ]
    assert TOURNAMENT.ppm_of(["A", "B", "C"], records) == {"A": 6, "B": 4, "C": 2}


@pytest.mark.parametrize("players", range(17, 129))
def test_004_6_1_1_p_is_twice_a_third_of_the_players_to_the_nearest(players):
    ranked = list(range(1, players + 1))
    pairs = first_round_large([str(n) for n in ranked])
    even = players + players % 2
    last = 2 * int(Fraction(even, 3) + Fraction(1, 2))
    assert pairs[0] == ("1", str(last))
    assert pairs[last // 2 - 1] == (str(last // 2), str(last // 2 + 1))
    assert pairs[last // 2][0] == str(last + 1)
    assert pairs[-1] == (str(even - 1), "X" if players % 2 else str(players))


def test_004_6_2_1_the_two_rounds_of_eight_players():
    table = table_for(8, {})
    assert table is not None
    assert [[tuple(pair) for pair in found] for found in table.rounds] == [
        [(1, 8), (5, 6), (2, 7), (3, 4)],
        [(1, 6), (5, 8), (2, 4), (3, 7)],
    ]


# 004 §7: the ranking A … L with its PM, and the meetings of the example.
RANKING = dict(zip("ABCDEFGHIJKL", [15] * 3 + [13] * 3 + [11] * 4 + [9] * 2, strict=True))
PLAYED_BEFORE = ["AB", "AC", "AD", "BC", "GJ"]


def paired(*already):
    known: dict[str, dict[str, Meeting]] = {}
    for one, two in already:
        known.setdefault(one, {})[two] = known.setdefault(two, {})[one] = Meeting(0, 1, 1, "1")
    return [
        first + second
        for first, second, _reason in boards(TOURNAMENT.pair_ranked(list(RANKING), RANKING, known))
    ]


def test_004_7_the_example_without_and_with_its_permutations_and_k_l_again():
    assert paired() == ["AD", "BC", "EF", "GJ", "HI", "KL"]
    assert paired(*PLAYED_BEFORE) == ["AE", "BD", "CF", "GI", "HJ", "KL"]
    assert paired(*PLAYED_BEFORE, "KL") == ["AE", "BD", "CF", "GI", "HJ", "KL"]


# ABSP, which 001 §1 recommends: the numbers on the association's pages.
def test_absp_ratings_detail_the_weights_before_and_since_2011():
    before = Absp(window=100, newest_weight=150)
    for rules, window, newest, oldest in ((before, 100, 150, 51), (Absp(), 150, 225, 76)):
        games = tuple(Kept(str(n), 150, 1, 1) for n in range(window))
        weights = rules.weights(games)
        assert (weights[-1], weights[0], len(weights)) == (newest, oldest, window)


def test_absp_ratings_detail_penzance_and_the_cap():
    opponents = [161, 157, 154, 167, 155, 167, 160, 159, 154, 156, 155, 156]
    assert sum(opponents) == 1901
    halves = [2] * 7 + [0] * 5
    rules = Absp()
    points = sum(rules.game_points(169, o, h) for o, h in zip(opponents, halves, strict=True))
    assert points == 2001
    assert rules.rated(Fraction(points, 12), rules.minimum) == 167
    assert rules.brought(169, 128) == 129


def test_absp_jagrn1_150_against_90():
    rules = Absp()
    assert (rules.brought(150, 90), rules.brought(90, 150)) == (110, 130)


def test_absp_jagrn5_30_games_and_10_points():
    assert (Absp().ten_point_games, Absp().ten_point_gap, Absp().minimum) == (30, 10, 50)
