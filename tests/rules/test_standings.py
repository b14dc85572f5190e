"""Rankings by named criteria, and what parted each two neighbours (002 II.B, II.C, VI.2)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairings.rules import tiebreaks
from pairings.rules.scoring import MatchRecord, Scale
from pairings.rules.tiebreaks import Criterion, RankedPlayer, of_each, rank
from pairings.systems.faizers.system import FaizersPairing
from pairings.systems.protocol import Entrant

RULES = FaizersPairing()


def won(first: str, second: str, score: int = 310, lost: int = 300, day: int = 1) -> MatchRecord:
    return MatchRecord(first, second, first_score=score, second_score=lost, day=day)


def ranking(
    players: str, *records: MatchRecord, rules=RULES, info=(), today=10, **how
) -> list[RankedPlayer]:
    known = dict(info)
    entrants = [Entrant(player, *known.get(player, ())) for player in players]
    return rules.rank(entrants, records, today=today, **how)


def order(lines: list[RankedPlayer]) -> str:
    return "".join(str(line.player) for line in lines)


def parted(lines: list[RankedPlayer]) -> list[str | None]:
    return [line.parted_by for line in lines]


# --- the mechanism ---------------------------------------------------------------------------


def test_players_whom_nothing_parts_share_a_rank():  # 004 §9: 1, 1, 3
    points = of_each("pm", "PM", "004 §3", {"A": 3, "B": 5, "C": 5, "D": 1})
    lines = rank("ABCD", [points])
    assert [(line.player, line.rank, line.ex_aequo) for line in lines] == [
        ("B", 1, False),
        ("C", 1, True),
        ("A", 3, False),
        ("D", 4, False),
    ]
    assert parted(lines) == [None, None, "pm", "pm"]


def test_a_player_without_a_value_comes_after_those_who_have_one():
    for descending in (True, False):
        form = of_each("form", "", "", {"A": None, "B": 0, "C": -5}, descending=descending)
        assert order(rank("ABC", [form]))[-1] == "A"


def test_a_criterion_can_be_shown_without_ordering():
    shown = of_each("form", "", "", {"A": 1, "B": 2}, orders=False)
    lines = rank("AB", [shown])
    assert order(lines) == "AB" and lines[1].ex_aequo
    assert lines[1].values == {"form": 2}


def test_a_criterion_of_the_group_is_asked_again_for_each_tied_group():
    asked = []

    def values(group):
        asked.append("".join(group))
        return {player: ord(player) for player in group}

    pm = of_each("pm", "PM", "", {"A": 1, "B": 1, "C": 2, "D": 3, "E": 3})
    ppm = Criterion(name="ppm", label="PPM", article="004 §4.1", values=values, of_group=True)
    lines = rank("ABCDE", [pm, ppm])
    assert asked == ["DE", "AB"]
    assert order(lines) == "EDCBA"
    assert parted(lines) == [None, "ppm", "pm", "pm", "ppm"]
    assert lines[2].values["ppm"] is None  # alone in their group


def test_what_parts_two_groups_is_never_a_value_of_one_group_only():
    """D's 9 and C's 1 were not compared with each other."""
    pm = of_each("pm", "PM", "", dict.fromkeys("ABCD", 1))
    pdep = of_each("pdep", "Pdep", "", {"A": 4, "B": 3, "C": 2, "D": 1})

    def runs(ordered):
        return [ordered[:2], ordered[2:]]

    def values(group):
        return {"AB": {"A": 1, "B": 9}, "CD": {"C": 1, "D": 9}}.get("".join(group), {})

    ppm = Criterion(name="ppm", label="", article="", values=values, of_group=True, runs=runs)
    lines = rank("ABCD", [pm, ppm, pdep])
    assert order(lines) == "BADC"
    assert parted(lines) == [None, "ppm", "pdep", "ppm"]


# --- PDI (II.B.1, VI.2) ----------------------------------------------------------------------


def test_the_pdi_beats_the_ds_when_all_have_met():  # II.B.1
    lines = ranking("AB", won("A", "B"), won("B", "Y", 450), won("Z", "A", 420))
    assert order(lines) == "AB" and parted(lines) == [None, "pdi"]
    assert [line.values["pdi"] for line in lines] == [3, 1]


def test_three_players_who_beat_each_other_in_turn_are_parted_by_the_ds():
    lines = ranking("ABC", won("A", "B", 400, 380), won("C", "A", 500), won("B", "C", 400))
    assert [line.values["pdi"] for line in lines] == [4, 4, 4]
    assert order(lines) == "CBA" and parted(lines) == [None, "ds", "ds"]


PARTIAL_CASE = (  # "A vs B, B vs C, mais pas A vs C"; everybody at 4 PR, DS order C A B
    won("A", "B"),
    won("B", "C", 305),
    won("C", "Y", 500, 250),
    won("Z", "A"),
)


@pytest.mark.parametrize(
    ("policy", "expected", "pdi"),
    [
        ("strict", "CAB", [None, None, None]),
        ("subgroup", "CAB", [None, None, None]),  # a chain: nothing sure about A and C
        ("partial", "ABC", [3, 2, 1]),
        ("ignore", "CAB", [None, None, None]),
    ],
)
def test_the_documents_partial_case_under_each_policy(policy, expected, pdi):
    lines = ranking("ABC", *PARTIAL_CASE, rules=replace(RULES, pdi_policy=policy))
    assert order(lines) == expected
    assert [line.values["pdi"] for line in lines] == pdi


NEIGHBOURS = (  # A beat B; DS order C B A
    won("A", "B"),
    won("C", "Y", 420),
    won("Z", "A"),
    won("B", "Z", 330),
    won("Z", "C", 330),
)


@pytest.mark.parametrize(
    ("policy", "expected", "by"),
    [
        ("strict", "CBA", ["ds", "ds"]),
        ("subgroup", "CAB", ["ds", "pdi"]),
        ("partial", "ABC", ["pdi", "pdi"]),  # C met nobody of the group: last, as without form
        ("ignore", "CBA", ["ds", "ds"]),
    ],
)
def test_two_neighbours_who_met_are_parted_by_their_match(policy, expected, by):  # VI.2
    lines = ranking("ABC", *NEIGHBOURS, rules=replace(RULES, pdi_policy=policy))
    assert order(lines) == expected and parted(lines)[1:] == by


@pytest.mark.parametrize(
    ("met", "ordered", "runs"),
    [
        ("AB BC", "ABC", []),  # a chain
        ("AB BC AC", "ABCD", ["ABC"]),
        ("AB BC AC CD", "ABCD", []),  # D hangs on a complete three
        ("AB CD", "ABCD", ["AB", "CD"]),
        ("AB CD", "ACBD", []),
        ("BC", "ABCD", ["BC"]),
    ],
)
def test_a_sub_group_is_all_who_are_linked_when_they_all_met_and_are_neighbours(met, ordered, runs):
    duels: dict[str, dict[str, list[int]]] = {}
    for one, two in met.split():
        duels.setdefault(one, {})[two] = duels.setdefault(two, {})[one] = [2]
    assert list(tiebreaks.complete_runs(ordered, duels)) == runs


def test_a_third_player_between_them_keeps_the_ds_order():
    records = (
        won("A", "B", 301),
        won("B", "Z", 600),
        won("Z", "A", 320),
        won("C", "Z", 350),
        won("Y", "C"),
    )
    lines = ranking("ABC", *records)
    assert order(lines) == "BCA"
    assert [line.values["pdi"] for line in lines] == [None, None, None]


def test_the_committee_can_ignore_the_pdi_of_a_named_group():
    def with_ignored(*players):
        return ranking("ABC", *NEIGHBOURS, rules=replace(RULES, pdi_ignore_groups=(players,)))

    assert order(with_ignored("C", "B", "A")) == "CBA"
    assert order(with_ignored("A", "B")) == "CBA"
    assert order(with_ignored("A", "C")) == "CAB"


TWICE = (  # A beat B, then B beat A; both at 7 PR, A has the better DS
    won("A", "B", 400),
    won("B", "A", 420),
    won("A", "C", 400),
    won("B", "C", 310),
)


@pytest.mark.parametrize(
    ("several", "expected", "pdi"),
    [("mean", "AB", [2, 2]), ("sum", "AB", [4, 4]), ("last", "BA", [3, 1])],
)
def test_a_pair_that_met_twice(several, expected, pdi):
    lines = ranking("AB", *TWICE, rules=replace(RULES, pdi_multi=several))
    assert order(lines) == expected and [line.values["pdi"] for line in lines] == pdi


def test_the_mean_of_a_pair_weighs_it_like_any_other():
    duels = {"A": {"B": [3, 1], "C": [3]}, "B": {"A": [1, 3], "C": [1]}, "C": {"A": [1], "B": [3]}}
    assert tiebreaks.points_between("ABC", duels) == {"A": 5, "B": 3, "C": 4}
    assert tiebreaks.mean_between("ABC", duels) == {
        "A": Fraction(5, 2),
        "B": Fraction(3, 2),
        "C": 2,
    }


def test_a_forfeit_is_no_confrontation_for_the_pdi_unless_the_committee_says_so():
    records = (
        MatchRecord("A", "B", "absent", absent="b"),
        won("B", "Y", 600),
        won("Z", "A", 301),
        won("Z", "B", 301),
        won("Z", "A", 600),
        won("Z", "B", 301),
    )
    totals = [line.values["pr"] for line in ranking("AB", *records)]
    assert totals == [5, 5]
    assert parted(ranking("AB", *records))[1] == "ds"
    lines = ranking("AB", *records, rules=replace(RULES, forfeit_counts_as_met_pdi=True))
    assert order(lines) == "AB" and [line.values["pdi"] for line in lines] == [3, 0]


# --- the rest of the chain (II.C) ------------------------------------------------------------

LEVEL = {"A": (50, 2), "B": (40, 1)}


def drawn(first: str, second: str, day: int, score: int = 300) -> MatchRecord:
    return won(first, second, score, score, day)


def test_more_matches_really_played_come_first():  # II.C.1: byes and forfeits are left out
    records = [drawn("A", "Z", 1), MatchRecord("A", None, "bye"), drawn("B", "Z", 1)]
    records += [drawn("B", "Y", 2), MatchRecord("B", "Q", "absent", absent="both")]
    records += [won("B", "X", 400, 200), won("V", "B", 400, 200)]
    rules = replace(RULES, bye_ds=None, pr_bye=6)
    lines = ranking("AB", *records, rules=rules, info=LEVEL)
    assert [line.values["pr"] for line in lines] == [8, 8]
    assert order(lines) == "BA" and parted(lines)[1] == "played"


def test_six_months_of_form_come_next_but_not_for_pairing():  # II.C.2, III.A.4
    records = [drawn("A", "Z", 1), drawn("B", "Y", 1, score=400)]
    assert order(ranking("AB", *records, info={"A": (1,), "B": (2,)})) == "BA"
    lines = ranking("AB", *records, info={"A": (1,), "B": (2,)}, for_pairing=True)
    assert order(lines) == "AB" and parted(lines)[1] == "seniority"


@pytest.mark.parametrize(
    ("info", "expected", "by"),
    [
        ({"A": (50, 1), "B": (40, 2)}, "BA", "seniority"),
        ({"A": (40, 2), "B": (40, 1)}, "BA", "initial"),
        ({"A": (40, 1), "B": (40, 1)}, "AB", "id"),
    ],
)
def test_the_oldest_member_then_the_initial_rank_then_the_number(info, expected, by):  # II.C.3
    lines = ranking("AB", info=info)
    assert order(lines) == expected and parted(lines)[1] == by


def test_a_sum_rewards_many_matches_and_a_mean_does_not():  # II.B.2, VI.3
    records = [won("A", "Z", 360), won("Y", "A", 303), won("A", "X", 360), won("W", "A", 303)]
    records += [won("B", "Z", 390), won("Y", "B", 303), MatchRecord("B", None, "bye")]
    rules = replace(RULES, bye_ds=None, pr_bye=4)
    total = ranking("AB", *records, rules=rules)
    mean = ranking("AB", *records, rules=replace(rules, ds_mode="mean"))
    assert order(total) == "AB" and [line.values["ds"] for line in total] == [38, 29]
    assert order(mean) == "BA" and [line.values["ds"] for line in mean] == [
        Fraction(29, 2),
        Fraction(19, 2),
    ]


def test_the_committee_weighs_byes_and_forfeits_in_the_mean():
    records = [won("A", "Z", 330), MatchRecord("A", None, "bye")]
    records += [MatchRecord("A", "Q", "absent", absent="b")]
    rules = replace(RULES, ds_mode="mean", ds_weights={"bye": "0.5", "forfeit": 0})
    assert ranking("A", *records, rules=rules)[0].values["ds"] == Fraction(10 + 25) / Fraction(3, 2)


def test_a_ds_weight_of_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="sorte de match"):
        replace(RULES, ds_weights={"holiday": 1})


def test_two_players_an_exact_hair_apart_are_not_tied():
    """1/3 + 1/3 + 1/3 against 1: floats would see a difference, or none, by chance."""
    records = [won("A", f"Z{n}", 301, 300) for n in range(3)]
    records += [won("B", "Y", 101, 100), drawn("B", "X", 1), drawn("B", "W", 1)]
    lines = ranking("AB", *records, rules=replace(RULES, pr_draw=3))
    assert [line.values["ds"] for line in lines] == [1, 1]


@pytest.mark.parametrize("pr_win", [3, 4, 10])
def test_the_pdi_has_a_table_of_its_own_whatever_the_pr_of_a_win(pr_win):
    """II.B.1: "Victoire 3 points, Match nul 2 points chacun, Défaite 1 point"."""
    records = [won("A", "B"), won("B", "A"), drawn("A", "B", 2)]
    lines = ranking("AB", *records, rules=replace(RULES, pr_win=pr_win, pdi_multi="sum"))
    assert [line.values["pdi"] for line in lines] == [3 + 1 + 2] * 2


def test_a_new_version_of_the_pr_does_not_part_two_players_who_beat_each_other():
    """One victory each: the second is worth more PR, and no more PDI (II.B.1)."""
    records = [won("A", "B"), won("B", "A")._replace(scale=Scale(win=4))]
    records += [drawn("A", "C", 2), won("D", "B")]  # 6 PR each
    lines = ranking("AB", *records)
    assert [(line.values["pr"], line.values["pdi"]) for line in lines] == [(6, 2), (6, 2)]


@pytest.mark.parametrize("pr_forfeit_win", [3, 5])
def test_a_forfeit_that_counts_for_the_pdi_is_a_victory_of_its_table(pr_forfeit_win):
    records = [MatchRecord("A", "B", "absent", absent="b"), won("B", "Z", 400)]
    rules = replace(
        RULES, pr_forfeit_win=pr_forfeit_win, pr_win=pr_forfeit_win, forfeit_counts_as_met_pdi=True
    )
    assert [line.values["pdi"] for line in ranking("AB", *records, rules=rules)] == [3, 0]


# --- properties ------------------------------------------------------------------------------

PLAYERS = "ABCDEF"


@st.composite
def seasons(draw):
    records = []
    for day in range(draw(st.integers(0, 14))):
        first, second = draw(st.permutations(PLAYERS))[:2]
        scores = st.sampled_from([200, 300, 330, 400])
        records.append(won(first, second, draw(scores), draw(scores), day))
    return records


policies = st.sampled_from(["strict", "subgroup", "partial", "ignore"])


@settings(deadline=None)
@given(seasons(), policies, st.randoms(use_true_random=False), st.booleans())
def test_the_order_is_total_and_does_not_depend_on_the_order_of_input(
    season, policy, chance, pairing
):
    rules = replace(RULES, pdi_policy=policy)
    lines = ranking(PLAYERS, *season, rules=rules, for_pairing=pairing)
    shuffled = "".join(chance.sample(PLAYERS, len(PLAYERS)))
    assert ranking(shuffled, *season, rules=rules, for_pairing=pairing) == lines
    assert sorted(order(lines)) == sorted(PLAYERS)
    assert [line.rank for line in lines] == [1, 2, 3, 4, 5, 6]
    assert None not in parted(lines)[1:]


@settings(deadline=None)
@given(seasons(), policies)
def test_nobody_stands_above_a_player_with_more_pr(season, policy):
    lines = ranking(PLAYERS, *season, rules=replace(RULES, pdi_policy=policy))
    totals = [line.values["pr"] for line in lines]
    assert totals == sorted(totals, reverse=True)


@settings(deadline=None)
@given(seasons())
def test_what_parts_two_neighbours_really_differs_in_the_right_direction(season):
    lines = ranking(PLAYERS, *season)
    for above, below in pairwise(lines):
        one, two = above.values[below.parted_by], below.values[below.parted_by]
        if below.parted_by in ("seniority", "initial", "id"):
            assert one < two
        else:
            assert two is None or one > two
