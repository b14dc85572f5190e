"""Swiss by exact matching, king of the hill and prizes already won."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairings.rules.scoring import ABSENT, BYE, PENDING, MatchRecord, Meeting
from pairings.systems.king_of_the_hill.system import KingOfTheHill
from pairings.systems.matching.by_standings import Seating, byes_of, times_met
from pairings.systems.matching.exact import pair_all
from pairings.systems.matching.prizes import Race
from pairings.systems.protocol import (
    ALREADY_MET,
    FEWEST_BYES,
    FLOATER,
    HALVES,
    NEAR_HALVES,
    NEIGHBOURS,
    PRIZE_WON,
    REPEAT,
    SPARES_REPEAT,
    Entrant,
    EntriesRefused,
)
from pairings.systems.swiss.system import Groups, Swiss, pair_in_groups
from pairings.systems.wins_and_spread.ranking import WinsAndSpread
from tests.rounds import entrants, game, pairs_of

SYSTEM = Swiss(rounds=7)


def all_pairings(players):
    """Return every way to pair these players."""
    if not players:
        yield []
        return
    first, *rest = players
    for place, second in enumerate(rest):
        for others in all_pairings(rest[:place] + rest[place + 1 :]):
            yield [(first, second), *others]


def total(pairing, cost):
    return [sum(column) for column in zip(*(cost(*pair) for pair in pairing), strict=True)]


@given(st.integers(1, 4), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_pairing_is_the_cheapest_of_all(half, chance):
    table = {
        (one, two): (chance.randrange(2), chance.randrange(3), chance.randrange(9))
        for one in range(2 * half)
        for two in range(one + 1, 2 * half)
    }

    def cost(one, two):
        return table[one, two]

    found = pair_all(2 * half, cost)
    assert sorted(place for pair in found for place in pair) == list(range(2 * half))
    assert total(found, cost) == min(total(each, cost) for each in all_pairings([*range(2 * half)]))


def test_nobody_and_an_odd_number():
    assert pair_all(0, lambda one, two: (0,)) == []
    with pytest.raises(ValueError, match="3 players"):
        pair_all(3, lambda one, two: (0,))


def test_the_first_round_is_the_upper_half_against_the_lower():
    pairing = SYSTEM.pair_round(entrants("ABCDEFGH"), [], today=1)
    assert pairs_of(pairing) == [("A", "E"), ("B", "F"), ("C", "G"), ("D", "H")]
    assert {pair.reason for pair in pairing.pairs} == {HALVES}


def test_winners_meet_winners_in_the_order_of_spread():
    first = [game("A", "E", 400, 390), game("B", "F", 500, 300), game("C", "G", 450, 300)]
    pairing = SYSTEM.pair_round(entrants("ABCDEFGH"), [*first, game("D", "H", 401, 400)], today=2)
    assert pairing.order[:4] == ("B", "C", "A", "D")
    assert pairs_of(pairing) == [("B", "A"), ("C", "D"), ("H", "G"), ("E", "F")]


def test_the_lowest_of_an_odd_group_goes_down_to_the_first_of_the_next():
    records = [game("A", "D", 500, 300), game("B", "E", 450, 300), game("C", "F", 410, 400)]
    pairing = SYSTEM.pair_round(entrants("ABCDEF"), records, today=2)
    assert pairs_of(pairing) == [("A", "B"), ("C", "E"), ("F", "D")]
    assert [pair.reason for pair in pairing.pairs] == [HALVES, FLOATER, NEAR_HALVES]


def seated(sizes, met=()):
    """Groups A, B … of these sizes, best first: A1, A2 … Returns the pairs as names."""
    names = [
        f"{chr(65 + group)}{n}" for group, size in enumerate(sizes) for n in range(1, size + 1)
    ]
    known = {name: {} for name in names}
    for one, two in met:
        known[one][two] = known[two][one] = Meeting(1, 1, 1, "")
    points = {name: -ord(name[0]) for name in names}
    seating = Seating(names, names, points, known, [], None)
    return [f"{pair.first}-{pair.second}" for pair in pair_in_groups(seating)]


@pytest.mark.parametrize(
    ("sizes", "pairs"),
    [
        ([3, 3], "A1-A2 A3-B1 B2-B3"),
        ([1, 4, 3], "A1-B1 B2-B3 B4-C1 C2-C3"),
        ([1, 6, 3], "A1-B1 B2-B4 B3-B5 B6-C1 C2-C3"),
        ([1, 4, 4, 1], "A1-B1 B2-B3 B4-C1 C2-C3 C4-D1"),
    ],
)
def test_a_group_that_gave_its_first_to_a_floater_sends_down_its_last(sizes, pairs):
    assert seated(sizes) == pairs.split()


@pytest.mark.parametrize(
    ("met", "pairs"),
    [
        ([], "A1-A2 A3-B1 B2-B3"),
        (["B1"], "A1-A2 A3-B2 B1-B3"),
        (["B1", "B2"], "A1-A3 A2-B1 B2-B3"),
        (["B1", "B2", "B3"], "A1-A3 A2-B1 B2-B3"),
    ],
)
def test_where_the_last_has_met_the_first_of_the_next_the_nearest_pair_floats(met, pairs):
    assert seated([3, 3], [("A3", one) for one in met]) == pairs.split()


@pytest.mark.parametrize(
    ("met", "pairs"),
    [
        ([], "A1-B1 B2-B3"),
        (["B1"], "A1-B2 B1-B3"),
        (["B1", "B2", "B3"], "A1-B1 B2-B3"),
    ],
)
def test_the_only_one_of_a_group_meets_the_first_of_the_next_not_met(met, pairs):
    """Whom everybody was met by meets the first again."""
    assert seated([1, 3], [("A1", one) for one in met]) == pairs.split()


def test_a_pair_that_has_met_is_moved_as_little_as_possible_and_says_why():
    records = [game("A", "C", 400, 400), game("B", "D", 400, 400)]
    pairing = SYSTEM.pair_round(entrants("ABCD"), records, today=2)
    assert pairs_of(pairing) == [("A", "B"), ("C", "D")]
    assert pairing.repeats == 0
    assert pairing.pairs[0].skipped[0].opponent == "C"
    assert pairing.pairs[0].skipped[0].why == ALREADY_MET


def test_a_repeat_that_nothing_avoids_is_named():
    pairing = SYSTEM.pair_round(entrants("AB"), [game("A", "B")], today=2)
    assert pairing.pairs[0].reason == REPEAT and pairing.pairs[0].meeting.times == 1


def test_the_number_of_rounds_is_the_organisers():
    assert SYSTEM.rounds_of(24) == 7
    with pytest.raises(EntriesRefused):
        Swiss().rounds_of(24)


def results(pairing, chance, day):
    found = [
        game(pair.first, pair.second, chance.randrange(300, 500), chance.randrange(300, 500), day)
        for pair in pairing.pairs
    ]
    return found + [MatchRecord(bye.player, None, BYE, day=day) for bye in pairing.byes]


@given(st.integers(4, 13), st.integers(1, 3), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_everybody_plays_once_and_nobody_again_while_it_can_be_avoided(size, rounds, chance):
    people, records = entrants(range(size)), []
    for day in range(1, min(rounds, size // 2) + 1):
        pairing = SYSTEM.pair_round(people, records, today=day)
        seated = [
            *(p for pair in pairs_of(pairing) for p in pair),
            *(b.player for b in pairing.byes),
        ]
        assert sorted(seated) == list(range(size))
        assert len(pairing.byes) == size % 2
        assert pairing.repeats == 0
        records += results(pairing, chance, day)
    byes = [record.first for record in records if record.kind == BYE]
    assert len(byes) == len(set(byes))


@given(st.integers(2, 4), st.integers(1, 3), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_no_other_pairing_has_fewer_repeats_or_as_few_with_fewer_floats(half, rounds, chance):
    people, records = entrants(range(2 * half)), []
    for day in range(1, rounds + 1):
        records += results(SYSTEM.pair_round(people, records, today=day), chance, day)
    seating = SYSTEM.seating(people, records, available=None, number=rounds + 1)
    groups = Groups(seating)
    best = min(total(each, groups.cost)[:2] for each in all_pairings([*range(2 * half)]))
    pairing = SYSTEM.pair_round(people, records, today=rounds + 1)
    places = {player: place for place, player in enumerate(seating.free)}
    found = [tuple(sorted((places[one], places[two]))) for one, two in pairs_of(pairing)]
    assert total(found, groups.cost)[:2] == best


def test_seven_players_after_two_withdrawals_and_a_late_arrival():
    """9 entered, 8 and 9 leave after round 1, Z comes for round 2: 8 play, then 7."""
    people = [*entrants("ABCDEFGHI"), Entrant("Z", 2, 10)]
    first = SYSTEM.pair_round(people, [], available="ABCDEFGHI", today=1)
    assert [bye.player for bye in first.byes] == ["I"]
    records = results(first, random.Random(1), 1)
    second = SYSTEM.pair_round(people, records, available="ABCDEFGZ", today=2)
    assert not second.byes and second.repeats == 0
    records += results(second, random.Random(2), 2)
    third = SYSTEM.pair_round(people, records, available="ABCDEFZ", today=3)
    seated = sorted([*(p for pair in pairs_of(third) for p in pair), third.byes[0].player])
    assert seated == sorted("ABCDEFZ") and third.repeats == 0


@pytest.mark.parametrize(("rule", "chosen"), [("fewest", "B"), ("last", "C")])
def test_the_bye_goes_to_the_lowest_of_those_with_the_fewest(rule, chosen):
    records = [MatchRecord("C", None, BYE, day=1), game("A", "B", 900, 300), game("B", "C", 900, 1)]
    pairing = Swiss(rounds=5, bye_goes_to=rule).pair_round(entrants("ABC"), records, today=3)
    assert [bye.player for bye in pairing.byes] == [chosen]


@given(st.sampled_from((3, 5, 7)), st.integers(1, 6), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_bye_goes_to_the_lowest_of_those_with_the_fewest_that_leave_the_fewest_repeats(
    size, rounds, chance
):
    """Over rounds paired in any way: people come late and leave."""
    people, records = entrants(range(size)), []
    for day in range(1, rounds + 1):
        one, *others = chance.sample(range(size), size)
        records.append(MatchRecord(one, None, BYE, day=day))
        records += [game(*pair, day=day) for pair in zip(others[::2], others[1::2], strict=True)]
    pairing = SYSTEM.pair_round(people, records, today=rounds + 1)
    met, (bye,) = SYSTEM.met(records), pairing.byes
    fewest = min(byes_of(met, player) for player in pairing.order)
    repeats = {
        player: min(
            sum(times_met(met, *pair) for pair in pairs)
            for pairs in all_pairings([other for other in pairing.order if other != player])
        )
        for player in pairing.order
        if byes_of(met, player) == fewest
    }
    least = min(repeats.values())
    lowest, *_others = reversed(repeats)
    assert bye.player == next(player for player in reversed(repeats) if repeats[player] == least)
    assert bye.reason == (FEWEST_BYES if bye.player == lowest else SPARES_REPEAT)


# Lag


@pytest.mark.parametrize("system", [Swiss, KingOfTheHill])
def test_with_a_lag_the_last_round_orders_nobody_but_its_meetings_count(system):
    people = entrants("ABCD")
    records = [
        *(game("A", "C", day=1), game("B", "D", day=1)),
        *(MatchRecord("A", "B", PENDING, day=2), MatchRecord("C", "D", PENDING, day=2)),
    ]
    lagging = system(rounds=5, lag=1, wins_and_spread=WinsAndSpread())
    pairing = lagging.pair_round(people, records, today=3)
    assert pairing.order == ("A", "B", "C", "D")
    over = [game("C", "D", 900, 100, day=2), game("B", "A", 900, 100, day=2)]
    after = lagging.pair_round(people, [*records[:2], *over], today=3)
    assert after.order == pairing.order
    if system is Swiss:
        assert pairs_of(pairing) == [("A", "D"), ("B", "C")] and pairing.repeats == 0
    prompt = system(rounds=5, wins_and_spread=WinsAndSpread())
    assert prompt.pair_round(people, [*records[:2], *over], today=3).order[0] == "B"


# Prizes already won


def lead(wins, spread=10, losers="BCDEF"):
    """Return games that give A so many wins, each against another player."""
    return [game("A", other, 300 + spread, 300, day) for day, other in enumerate(losers[:wins], 1)]


@pytest.mark.parametrize(("rounds", "is_safe"), [(4, True), (5, False), (6, False)])
def test_a_winner_who_cannot_be_caught_meets_the_highest_who_cannot_win(rounds, is_safe):
    # After three rounds A has 3 wins, B and D 1: with one round left nobody reaches 3, with two B does.
    records = [*lead(3), game("B", "E", 900, 100, 1), game("D", "F", 900, 100, 2)]
    system = Swiss(rounds=rounds, prize_places=1, wins_and_spread=WinsAndSpread(spread_cap=100))
    pairing = system.pair_round(entrants("ABCDEF"), records, today=4)
    top = pairing.pairs[0]
    assert (top.reason == PRIZE_WON) is is_safe
    if is_safe:
        assert top[:2] == ("A", "E") and pairing.repeats == 0


def one_win_ahead(spread):
    """After three rounds A has one win and this spread more than B."""
    wide = [game("A", other, 300 + 130, 300, day) for day, other in enumerate("CD", 1)]
    records = [*wide, game("A", "E", 300 + spread - 260, 300, 3), game("B", "D", 310, 300, 1)]
    return [*records, game("B", "C", 310, 300, 2), game("F", "B", 320, 300, 3)]


def is_first_sure(rules, records):
    found = rules.pair_round(entrants("ABCDEF"), records, today=4).pairs[0]
    return found.reason == PRIZE_WON


@pytest.mark.parametrize(("spread", "is_safe"), [(399, False), (400, False), (401, True)])
def test_level_on_wins_the_spread_that_can_be_made_up_decides(spread, is_safe):
    # One round left, A one win ahead of B: B can make up at most 2 × 200 points.
    for cap, safe in ((None, False), (200, is_safe)):
        rules = Swiss(rounds=4, prize_places=1, wins_and_spread=WinsAndSpread(spread_cap=cap))
        assert is_first_sure(rules, one_win_ahead(spread)) is safe


@pytest.mark.parametrize(
    ("winning_games", "ranking", "spread"),
    [(2, {}, 401), (1, {"forfeit_spread": 201}, 402), (1, {"bye_spread": 201}, 401)],
)
def test_a_match_of_two_games_a_forfeit_and_a_bye_may_make_up_more(winning_games, ranking, spread):
    """The limit is of each game: two games move twice as much, and it does not bind the others."""
    by_spread = WinsAndSpread(spread_cap=200, **ranking)
    usual = {"rounds": 4, "prize_places": 1, "wins_and_spread": by_spread}
    rules = Swiss(winning_games=winning_games, **usual)
    assert not is_first_sure(rules, one_win_ahead(spread))
    # A forfeit takes from one what it gives to the other; a bye takes from nobody.
    assert is_first_sure(rules, one_win_ahead(spread + 1)) is (winning_games == 1)


@pytest.mark.parametrize(
    ("met", "opponent"), [("", "C"), ("C", "D"), ("CD", "E"), ("CDE", "C"), ("B", "C")]
)
def test_the_opponent_of_a_safe_player_is_the_highest_who_is_out_and_was_not_met(met, opponent):
    points = {"A": 9, "B": 4, "C": 2, "D": 2, "E": 1, "F": 4}
    race = Race(points=points, spread=points, places=2, left=1, win=1, swing=None)
    assert [player for player in points if race.is_safe(player)] == ["A"]
    assert [player for player in points if race.is_out(player)] == ["C", "D", "E"]
    known = {"A": {other: Meeting(1, 1, 1, "") for other in met}}
    assert race.pairs("ABFCDE", "ABFCDE", known) == [("A", opponent)]


@pytest.mark.parametrize(("lag", "is_safe"), [(0, True), (1, False)])
def test_a_lag_leaves_one_round_more_in_which_a_winner_may_be_caught(lag, is_safe):
    """After four rounds A has 4 wins and B 1; a round late, A has 3, and two rounds are open."""
    records = [*lead(4), game("B", "E", 900, 100, 1), game("D", "F", 900, 100, 2)]
    system = Swiss(rounds=5, lag=lag, prize_places=1, wins_and_spread=WinsAndSpread())
    top = system.pair_round(entrants("ABCDEF"), records, today=5).pairs[0]
    assert (top.reason == PRIZE_WON) is is_safe


def test_a_clinched_winner_in_an_odd_group():
    """7 players, one round left: A is alone with 3 wins and sure to win; the field is odd."""
    records = [
        *(game("A", "G", day=1), game("A", "F", day=2), game("A", "E", day=3)),
        *(game("B", "F", 310, 300, 1), game("C", "E", 310, 300, 1), game("D", "G", 305, 300, 2)),
        MatchRecord("G", None, BYE, day=3),
    ]
    for system in (Swiss, KingOfTheHill):
        rules = system(rounds=4, prize_places=1, wins_and_spread=WinsAndSpread())
        pairing = rules.pair_round(entrants("ABCDEFG"), records, today=4)
        top = pairing.pairs[0]
        assert (top.first, top.reason) == ("A", PRIZE_WON)
        assert top.second not in "EFG"
        assert len(pairing.byes) == 1 and pairing.byes[0].player not in "AG"
        seated = [*(p for pair in pairs_of(pairing) for p in pair), pairing.byes[0].player]
        assert sorted(seated) == list("ABCDEFG")


def test_several_prizes_are_won_at_once_and_none_without_a_prize():
    records = [game("A", "C", day=1), game("B", "D", day=1), game("A", "E", day=2)]
    records += [game("B", "F", day=2), game("A", "D", day=3), game("B", "C", day=3)]
    two = Swiss(rounds=4, prize_places=2)
    pairing = two.pair_round(entrants("ABCDEF"), records, today=4)
    assert [pair.reason for pair in pairing.pairs[:2]] == [PRIZE_WON, PRIZE_WON]
    assert pairs_of(pairing)[:2] == [("A", "F"), ("B", "E")]
    none = Swiss(rounds=4).pair_round(entrants("ABCDEF"), records, today=4)
    assert PRIZE_WON not in {pair.reason for pair in none.pairs}


def test_king_of_the_hill_pairs_neighbours_by_wins_and_spread():
    records = [game("A", "B", 300, 310), game("C", "D", 300, 500)]
    rules = KingOfTheHill(wins_and_spread=WinsAndSpread())
    pairing = rules.pair_round(entrants("ABCD"), records, today=2)
    assert pairs_of(pairing) == [("D", "B"), ("A", "C")]
    assert {pair.reason for pair in pairing.pairs} == {NEIGHBOURS}


def test_a_forfeit_is_no_meeting_for_pairing_unless_chosen():
    records = [MatchRecord("A", "B", ABSENT, absent="b", day=1)]
    for counts, repeats in ((False, 0), (True, 1)):
        rules = Swiss(rounds=3, forfeit_counts_as_met_pairing=counts)
        assert rules.pair_round(entrants("AB"), records, today=2).repeats == repeats


def test_groups_are_made_of_pm_where_the_ranking_is_by_pm():
    records = [game("A", "C", 400, 300), game("B", "D", 400, 300)]
    pairing = Swiss(rounds=3, wins_and_spread=None).pair_round(entrants("ABCD"), records, today=2)
    assert pairs_of(pairing) == [("A", "B"), ("C", "D")]
    assert all(pair.reason == HALVES for pair in pairing.pairs)
    assert all(one != two for one, two in pairwise(pairing.order))
