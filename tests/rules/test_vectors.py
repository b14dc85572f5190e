"""Every conformance case, through the adapters that `manage.py evaluate_rules` uses."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from pairings import conformance

FOLDER = Path(__file__).parent.parent / "vectors"
READY = (
    "absp",
    "faizers_cote",
    "faizers_pairing",
    "fesa",
    "fisf",
    "formule_classique",
    "match",
    "romania",
)
CASES = [
    case
    for system in READY
    for case in conformance.read(
        iter((FOLDER / f"{system}.jsonl").read_text(encoding="utf-8").splitlines())
    )
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_engine_gives_what_the_case_expects(case):
    answer = conformance.run(case)
    assert conformance.check(case, answer), json.dumps(answer, ensure_ascii=False)


@pytest.mark.parametrize(
    ("output", "expected", "agrees"),
    [
        (1.0000001, 1.0, True),
        (1.1, 1.0, False),
        (1, 1.0, True),
        (True, 1, False),
        (1, True, False),
        (None, None, True),
        (0, None, False),
        ("a", "a", True),
        ({"num": 1, "den": 3, "approx": 9}, {"num": 1, "den": 3, "approx": 0.333333}, True),
        ({"num": 2, "den": 6, "approx": 0.333333}, {"num": 1, "den": 3, "approx": 0.3}, False),
        ([1, 2], [1, 2, 3], False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ((1, 2), [1, 2], True),
    ],
)
def test_answers_are_compared_to_a_millionth_and_fractions_exactly(output, expected, agrees):
    assert conformance.agrees(output, expected) is agrees


def test_an_unknown_system_or_function_is_said_so():
    assert "error" in conformance.run({"id": "x", "system": "chess", "function": "f", "input": {}})
    assert "error" in conformance.run({"id": "x", "system": "match", "function": "f", "input": {}})


def test_a_refused_case_prints_an_error_and_not_a_trace():
    answer = conformance.run({"id": "x", "system": "match", "function": "events", "input": 3})
    assert set(answer) == {"id", "error"}


def test_a_broken_line_is_named():
    with pytest.raises(ValueError, match="line 2"):
        list(conformance.read(['{"input": {}}', "{cut"]))
    with pytest.raises(ValueError, match="line 1 is not a case"):
        list(conformance.read(["[1, 2]"]))


def test_a_case_without_its_input_is_refused_and_the_next_one_answered():
    lines = [
        '{"id": 1, "system": "fisf", "function": "we"}',
        '{"id": 2, "system": "fisf", "function": "we", "input": {"diff": 4}}',
    ]
    assert [conformance.run(case) for case in conformance.read(lines)] == [
        {"id": 1, "error": "missing or unknown: input"},
        {"id": 2, "output": 0.51},
    ]


def test_a_number_that_json_has_not_is_named():
    with pytest.raises(ValueError, match=r"line 1 .*NaN is not a number"):
        list(conformance.read(['{"input": {"n": NaN}}']))


def answer(system, function, **given):
    return conformance.run({"id": "x", "system": system, "function": function, "input": given})


@pytest.mark.parametrize(
    ("system", "function", "given", "words"),
    [
        ("absp", "game_points", {"mine": 150, "opp": 150}, "missing or unknown: score"),
        ("absp", "combine", {"history": [[1, 1]], "params": "1998"}, "missing or unknown: 1998"),
        ("absp", "tournament", {"rating": 150, "games": [[150, 2]]}, "not a result: 2"),
        (
            "absp",
            "rate_event",
            {"players": {"a": {"rating": 150.5, "history": []}}, "games": []},
            "whole ratings",
        ),
        ("fesa", "grade_row", {"grade": "7 Dan"}, "missing or unknown: 7 Dan"),
        ("fesa", "game_change", {"tr": 1500, "opp": 1500, "res": 1.5}, "not a result: 1.5"),
        ("fesa", "k_of", {"tr": "1500"}, "not the shape of a case"),
        (
            "fesa",
            "rate_table",
            {"players": {"a": {"rating": 1500}}, "games": [{"a": "a", "b": "a", "sa": 1}]},
            "plays himself",
        ),
        ("romania", "weights", {"n": 31}, "N doit être compris entre 1 et 30"),
        ("romania", "points", {"v": 150, "j": 0, "place": 1}, "no place 1 among 0"),
        ("romania", "simulate", {"n": 5, "events": [{}]}, "vide"),
        ("formule_classique", "fixed_tables", {"players": 17}, "no table for 17"),
        ("formule_classique", "rounds_count", {"entries": [7]}, "8 à 128"),
        ("formule_classique", "match_points", {"match": {"a": "A", "b": "B"}}, "missing"),
    ],
)
def test_a_case_that_is_none_is_answered_in_words(system, function, given, words):
    told = answer(system, function, **given)
    assert words in told["error"]


def test_a_whole_number_may_be_written_with_its_decimals():
    """ABSP: points and ratings are printed as 150.0 in the cases; they are the same numbers."""
    games = [{"a": "a", "b": "b", "sa": 1}]
    whole = {"a": {"rating": 150, "history": [[9000, 60]]}, "b": {"rating": 140, "history": []}}
    written = {
        "a": {"rating": 150.0, "history": [[9000.0, 60.0]]},
        "b": {"rating": 140.0, "history": []},
    }
    found = answer("absp", "rate_event", players=written, games=games)
    assert found["output"] == answer("absp", "rate_event", players=whole, games=games)["output"]
    assert answer("absp", "combine", history=[[9000.0, 60]])["output"]["exact"] == 150


def test_001_5_and_6_a_printed_half_goes_up_whatever_the_kept_numbers_lost():
    """Thirds kept on a grid add up to 150 less a hair: V is 150 and P 162.5, printed 163."""
    events = [
        {"b": 1},
        {"d": 1, "e": 1, "c": 3, "a": 4},
        {"b": 1, "e": 1, "c": 1, "d": 1, "a": 5},
    ]
    last = answer("romania", "simulate", n=1, events=events)["output"][-1]
    assert (last["V"], last["V_shown"], last["P"]["b"], last["P_shown"]["b"]) == (
        150,
        150,
        162.5,
        163,
    )


def test_001_8_the_general_rating_is_the_mean_of_the_five_types_named_or_not():
    assert answer(
        "romania",
        "general",
        ratings={"DuplicatClasic": 200},
        statuses={"DuplicatClasic": "active"},
    )["output"] == pytest.approx(160)


@pytest.mark.parametrize(("a", "b", "side"), [("A", "X", "a"), ("X", "A", "b")])
def test_004_2_the_points_stand_on_the_side_of_the_one_who_met_x(a, b, side):
    points = answer("formule_classique", "match_points", match={"a": a, "b": b})["output"]
    assert points[side] == [3, 10]


@pytest.mark.parametrize("kind", ["cancelled", "disputed", "void"])
def test_002_v_b_a_match_without_a_result_that_counts_brings_no_pr(kind):
    assert answer("faizers_cote", "match_points", kind=kind, result="a")["output"] == [0, 0]


def test_002_ii_a_2_a_rated_forfeit_goes_to_the_player_who_came():
    """The winner is named, or known by who is absent, or by the scores set down for the forfeit."""
    match = {"a": "a", "b": "b", "sa": 0, "sb": 100, "kind": "forfeit"}
    for told in ({}, {"winner": "b"}, {"result": "b"}, {"absent": "a"}):
        found = answer(
            "faizers_cote",
            "rate_session",
            players={"a": 1200, "b": 1200},
            matches=[{**match, **told}],
            cfg={"rate_forfeits": True},
        )["output"]
        assert (found["a"]["new"], found["b"]["new"]) == (1185, 1215)


def test_000_4_the_numbers_of_a_case_may_be_written_with_decimals():
    games = [{"opp": 1900.0, "w": 0.0}, {"opp": 1700, "w": "1"}]
    found = answer("fisf", "update_player", rating=1700.0, games_before=100.0, games=games)
    assert (found["output"]["raw"], found["output"]["new"]) == (1705.2, 1705)


@pytest.mark.parametrize(
    ("system", "function", "given", "words"),
    [
        ("faizers_cote", "match_points", {"kind": "lost", "result": "a"}, "no such kind"),
        ("faizers_cote", "ds", {"winner": 300, "loser": 400}, "winner's score comes first"),
        ("faizers_cote", "ds", {"winner": 300.5, "loser": 200}, "not a score"),
        ("faizers_cote", "p_win", {"e0": 1000, "opp": 1200, "divisor": 0}, "diviseur"),
        ("faizers_pairing", "ds_match", {"scores": [300]}, "unpack"),
        (
            "faizers_pairing",
            "pair_ranked",
            {"order": ["A", "B"], "history": [], "settings": {"strategy": "blossom"}},
            "strategy is one of",
        ),
        ("fisf", "k_factor", {"rating": None, "games": 3}, "not a number"),
        ("fisf", "start_ratings", {"n": 10**9}, "entre 0 et 1000000"),
        ("fisf", "update_player", {"rating": 1700, "games_before": 3}, "missing or unknown: games"),
        ("match", "events", {"events": [{"type": "start"}]}, "missing or unknown: at"),
    ],
)
def test_a_case_of_the_club_or_the_fisf_that_is_none_is_answered_in_words(
    system, function, given, words
):
    assert words in answer(system, function, **given)["error"]


def test_an_answer_that_json_cannot_hold_ends_no_file():
    assert json.loads(conformance.line({"id": 1, "output": Fraction(1, 2)}))["output"] == 0.5
    for broken in (float("nan"), Fraction(10**400), {1, 2}):
        told = json.loads(conformance.line({"id": "x", "output": broken}))
        assert told["error"].startswith("no answer in JSON")


def test_a_line_too_deep_to_read_is_named():
    with pytest.raises(ValueError, match="line 2 is not JSON"):
        list(conformance.read(['{"input": {}}', "[" * 200_000]))
