"""Knockout: the loser of a match is out. For finals, or a whole cup.

The usual bracket: the best seeds are kept apart as long as possible, and have no match in the first
round when the number of players is not a power of two. The players of the next round are read from
the results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting
from pairings.rules import tiebreaks
from pairings.rules.scoring import CANCELLED, MatchRecord, Records
from pairings.rules.tiebreaks import RankedPlayer
from pairings.systems.base import Left
from pairings.systems.matching.by_standings import next_number
from pairings.systems.points.possible_places import Board, Places
from pairings.systems.points.ranking import PointRanking
from pairings.systems.protocol import (
    BRACKET,
    REASONS,
    SIT_OUT,
    THIRD_PLACE,
    Available,
    Bye,
    Entrants,
    Pair,
    Pairing,
    RoundRefused,
    Tie,
)
from ratings.systems.protocol import PlayerId

REPLAY, BETTER_SEED = "replay", "better_seed"
Slot = PlayerId | None
Slots = list[Slot]


def bracket(size: int) -> list[int]:
    """Return seeds in the order of the bracket, neighbours meeting; `size` is a power of two."""
    seeds = [1]
    while len(seeds) < size:
        total = 2 * len(seeds) + 1
        seeds = [seed for high in seeds for seed in (high, total - high)]
    return seeds


@dataclass(frozen=True, slots=True, kw_only=True)
class Knockout(PointRanking):
    """The loser of a match is out; the last two play the final."""

    code: ClassVar[str] = "knockout"
    label: ClassVar[str] = _("Élimination directe")
    document: ClassVar[str] = "usage"
    reasons: ClassVar[Mapping[str, str]] = MappingProxyType(
        {**REASONS, SIT_OUT: _("exempt du premier tour : tête de série")}
    )

    ranks_by: ClassVar[str] = _("par tour atteint")
    keeps_absent: ClassVar[bool] = True
    fills_up: ClassVar[bool] = False

    third_place: bool = setting(
        True,
        _("Match pour la troisième place"),
        article=_("usage"),
        effect=_("Joué en même temps que la finale par les perdants des demi-finales."),
        group="pairing",
    )
    after_draw: str = setting(
        REPLAY,
        _("Après un match nul ou un double forfait"),
        article=_("usage"),
        effect=_("Rejoué : la ronde suivante attend un vainqueur."),
        group="pairing",
        choices=(
            (REPLAY, _("le match est rejoué")),
            (BETTER_SEED, _("la meilleure tête de série passe")),
        ),
    )

    def admits(self, entries: int) -> bool:
        """Return no: the first round settles the bracket."""
        return False

    def rounds_of(self, entries: int) -> int:
        """Return the number of halvings until one player is left."""
        return (entries - 1).bit_length() if entries > 1 else 0

    def pair_round(
        self, entrants: Entrants, records: Records, *, available: Available = None, today: int = 0
    ) -> Pairing:
        """Pair the round `today` of the bracket; 0 is the first one that has no result.

        An absent player keeps their place and their match ends by forfeit. Raises RoundRefused
        while a match of the round before has no winner, or when the final has been played.
        """
        number = next_number(records, today)
        rounds = self.rounds_of(len(_seeds(entrants)))
        if not 1 <= number <= rounds:
            raise RoundRefused(_("La finale est jouée."))
        slots, losers = self._slots(entrants, records, number)
        met = self.met(records)
        pairs: list[Pair] = []
        byes: list[Bye] = []
        for first, second in zip(slots[::2], slots[1::2], strict=True):
            if first is not None and second is not None:
                meeting = met.get(first, {}).get(second)
                pairs.append(Pair(first, second, BRACKET, second, (), meeting))
            elif first is not None or second is not None:
                player = second if first is None else first
                byes.append(Bye(player, SIT_OUT, 0, 0, BRACKET, len(pairs) + len(byes)))
        if number == rounds and self.third_place and len(losers) == 2:
            third, fourth = losers
            meeting = met.get(third, {}).get(fourth)
            pairs.append(Pair(third, fourth, THIRD_PLACE, fourth, (), meeting))
        seats = [player for player in slots if player is not None]
        return Pairing(order=tuple(seats), pairs=tuple(pairs), byes=tuple(byes), strategy=BRACKET)

    def _slots(
        self, entrants: Entrants, records: Records, number: int
    ) -> tuple[Slots, list[PlayerId]]:
        """Return the players by bracket place before that round, and the last losers."""
        seeds = _seeds(entrants)
        places = bracket(1 << self.rounds_of(len(seeds)))
        slots: Slots = [seeds[place - 1] if place <= len(seeds) else None for place in places]
        rank = {player: place for place, player in enumerate(seeds)}
        losers: list[PlayerId] = []
        for played in range(1, number):
            results = _results(records, played)
            following: Slots = []
            losers = []
            for first, second in _places(slots, records, played):
                if first is None or second is None:
                    following.append(second if first is None else first)
                    continue
                winner = self._winner(results.get(frozenset((first, second))), first, second, rank)
                following.append(winner)
                losers.append(second if winner == first else first)
            slots = following
        return slots, losers

    def still_in(self, entrants: Entrants, records: Records, *, today: int) -> set[PlayerId]:
        """Return who has not lost; before the final, the losers of the semi-finals too.

        While a match of a round before has no winner, both its players are in.
        """
        final = self.rounds_of(len(_seeds(entrants)))
        for number in range(min(today, final), 0, -1):
            try:
                slots, losers = self._slots(entrants, records, number)
            except RoundRefused:
                continue
            here = {player for player in slots if player is not None}
            if self.third_place and number == final:
                return here.union(losers)
            waits = self.third_place and number == final - 1
            return here if waits else here - self._beaten(records, number)
        return {entrant.player for entrant in entrants}

    def _beaten(self, records: Records, number: int) -> set[PlayerId]:
        """Return who has lost a match of that round."""
        beaten: set[PlayerId] = set()
        for record in _results(records, number).values():
            winner = self._won(record)
            if winner is not None:
                beaten.update(player for player in record.players() if player != winner)
        return beaten

    def _won(self, record: MatchRecord) -> PlayerId | None:
        """Return who has won this match; None without a winner."""
        one, two = self.points_of(record)
        if record.kind == CANCELLED or two is None or one.pm == two.pm:
            return None
        return record.first if one.pm > two.pm else record.second

    def _winner(
        self,
        record: MatchRecord | None,
        first: PlayerId,
        second: PlayerId,
        rank: Mapping[PlayerId, int],
    ) -> PlayerId:
        if record is None or record.kind == CANCELLED:
            raise RoundRefused(_("Un match du tour précédent n’a pas de résultat."))
        winner = self._won(record)
        if winner is not None:
            return winner
        if self.after_draw == REPLAY:
            raise RoundRefused(
                _(
                    "Un match nul ou un double forfait du tour précédent doit être rejoué : une fois "
                    "le vainqueur connu, corrigez le résultat de ce match."
                )
            )
        return min(first, second, key=rank.__getitem__)

    def rank(
        self, entrants: Entrants, records: Records, *, today: int = 0, for_pairing: bool = False
    ) -> list[RankedPlayer]:
        """Rank by the round reached, then the match for the third place, then the seed.

        Players who left in the same round are ex aequo unless the ranking is for pairing.
        """
        if self.wins_and_spread is not None:
            return self.standing(entrants, records)
        stage = {entrant.player: 0 for entrant in entrants}
        third = dict.fromkeys(stage, 0)
        rounds = self.rounds_of(len(_seeds(entrants)))
        for number in range(1, rounds + 2):
            try:
                slots, losers = self._slots(entrants, records, number)
            except RoundRefused:
                break
            for player in slots:
                if player is not None:
                    stage[player] = number
            if number == rounds:
                third.update(self._third_place(losers, records, rounds))
        each = tiebreaks.of_each
        pm, pdep = self.totals(entrants, records)
        initial = {entrant.player: entrant.initial for entrant in entrants}
        usage = _("usage")
        criteria = [
            each("stage", _("tour atteint"), usage, stage),
            each("third", _("match pour la troisième place"), usage, third),
            each(
                "initial",
                _("tête de série"),
                usage,
                initial,
                descending=False,
                orders=for_pairing,
            ),
            each("pm", _("PM"), "004 §3", pm, orders=False),
            each("pdep", _("Pdep"), "004 §4.2", pdep, orders=False),
        ]
        ordered = sorted(entrants, key=lambda entrant: entrant.initial)
        return tiebreaks.rank([entrant.player for entrant in ordered], criteria)

    def ties(self, lines: Sequence[RankedPlayer], records: Records) -> list[Tie]:
        """Return nothing: PM part nobody here."""
        return []

    def own_places(
        self, entrants: Entrants, records: Records, left: Left, boards: Sequence[Board] | None
    ) -> Mapping[PlayerId, Places]:
        """Return nothing: PM bound no place here."""
        return {}

    def _third_place(
        self, losers: Sequence[PlayerId], records: Records, final: int
    ) -> dict[PlayerId, int]:
        wanted = frozenset(losers)
        for record in records:
            if record.day == final and frozenset((record.first, record.second)) == wanted:
                winner = self._won(record)
                if winner is not None:
                    return {winner: 1}
        return {}


def _results(records: Records, number: int) -> dict[frozenset[Slot], MatchRecord]:
    """Return the last result of each two players in that round."""
    return {
        frozenset((record.first, record.second)): record
        for record in records
        if record.day == number and record.second is not None
    }


def _places(slots: Slots, records: Records, played: int) -> list[tuple[Slot, Slot]]:
    """Return who met at each place of the bracket in that round.

    Where the arbiter exchanged players, a place is that of the board where one of its own two plays.
    """
    places = list(zip(slots[::2], slots[1::2], strict=True))
    boards = [record.players() for record in records if record.day == played]
    met = {frozenset(board) for board in boards}
    planned = [frozenset(place) - {None} for place in places]
    moved = [board for board in boards if frozenset(board) not in planned]
    for number, place in enumerate(places):
        if planned[number] in met:
            continue
        board = next((b for own in place if own is not None for b in moved if own in b), None)
        if board is not None:
            moved.remove(board)
            places[number] = (board[0], board[1] if len(board) > 1 else None)
    return places


def _seeds(entrants: Entrants) -> list[PlayerId]:
    """Return the players of the bracket, best first: those who were there for the first round."""
    there = [entrant for entrant in entrants if entrant.joined <= 1]
    return [entrant.player for entrant in sorted(there, key=lambda entrant: entrant.initial)]
