"""The register of pairing systems: adding one is one folder and one name here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from pairings.systems.base import PairingSystem
from pairings.systems.faizers.system import FaizersPairing
from pairings.systems.formule_classique.system import FormuleClassique
from pairings.systems.king_of_the_hill.system import KingOfTheHill
from pairings.systems.knockout.system import Knockout
from pairings.systems.quads.system import InitialQuads
from pairings.systems.round_robin.system import RoundRobin
from pairings.systems.schedule.system import Schedule
from pairings.systems.swiss.system import Swiss
from pairings.systems.wins_and_spread.ranking import WinsAndSpread

PAIRING_SYSTEMS: tuple[type[PairingSystem], ...] = (
    FaizersPairing,
    FormuleClassique,
    RoundRobin,
    KingOfTheHill,
    Knockout,
    Swiss,
    InitialQuads,
    Schedule,
)
BY_CODE: Mapping[str, type[PairingSystem]] = {system.code: system for system in PAIRING_SYSTEMS}
DEFAULT: type[PairingSystem] = FormuleClassique
"""What a new tournament is paired by unless its director chooses another."""


def conformances() -> Iterator[ModuleType]:
    """Yield the adapters of every system that has its own, and of the ranking that all share."""
    for known in (*PAIRING_SYSTEMS, WinsAndSpread):
        name = f"{known.__module__.rpartition('.')[0]}.conformance"
        if find_spec(name) is not None:
            yield import_module(name)
