"""Entrants and games of a few rounds, for the tests of pairing systems."""

from __future__ import annotations

from pairings.rules.scoring import MatchRecord
from pairings.systems.protocol import Entrant


def entrants(players):
    """Everybody from the first day, in the order of the initial ranking."""
    return [Entrant(player, 0, place) for place, player in enumerate(players, start=1)]


def game(first, second, own=400, other=300, day=1):
    return MatchRecord(first, second, first_score=own, second_score=other, day=day)


def pairs_of(pairing):
    return [pair[:2] for pair in pairing.pairs]
