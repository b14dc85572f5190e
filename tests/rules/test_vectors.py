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
