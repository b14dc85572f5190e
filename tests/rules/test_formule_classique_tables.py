"""The fixed rounds of 8 to 16 players (004 §6.2): the document's, ours, and an organiser's."""

from __future__ import annotations

from itertools import combinations

import pytest

from clubs.rulebooks.fields import with_values
from pairings.systems.formule_classique.fixed_tables import (
    TABLES,
    TableRefused,
    fixed_table,
    table_for,
)
from pairings.systems.formule_classique.system import FormuleClassique


def test_the_table_for_eight_is_the_documents_and_no_other_is_called_official():
    assert TABLES[8].rounds == (
        ((1, 8), (5, 6), (2, 7), (3, 4)),
        ((1, 6), (5, 8), (2, 4), (3, 7)),
    )
    assert [size for size, table in TABLES.items() if table.official] == [8]
    assert TABLES[8].label != TABLES[12].label and "non officiels" in TABLES[12].label


@pytest.mark.parametrize(
    ("players", "size", "rounds"),
    [(8, 8, 2), (9, 10, 3), (10, 10, 3), (11, 12, 3), (13, 14, 3), (15, 16, 3), (16, 16, 3)],
)
def test_an_odd_number_plays_the_next_even_table(players, size, rounds):
    table = table_for(players)
    assert table.size == size and len(table.rounds) == rounds


@pytest.mark.parametrize("players", [17, 18, 32])
def test_above_16_nothing_is_predetermined(players):
    assert table_for(players) is None


@pytest.mark.parametrize("size", [8, 10, 12, 14, 16])
def test_nobody_meets_twice_and_everybody_plays_every_round(size):
    table = fixed_table(size, TABLES[size].rounds)  # the check an import goes through
    met = [frozenset(pair) for pairs in table.rounds for pair in pairs]
    assert len(set(met)) == len(met) == len(table.rounds) * size // 2


@pytest.mark.parametrize(
    ("size", "pools"),
    [
        (8, {(1, 5, 6, 8), (2, 3, 4, 7)}),
        (10, {(1, 5, 6, 10), (2, 3, 4, 7, 8, 9)}),
        (12, {(1, 6, 7, 12), (2, 5, 8, 11), (3, 4, 9, 10)}),
        (14, {(1, 7, 8, 14), (2, 6, 9, 13), (3, 4, 5, 10, 11, 12)}),
        (16, {(1, 8, 9, 16), (2, 7, 10, 15), (3, 6, 11, 14), (4, 5, 12, 13)}),
    ],
)
def test_the_tables_are_serpentine_pools_of_four_and_one_of_six(size, pools):
    assert set(TABLES[size].pools) == pools
    if size > 8:  # the document's own pools for 8 add up to 20 and 16
        fours = [pool for pool in TABLES[size].pools if len(pool) == 4]
        assert fours and all(sum(pool) == 2 * (size + 1) for pool in fours)


@pytest.mark.parametrize("size", [12, 16])
def test_pools_of_four_play_everybody_in_three_rounds(size):
    met = {frozenset(pair) for pairs in TABLES[size].rounds for pair in pairs}
    for pool in TABLES[size].pools:
        assert all(frozenset(pair) in met for pair in combinations(pool, 2))


@pytest.mark.parametrize("size", [10, 12, 14, 16])
def test_the_first_round_is_first_against_last(size):
    assert TABLES[size].rounds[0] == tuple((n, size + 1 - n) for n in range(1, size // 2 + 1))


@pytest.mark.parametrize(
    ("size", "rounds", "code"),
    [
        (7, [[[1, 2]]], "size"),
        (18, [[[1, 2]]], "size"),
        (4, [], "empty"),
        (4, [[[1, 2, 3], [4, 5]]], "shape"),
        (4, 5, "shape"),
        (4, [[["a", 2], [3, 4]]], "shape"),
        (4, [[[1, 2], [3, 3]]], "seats"),
        (4, [[[1, 2]]], "seats"),
        (4, [[[1, 2], [3, 5]]], "seats"),
        (4, [[[1, 2], [3, 4]], [[2, 1], [4, 3]]], "repeat"),
    ],
)
def test_a_table_that_cannot_be_played_is_refused_with_a_sentence(size, rounds, code):
    with pytest.raises(TableRefused) as refused:
        fixed_table(size, rounds)
    assert refused.value.code == code and str(size) in str(refused.value)


def test_a_broken_table_does_not_get_into_the_settings():
    with pytest.raises(TableRefused):
        with_values(FormuleClassique, {"small_tables": {"8": [[[1, 2], [3, 4]]]}})


def test_replacing_one_table_leaves_the_others():
    system = with_values(
        FormuleClassique, {"small_tables": [[10, [[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]]]]}
    )
    replaced = system.replaced_tables()
    assert len(table_for(9, replaced).rounds) == 1 and not table_for(9, replaced).official
    assert table_for(12, replaced) is TABLES[12]
