"""What the rest of the site may ask of a pairing system: every capability, with its default."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from clubs.rulebooks.fields import gettext_noop as _
from pairings.rules.scoring import MatchRecord, Records
from pairings.rules.tiebreaks import RankedPlayer
from pairings.systems.points.possible_places import Board, Places
from pairings.systems.protocol import (
    REASONS,
    Available,
    Entrants,
    EntriesRefused,
    FixedTable,
    Pairing,
    Tie,
)
from pairings.systems.wins_and_spread.possible_places import possible_places
from pairings.systems.wins_and_spread.ranking import WinsAndSpread
from ratings.systems.protocol import PlayerId

NO_ROUNDS = _("Ce système ne fixe pas le nombre de rondes : choisissez-le.")

Left = Mapping[PlayerId, int]
"""How many matches each player has still to play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingSystem(ABC):
    """A frozen dataclass: its fields are the numbers that an organiser may change.

    `pairings.systems.PAIRING_SYSTEMS` lists them. A system overrides what its rules say otherwise;
    nothing else is ever asked of it.
    """

    code: ClassVar[str]
    label: ClassVar[str]
    document: ClassVar[str]
    reasons: ClassVar[Mapping[str, str]] = REASONS
    """How each reason of a pair reads: `REASONS`, and the system's own words."""
    ranks_by: ClassVar[str]
    """Its own ranking in words: "by PM, PPM and Pdep"."""
    unit: ClassVar[str]
    """What its own ranking counts first."""
    rounds_note: ClassVar[str] = ""
    """The document's numbers of rounds, as help before the initial ranking is frozen."""
    counts_rounds: ClassVar[bool] = False
    """Whether the rules alone give the number of rounds, whatever the organiser wrote."""
    keeps_absent: ClassVar[bool] = False
    """Whether an absent player keeps their place, so that their match ends by forfeit."""
    fills_up: ClassVar[bool] = True
    """Whether the fictive player makes an odd number even, as an opponent in each round."""
    edited_apart: ClassVar[tuple[str, ...]] = ("rounds",)
    """Fields with a form of their own, or a column of the tournament."""
    own_ranking_fields: ClassVar[tuple[str, ...]] = ()
    """Fields that only its own ranking reads: not shown under wins and spread."""

    @property
    def wins_and_spread(self) -> WinsAndSpread | None:
        """Return the ranking by wins and spread where it replaces the system's own."""
        return None

    @property
    def winning_games(self) -> int:
        """Return the games to win a match."""
        return 1

    @property
    def schedule(self) -> Sequence[Any]:
        """Return the ranges of rounds with a system of their own."""
        return ()

    @property
    def balances_firsts(self) -> bool:
        """Return whether who begins is settled pair by pair; else the first named of a pair begins."""
        return self.wins_and_spread is not None

    # Rounds

    @classmethod
    def has_fictive_player(cls, entries: int) -> bool:
        """Return whether one of that many players meets the fictive player in each round."""
        return cls.fills_up and entries % 2 == 1

    def rounds_of(self, entries: int) -> int:
        """Return the number of rounds. Raises EntriesRefused where no rule gives it."""
        raise EntriesRefused(NO_ROUNDS)

    def admits(self, entries: int) -> bool:
        """Return whether somebody may join that many players once the first round is published."""
        return True

    def still_in(self, entrants: Entrants, records: Records, *, today: int) -> set[PlayerId]:
        """Return who may still have a match from the round `today` on: nobody is out by default."""
        return {entrant.player for entrant in entrants}

    def with_rounds(self, count: int) -> Self:
        """Return the system with the organiser's number of rounds, where it looks at one."""
        return self

    def looking_ahead(self) -> Self:
        """Return the system that avoids repeats by looking ahead, where it has that strategy."""
        return self

    def lag_of(self, number: int) -> int:
        """Return by how many rounds the standings that pair this round are late."""
        return 0

    def way_of(self, number: int) -> tuple[str, int]:
        """Return the code of the system that pairs this round, and its lag.

        Raises RoundRefused where no system does.
        """
        return self.code, self.lag_of(number)

    def table_of(self, entrants: Entrants) -> FixedTable | None:
        """Return the predetermined rounds of these players, None where there are none."""
        return None

    @abstractmethod
    def pair_round(
        self, entrants: Entrants, records: Records, *, available: Available = None, today: int = 0
    ) -> Pairing:
        """Pair one round over the available players; None: over everybody."""

    # Ranking

    @abstractmethod
    def rank(
        self, entrants: Entrants, records: Records, *, today: int, for_pairing: bool = False
    ) -> list[RankedPlayer]:
        """Return everybody in order, with the values and what parted each two neighbours."""

    def ties(self, lines: Sequence[RankedPlayer], records: Records) -> list[Tie]:
        """Return what decided, or could not, among players level on points."""
        return []

    def shown_points(self, record: MatchRecord) -> Sequence[Mapping[str, object] | None]:
        """Return what each player has from a match, by column of the standings."""
        if self.wins_and_spread is None:
            return self.own_points(record)
        return [
            None if points is None else {"wins": points.wins, "spread": points.spread}
            for points in self.wins_and_spread.points_of(record)
        ]

    def own_points(self, record: MatchRecord) -> Sequence[Mapping[str, object] | None]:
        """Return the same in the system's own ranking; nothing where a match alone does not say."""
        return ()

    def possible_places(
        self, entrants: Entrants, records: Records, left: Left, boards: Sequence[Board] | None
    ) -> Mapping[PlayerId, Places]:
        """Return the final places that each player can still reach.

        `boards`: those of the last round without a result yet, None before the last round.
        """
        if self.wins_and_spread is None:
            return self.own_places(entrants, records, left, boards)
        wins, spread, _played = self.wins_and_spread.totals(entrants, records)
        direct_games = self.wins_and_spread.direct_games
        return possible_places(wins, left, boards, spread=spread, direct_games=direct_games)

    def own_places(
        self, entrants: Entrants, records: Records, left: Left, boards: Sequence[Board] | None
    ) -> Mapping[PlayerId, Places]:
        """Return the same in the system's own ranking; nothing where it gives no bounds."""
        return {}
