"""What a match is played in: an evening of the ladder, or a round of a tournament.

The only module that asks which of the two. Everything that differs between them is a method of
`Competition`; the packages above give the two implementations (`pairings.registries`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from clubs.accounts.actor import Actor
from clubs.members.models import Member
from pairings.evenings.models import Evening
from pairings.registries import COMPETITIONS
from pairings.rules.match_lifecycle import Lifecycle
from pairings.rules.match_state import Act, Status, instant
from pairings.tournaments.models import Round
from ratings.ledger.models import Edition, Period
from ratings.ledger.origins import Origin

if TYPE_CHECKING:
    from pairings.matches.explanations import Why
    from pairings.matches.models import Match


@dataclass(frozen=True, slots=True)
class Effect:
    """One player's line of the before → after table."""

    member: Member
    rank: tuple[int | None, int | None]
    pr: tuple[Any, Any]
    cote: tuple[int | None, int | None]
    category: tuple[str, str]


@dataclass(frozen=True, slots=True)
class EffectTable:
    """Lines of the table.

    `periods`: later evenings recomputed too (a closed evening's correction). `ties_changed`: players
    without a line, of whom only the tie-breaks change (DS, Pdep).
    """

    rows: list[Effect]
    categories_changed: int
    periods: list[str]
    ties_changed: int = 0


class Competition(ABC):
    """The evening or the round of one match. The defaults do nothing and show nothing."""

    calls_players: ClassVar[bool] = False
    """Whether the arbiters get a message about a called table where nobody has sat down."""
    unplayed_template: ClassVar[str]
    """What the page of a match that was not played says of it: a forfeit, a bye."""
    silence_template: ClassVar[str]
    """What a player who reports an absence reads about an answer that does not come."""

    def __init__(self, match: Match) -> None:
        self.match = match

    # Rules

    @abstractmethod
    def match_rules(self) -> Lifecycle:
        """Return the settings of the match lifecycle that this match is played under."""

    def winning_games(self) -> int:
        """Return how many games must be won (004)."""
        return 1

    def accepts_results(self) -> bool:
        """Return whether results may change now, and keep it so until the transaction ends."""
        return True

    def is_closed(self) -> bool:
        """Return whether results are closed to changes, for a page: nothing is locked."""
        return False

    def is_replaced(self) -> bool:
        """Return whether this match, cancelled, made way for another one and never counts again."""
        return False

    def is_of_tonight(self) -> bool:
        """Return whether the match is of an evening that is open now."""
        return False

    def plays_from(self) -> datetime:
        """Return the instant from which the delays to play and to report an absence run."""
        return self.match.proposed_at

    def later_day(self, at: datetime) -> datetime | None:
        """Return when the match begins where that is on a day after this instant; else None."""
        begins, zone = self.plays_from(), self.match.organisation.zone
        return begins if begins.astimezone(zone).date() > at.astimezone(zone).date() else None

    def may_be_early(self, at: datetime) -> bool:
        """Return whether its players are called to a later day, and may still play before it."""
        return self.match.status == Status.PROPOSED and self.later_day(at) is not None

    def call_ends(self) -> datetime:
        """Return until when an opponent is waited for: from then on their absence may be reported."""
        return instant(self.match_rules().absence_from(self.plays_from().timestamp()))

    # Consequences of a result, inside the transaction that stores it

    @property
    @abstractmethod
    def origin(self) -> Origin:
        """Return the origin of the ledger's period that this match is posted to."""

    def post(self, *, at: datetime, is_first: bool) -> Period | None:
        """Align the ledger with the result in force; return the changed period.

        `is_first`: no result was in force before this one.
        """
        return None

    def follow_result(self, *, at: datetime, is_first: bool) -> None:
        """Align the absences and the waiting list with the result in force."""
        return None

    def send_correction(self, *, by: Actor, at: datetime) -> None:
        """Deliver a corrected result to the federations that have the competition."""
        return None

    def review_absences(self, before: Mapping[str, object], *, by: Actor, at: datetime) -> None:
        """Apply the absence policy. `before`: the previous result, as the journal stores it."""
        return None

    def notify(self, before: Mapping[str, object], act: Act | None, by: Actor) -> None:
        """Send mail about the result that has just been stored."""
        return None

    # Pages

    @property
    @abstractmethod
    def held_on(self) -> date:
        """Return the day that lists and records give to the match."""

    @property
    def season_name(self) -> str:
        """Return the name of the season that a record counts it in; empty without one."""
        return ""

    @abstractmethod
    def heading(self) -> str:
        """Return where the match was played, for a line of a list."""

    @property
    @abstractmethod
    def page_title(self) -> str:
        """Return the words of the link to `page_url`."""

    @property
    @abstractmethod
    def page_url(self) -> str:
        """Return the page that everybody reads about the evening or the round."""

    @abstractmethod
    def named(self, *, always_numbered: bool = False) -> dict[str, object]:
        """Return what programs know the evening or the round by.

        `always_numbered`: an evening's number is given on a day that has one evening too.
        """

    @abstractmethod
    def explain(self, *, viewer_is_member: bool) -> Why:
        """Return the reasons stored with the pairing, as sentences."""

    @abstractmethod
    def effect_of(self, trial: Match, entered: Match | None = None) -> EffectTable | None:
        """Return how the ranking changes if the match ends as `trial` (an unsaved copy).

        A contested match counts nowhere; with `entered`, the copy that holds the version entered,
        the table goes from that version to the retained one.
        """

    @property
    def cote_label(self) -> str:
        """Return the name of the cote in the table of such an effect; empty where none changes."""
        return ""

    @abstractmethod
    def points_label(self) -> str:
        """Return the name of the points in this ranking: PR or PM."""

    @abstractmethod
    def points_scale(self) -> dict[str, object]:
        """Return what a win, a draw and a loss bring, for the sentence before sending."""

    @abstractmethod
    def points(self, *, viewer_is_member: bool) -> dict[str, object]:
        """Return what each player has of the result in force: `points` under `points_columns`."""

    @abstractmethod
    def points_if_final(self, member: Member) -> dict[str, object]:
        """Return what the member is shown before they agree to the entered result."""

    def club_rankings(self) -> list[Edition]:
        """Return the published club rankings that this match counts in."""
        return []

    def can_pair_again(self) -> bool:
        """Return whether an arbiter may pair two players again by hand, to undo an action."""
        return False

    def control_url(self) -> str:
        """Return the page from which arbiters direct the whole evening; empty without one."""
        return ""

    def director_url(self) -> str:
        """Return the page from which this match is directed."""
        return self.control_url() or self.match.get_absolute_url()


def competition_of(match: Match) -> Competition:
    """Return the evening or the round of this match."""
    return COMPETITIONS["evening" if match.round_id is None else "round"](match)


def evening_of(match: Match) -> Evening:
    """Return the evening of a match of the ladder."""
    assert match.evening is not None
    return match.evening


def round_of(match: Match) -> Round:
    """Return the round of a tournament's match."""
    assert match.round is not None
    return match.round
