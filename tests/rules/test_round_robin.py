"""Round robin by Berger's tables."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from pairings.rules.scoring import MatchRecord
from pairings.systems.formule_classique.system import boards
from pairings.systems.protocol import LEFT_UNPAIRED, Entrant, RoundRefused
from pairings.systems.round_robin.system import RoundRobin, berger_round

SYSTEM = RoundRobin()


def entrants(size):
    return [Entrant(player, 0, player) for player in range(1, size + 1)]


def test_the_table_for_six_is_the_usual_one():
    assert [" ".join(f"{a}-{b}" for a, b in berger_round(6, n)) for n in range(1, 6)] == [
        "1-6 2-5 3-4",
        "6-4 5-3 1-2",
        "2-6 3-1 4-5",
        "6-5 1-4 2-3",
        "3-6 4-2 5-1",
    ]


@pytest.mark.parametrize(("size", "number"), [(5, 1), (0, 1), (6, 0), (6, 6)])
def test_a_round_that_does_not_exist_is_refused(size, number):
    with pytest.raises(ValueError, match="no round"):
        berger_round(size, number)


@pytest.mark.parametrize("size", [2, 4, 8, 16, 20])
def test_everybody_meets_everybody_once_and_begins_as_often_as_not(size):
    rounds = [berger_round(size, number) for number in range(1, size)]
    for pairs in rounds:
        assert sorted(seat for pair in pairs for seat in pair) == list(range(1, size + 1))
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert met == Counter({frozenset(pair): 1 for pair in combinations(range(1, size + 1), 2)})
    begins = Counter(pair[0] for pairs in rounds for pair in pairs)
    assert all(abs(2 * begins[seat] - (size - 1)) <= 1 for seat in range(1, size + 1))


@pytest.mark.parametrize("size", [3, 5, 7])
def test_an_odd_number_sits_out_once_each(size):
    out = []
    for number in range(1, SYSTEM.rounds_of(size) + 1):
        pairing = SYSTEM.pair_round(entrants(size), [], today=number)
        assert len(pairing.pairs) == size // 2
        out += [bye.player for bye in pairing.byes]
    assert sorted(out) == list(range(1, size + 1))


def test_the_second_cycle_is_the_first_with_the_other_beginning():
    twice = RoundRobin(cycles=2)
    assert twice.rounds_of(4) == 6
    first = twice.pair_round(entrants(4), [], today=1)
    again = twice.pair_round(entrants(4), [], today=4)
    assert [(two, one) for one, two, _ in boards(first)] == [pair[:2] for pair in boards(again)]


def test_the_opponent_of_an_absent_player_has_no_match_and_the_arbiter_is_told():
    pairing = SYSTEM.pair_round(entrants(6), [], available=[1, 2, 3, 4, 5], today=1)
    assert pairing.unpaired == (1,) and (LEFT_UNPAIRED, (1,)) in pairing.warnings
    assert [pair[:2] for pair in pairing.pairs] == [(2, 5), (3, 4)]


@pytest.mark.parametrize(("size", "alone"), [(5, ()), (6, (7,)), (7, ())])
def test_who_comes_later_has_the_place_that_nobody_took_and_changes_no_table(size, alone):
    late = [*entrants(size), Entrant(size + 1, 2, size + 1)]
    assert SYSTEM.admits(size) == (not alone) and SYSTEM.admits(size + 1) != SYSTEM.admits(size)
    for number in range(2, SYSTEM.rounds_of(size) + 1):
        pairing, before = (
            SYSTEM.pair_round(who, [], today=number) for who in (late, entrants(size))
        )
        old, new = ({pair[:2] for pair in one.pairs} for one in (before, pairing))
        assert old <= new and len(new - old) == (not alone)
        assert pairing.unpaired == alone and ((LEFT_UNPAIRED, alone) in pairing.warnings) == bool(
            alone
        )


def test_the_next_round_follows_the_results_and_ends():
    records = [MatchRecord(1, 2, first_score=1, second_score=0, day=1)]
    with pytest.raises(RoundRefused, match="Toutes les rondes"):
        SYSTEM.pair_round(entrants(2), records)
    assert len(SYSTEM.pair_round(entrants(4), records).pairs) == 2


@pytest.mark.parametrize("size", [4, 5, 6])
@pytest.mark.parametrize("cycle", [2, 3, 4])
def test_who_begins_changes_at_each_return(size, cycle):
    system = RoundRobin(cycles=cycle)
    rounds = size + size % 2 - 1
    for number in range(1, rounds + 1):
        first = system.pair_round(entrants(size), [], today=number)
        later = system.pair_round(entrants(size), [], today=number + (cycle - 1) * rounds)
        turned = [
            (p.second, p.first) if cycle % 2 == 0 else (p.first, p.second) for p in first.pairs
        ]
        assert [(p.first, p.second) for p in later.pairs] == turned
        assert [bye.player for bye in later.byes] == [bye.player for bye in first.byes]
