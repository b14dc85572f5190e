"""A match as plain values (002 II.A.2): statuses, results, the state of a match, events and acts.

Instants are seconds of one time scale: epoch seconds on the site, seconds since the proposal in the vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum

from ratings.systems.protocol import PlayerId


class Status(StrEnum):
    """Status of a match."""

    PROPOSED = "proposed"
    PLAYING = "playing"
    SUBMITTED = "submitted"
    ABSENCE_CLAIMED = "absence_claimed"
    CONTESTED = "contested"
    FINAL = "final"
    VOID = "void"
    CANCELLED = "cancelled"


class Kind(StrEnum):
    """Kind of a result: how the match ended."""

    PLAYED = "played"
    ABSENT = "absent"
    VOID = "void"
    CANCELLED = "cancelled"
    BYE = "bye"


class Absent(StrEnum):
    """Who was absent: the first player, the second, or both."""

    FIRST = "a"
    SECOND = "b"
    BOTH = "both"


class Ending(StrEnum):
    """What ended a match: the values of `why`."""

    CONFIRMED = "confirmed"
    EXPIRED = "expired"
    DESK = "desk"
    ARBITER = "arbiter"
    TIMEOUT = "timeout"
    CORRECTED = "corrected"
    CANCELLED = "cancelled"
    BYE = "bye"


class Event(StrEnum):
    """What a person or the clock does to a match: the kinds of act, and of a line of its timeline."""

    START = "start"
    SUBMIT = "submit"
    EDIT = "edit"
    RECORD = "record"
    CONFIRM = "confirm"
    CONTEST = "contest"
    CLAIM_ABSENCE = "claim_absence"
    DENY = "deny"
    WITHDRAW = "withdraw"
    EXPIRE = "expire"
    MARK_ABSENT = "mark_absent"
    TIMEOUT = "timeout"
    DECIDE = "decide"
    CORRECT = "correct"
    CANCEL = "cancel"

    @property
    def verb(self) -> str:
        """Return the verb of its journal entry."""
        return f"match_{self.value}"


CLOSED = frozenset({Status.FINAL, Status.VOID, Status.CANCELLED})
OPEN = frozenset(Status) - CLOSED
NOT_STARTED = frozenset({Status.PROPOSED, Status.PLAYING})
IN_WINDOW = frozenset({Status.SUBMITTED, Status.ABSENCE_CLAIMED})

CLOCK_EVENTS = frozenset({Event.EXPIRE, Event.TIMEOUT})
"""What the clock does: no person is the author of these."""

PLAYER, ARBITER, COMMITTEE, ADMIN, SYSTEM = "player", "arbiter", "committee", "admin", "system"
JUDGES = frozenset({ARBITER, COMMITTEE})
ABSENCES = tuple(Absent)
JUDGED = tuple(kind for kind in Kind if kind != Kind.BYE)


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a match.

    `games`: the scores game by game where two games must be won; the scores are then games won.
    """

    kind: Kind
    first_score: int | None = None
    second_score: int | None = None
    absent: Absent | None = None
    justified: bool = False
    games: tuple[tuple[int, int], ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the shape of the conformance vectors."""
        if self.kind == Kind.PLAYED:
            return {"kind": "played", "sa": self.first_score, "sb": self.second_score}
        if self.kind == Kind.ABSENT:
            return {"kind": "absent", "absent": self.absent, "justified": self.justified}
        return {"kind": self.kind.value}


RESULT_COLUMNS = tuple(field.name for field in fields(Result))
"""A result's values. The rows that hold one have columns of the same names."""
ENTERED_COLUMNS = tuple(
    name for name in RESULT_COLUMNS if name not in ("kind", "absent", "justified")
)
"""Those of a played result: what players enter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchState:
    """A match as the rules read it. `confirmed`: agreed by both, its window kept open until its end."""

    first: PlayerId
    second: PlayerId | None
    status: Status = Status.PROPOSED
    rev: int = 0
    result: Result | None = None
    why: Ending | None = None
    submitted_by: PlayerId | None = None
    confirmed: bool = False
    window_opened_at: float | None = None
    proposed_at: float = 0

    def plays(self, player: PlayerId) -> bool:
        return player in (self.first, self.second)


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """An event at an instant, caused by a person or by the clock.

    `result`: what it enters, notes or decides, if anything.
    """

    type: Event
    by: PlayerId
    role: str
    at: float
    result: Result | None = None
    reason: str = ""


def instant(seconds: float) -> datetime:
    """Return an instant of the rules, in epoch seconds, as the rows store it."""
    return datetime.fromtimestamp(seconds, tz=UTC)
