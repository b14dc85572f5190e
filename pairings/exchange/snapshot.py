"""The input of every print and every file of a tournament: plain frozen values, no database.

A sheet is a snapshot of one tournament. `pairings.tournaments.files.snapshot` makes it from the rows; the
prints and the file formats beside this module only read it, and an import returns one.

Texts that a page would translate (reasons, column labels) are in the reader's language already.
Sequences are tuples and exact numbers are int or Fraction, so that two sheets compare by `==`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from functools import cached_property

from pairings.rules.match_lifecycle import Lifecycle
from pairings.systems import BY_CODE, DEFAULT

MATCH_RULES = "match_rules"
"""The name in a sheet's settings of the numbers of its matches, beside those of its system."""
LIFECYCLE = Lifecycle()

Exact = int | Fraction | None

PLAYED, FORFEIT, BYE, PENDING, CANCELLED = "played", "forfeit", "bye", "pending", "cancelled"
KINDS = (PLAYED, FORFEIT, BYE, PENDING, CANCELLED)

FIRST_ABSENT, SECOND_ABSENT, BOTH_ABSENT = "a", "b", "both"
ABSENCES = ("", FIRST_ABSENT, SECOND_ABSENT, BOTH_ABSENT)
"""The players absent from a forfeited match, in the terms of `pairings.rules.scoring`."""
OTHER_SIDE = {FIRST_ABSENT: SECOND_ABSENT, SECOND_ABSENT: FIRST_ABSENT, BOTH_ABSENT: BOTH_ABSENT}
"""Who was absent where the players stand the other way round."""

WIN, DRAW, LOSS, FORFEIT_WIN, ABSENT = "win", "draw", "loss", "forfeit_win", "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPlayer:
    """One entry. `number` names the player in the boards and standings of this sheet only.

    `initial_rank` is 1 for the best entry, 0 before the initial ranking is frozen; `rating` the
    initial cote and `rating_origin` its origin (PL, PL*). `present`: would be paired now;
    `withdrawn`: announced that they would not come back.
    """

    number: int
    name: str
    first_name: str = ""
    last_name: str = ""
    club: str = ""
    rating: int | None = None
    rating_origin: str = ""
    initial_rank: int = 0
    present: bool = True
    withdrawn: bool = False
    fee_paid: bool = False
    member_number: int | None = None

    @property
    def listed(self) -> str:
        """Return the name with the family name first, as in lists by name and federations' files."""
        return f"{self.last_name}, {self.first_name}".strip(", ") or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetBoard:
    """One match of a round. Players are numbers of the sheet; `second` is None for a bye.

    `absent` is "a", "b" or "both" where `kind` is "forfeit". `games` are the scores game by game
    where two games must be won; `first_score` and `second_score` are then the games won.
    `is_provisional`: entered, but not final yet. `match` is the match on this site, for links; it
    is not exported.
    """

    table: int
    first: int
    second: int | None
    kind: str = PENDING
    first_score: int | None = None
    second_score: int | None = None
    games: tuple[tuple[int, int], ...] = ()
    absent: str = ""
    reason: str = ""
    is_repeat: bool = False
    is_provisional: bool = False
    match: int = field(default=0, compare=False)

    def players(self) -> tuple[int, ...]:
        """Return the players at the table, first seat first."""
        return (self.first,) if self.second is None else (self.first, self.second)

    def outcome(self, player: int) -> str:
        """Return the result for one of its players.

        A win by forfeit and a bye have their own values.
        """
        if self.kind in (PENDING, CANCELLED, BYE):
            return self.kind
        is_first = player == self.first
        if self.kind == FORFEIT:
            there = SECOND_ABSENT if is_first else FIRST_ABSENT
            return FORFEIT_WIN if self.absent == there else ABSENT
        margin = self.margin if is_first else -self.margin
        return WIN if margin > 0 else LOSS if margin < 0 else DRAW

    @property
    def margin(self) -> int:
        """Return games won less games lost, or the first seat's points ahead without games."""
        if self.games:
            return sum((score > other) - (score < other) for score, other in self.games)
        return (self.first_score or 0) - (self.second_score or 0)

    def scores_of(self, player: int) -> tuple[int | None, int | None]:
        """Return the player's score, then the opponent's."""
        if player == self.first:
            return self.first_score, self.second_score
        return self.second_score, self.first_score

    def opponent_of(self, player: int) -> int | None:
        """Return the opponent; None for the fictive player."""
        return self.second if player == self.first else self.first


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRound:
    """One round. `absent`: numbers of the players announced absent, who were not paired."""

    number: int
    published: bool = False
    closed: bool = False
    starts_at: datetime | None = None
    boards: tuple[SheetBoard, ...] = ()
    absent: tuple[int, ...] = ()

    @property
    def missing(self) -> tuple[SheetBoard, ...]:
        """Return the boards still without a result."""
        return tuple(board for board in self.boards if board.kind == PENDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetColumn:
    """One column of the standings: its code in `SheetStanding.values`, its header, its full name."""

    code: str
    label: str
    long_label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetValue:
    """A tie-break as displayed and exactly. `exact` is None where the value does not exist."""

    text: str
    exact: Exact = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetStanding:
    """One line of the standings.

    `tied`: shares its place; `why`: criterion that parts it from the one above.
    """

    place: int
    player: int
    tied: bool = False
    values: Mapping[str, SheetValue] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetSlot:
    """One slot of the day's schedule; `round` is 0 for what is not a round (lunch, prizes)."""

    label: str
    starts_at: datetime
    ends_at: datetime | None = None
    round: int = 0


@dataclass(frozen=True, kw_only=True)
class TournamentSheet:
    """One whole tournament.

    `settings`: the numbers of its rules, by name, as the tournament stores them. `standings` are
    after round `standings_after`; they are the final ranking when `final`. `is_ranked`: their places
    say something; it is for prints, and in no file. `provisional`: a result that counts in them is
    not final yet. `code` names the tournament in addresses and files. `split_after`: the round after
    which a list that rates whole tables takes a second one.
    """

    name: str
    code: str = ""
    held_on: date
    ends_on: date | None = None
    starts_at: datetime | None = None
    place: str = ""
    organisation: str = ""
    director: str = ""
    system: str = DEFAULT.code
    system_label: str = DEFAULT.label
    winning_games: int = 1
    minutes: int = 0
    byoyomi: int = 0
    round_minutes: int = 0
    fee: str = ""
    split_after: int | None = None
    rounds_planned: int = 0
    rating_list: str = ""
    rated_on: date | None = None
    zone: str = "Europe/Paris"
    settings: Mapping[str, object] = field(default_factory=dict)
    players: tuple[SheetPlayer, ...] = ()
    rounds: tuple[SheetRound, ...] = ()
    columns: tuple[SheetColumn, ...] = ()
    standings: tuple[SheetStanding, ...] = ()
    standings_after: int = 0
    is_ranked: bool = field(default=True, compare=False)
    final: bool = False
    provisional: bool = False
    schedule: tuple[SheetSlot, ...] = ()

    @cached_property
    def by_number(self) -> Mapping[int, SheetPlayer]:
        """Return the players by their number."""
        return {player.number: player for player in self.players}

    @property
    def by_initial_rank(self) -> list[SheetPlayer]:
        """Return the players in the order of the initial ranking; those without a rank last."""
        return sorted(self.players, key=lambda each: (each.initial_rank or 10**6, each.number))

    def round(self, number: int) -> SheetRound | None:
        """Return the round of that number, or None."""
        return next((each for each in self.rounds if each.number == number), None)

    @property
    def shown_rounds(self) -> tuple[SheetRound, ...]:
        """Return the rounds visible to everybody; those only planned are left out."""
        return tuple(each for each in self.rounds if each.published)

    @property
    def score_bounds(self) -> tuple[int, int]:
        """Return the lowest and the highest score of a match, by the tournament's match rules."""
        match_rules = self.settings.get(MATCH_RULES)
        rules = match_rules if isinstance(match_rules, Mapping) else {}
        low, high = rules.get("min_score"), rules.get("max_score")
        return (
            low if type(low) is int else LIFECYCLE.min_score,
            high if type(high) is int else LIFECYCLE.max_score,
        )

    @property
    def is_filled_up(self) -> bool:
        """Return whether somebody meets the fictive player in each round."""
        system = BY_CODE.get(self.system, DEFAULT)
        return system.has_fictive_player(len(self.players))
