"""King of the hill: neighbours in the ranking meet."""

from __future__ import annotations

import pytest

from pairings.rules.scoring import BYE, MatchRecord
from pairings.systems.formule_classique.system import boards
from pairings.systems.king_of_the_hill.system import KingOfTheHill
from tests.rounds import entrants

SYSTEM = KingOfTheHill()


def game(first, second, own, other):
    return MatchRecord(first, second, first_score=own, second_score=other, day=1, key="1")


def test_neighbours_meet_even_if_they_have_met():
    records = [game("A", "B", 300, 300), game("C", "D", 400, 300)]
    pairing = SYSTEM.pair_round(entrants("ABCD"), records, today=2)
    assert pairing.order == ("C", "A", "B", "D")
    assert [pair[:2] for pair in boards(pairing)] == [("C", "A"), ("B", "D")]
    again = SYSTEM.pair_round(entrants("AB"), records[:1])
    assert again.repeats == 1 and again.pairs[0].meeting.key == "1"


@pytest.mark.parametrize(("rule", "chosen"), [("fewest", "B"), ("last", "C")])
def test_who_meets_the_fictive_player(rule, chosen):
    system = KingOfTheHill(bye_goes_to=rule)
    records = [MatchRecord("C", None, BYE, day=1), game("A", "B", 900, 300), game("B", "A", 1, 0)]
    # A 4, B 4, C 3: C is last but has had their bye
    pairing = system.pair_round(entrants("ABC"), records)
    assert [bye.player for bye in pairing.byes] == [chosen]
    assert pairing.byes[0].byes == (chosen == "C")


def test_the_absent_are_left_out():
    pairing = SYSTEM.pair_round(entrants("ABCDE"), [], available="BCD")
    assert pairing.order == ("B", "C", "D") and pairing.byes[0].player == "D"
