"""The rest of a round can still be paired with the fewest repeats: exact, checked from outside."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
import rustworkx
from hypothesis import given, settings
from hypothesis import strategies as st

from pairings.rules.scoring import Meeting, Met
from pairings.systems.faizers.system import FaizersPairing
from pairings.systems.matching.lookahead import Completion

STRICT = FaizersPairing()
OPTIMAL = FaizersPairing(strategy="optimal")


def met_of(pairs, since: int = 0) -> Met:
    met: dict[int, dict[int, Meeting]] = {}
    for one, two in pairs:
        met.setdefault(one, {})[two] = met.setdefault(two, {})[one] = Meeting(since, 1, 0, "")
    return met


def brute_force(players: tuple[int, ...], met: Met) -> int:
    """The fewest repeats over every way to pair these players, one left out if odd."""
    if len(players) < 2:
        return 0
    first, others = players[0], players[1:]
    found = [
        (second in met.get(first, {})) + brute_force(tuple(p for p in others if p != second), met)
        for second in others
    ]
    if len(players) % 2:
        found.append(brute_force(others, met))
    return min(found)


def by_rustworkx(players, met: Met) -> int:
    graph = rustworkx.PyGraph()
    nodes = dict(zip(players, graph.add_nodes_from(list(players)), strict=True))
    graph.add_edges_from(
        [
            (nodes[one], nodes[two], 1)
            for one, two in combinations(players, 2)
            if two not in met.get(one, {})
        ]
    )
    return len(players) // 2 - len(rustworkx.max_weight_matching(graph, max_cardinality=True))


def sparse_or_dense(size: int, chance: random.Random) -> Met:
    """Who met whom: at random, or nearly everybody outside their own circle (hard for a matching)."""
    if chance.random() < 0.5:
        share = chance.choice([0.2, 0.5, 0.8, 0.95])
        pairs = [pair for pair in combinations(range(size), 2) if chance.random() < share]
    else:
        circles = chance.randint(1, 5)
        pairs = [
            (one, two)
            for one, two in combinations(range(size), 2)
            if (one % circles != two % circles) != (chance.random() < 0.08)
        ]
    return met_of(pairs)


@st.composite
def small_histories(draw):
    size = draw(st.integers(0, 8))
    pairs = list(combinations(range(size), 2))
    return size, met_of(draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


@given(small_histories())
def test_the_fewest_repeats_are_those_of_every_pairing_tried(history):
    size, met = history
    assert Completion(range(size), met).repeats == brute_force(tuple(range(size)), met)


@given(small_histories())
def test_a_choice_is_allowed_exactly_when_the_rest_keeps_the_fewest_repeats(history):
    size, met = history
    players = tuple(range(size))
    best = brute_force(players, met)
    for one, two in combinations(players, 2):
        rest = tuple(p for p in players if p not in (one, two))
        repeats = (two in met.get(one, {})) + brute_force(rest, met)
        assert Completion(players, met).allows(one, two) == (repeats == best)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(9, 40))
def test_a_round_walked_to_its_end_agrees_with_a_maximum_matching(seed, size):
    """Random choices, some refused, some forced: the answer is exact after each."""
    chance = random.Random(seed)
    met = sparse_or_dense(size, chance)
    completion, free = Completion(range(size), met), list(range(size))
    assert completion.repeats == by_rustworkx(free, met)
    while len(free) > 1:
        one, two = chance.sample(free, 2)
        rest = [player for player in free if player not in (one, two)]
        repeats = (two in met.get(one, {})) + by_rustworkx(rest, met)
        allowed = completion.allows(one, two)
        assert allowed == (repeats == completion.repeats)
        if allowed or chance.random() < 0.2:
            completion.take(one, two)
            free = rest
        elif chance.random() < 0.2:
            completion.leave(one)
            free.remove(one)
        assert completion.repeats == by_rustworkx(free, met)


@pytest.mark.parametrize("most_met", [3, 4, 5])
def test_at_twice_the_opponents_met_plus_two_a_round_without_repeats_is_promised(most_met):
    """Dirac's bound, just under, on and over it: two camps that met each other entirely."""
    camp = 5
    size = 2 * camp
    pairs = [(one, two) for one in range(camp) for two in range(camp, size)]
    kept = [(one, two) for one, two in pairs if (two - one) % camp < most_met]
    met = met_of(kept)
    assert Completion(range(size), met).repeats == by_rustworkx(range(size), met) == (most_met == 5)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 20))
def test_looking_ahead_makes_the_fewest_repeats_and_everybody_plays_once(seed, half):
    chance = random.Random(seed)
    size = 2 * half
    met = sparse_or_dense(size, chance)
    order = chance.sample(range(size), size)
    pairing = OPTIMAL.pair_ranked(order, met)
    seated = [player for pair in pairing.pairs for player in (pair.first, pair.second)]
    assert sorted(seated) == sorted(order) and not pairing.unpaired
    assert pairing.repeats == by_rustworkx(order, met)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 20), st.floats(0, 0.6))
def test_looking_ahead_is_the_literal_rule_while_that_repeats_nothing(seed, half, share):
    chance = random.Random(seed)
    size = 2 * half
    met = met_of(p for p in combinations(range(size), 2) if chance.random() < share)
    literal = STRICT.pair_ranked(range(size), met)
    ahead = OPTIMAL.pair_ranked(range(size), met)
    if not literal.repeats:
        assert ahead.pairs == literal.pairs
    else:
        assert (literal.alternative is not None) == (ahead.repeats < literal.repeats)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_each_choice_is_the_first_of_the_books_order_that_keeps_the_fewest_repeats(seed, half):
    """The definition, by brute force: lowest free first, then up; new opponents before repeats."""
    chance = random.Random(seed)
    size = 2 * half
    met = sparse_or_dense(size, chance)
    free = list(range(size))
    for pair in OPTIMAL.pair_ranked(range(size), met).pairs:
        best = brute_force(tuple(free), met)
        player = free[0]

        def keeps(other, player=player, free=free, best=best):
            rest = tuple(p for p in free if p not in (player, other))
            return (other in met.get(player, {})) + brute_force(rest, met) == best

        tried = sorted(free[1:], key=lambda other: (other in met.get(player, {}), -other))
        chosen = next(other for other in tried if keeps(other))
        assert (pair.first, pair.second) == (player, chosen)
        free = [p for p in free if p not in (player, chosen)]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_refusing_early_repeats_leaves_unpaired_no_more_than_the_fewest_pairs_not_new(seed, half):
    chance = random.Random(seed)
    size = 2 * half
    met = {
        one: {two: meeting._replace(since=(one + two) % 9) for two, meeting in others.items()}
        for one, others in sparse_or_dense(size, chance).items()
    }
    rules = FaizersPairing(strategy="optimal", allow_early_repeat=False)
    pairing = rules.pair_ranked(range(size), met)
    assert pairing.repeats + len(pairing.unpaired) // 2 == by_rustworkx(range(size), met)
