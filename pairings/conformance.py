"""Adapters from JSON test cases to the engine functions that the site calls, behind one command.

Each system has its adapters in its own folder (see `ratings.systems.conformance`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from pairings.rules import conformance as match
from pairings.systems import conformances
from ratings import systems
from ratings.systems.conformance import Functions
from ratings.systems.conformance import check as check_keys

TOLERANCE = 1e-6

# Exceptions that an invalid case causes in an adapter or a rule. One such line must not end a file.
REFUSALS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)


@cache
def functions() -> Functions:
    """Return name in the cases → function → (callable, shape), from every system's own adapters."""
    adapters = [systems.part(known.code, "conformance") for known in systems.SYSTEMS]
    registry: dict[str, dict[str, Any]] = {}
    for module in (*adapters, *conformances(), match):
        for name, known in module.FUNCTIONS.items():
            registry.setdefault(name, {}).update(known)
    return registry


def run(case: Mapping[str, Any]) -> dict[str, object]:
    """Return {"id", "output"}, or {"id", "error"} for a case that the engine refuses."""
    identity = case.get("id")
    known = functions().get(str(case.get("system")))
    if known is None:
        return {"id": identity, "error": f"unknown system: {case.get('system')}"}
    if str(case.get("function")) not in known:
        return {"id": identity, "error": f"unknown function: {case.get('function')}"}
    function, shape = known[str(case["function"])]
    try:
        check_keys(shape, case["input"])
        return {"id": identity, "output": function(case["input"])}
    except REFUSALS as refusal:
        return {"id": identity, "error": _error_of(refusal)}


def _error_of(refusal: Exception) -> str:
    """Return the error message of a refused case, for its author."""
    if isinstance(refusal, KeyError):
        return f"missing or unknown: {refusal.args[0] if refusal.args else ''}"
    if isinstance(refusal, ValueError):
        return " ".join([str(refusal), *getattr(refusal, "__notes__", [])])
    return f"not the shape of a case ({type(refusal).__name__}: {refusal})"


def line(answer: Mapping[str, object]) -> str:
    """Return an answer as one line of JSON; an answer that JSON cannot represent becomes an error
    line.
    """
    try:
        return json.dumps(answer, ensure_ascii=False, allow_nan=False, default=_in_json)
    except (ArithmeticError, TypeError, ValueError, RecursionError) as broken:
        return json.dumps({"id": str(answer.get("id")), "error": f"no answer in JSON: {broken}"})


def _in_json(value: object) -> float:
    if isinstance(value, Fraction):
        return float(value)
    raise TypeError(f"{type(value).__name__} is no number")


def read(lines: Iterator[str] | list[str]) -> Iterator[dict[str, object]]:
    """Return the cases of a file. Raises ValueError naming the first invalid line."""
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            case = json.loads(text, parse_constant=_no_number)
        except (ValueError, RecursionError) as broken:
            raise ValueError(f"line {number} is not JSON: {broken}") from broken
        if not isinstance(case, dict):
            raise ValueError(f"line {number} is not a case: it names no system and no input")
        yield case


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is not a number")


def agrees(output: object, expected: Any) -> bool:
    """Return whether two outputs are equal: numbers to 1e-6, fractions {"num", "den"} exactly."""
    if isinstance(expected, dict):
        if set(expected) >= {"num", "den"}:
            return (
                isinstance(output, dict)
                and output.get("num") == expected["num"]
                and output.get("den") == expected["den"]
            )
        return (
            isinstance(output, dict)
            and set(output) == set(expected)
            and all(agrees(output[key], value) for key, value in expected.items())
        )
    if isinstance(expected, list):
        return (
            isinstance(output, list | tuple)
            and len(output) == len(expected)
            and all(agrees(a, b) for a, b in zip(output, expected, strict=True))
        )
    if isinstance(expected, bool) or expected is None or isinstance(expected, str):
        return type(output) is type(expected) and bool(output == expected)
    if isinstance(output, bool) or not isinstance(output, int | float):
        return False
    return bool(abs(output - expected) <= TOLERANCE * max(1.0, abs(expected)))


def check(case: Mapping[str, object], answer: Mapping[str, object]) -> bool:
    """Return whether the case passed.

    A case may expect a refusal, {"error": …}, or only some of an output's values (rows, or places).
    """
    expected = case.get("expected")
    if "error" in answer:
        return isinstance(expected, dict) and set(expected) == {"error"}
    output = answer["output"]
    if isinstance(output, dict) and isinstance(expected, dict) and expected:
        output = {key: value for key, value in output.items() if key in expected}
    return agrees(output, expected)
