"""A schedule of systems by rounds, initial quads, and who begins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clubs.rulebooks.fields import with_values
from pairings.rules.firsts import DRAWN, FEWEST, LONGEST_AGO, Firsts
from pairings.rules.scoring import ABSENT, BYE, PENDING, MatchRecord
from pairings.systems.protocol import (
    HALVES,
    NEIGHBOURS,
    ORPHAN,
    ORPHANS,
    QUAD,
    TABLE,
    Entrant,
    EntriesRefused,
    RoundRefused,
)
from pairings.systems.quads.system import InitialQuads, quads
from pairings.systems.schedule.system import Schedule, ScheduleRefused
from tests.rounds import entrants, game, pairs_of

USUAL = ((1, 3, "quads", 0), (4, 6, "swiss", 1), (7, 7, "king_of_the_hill", 0))


# The table


@pytest.mark.parametrize(
    ("rows", "code", "values"),
    [
        ([(2, 5, "swiss", 0)], "hole", {"number": 1}),
        ([(1, 3, "quads", 0), (5, 7, "swiss", 0)], "hole", {"number": 4}),
        ([(1, 3, "quads", 0), (3, 7, "swiss", 0)], "overlap", {"number": 3}),
        ([(3, 1, "swiss", 0)], "backwards", {"first": 3, "last": 1}),
        ([(0, 1, "swiss", 0)], "backwards", {"first": 0, "last": 1}),
        ([(1, 3, "dice", 0)], "unknown", {"number": 1}),
        ([(1, 4, "quads", 0)], "late_quads", {}),
        ([(1, 1, "swiss", 0), (2, 4, "quads", 0)], "late_quads", {}),
        ([(1, 41, "swiss", 0)], "too_long", {}),
        ([(1, 3, "quads", 1)], "no_lag", {"number": 1}),
        ([(1, 3, "swiss", 2)], "no_lag", {"number": 1}),
    ],
)
def test_a_table_that_does_not_give_each_round_one_system_is_refused(rows, code, values):
    with pytest.raises(ScheduleRefused) as refused:
        Schedule(schedule=rows)
    assert (refused.value.code, refused.value.values) == (code, values)


@pytest.mark.parametrize(("last", "fits"), [(39, True), (40, True), (41, False)])
def test_a_schedule_has_forty_rounds_at_most(last, fits):
    rows = [[1, last, "swiss", 0]]
    if fits:
        assert with_values(Schedule, {"schedule": rows}).rounds_of(24) == last
    else:
        with pytest.raises(ScheduleRefused):
            with_values(Schedule, {"schedule": rows})


def test_the_rows_may_come_in_any_order():
    found = Schedule(schedule=(USUAL[2], USUAL[0], USUAL[1]))
    assert found == Schedule(schedule=USUAL) and found.rounds_of(8) == 7
    assert [found.lag_of(number) for number in (3, 4, 6, 7)] == [0, 1, 1, 0]


def test_an_empty_table_and_a_round_after_it_are_refused():
    with pytest.raises(EntriesRefused):
        Schedule().rounds_of(8)
    with pytest.raises(RoundRefused):
        Schedule(schedule=USUAL).pair_round(entrants("ABCD"), [], today=8)


@pytest.mark.parametrize(
    ("number", "reason"), [(1, QUAD), (3, QUAD), (4, HALVES), (6, HALVES), (7, NEIGHBOURS)]
)
def test_each_round_is_paired_by_its_own_system(number, reason):
    pairing = Schedule(schedule=USUAL).pair_round(entrants("ABCDEFGH"), [], today=number)
    assert {pair.reason for pair in pairing.pairs} == {reason}


def test_everybody_meets_everybody_from_the_first_round_of_its_range():
    rows = [(1, 1, "swiss", 0), (2, 7, "round_robin", 0)]
    rules = Schedule(schedule=rows)
    met = set()
    for number in range(2, 5):
        pairing = rules.pair_round(entrants("ABCD"), [], today=number)
        assert {pair.reason for pair in pairing.pairs} == {TABLE}
        met |= {frozenset(pair) for pair in pairs_of(pairing)}
    assert len(met) == 6
    again = rules.pair_round(entrants("ABCD"), [], today=5)
    assert {frozenset(pair) for pair in pairs_of(again)} < met


def test_the_table_of_a_range_is_of_those_who_were_there_when_it_began():
    """Three rounds of four, twice and a half; five come while they play."""
    rules = Schedule(schedule=((1, 2, "swiss"), (3, 9, "round_robin")))
    four = [
        Entrant(player, 3 if player == "D" else 1, place) for place, player in enumerate("ABCD")
    ]
    late = [Entrant(player, 4, place) for place, player in enumerate("EFGHI", start=4)]
    for number in range(3, 10):
        pairing = rules.pair_round([*four, *late], [], today=number)
        assert pairing.pairs == rules.pair_round(four, [], today=number).pairs
        assert len(pairing.pairs) == 2 and pairing.unpaired == tuple("EFGHI")


def test_the_schedule_knows_how_many_rounds_are_left_for_the_prizes():
    rows = [(1, 2, "swiss", 0), (3, 3, "king_of_the_hill", 0)]
    records = [game("A", "C", day=1), game("B", "D", day=1), game("A", "D", day=2)]
    records += [game("C", "B", day=2)]
    rules = Schedule(schedule=rows, prize_places=1)
    last = rules.pair_round(entrants("ABCD"), records, today=3)
    assert last.pairs[0].reason == NEIGHBOURS  # B can still reach 2 wins
    more = [*records[:3], MatchRecord("B", "C", "absent", absent="both", day=2)]
    alone = [
        MatchRecord("B", "D", "absent", absent="both", day=1)
        if r.day == 1 and r.first == "B"
        else r
        for r in more
    ]
    assert rules.pair_round(entrants("ABCD"), alone, today=3).pairs[0].reason == "prize_won"


# Initial quads


@pytest.mark.parametrize(
    ("size", "groups"),
    [
        (2, [[1, 2]]),
        (4, [[1, 2, 3, 4]]),
        (6, [[1, 2, 3, 4, 5, 6]]),
        (8, [[1, 4, 5, 8], [2, 3, 6, 7]]),
        (10, [[1, 5, 6, 10], [2, 3, 4, 7, 8, 9]]),
        (16, [[1, 8, 9, 16], [2, 7, 10, 15], [3, 6, 11, 14], [4, 5, 12, 13]]),
    ],
)
def test_groups_are_filled_from_both_ends(size, groups):
    assert quads(size) == groups


@given(st.integers(1, 100))
def test_every_seed_has_one_group_and_groups_of_four_the_same_sum(half):
    found = quads(2 * half)
    assert sorted(seed for group in found for seed in group) == list(range(1, 2 * half + 1))
    assert {sum(group) for group in found if len(group) == 4} <= {2 * (2 * half + 1)}
    assert sum(len(group) != 4 for group in found) <= 1


@pytest.mark.parametrize("size", [4, 7, 8, 9, 10, 11, 24])
def test_nobody_meets_anybody_twice_in_three_rounds(size):
    people, met = entrants(range(size)), set()
    for number in (1, 2, 3):
        pairing = InitialQuads().pair_round(people, [], today=number)
        pairs = {frozenset(pair) for pair in pairs_of(pairing)}
        seated = [p for pair in pairs_of(pairing) for p in pair] + [b.player for b in pairing.byes]
        assert sorted(seated) == list(range(size)) and not pairs & met
        met |= pairs
    with pytest.raises(RoundRefused):
        InitialQuads().pair_round(people, [], today=4)


def test_the_two_best_of_a_group_meet_last():
    pairing = InitialQuads().pair_round(entrants("ABCD"), [], today=3)
    assert pairs_of(pairing) == [("A", "B"), ("C", "D")]


def test_those_without_an_opponent_and_a_late_arrival_meet_each_other():
    people = [*entrants("ABCDEFGH"), Entrant("Z", 2, 9)]
    pairing = InitialQuads().pair_round(people, [], available="ABCDEFGZ", today=2)
    assert sorted(p for pair in pairs_of(pairing) for p in pair) == sorted("ABCDEFGZ")
    assert [warned.code for warned in pairing.warnings] == [ORPHANS]
    odd = InitialQuads().pair_round(people, [], available="ABCDEFG", today=2)
    assert len(odd.byes) == 1 and len(odd.pairs) == 3
    assert odd.byes[0].how == ORPHAN + HALVES


def test_who_meets_outside_their_group_reads_so_and_not_that_points_are_equal():
    """Groups of A D E H and B C F G; in round 2 A meets E, D meets H, B meets F, C meets G."""
    pairing = InitialQuads().pair_round(entrants("ABCDEFGH"), [], available="ABCDEF", today=2)
    found = {frozenset(pair[:2]): pair.reason for pair in pairing.pairs}
    assert found == {
        frozenset("AE"): QUAD,
        frozenset("BF"): QUAD,
        frozenset("CD"): ORPHAN + HALVES,
    }


def test_a_late_arrival_takes_the_place_of_the_fictive_player():
    people = [*entrants("ABC"), Entrant("Z", 2, 4)]
    pairing = InitialQuads().pair_round(people, [], today=2)
    assert not pairing.byes and len(pairing.pairs) == 2


# Who begins


def never(one, two):
    raise AssertionError("no draw is needed")


@pytest.mark.parametrize(
    ("records", "first", "why"),
    [
        ([game("A", "C", day=1)], "B", FEWEST),
        ([game("A", "C", day=1), game("B", "C", day=1), game("B", "D", day=2)], "A", FEWEST),
        ([game("C", "A", day=1), game("D", "B", day=2)], "A", LONGEST_AGO),
        ([game("C", "A", day=3), game("D", "B", day=2)], "B", LONGEST_AGO),
        ([game("C", "B", day=1)], "B", LONGEST_AGO),
        # A game that is being played counts, one that an absence decided does not.
        ([MatchRecord("A", "C", PENDING, day=1)], "B", FEWEST),
        ([MatchRecord("A", "C", ABSENT, absent="b"), game("B", "D", day=1)], "A", FEWEST),
    ],
)
def test_who_begins(records, first, why):
    found = Firsts(records).settle("A", "B", never)
    assert (found.first, found.why) == (first, why)
    assert {found.first, found.second} == {"A", "B"}


@pytest.mark.parametrize("heads", [True, False])
def test_a_draw_decides_where_nothing_else_does(heads):
    level = [game("C", "A", day=1), game("D", "B", day=1), MatchRecord("A", None, BYE, day=2)]
    found = Firsts(level).settle("A", "B", lambda one, two: heads)
    assert (found.first, found.why, found.firsts) == ("A" if heads else "B", DRAWN, (0, 0))


@given(st.randoms(use_true_random=False))
def test_the_firsts_of_two_who_always_meet_differ_by_one_at_most(chance):
    records = []
    for day in range(1, 12):
        found = Firsts(records).settle("A", "B", lambda one, two: chance.random() < 0.5)
        records.append(game(found.first, found.second, day=day))
        begun = Firsts(records).begun
        assert abs(begun.get("A", 0) - begun.get("B", 0)) <= 1
