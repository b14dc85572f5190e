"""Knockout: bracket, byes of the best seeds, who goes on."""

from __future__ import annotations

import random

import pytest

from pairings.rules.scoring import ABSENT, BYE, CANCELLED, MatchRecord
from pairings.systems.formule_classique.system import boards
from pairings.systems.knockout.system import Knockout, bracket
from pairings.systems.protocol import BRACKET, THIRD_PLACE, Entrant, RoundRefused
from pairings.systems.swiss.system import Swiss
from tests.rounds import game

SYSTEM = Knockout()


def entrants(size):
    return [Entrant(player, 0, player) for player in range(1, size + 1)]


def better_seed_wins(pairing, day):
    return [
        game(pair.first, pair.second, *((2, 1) if pair.first < pair.second else (1, 2)), day)
        for pair in pairing.pairs
    ]


def test_the_bracket_keeps_the_best_seeds_apart():
    assert bracket(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert bracket(1) == [1]


@pytest.mark.parametrize(
    ("size", "rounds"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (16, 4)]
)
def test_the_number_of_rounds(size, rounds):
    assert SYSTEM.rounds_of(size) == rounds


@pytest.mark.parametrize("size", range(2, 18))
def test_if_the_better_seed_always_wins_the_ranking_is_the_seeding(size):
    records, people = [], entrants(size)
    for day in range(1, SYSTEM.rounds_of(size) + 1):
        pairing = SYSTEM.pair_round(people, records)
        for one, two, reason in boards(pairing):
            if reason == BRACKET and two != "X" and day == 1:
                assert one + two == (1 << SYSTEM.rounds_of(size)) + 1
        records += better_seed_wins(pairing, day)
    ranked = SYSTEM.rank(people, records)
    podium = [(line.player, line.rank) for line in ranked[:4]]
    assert podium == [(n, n) for n in range(1, min(size, 4) + 1)]
    with pytest.raises(RoundRefused, match="finale"):
        SYSTEM.pair_round(people, records)


@pytest.mark.parametrize(
    ("size", "boards_played", "following"),
    [
        # 1–8, 4–5, 2–7, 3–6, where the arbiter has exchanged two players: the better seed wins.
        (8, [(4, 8), (1, 5), (2, 7), (3, 6)], [(1, 4), (2, 3)]),
        (8, [(5, 8), (4, 1), (2, 7), (3, 6)], [(1, 5), (2, 3)]),
        (8, [(1, 7), (4, 5), (2, 8), (3, 6)], [(1, 4), (2, 3)]),
        (8, [(1, 5), (4, 7), (2, 8), (3, 6)], [(1, 4), (2, 3)]),
        # 1 and 2 were to sit out, 3–6 and 4–5: now 4 sits out in the place of 1.
        (6, [(4, None), (1, 5), (2, None), (3, 6)], [(1, 4), (2, 3)]),
    ],
)
def test_players_exchanged_by_the_arbiter_go_on_in_the_place_that_they_took(
    size, boards_played, following
):
    people = entrants(size)
    records = [
        MatchRecord(one, None, BYE, day=1)
        if two is None
        else game(one, two, *((2, 1) if one < two else (1, 2)), 1)
        for one, two in boards_played
    ]
    pairing = SYSTEM.pair_round(people, records, today=2)
    assert [tuple(sorted(pair[:2])) for pair in pairing.pairs] == following
    won = {line.player for line in SYSTEM.rank(people, records) if line.values["stage"] == 2}
    assert won == {player for pair in following for player in pair}


def test_who_comes_after_the_first_round_moves_nobody_in_the_bracket():
    people = entrants(8)
    records = better_seed_wins(SYSTEM.pair_round(people, []), 1)
    late = Entrant(9, 2, 9)
    with_late = SYSTEM.pair_round([*people, late], records)
    assert with_late == SYSTEM.pair_round(people, records)
    assert [line.player for line in SYSTEM.rank([*people, late], records)][-1] == 9


def test_the_best_seeds_rest_in_the_first_round():
    pairing = SYSTEM.pair_round(entrants(6), [])
    assert [bye.player for bye in pairing.byes] == [1, 2]
    assert [board[:2] for board in boards(pairing)] == [(1, "X"), (4, 5), (2, "X"), (3, 6)]


def test_the_losers_of_the_semi_finals_play_for_the_third_place_unless_switched_off():
    people = entrants(4)
    records = [game(1, 4, 2, 1, 1), game(2, 3, 1, 2, 1)]
    final = SYSTEM.pair_round(people, records)
    assert boards(final) == [(1, 3, BRACKET), (4, 2, THIRD_PLACE)]
    assert len(Knockout(third_place=False).pair_round(people, records).pairs) == 1
    ended = [*records, game(1, 3, 1, 2, 2), game(4, 2, 2, 1, 2)]
    assert [line.player for line in SYSTEM.rank(people, ended)] == [3, 1, 4, 2]
    without = SYSTEM.rank(people, [*records, game(1, 3, 1, 2, 2)])
    assert [line.rank for line in without] == [1, 2, 3, 3]


def test_who_has_lost_is_out_but_for_the_match_for_the_third_place():
    people, first = entrants(8), [game(1, 8, 2, 1, 1)]
    assert SYSTEM.still_in(people, [], today=1) == set(range(1, 9))
    assert SYSTEM.still_in(people, first, today=2) == set(range(1, 8))  # the others still play
    assert SYSTEM.still_in(people, [*first, game(4, 5, 1, 1, 1)], today=2) == set(range(1, 8))
    first += [game(4, 5, 2, 1, 1), game(2, 7, 1, 2, 1), game(3, 6, 2, 1, 1)]
    assert SYSTEM.still_in(people, first, today=2) == {1, 3, 4, 7}
    second = [*first, game(1, 4, 2, 1, 2)]
    ended = [*second, game(7, 3, 2, 1, 2)]
    final = [*ended, game(1, 7, 2, 1, 3)]
    for records in (second, ended, final):  # who lost a semi-final has a match
        assert SYSTEM.still_in(people, records, today=3) == {1, 3, 4, 7}
    alone = Knockout(third_place=False)
    assert alone.still_in(people, second, today=3) == {1, 3, 7}
    assert alone.still_in(people, ended, today=3) == {1, 7}


def test_who_won_the_replay_of_a_draw_is_in_and_a_cancelled_match_puts_nobody_out():
    people, drawn = entrants(4), game(1, 4, 1, 1, 1)
    alone = Knockout(third_place=False)
    assert alone.still_in(people, [drawn, game(4, 1, 2, 1, 1)], today=2) == {2, 3, 4}
    cancelled = MatchRecord(1, 4, CANCELLED, day=1)
    assert alone.still_in(people, [cancelled], today=2) == {1, 2, 3, 4}
    assert Swiss(rounds=3).still_in(people, [game(1, 4, 2, 1, 1)], today=2) == {1, 2, 3, 4}


def test_a_draw_is_replayed_or_the_better_seed_goes_on():
    people, records = entrants(4), [game(1, 4, 1, 1, 1), game(2, 3, 2, 1, 1)]
    missed = [MatchRecord(1, 4, ABSENT, absent="both", day=1), records[1]]
    for replay in (records, missed):
        with pytest.raises(RoundRefused, match=r"double forfait.* corrigez"):
            SYSTEM.pair_round(people, replay, today=2)
    assert Knockout(after_draw="better_seed").pair_round(people, records).order == (1, 2)
    replayed = [*records, game(4, 1, 2, 1, 1)]
    assert SYSTEM.pair_round(people, replayed).order == (4, 2)


def test_a_missing_result_stops_the_next_round_and_a_forfeit_decides():
    people = entrants(4)
    with pytest.raises(RoundRefused, match="pas de résultat"):
        SYSTEM.pair_round(people, [game(2, 3, 2, 1, 1)], today=2)
    forfeit = MatchRecord(1, 4, ABSENT, absent="a", day=1)
    assert SYSTEM.pair_round(people, [forfeit, game(2, 3, 2, 1, 1)]).order == (4, 2)


@pytest.mark.parametrize("seed", range(10))
def test_each_round_halves_the_players(seed):
    chance = random.Random(seed)
    people, records, left = entrants(chance.randint(2, 40)), [], None
    for day in range(1, SYSTEM.rounds_of(len(people)) + 1):
        pairing = SYSTEM.pair_round(people, records, today=day)
        assert left is None or len(pairing.order) == left
        left = (len(pairing.order) + len(pairing.byes)) // 2
        for pair in pairing.pairs:
            records.append(game(pair.first, pair.second, *chance.sample(range(500), 2), day))
    assert left == 1
