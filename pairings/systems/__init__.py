"""The register of pairing systems: one explicit tuple of classes."""

from pairings.systems.faizers.system import FaizersPairing
from pairings.systems.formule_classique.system import FormuleClassique
from pairings.systems.king_of_the_hill.system import KingOfTheHill
from pairings.systems.knockout.system import Knockout
from pairings.systems.round_robin.system import RoundRobin

PAIRING_SYSTEMS = (FaizersPairing, FormuleClassique, RoundRobin, KingOfTheHill, Knockout)
