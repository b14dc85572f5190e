"""States and reasons to JSON and back without loss: a Fraction becomes "num/den"."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ratings.systems.protocol import Reason, State, frozen

FRACTION = "fraction"
PLAIN = frozenset({int, float, str, bool, type(None)})


def to_json(value: object) -> object:
    """Return a JSON-ready copy: Fraction → {"fraction": "n/d"}, mappings and sequences walked."""
    if type(value) in PLAIN:  # the most frequent case first: much faster than isinstance
        return value
    if isinstance(value, Fraction):
        return {FRACTION: f"{value.numerator}/{value.denominator}"}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value


def from_json(value: object) -> Any:
    """Return the inverse of `to_json`; lists stay lists."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, dict):
        if set(value) == {FRACTION}:
            return Fraction(value[FRACTION])
        return {key: from_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_json(item) for item in value]
    return value


def state_to_json(state: State) -> dict[str, object]:
    """Return one player's state as stored in the ledger."""
    return {
        "rating": to_json(state.rating),
        "games": state.games,
        "events": state.events,
        "status": state.status,
        "extra": to_json(state.extra),
    }


def state_from_json(stored: Mapping[str, Any]) -> State:
    """Return the state that `state_to_json` stored."""
    return State(
        rating=from_json(stored["rating"]),
        games=stored["games"],
        events=stored["events"],
        status=stored["status"],
        extra=frozen(from_json(stored["extra"])),
    )


def reason_to_json(reason: Reason) -> dict[str, object]:
    """Return one line of an explanation as stored."""
    return {
        "kind": reason.kind,
        "article": reason.article,
        "effect": to_json(reason.effect),
        "opponent": reason.opponent,
        "game": reason.game,
        "values": to_json(reason.values),
    }
