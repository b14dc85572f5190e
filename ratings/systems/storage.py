"""States and reasons to JSON and back, without losing a bit: a Fraction becomes "num/den"."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from ratings.systems.base import Reason, State, frozen

FRACTION = "fraction"
PLAIN = frozenset({int, float, str, bool, type(None)})


def to_json(value: Any) -> Any:
    """JSON-ready copy: Fraction → {"fraction": "n/d"}, mappings and sequences walked."""
    if type(value) in PLAIN:  # nearly always, and much quicker than to ask what it is
        return value
    if isinstance(value, Fraction):
        return {FRACTION: f"{value.numerator}/{value.denominator}"}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value


def from_json(value: Any) -> Any:
    """The inverse of `to_json`; lists stay lists."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, dict):
        if set(value) == {FRACTION}:
            return Fraction(value[FRACTION])
        return {key: from_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_json(item) for item in value]
    return value


def state_to_json(state: State) -> dict[str, Any]:
    """One player's state as stored in the ledger."""
    return {
        "rating": to_json(state.rating),
        "games": state.games,
        "events": state.events,
        "status": state.status,
        "extra": to_json(state.extra),
    }


def state_from_json(stored: Mapping[str, Any]) -> State:
    """The state that `state_to_json` stored."""
    return State(
        rating=from_json(stored["rating"]),
        games=stored["games"],
        events=stored["events"],
        status=stored["status"],
        extra=frozen(from_json(stored["extra"])),
    )


def reason_to_json(reason: Reason) -> dict[str, Any]:
    """One line of an explanation as stored."""
    return {
        "kind": reason.kind,
        "article": reason.article,
        "effect": to_json(reason.effect),
        "opponent": reason.opponent,
        "game": reason.game,
        "values": to_json(reason.values),
    }


def state_text(state: State) -> str:
    """`state_to_json` as the text that is stored, without a copy between."""
    return _text(
        {
            "rating": state.rating,
            "games": state.games,
            "events": state.events,
            "status": state.status,
            "extra": state.extra,
        }
    )


def reasons_text(because: tuple[Reason, ...]) -> str:
    """Every `reason_to_json` of a change as the text that is stored."""
    return _text(
        [
            {
                "kind": reason.kind,
                "article": reason.article,
                "effect": reason.effect,
                "opponent": reason.opponent,
                "game": reason.game,
                "values": reason.values,
            }
            for reason in because
        ]
    )


def _readable(value: Any) -> Any:
    """What JSON does not know: fractions, read-only mappings."""
    if type(value) is MappingProxyType:
        return dict(value)
    if isinstance(value, Fraction):
        return {FRACTION: f"{value.numerator}/{value.denominator}"}
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} cannot be stored")


_text = json.JSONEncoder(default=_readable, check_circular=False).encode
