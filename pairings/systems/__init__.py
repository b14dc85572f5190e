"""The register of pairing systems: one explicit tuple of classes."""

from pairings.systems.faizers import FaizersPairing
from pairings.systems.formule_classique import FormuleClassique

PAIRING_SYSTEMS = (FaizersPairing, FormuleClassique)
