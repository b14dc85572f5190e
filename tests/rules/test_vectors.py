"""Every conformance case, through the adapters that `manage.py evaluate_rules` uses."""

from __future__ import annotations

import json
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
