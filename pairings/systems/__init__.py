"""The register of pairing systems: adding one is one folder and one name here."""

from __future__ import annotations

from pairings.systems.base import PairingSystem
from pairings.systems.faizers.system import FaizersPairing
from pairings.systems.formule_classique.system import FormuleClassique
from pairings.systems.king_of_the_hill.system import KingOfTheHill
from pairings.systems.knockout.system import Knockout
from pairings.systems.quads.system import InitialQuads
from pairings.systems.round_robin.system import RoundRobin
from pairings.systems.schedule.system import Schedule
from pairings.systems.swiss.system import Swiss

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
