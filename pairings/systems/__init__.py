"""The register of pairing systems: one explicit tuple of classes."""

from pairings.systems.faizers import FaizersPairing

PAIRING_SYSTEMS = (FaizersPairing,)
