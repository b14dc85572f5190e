"""The final places still possible: never wrong, compared with every way the round can end."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairings.rules.scoring import ABSENT, BYE, MatchRecord
from pairings.systems.formule_classique.system import FormuleClassique
from pairings.systems.points.possible_places import Contender, Places, possible_places
from pairings.systems.protocol import Entrant

CAP = 3
SYSTEM = FormuleClassique(
    rounds=3, pdep_cap=CAP, forfeit_win_pdep=1, forfeit_loss_pdep=-1, small_tables=()
)


def game(first, second, margin, day):
    return MatchRecord(first, second, first_score=10 + margin, second_score=10, day=day)


def endings(first, second, day, forfeits):
    """Every result of one board."""
    if second is None:
        return [MatchRecord(first, None, BYE, day=day)]
    found = [game(first, second, margin, day) for margin in range(-CAP, CAP + 1)]
    if forfeits:
        found += [
            MatchRecord(first, second, ABSENT, absent=who, day=day) for who in ("a", "b", "both")
        ]
    return found


def history(size, rounds, chance):
    people = [Entrant(player, 0, player) for player in range(1, size + 1)]
    records = []
    for day in range(1, rounds + 1):
        pairing = SYSTEM.pair_round(people, records, today=day)
        records += [game(p.first, p.second, chance.randint(-CAP, CAP), day) for p in pairing.pairs]
        records += [MatchRecord(bye.player, None, BYE, day=day) for bye in pairing.byes]
    return people, records


def contenders(people, records, left):
    pm, pdep = SYSTEM.totals(people, records)
    return [Contender(e.player, pm[e.player], pdep[e.player], left(e.player)) for e in people]


def reached(people, records, results):
    """The best and the worst place of each over all these ends of the tournament."""
    found = {entrant.player: set() for entrant in people}
    for ending in results:
        for line in SYSTEM.rank(people, [*records, *ending]):
            found[line.player].add(line.rank)
    return {player: Places(min(places), max(places)) for player, places in found.items()}


def last_round(size, seed, forfeits, settled):
    chance = random.Random(seed)
    people, records = history(size, 2, chance)
    pairing = SYSTEM.pair_round(people, records, today=3)
    open_boards = [(pair.first, pair.second) for pair in pairing.pairs]
    if settled:
        first, second = open_boards.pop()
        records.append(game(first, second, chance.randint(-CAP, CAP), 3))
    byes = [(bye.player, None) for bye in pairing.byes]
    if settled:
        records += [endings(*bye, 3, False)[0] for bye in byes]
    else:
        open_boards += byes
    playing = {player for board in open_boards for player in board}
    bounds = possible_places(
        contenders(people, records, lambda player: int(player in playing)),
        SYSTEM.duels(records),
        boards=open_boards,
        scale=SYSTEM.scale(),
        forfeits=forfeits,
    )
    results = product(*(endings(one, two, 3, forfeits) for one, two in open_boards))
    return bounds, reached(people, records, results)


@settings(max_examples=12, deadline=None)
@given(st.integers(4, 6), st.integers(0, 10_000), st.booleans(), st.booleans())
def test_in_the_last_round_no_end_leaves_the_bounds(size, seed, forfeits, settled):
    bounds, real = last_round(size, seed, forfeits, settled)
    for player, places in bounds.items():
        assert places.best <= real[player].best and real[player].worst <= places.worst


def test_in_the_last_round_most_bounds_are_reached():
    exact = total = 0
    for seed in range(20):
        bounds, real = last_round(6, seed, seed % 2 == 0, True)
        exact += sum(
            (bounds[p].best == real[p].best) + (bounds[p].worst == real[p].worst) for p in bounds
        )
        total += 2 * len(bounds)
    # the others hang on PPM, frequent where six players have nearly all met
    assert (exact, total) == (194, 240)


@settings(max_examples=30, deadline=None)
@given(st.integers(5, 8), st.integers(0, 10_000), st.booleans())
def test_with_two_rounds_to_come_no_end_leaves_the_bounds(size, seed, forfeits):
    chance = random.Random(seed)
    people, records = history(size, 2, chance)
    bounds = possible_places(
        contenders(people, records, lambda _player: 2), SYSTEM.duels(records), forfeits=forfeits
    )
    for _ in range(40):
        ending = list(records)
        for day in (3, 4):
            pairing = SYSTEM.pair_round(people, ending, today=day)
            for pair in pairing.pairs:
                ending.append(chance.choice(endings(pair.first, pair.second, day, forfeits)))
            ending += [MatchRecord(bye.player, None, BYE, day=day) for bye in pairing.byes]
        for line in SYSTEM.rank(people, ending):
            assert bounds[line.player].best <= line.rank <= bounds[line.player].worst


def test_a_finished_tournament_leaves_everybody_their_place():
    people, records = history(7, 3, random.Random(1))
    bounds = possible_places(contenders(people, records, lambda _p: 0), {}, boards=())
    ranked = SYSTEM.standing(people, records, with_ppm=False, with_initial=False)
    assert {line.player: Places(line.rank, line.rank) for line in ranked} == bounds


@pytest.mark.parametrize(("lead", "best_of_second"), [(2, 1), (3, 1), (4, 2)])
def test_the_leader_is_sure_of_the_first_place_when_nobody_can_catch_them(lead, best_of_second):
    """One round to come, both against others: the second gains 3 at most, the leader may gain 0."""
    rivals = [Contender("A", 9 + lead, 50, 1), Contender("B", 9, 40, 1)]
    rivals += [Contender(name, 3, 0, 1) for name in "CD"]
    boards = [("A", "C"), ("B", "D")]
    places = possible_places(rivals, {}, boards=boards)
    assert places["B"].best == best_of_second
    assert places["A"].worst == (2 if best_of_second == 1 else 1)


def test_before_the_boards_are_known_a_round_may_give_all_that_it_can():
    """A forfeits against B, C beats D, E meets X: all four reach the nine points that A has."""
    held = {"A": 9, "B": 6, "C": 6, "D": 8, "E": 6}
    rivals = [Contender(player, pm, 0, 1) for player, pm in held.items()]
    assert possible_places(rivals, {})["A"] == Places(1, 5)
    fewer = [rival._replace(pm=rival.pm - (rival.player == "E")) for rival in rivals]
    assert possible_places(fewer, {})["A"] == Places(1, 4)  # E has 8 at most
