"""`romania`: collective games, from one weight to a whole calendar."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any

from clubs.rulebooks.fields import with_values
from ratings.systems.conformance import Functions, keys
from ratings.systems.protocol import Event, Placing, State
from ratings.systems.romania import system as romania
from ratings.systems.romania.kinds import TYPES
from ratings.systems.romania.system import Romania
from ratings.systems.rounding import half_up

KIND = "duplicat_clasic"
KINDS = {kind.replace("_", ""): kind for kind in TYPES}


def exact(value: object) -> Fraction:
    """Return a case's number exactly: 180.4 is 902/5."""
    return Fraction(str(value))


def weights(values: Mapping[str, Any]) -> list[int]:
    return Romania().weights(values["n"])


def active_min(values: Mapping[str, Any]) -> int:
    return Romania().active_least(values["n"])


def points(values: Mapping[str, Any]) -> float:
    players, place = values["j"], exact(values["place"])
    if not 1 <= place <= players:
        raise ValueError(f"no place {values['place']} among {players} players")
    return float(Romania().points(exact(values["v"]), players, place))


def average_places(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(place) for name, place in Romania().places(values["places"]).items()}


def general(values: Mapping[str, Any]) -> float | None:
    ratings = {
        _kind(name): None if value is None else exact(value)
        for name, value in values["ratings"].items()
    }
    statuses = {_kind(name): status for name, status in values["statuses"].items()}
    general_rating = romania.general(ratings, statuses)
    return None if general_rating is None else float(general_rating)


def _kind(name: str) -> str:
    """Convert DuplicatClasic to duplicat_clasic. Raises KeyError for a type 001 does not define."""
    return KINDS[name.casefold().replace("_", "")]


def round_half_up(values: Mapping[str, object]) -> int:
    return half_up(exact(values["x"]))


def simulate(values: Mapping[str, Any]) -> list[dict[str, object]]:
    system: Romania = with_values(
        Romania, {"window_clasic": values["n"], "ties": values.get("ties", "average")}
    )
    states: dict[str, State] = {}
    answer = []
    for number, sheet in enumerate(values["events"], start=1):
        placings = tuple(Placing(name, place) for name, place in sheet.items())
        event = Event(
            str(number), date(2011, 1, 1), number, placings=placings, facts={"list_kind": KIND}
        )
        changes = system.settle(states, event)
        rated = {
            change.player: line.values
            for change in changes
            for line in change.because
            if line.kind == "points"
        }
        states |= {change.player: change.after for change in changes}
        value = next(iter(rated.values()))["V"]
        answer.append(
            {
                "V": float(value),
                "V_shown": system.shown_value(value),
                "P": {name: float(rated[name]["P"]) for name in sheet},
                "P_shown": {name: system.shown_value(rated[name]["P"]) for name in sheet},
                "R": {
                    name: None if state.rating is None else float(state.rating)
                    for name, state in states.items()
                },
                "R_shown": {name: system.shown(state) for name, state in states.items()},
                "status": {name: state.status for name, state in states.items()},
            }
        )
    return answer


FUNCTIONS: Functions = {
    "romania": {
        "active_min": (active_min, keys("n")),
        "average_places": (average_places, keys("places")),
        "general": (general, keys("ratings statuses")),
        "points": (points, keys("v j place")),
        "round_half_up": (round_half_up, keys("x")),
        "simulate": (simulate, keys("n ties events")),
        "weights": (weights, keys("n")),
    },
}
