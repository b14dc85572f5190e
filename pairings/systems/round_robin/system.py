"""Everybody against everybody, by Berger's tables; ranked by PM, PPM, Pdep (004 §3 to §5, §9).

No document of the club defines this system; the tables are the usual ones, which alternate as
evenly as possible who begins: the first named of a pair begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting
from pairings.rules.scoring import Records
from pairings.systems.matching.by_standings import next_number, present
from pairings.systems.points.ranking import PointRanking
from pairings.systems.protocol import (
    LEFT_UNPAIRED,
    REASONS,
    SIT_OUT,
    TABLE,
    Available,
    Bye,
    Entrants,
    Pair,
    Pairing,
    RoundRefused,
    Warned,
)
from ratings.systems.protocol import PlayerId

Numbers = list[tuple[int, int]]


def berger_round(size: int, number: int) -> Numbers:
    """Return the pairs of numbers of one round.

    Numbers start at 1; `size` is even and the rounds are 1 to size − 1. In each round the two
    numbers of a pair add up to the same, modulo size − 1; the number paired with itself plays the
    last number, which begins in even rounds.
    """
    if size % 2 or size < 2 or not 1 <= number < size:
        raise ValueError(f"no round {number} for {size} players")
    others = size - 1
    pivot = (number - 1) * (size // 2) % others
    pairs = [(pivot + 1, size) if number % 2 else (size, pivot + 1)]
    for step in range(1, size // 2):
        pairs.append(((pivot + step) % others + 1, (pivot - step) % others + 1))
    return pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin(PointRanking):
    """Everybody meets everybody, once a cycle."""

    code: ClassVar[str] = "round_robin"
    label: ClassVar[str] = _("Toutes rondes (tables de Berger)")
    document: ClassVar[str] = "Berger"
    reasons: ClassVar[Mapping[str, str]] = MappingProxyType(
        {**REASONS, TABLE: _("table de Berger : chacun rencontre chacun")}
    )
    fills_up: ClassVar[bool] = False

    cycles: int = setting(
        1,
        _("Nombre de tours complets"),
        article="Berger",
        effect=_("Deux : chacun rencontre chacun deux fois, l’autre commence au retour."),
        unit=_("tours"),
        group="pairing",
        minimum=1,
        maximum=4,
    )

    @property
    def balances_firsts(self) -> bool:
        """Return no, under wins and spread either: the table says who begins."""
        return False

    def rounds_of(self, entries: int) -> int:
        """Return one round fewer than the players, X included, for each cycle."""
        return max(0, entries + entries % 2 - 1) * self.cycles

    def admits(self, entries: int) -> bool:
        """Return whether the table has a place that nobody took: one, for an odd number."""
        return entries % 2 == 1

    def pair_round(
        self, entrants: Entrants, records: Records, *, available: Available = None, today: int = 0
    ) -> Pairing:
        """Pair the round `today` of the table; 0 is the round after the last played.

        The table never changes: the opponent of an absent player has no match, nor has somebody who
        came later and found no place, and the arbiter decides. Raises RoundRefused when every round
        has been played.
        """
        number = next_number(records, today)
        seats = _seats(entrants)
        if not 1 <= number <= self.rounds_of(len(seats)):
            raise RoundRefused(_("Toutes les rondes du tableau sont jouées."))
        size = len(seats) + len(seats) % 2
        cycle, within = divmod(number - 1, size - 1)
        here = present(entrants, available)
        met = self.met(records)
        pairs: list[Pair] = []
        byes: list[Bye] = []
        alone = [e.player for e in entrants if e.player in here.difference(seats)]
        for one, two in berger_round(size, within + 1):
            first, second = (one, two) if cycle % 2 == 0 else (two, one)
            if max(first, second) > len(seats):
                player = seats[min(first, second) - 1]
                if player in here:
                    byes.append(Bye(player, SIT_OUT, 0, 0, TABLE, len(pairs)))
                continue
            players = seats[first - 1], seats[second - 1]
            if here.issuperset(players):
                meeting = met.get(players[0], {}).get(players[1])
                pairs.append(Pair(*players, TABLE, players[1], (), meeting))
            else:
                alone += [player for player in players if player in here]
        return Pairing(
            order=tuple(player for player in seats if player in here),
            pairs=tuple(pairs),
            byes=tuple(byes),
            unpaired=tuple(alone),
            warnings=(Warned(LEFT_UNPAIRED, tuple(alone)),) if alone else (),
            strategy=TABLE,
        )


def _seats(entrants: Entrants) -> list[PlayerId]:
    """Return the players by their numbers in the table: those of its first round, then whom it admits."""
    ordered = sorted(entrants, key=lambda entrant: entrant.initial)
    there = [entrant.player for entrant in ordered if entrant.joined <= 1]
    late = [entrant.player for entrant in ordered if entrant.joined > 1]
    return there + late[: len(there) % 2]
