"""Three unjustified absences in ten assigned matches (002 II.A.2, VI.1)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairings.rules.absence_policy import due, review
from pairings.rules.scoring import MatchRecord
from pairings.systems.faizers.system import FaizersPairing
from ratings.systems.faizers.system import floor_of_cut, rating_after_cut

RULES = FaizersPairing()


def season(strip: str) -> list[MatchRecord]:
    """A's matches, a letter each: p played, x absent, j justified, 2 both absent, b bye,
    c annulled, o the opponent absent."""
    kinds = {
        "p": ("played", ""),
        "x": ("absent", "a"),
        "j": ("absent", "a"),
        "2": ("absent", "both"),
        "o": ("absent", "b"),
        "b": ("bye", ""),
        "c": ("cancelled", ""),
    }
    return [
        MatchRecord(
            "A",
            None if letter == "b" else f"B{place}",
            kinds[letter][0],
            400 if letter == "p" else None,
            300 if letter == "p" else None,
            absent=kinds[letter][1],
            justified=letter == "j",
            day=place,
            key=str(place),
        )
        for place, letter in enumerate(strip)
    ]


def proposed(strip: str, rules: FaizersPairing = RULES) -> list[int]:
    return [p.index for p in review(season(strip), rules).proposals if p.player == "A"]


@pytest.mark.parametrize(
    ("strip", "at"),
    [
        ("xx", []),
        ("xxx", [2]),
        ("xpppppppx", []),
        ("xpppppppxx", [9]),  # the third in the tenth match
        ("xppppppppxx", []),  # the first is the eleventh back
        ("pxpxpxp", [5]),
    ],
)
def test_three_absences_among_the_last_ten_matches_make_a_proposal(strip, at):
    assert proposed(strip) == at


def test_a_justified_absence_stays_in_the_window_and_does_not_count():
    assert proposed("xjxjx") == [4]
    assert proposed("xjjx") == []
    assert proposed("xxjjjjjjjjx") == []


def test_byes_and_annulled_matches_are_no_assigned_matches():
    assert proposed("xbcbcbcbcbcbcxx") == [14]


def test_the_opponents_absence_is_a_match_like_another():
    assert proposed("xxoooooooox") == []


def test_a_double_absence_counts_for_both_the_first_seat_first():
    both = [MatchRecord("A", "B", "absent", absent="both")] * 3
    assert [(p.player, p.index) for p in review(both, RULES).proposals] == [("A", 2), ("B", 2)]
    excused = [MatchRecord("A", "B", "absent", absent="both", justified=True)] * 3
    assert review(excused, RULES).proposals == ()


def test_the_count_starts_again_after_a_proposal():
    assert proposed("xxxpx") == [2]
    assert proposed("xxxpxx") == [2]
    assert proposed("xxxpxxx") == [2, 6]


def test_only_a_new_absence_makes_a_proposal():
    assert proposed("xxxppppppp") == [2]


@pytest.mark.parametrize(("limit", "window", "at"), [(2, 5, [4]), (2, 4, []), (1, 1, [0, 4])])
def test_the_committee_sets_the_limit_and_the_window(limit, window, at):
    assert proposed("xpppxp", replace(RULES, absence_limit=limit, absence_window=window)) == at


LATER = replace(RULES, absence_limit=2, absence_window=3)


@pytest.mark.parametrize(
    ("strip", "now", "then", "keys", "windows"),
    [
        ("xxp", LATER, RULES, "01", []),  # a lower limit proposes nothing before another absence
        ("xxpx", LATER, RULES, "01", ["123"]),
        ("xpxpx", LATER, RULES, "01234", ["01234"]),
        ("xpppxx", RULES, LATER, "012345", ["345"]),
        ("xppppx", RULES, LATER, "012345", []),
    ],
)
def test_each_absence_is_judged_by_the_numbers_of_its_own_match(strip, now, then, keys, windows):
    """Those of the matches `keys` are judged by `then`."""
    proposals = review(season(strip), now, dict.fromkeys(keys, then)).proposals
    assert ["".join(dot.key for dot in case.window) for case in proposals] == windows


def test_the_strip_is_as_long_as_the_window_in_force():
    strips = review(season("xppppp"), LATER, {"0": RULES}).strips
    assert [dot.key for dot in strips["A"]] == ["3", "4", "5"]


def test_a_proposal_carries_the_strip_of_matches_and_those_that_count():
    rules = replace(RULES, suspension_rounds=4, rating_cut_percent="2.5", rating_floor=1000)
    (proposal,) = review(season("pxjpxx"), rules).proposals
    assert [dot.key for dot in proposal.window] == ["0", "1", "2", "3", "4", "5"]
    assert [dot.key for dot in proposal.absences] == ["1", "4", "5"]
    assert proposal.to_json()["absences"] == ["1", "4", "5"]
    assert proposal.suspension_rounds == 4
    assert (proposal.rating_cut_percent, proposal.rating_floor) == (Fraction(5, 2), 1000)


def test_the_strip_shows_the_matches_since_the_last_proposal():
    strips = review(season("xxxpjx"), RULES).strips
    assert [(dot.absent, dot.counts) for dot in strips["A"]] == [
        (False, False),
        (True, False),
        (True, True),
    ]


@given(st.text("ppxj2obc", max_size=60))
def test_proposals_follow_the_definition_written_out(strip):
    """Brute force: from each absence, look back ten assigned matches, not past a proposal."""
    assigned = [(i, c in "x2") for i, c in enumerate(strip) if c not in "bc"]
    expected: list[int] = []
    start = 0
    for place, (index, counts) in enumerate(assigned):
        back = assigned[max(start, place - 9) : place + 1]
        if counts and sum(flag for _, flag in back) >= 3:
            expected.append(index)
            start = place + 1
    assert proposed(strip) == expected


@pytest.mark.parametrize(
    ("rating", "percent", "floor", "after"),
    [
        (1200, 5, None, 1140),
        (Fraction(2469, 2), Fraction(5, 2), None, Fraction(96291, 80)),
        (1011, 1, 1000, Fraction(100089, 100)),
        (1010, 1, 1000, 1000),
        (1009, 1, 1000, 1000),
        (990, 10, 1000, 990),
        (1200, 0, 1000, 1200),
        (1200, 100, None, 0),
    ],
)
def test_a_cut_is_exact_stops_at_the_floor_and_never_raises(rating, percent, floor, after):
    assert rating_after_cut(rating, percent, floor) == after


@pytest.mark.parametrize(("absences", "is_due"), [(2, False), (3, True), (4, True)])
def test_three_absences_of_the_last_ten_call_for_a_proposal(absences, is_due):
    assert due([True] * absences + [False] * (10 - absences)) is is_due


@pytest.mark.parametrize(("age", "is_due"), [(8, True), (9, True), (10, False)])
def test_an_absence_counts_until_ten_matches_have_followed_it(age, is_due):
    """`age`: how many matches of the strip came after the first absence."""
    assert due([True, *[False] * (age - 2), True, True]) is is_due


@pytest.mark.parametrize(("of_cuts", "holds"), [(None, 1000), (0, 0), (990, 990), (1001, 1001)])
def test_the_floor_of_cuts_holds_where_it_has_a_value_else_the_floor_of_cotes(of_cuts, holds):
    assert floor_of_cut(of_cuts, 1000) == holds
