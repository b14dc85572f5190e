"""The register of pairing systems: one explicit tuple of classes."""

from pairings.systems.faizers import FaizersPairing
from pairings.systems.formule_classique import FormuleClassique
from pairings.systems.king_of_the_hill import KingOfTheHill
from pairings.systems.knockout import Knockout
from pairings.systems.round_robin import RoundRobin

PAIRING_SYSTEMS = (FaizersPairing, FormuleClassique, RoundRobin, KingOfTheHill, Knockout)
