"""What the conformance adapters of all systems share: numbers, results, the keys of a case.

A system's `conformance.py` has `FUNCTIONS`: name in the cases → function → (callable, shape of its
input). Adapters only translate; every answer comes from the functions that the site calls. A shape
is None (any value), a mapping of key → shape, `[shape]` (a list of such items) or `Each(shape)` (a
mapping of free names to such values). Settings are checked where they are read, by
`clubs.rulebooks.fields.with_values`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Function = Callable[[Mapping[str, object]], object]
Functions = Mapping[str, Mapping[str, tuple[Function, Mapping[str, object]]]]


@dataclass(frozen=True, slots=True)
class Each:
    """A mapping whose names are the case's own: players, days, types of game."""

    shape: object


def keys(names: str, **nested: Any) -> dict[str, Any]:
    """Return the shape of a mapping; `nested` gives the shapes of keys that contain more keys."""
    return {**dict.fromkeys(names.split()), **nested}


def check(shape: Mapping[str, object], case: object) -> None:
    """Raise ValueError naming the first key that the function does not read."""
    _check(case, shape, "")


def _check(value: object, shape: Any, place: str) -> None:
    if shape is None or value is None:
        return
    if isinstance(shape, list):
        for number, item in enumerate(value if isinstance(value, list) else ()):
            _check(item, shape[0], f"{place}[{number}]")
    elif isinstance(value, Mapping):
        for name, item in value.items():
            path = f"{place}.{name}" if place else str(name)
            if isinstance(shape, Each):
                _check(item, shape.shape, path)
            elif name not in shape:
                raise ValueError(f"unknown key: {path}")
            else:
                _check(item, shape[name], path)


def number(value: object) -> Any:
    """Return a case's number exactly, as an int or a Fraction: 150.0 is 150, 180.4 is 902/5."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"not a number: {value!r}")
    exact = Fraction(str(value))
    return exact.numerator if exact.denominator == 1 else exact


def as_json(value: object) -> Any:
    """Return a Fraction as the cases write it; whole numbers and None are unchanged."""
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return value.numerator
        approx = round(float(value), 6)  # display only; the exact value is stored beside it
        return {"num": value.numerator, "den": value.denominator, "approx": approx}
    return value


def halves(score: object) -> int:
    """Return a result in half points: 0, 1 or 2. Anything else is refused."""
    half_points = number(score) * 2
    if half_points not in (0, 1, 2):
        raise ValueError(f"not a result: {score}")
    return int(half_points)
