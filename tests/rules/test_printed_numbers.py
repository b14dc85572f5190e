"""Every number printed in documents 000 and 002, typed here from the page and not from the code."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pairings.rules.match_lifecycle import Lifecycle
from pairings.systems.faizers.system import FaizersPairing
from ratings.systems.categories import category_of
from ratings.systems.faizers.system import Faizers
from ratings.systems.fisf.system import Fisf

FISF = Fisf()
CLUB = Faizers()

# 000 annexe 2, the three columns of "Table de correspondance" as they stand on the page.
ANNEXE_2 = """
≤-392 0.08 | -154 0.29 | 0 0.5     | 154 0.71
-375 0.09  | -146 0.3  | ≥4 0.51   | 163 0.72
-358 0.1   | -138 0.31 | 11 0.52   | 171 0.73
-345 0.11  | -130 0.32 | 18 0.53   | 180 0.74
-329 0.12  | -122 0.33 | 26 0.54   | 189 0.75
-316 0.13  | -114 0.34 | 33 0.55   | 198 0.76
-303 0.14  | -107 0.35 | 40 0.56   | 207 0.77
-291 0.15  | -99 0.36  | 47 0.57   | 216 0.78
-279 0.16  | -92 0.37  | 54 0.58   | 226 0.79
-268 0.17  | -84 0.38  | 62 0.59   | 236 0.8
-257 0.18  | -77 0.39  | 69 0.6    | 246 0.81
-246 0.19  | -69 0.4   | 77 0.61   | 257 0.82
-236 0.2   | -62 0.41  | 84 0.62   | 268 0.83
-226 0.21  | -54 0.42  | 92 0.63   | 279 0.84
-216 0.22  | -47 0.43  | 99 0.64   | 291 0.85
-207 0.23  | -40 0.44  | 107 0.65  | 303 0.86
-198 0.24  | -33 0.45  | 114 0.66  | 316 0.87
-189 0.25  | -26 0.46  | 122 0.67  | 329 0.88
-180 0.26  | -18 0.47  | 130 0.68  | 345 0.89
-171 0.27  | -11 0.48  | 138 0.69  | 358 0.9
-163 0.28  | ≤-4 0.49  | 146 0.7   | 375 0.91
≥392 0.92
"""
CELLS = [
    (int(difference.strip("≤≥")), Fraction(we))
    for cell in ANNEXE_2.replace("|", "\n").strip().splitlines()
    for difference, we in [cell.split()]
]


def test_000_annexe_2_prints_85_cells():
    assert (len(CELLS), len(dict(CELLS))) == (85, 85)


@pytest.mark.parametrize(("difference", "we"), CELLS)
def test_000_annexe_2_each_cell_of_the_table(difference, we):
    assert FISF.we(difference) == we


def test_000_annexe_2_a_difference_between_two_cells_reads_the_one_nearer_to_zero():
    """The printed ≥4, ≤-4, ≥392 and ≤-392: each row holds from its number away from zero."""
    printed = dict(CELLS)
    for difference in range(-450, 451):
        inner = [
            cell for cell in printed if cell * difference >= 0 and abs(cell) <= abs(difference)
        ]
        assert FISF.we(difference) == printed[max(inner, key=abs)]


def test_000_annexe_2_the_five_lines_of_k():
    assert {FISF.k_of(cote, games) for cote in (1000, 1400) for games in (0, 14)} == {50}
    assert {FISF.k_of(cote, games) for cote in (1401, 1749) for games in (0, 14)} == {40}
    assert {FISF.k_of(cote, games) for cote in (1000, 1749) for games in (15, 400)} == {20}
    assert {FISF.k_of(cote, games) for cote in (1750, 1899) for games in (0, 15)} == {16}
    assert {FISF.k_of(cote, games) for cote in (1900, 2400) for games in (0, 15)} == {10}


@pytest.mark.parametrize(
    ("player", "own", "other", "we"),
    [
        ("J0", 1700, 1900, "0.24"),
        ("J1", 1900, 1700, "0.76"),
        ("J0", 1700, 1950, "0.19"),
        ("J2", 1950, 1700, "0.81"),
        ("J0", 1700, 1550, "0.70"),
        ("J3", 1550, 1700, "0.30"),
        ("J0", 1700, 1600, "0.64"),
        ("J4", 1600, 1700, "0.36"),
        ("J0", 1700, 1700, "0.50"),
        ("J5", 1700, 1700, "0.50"),
    ],
)
def test_000_7_the_probability_of_both_sides_of_each_round(player, own, other, we):
    assert FISF.we(own - other) == Fraction(we), player


@pytest.mark.parametrize(
    ("player", "cote", "games", "k"),
    [
        ("J0", 1700, 15, 20),
        ("J1", 1900, 15, 10),
        ("J2", 1950, 15, 10),
        ("J3", 1550, 14, 40),
        ("J4", 1600, 15, 20),
        ("J5", 1700, 15, 20),
    ],
)
def test_000_7_the_k_of_each_player(player, cote, games, k):
    assert FISF.k_of(cote, games) == k, player


def test_000_7_the_sum_and_the_general_formula_give_1715():
    rounds = [(1900, 0), (1950, 2), (1550, 2), (1600, 0), (1700, 2)]
    found = FISF.outcome(1700, 20, rounds)
    assert (found.halves, found.we, found.raw, found.rating) == (6, 227, 171460, 1715)
    assert found.raw == 170000 - 480 + 1620 + 600 - 1280 + 1000


def test_000_2_3_4_and_annexe_1_the_numbers_of_the_season_2019_2020():
    assert (FISF.bar_joker, FISF.bar_a, FISF.bar_b) == (1917, 1810, 1544)
    assert (FISF.percent_joker, FISF.percent_a, FISF.percent_b) == (5, 10, 30)
    assert (FISF.listed_tournaments, FISF.listed_games, FISF.listed_years) == (2, 15, 1)
    assert (FISF.counted_years, FISF.floor) == (2, 1000)
    assert (FISF.start_first, FISF.start_last) == (2000, 300)
    assert (FISF.start_highest, FISF.start_lowest) == (1950, 1400)
    assert (FISF.start_joker, FISF.start_a, FISF.start_b, FISF.start_c) == (1679, 1430, 1400, 1400)


def test_002_ii_the_points_the_fixed_ds_and_three_absences_of_ten():
    play = FaizersPairing()
    assert (play.pr_win, play.pr_draw, play.pr_loss) == (3, 2, 1)
    assert (play.pr_absent, play.pr_forfeit_win, play.pr_bye) == (0, 3, 3)
    assert (play.bye_ds, play.absence_limit, play.absence_window) == (50, 3, 10)


def test_002_iii_c_and_iv_newcomers_k_and_the_worked_probability():
    assert CLUB.newcomer().rating == 1000
    assert (CLUB.k_beginner, CLUB.k_intermediate, CLUB.k_expert) == (30, 20, 10)
    assert f"{CLUB.win_probability(1000, 1200):.2f}" == "0.24"
    assert CLUB.win_probability(1000, 1200) == 1 / (1 + 10**0.5)


def test_002_iv_c_without_a_share_of_the_committees_the_ds_moves_no_cote():
    assert CLUB.alpha == 0


def test_002_v_b_1_a_contest_has_five_minutes():
    assert Lifecycle().contest_window_s == 5 * 60


@pytest.mark.parametrize(
    ("code", "first", "last"),
    [
        ("onyx", 1000, 1399),
        ("amethyste", 1400, 1699),
        ("topaze", 1700, 1899),
        ("diamant", 1900, 3000),
    ],
)
def test_002_vii_each_category_from_its_first_cote_to_its_last(code, first, last):
    assert {category_of(cote, CLUB.bands()).code for cote in (first, last)} == {code}
