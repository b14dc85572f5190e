"""The ranking by wins and spread."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clubs.rulebooks.fields import with_values
from pairings import conformance
from pairings.rules.scoring import ABSENT, BYE, CANCELLED, PENDING, MatchRecord, RecordRefused
from pairings.systems import PAIRING_SYSTEMS
from pairings.systems.schedule.system import Schedule
from pairings.systems.wins_and_spread.ranking import NOTHING, GamePoints, WinsAndSpread
from tests.rounds import entrants, game

SYSTEM = WinsAndSpread()
VECTORS = Path(__file__).parent.parent / "vectors" / "wins_and_spread.jsonl"


def places(players, records, system=SYSTEM):
    return {line.player: line.rank for line in system.standing(entrants(players), records)}


@pytest.mark.parametrize(("difference", "spread"), [(199, 199), (200, 200), (201, 200)])
def test_the_spread_of_a_game_is_limited(difference, spread):
    one, two = WinsAndSpread(spread_cap=200).points_of(game("A", "B", 300 + difference, 300))
    assert (one.spread, two.spread) == (spread, -spread)


def test_a_tie_is_half_a_win_each():
    half = GamePoints(Fraction(1, 2), 0, played=True)
    assert SYSTEM.points_of(game("A", "B", 400, 400)) == (half, half)


def test_a_bye_is_a_win_and_no_game():
    assert SYSTEM.points_of(MatchRecord("A", None, BYE)) == (GamePoints(1, 50), None)
    assert WinsAndSpread(bye_spread=0).points_of(MatchRecord("A", None, BYE))[0].spread == 0


@pytest.mark.parametrize(
    ("absent", "one", "two"),
    [("a", (0, -50), (1, 50)), ("b", (1, 50), (0, -50)), ("both", (0, -50), (0, -50))],
)
def test_who_is_absent_loses_by_the_spread_of_a_forfeit(absent, one, two):
    found = SYSTEM.points_of(MatchRecord("A", "B", ABSENT, absent=absent))
    assert found == (GamePoints(*one), GamePoints(*two))


@pytest.mark.parametrize("kind", [CANCELLED, PENDING])
def test_what_has_no_result_counts_nothing(kind):
    assert SYSTEM.points_of(MatchRecord("A", "B", kind)) == (NOTHING, NOTHING)


def test_a_record_that_is_none_is_refused():
    with pytest.raises(RecordRefused):
        SYSTEM.points_of(MatchRecord("A", "B", ABSENT))
    with pytest.raises(RecordRefused):
        SYSTEM.points_of(MatchRecord("A", "B"))


def test_a_match_of_two_winning_games_is_one_win_and_limits_each_game():
    record = MatchRecord("A", "B", games=((500, 100), (300, 310), (420, 400)), day=1)
    one, two = WinsAndSpread(spread_cap=200).points_of(record)
    assert one == GamePoints(1, 210, played=True) and two == GamePoints(0, -210, played=True)


def test_level_on_wins_and_spread_share_the_place():
    records = [game("A", "B", 400, 390), game("C", "D", 410, 400)]
    assert places("ABCD", records) == {"A": 1, "C": 1, "B": 3, "D": 3}


def test_direct_games_part_a_tie_where_chosen_and_where_all_have_met():
    records = [game("A", "B", 400, 390), game("B", "C", 400, 390), game("A", "C", 390, 400)]
    direct = WinsAndSpread(direct_games=True)
    assert places("ABC", records) == {"A": 1, "B": 1, "C": 1}
    assert places("ABC", records, direct) == {"A": 1, "B": 1, "C": 1}
    level = [game("A", "B", 400, 390), game("B", "C", 410, 400), game("A", "D", 390, 400)]
    assert places("AB", level, direct) == {"A": 1, "B": 2}
    assert places("AC", [game("A", "C", 390, 400)], direct) == {"C": 1, "A": 2}


def test_every_pairing_system_of_a_tournament_ranks_by_wins_and_spread_where_it_is_chosen():
    records = [game("A", "B", 300, 500), game("C", "D", 400, 399), game("A", "C", 500, 300, day=2)]
    for system in PAIRING_SYSTEMS:
        rules = system(wins_and_spread=SYSTEM)
        for for_pairing in (False, True):
            lines = rules.rank(entrants("ABCD"), records, today=3, for_pairing=for_pairing)
            assert [line.player for line in lines] == list("BACD"), system.code
            assert [line.values["wins"] for line in lines] == [1, 1, 1, 0]


def test_an_unknown_setting_is_refused():
    with pytest.raises(KeyError):
        with_values(WinsAndSpread, {"cap": 200})


RESULTS = st.lists(
    st.tuples(
        st.sampled_from("ABCDEF"),
        st.sampled_from("ABCDEF"),
        st.integers(-50, 700),
        st.integers(-50, 700),
    ).filter(lambda one: one[0] != one[1]),
    max_size=20,
)


@given(RESULTS)
def test_wins_add_up_to_the_games_and_spreads_to_nothing(results):
    wins, spread, played = SYSTEM.totals(entrants("ABCDEF"), [game(*one) for one in results])
    assert sum(wins.values()) == len(results)
    assert sum(spread.values()) == 0
    assert sum(played.values()) == 2 * len(results)


# Conformance


def case(**given):
    return conformance.run(
        {"id": 1, "system": "wins_and_spread", "function": "standings", "input": given}
    )


def test_the_vectors_are_answered_with_rows_and_places():
    first = json.loads(VECTORS.read_text(encoding="utf-8").splitlines()[0])
    output = conformance.run(first)["output"]
    assert set(output) == {"rows", "places"}
    assert output["places"] == {row["id"]: row["place"] for row in output["rows"]}


@pytest.mark.parametrize(
    ("match", "winner"),
    [
        ({"a": "A"}, "A"),
        ({"a": "B", "b": None}, "B"),
        ({"a": "B", "b": "A", "kind": "bye"}, "B"),
        ({"a": "A", "b": "B", "kind": "forfeit", "present": "B"}, "B"),
        ({"a": "A", "b": "B", "absent": "b"}, "A"),
        ({"a": "A", "b": "B", "sa": 300, "sb": 400}, "B"),
    ],
)
def test_a_match_of_a_case_is_read_as_its_author_means_it(match, winner):
    found = case(players=["A", "B"], rounds=[[match]])["output"]["rows"]
    assert (found[0]["id"], found[0]["wins"]) == (winner, 1.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rounds": [[{"a": "A", "b": "Z", "sa": 1, "sb": 2}]]}, "not one of the players: Z"),
        ({"rounds": [[{"a": "A", "b": "B", "score": 1}]]}, "unknown key"),
        ({"rounds": [], "settings": {"cap": 1}}, "cap"),
        ({"rounds": [[{"a": "A", "b": "B", "sa": 1}]]}, "missing or unknown: sb"),
        ({"rounds": [[{"a": "A", "b": "B", "kind": "forfeit"}]]}, "no result"),
    ],
)
def test_a_case_that_is_none_is_refused_in_words(given, words):
    assert words in case(players=["A", "B"], **given)["error"]


def test_a_case_may_expect_some_of_the_values_only():
    expected = {"places": {"A": 1}}
    answer = {"id": 1, "output": {"rows": [1], "places": {"A": 1}}}
    assert conformance.check({"expected": expected}, answer)
    assert not conformance.check({"expected": {"places": {"A": 2}}}, answer)
    assert not conformance.check({"expected": {"place": 1}}, answer)


def test_a_schedule_ranks_by_wins_and_spread_unless_told_otherwise():
    assert Schedule().wins_and_spread == SYSTEM
    assert Schedule(wins_and_spread=None).rank(entrants("AB"), [])[0].values["pm"] == 0
