"""The register of pairing systems: one explicit tuple of classes."""

from pairings.systems.faizers.system import FaizersPairing
from pairings.systems.formule_classique.system import FormuleClassique
from pairings.systems.king_of_the_hill.system import KingOfTheHill
from pairings.systems.knockout.system import Knockout
from pairings.systems.quads.system import InitialQuads
from pairings.systems.round_robin.system import RoundRobin
from pairings.systems.schedule.system import Schedule
from pairings.systems.swiss.system import Swiss

PAIRING_SYSTEMS = (
    FaizersPairing,
    FormuleClassique,
    RoundRobin,
    KingOfTheHill,
    Knockout,
    Swiss,
    InitialQuads,
    Schedule,
)
