"""The match lifecycle (002 II.A.2 and V): who may do which act, when, and what follows.

Plain values in, plain values out. A step carries the archive lines of what was accepted, including a lapse noticed by
an act that is then refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pairings.rules.match_settings import LifecycleSettings
from pairings.rules.match_state import (
    ABSENCES,
    ADMIN,
    CLOSED,
    IN_WINDOW,
    JUDGED,
    JUDGES,
    NOT_STARTED,
    OPEN,
    PLAYER,
    SYSTEM,
    Absent,
    Act,
    Ending,
    Event,
    Kind,
    MatchState,
    Result,
    Status,
)
from ratings.systems.protocol import PlayerId

_PLAYERS, _SYSTEM = frozenset({PLAYER}), frozenset({SYSTEM})
_STARTERS, _CANCELLERS = JUDGES | {PLAYER, ADMIN}, JUDGES | {ADMIN}
_WINDOW_ENDS = frozenset({Status.FINAL, Status.CONTESTED})

# event → (who, from which statuses, to which statuses). A test walks it.
FLOW: Mapping[Event, tuple[frozenset[str], frozenset[Status], frozenset[Status]]] = {
    Event.START: (_STARTERS, frozenset({Status.PROPOSED}), frozenset({Status.PLAYING})),
    Event.SUBMIT: (_PLAYERS, NOT_STARTED | IN_WINDOW, _WINDOW_ENDS | {Status.SUBMITTED}),
    Event.EDIT: (_PLAYERS, frozenset({Status.SUBMITTED}), frozenset({Status.SUBMITTED})),
    Event.RECORD: (JUDGES, NOT_STARTED | {Status.SUBMITTED}, _WINDOW_ENDS),
    Event.CONFIRM: (_PLAYERS, IN_WINDOW, frozenset({Status.FINAL, Status.SUBMITTED})),
    Event.CONTEST: (
        JUDGES | _PLAYERS,
        frozenset({Status.SUBMITTED}),
        frozenset({Status.CONTESTED}),
    ),
    Event.CLAIM_ABSENCE: (_PLAYERS, NOT_STARTED, frozenset({Status.ABSENCE_CLAIMED})),
    Event.DENY: (_PLAYERS, frozenset({Status.ABSENCE_CLAIMED}), frozenset({Status.CONTESTED})),
    Event.WITHDRAW: (
        _PLAYERS,
        frozenset({Status.ABSENCE_CLAIMED}),
        frozenset({Status.PLAYING}),
    ),
    Event.EXPIRE: (_SYSTEM, IN_WINDOW, _WINDOW_ENDS),
    Event.MARK_ABSENT: (JUDGES, OPEN - {Status.SUBMITTED}, frozenset({Status.FINAL, Status.VOID})),
    Event.TIMEOUT: (_SYSTEM, NOT_STARTED, frozenset({Status.VOID})),
    Event.DECIDE: (JUDGES, frozenset({Status.CONTESTED}), CLOSED),
    Event.CORRECT: (JUDGES, CLOSED, CLOSED),
    Event.CANCEL: (_CANCELLERS, OPEN, frozenset({Status.CANCELLED})),
}


@dataclass(frozen=True, slots=True)
class AcceptedEvent:
    """One row of the archive: an accepted event."""

    event: Event
    from_status: Status
    to_status: Status


@dataclass(frozen=True, slots=True)
class Step:
    """The result of an act. `lines` may contain a lapse even when the act is refused (`code`)."""

    ok: bool
    code: str | None
    after: MatchState
    lines: tuple[AcceptedEvent, ...] = ()


class _Refusal(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle(LifecycleSettings):
    """The match lifecycle under a committee's settings, and the moves they allow."""

    def window_ends(self, match: MatchState) -> float | None:
        """Return the last instant that still counts, inclusive; None when no window is open."""
        if match.status not in IN_WINDOW or match.window_opened_at is None:
            return None
        return match.window_opened_at + self.contest_window_s

    def absence_from(self, proposed_at: float) -> float:
        """Return the first instant at which a player may claim the opponent's absence."""
        return proposed_at + self.absence_grace_s

    def play_until(self, proposed_at: float) -> float:
        """Return the last instant for a match that nobody has played or reported."""
        return proposed_at + self.deadline_s

    def is_score(self, value: object) -> bool:
        """Return whether a value is a whole number between the bounds. True and "4" are not."""
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and self.min_score <= value <= self.max_score
        )

    def counts(self, match: MatchState) -> bool:
        """Return whether the result affects the ranking now.

        It does when final, or agreed and still in its window.
        """
        if match.result is None:
            return False
        return match.status is Status.FINAL or (
            match.status is Status.SUBMITTED and match.confirmed
        )

    def lapse(self, match: MatchState, at: float) -> Step:
        """Expire a window past its last instant. Idempotent."""
        ends = self.window_ends(match)
        if ends is None or at <= ends:
            return Step(True, None, match)
        return self._moved(match, Event.EXPIRE, self._expired(match))

    def apply(self, match: MatchState, act: Act) -> Step:
        """Apply one act.

        Expires the window first, then checks the role, the status and the act's own conditions.
        """
        lapsed = self.lapse(match, act.at)
        if lapsed.lines and act.type == Event.EXPIRE and act.role == SYSTEM:
            return lapsed
        current = lapsed.after
        try:
            step = self._moved(current, act.type, self._do(current, act))
        except _Refusal as refusal:
            return Step(False, refusal.code, current, lapsed.lines)
        return Step(True, None, step.after, lapsed.lines + step.lines)

    def allowed(self, match: MatchState, *, by: PlayerId, role: str, at: float) -> frozenset[Event]:
        """Return the acts whose preconditions hold now for this person: the buttons of a page."""

        def would_pass(event: Event) -> bool:
            absence = event == Event.MARK_ABSENT
            tried = (
                Result(Kind.ABSENT, absent=Absent.FIRST) if absence else Result(Kind.PLAYED, 0, 1)
            )
            act = Act(type=event, by=by, role=role, at=at, reason="?", result=tried)
            return self.apply(match, act).ok

        return frozenset(filter(would_pass, FLOW))

    def _expired(self, match: MatchState) -> MatchState:
        if match.confirmed:
            return replace(match, status=Status.FINAL, why=Ending.CONFIRMED)
        # Without tacit acceptance, only a score needs an answer. A claimed absence becomes
        # final by silence, because an absent player cannot answer.
        if self.tacit_acceptance or match.status is Status.ABSENCE_CLAIMED:
            return replace(match, status=Status.FINAL, why=Ending.EXPIRED)
        return replace(match, status=Status.CONTESTED)

    def _moved(self, before: MatchState, event: Event, after: MatchState) -> Step:
        return Step(True, None, after, (AcceptedEvent(event, before.status, after.status),))

    def _do(self, match: MatchState, act: Act) -> MatchState:
        if act.type not in FLOW:
            raise _Refusal("unknown_event")
        roles, sources, _targets = FLOW[act.type]
        if act.role not in roles:
            raise _Refusal("not_allowed")
        if act.role == PLAYER and not match.plays(act.by):
            raise _Refusal("not_allowed")
        if match.status not in sources:
            # Its window ended it: by silence, or agreed by both in a window that was kept open.
            lapsed = match.status is Status.FINAL and (
                match.confirmed or match.why == Ending.EXPIRED
            )
            late = lapsed and act.type == Event.CONTEST
            raise _Refusal("window_closed" if late else "wrong_state")
        return _MOVES[act.type](self, match, act)

    def _start(self, match: MatchState, act: Act) -> MatchState:
        return replace(match, status=Status.PLAYING)

    def _submit(self, match: MatchState, act: Act) -> MatchState:
        if match.status in IN_WINDOW and match.submitted_by == act.by:
            raise _Refusal("own_submission")
        result = self._played(act)
        if match.status in NOT_STARTED:
            return self._claimed(match, Status.SUBMITTED, result, act)
        if match.status is Status.SUBMITTED and result == match.result:
            return self._confirm(match, act)
        if match.confirmed:
            raise _Refusal("wrong_state")
        return replace(match, status=Status.CONTESTED)

    def _edit(self, match: MatchState, act: Act) -> MatchState:
        if match.submitted_by != act.by:
            raise _Refusal("not_submitter")
        if match.confirmed:
            raise _Refusal("wrong_state")
        return self._claimed(match, Status.SUBMITTED, self._played(act), act)

    def _record(self, match: MatchState, act: Act) -> MatchState:
        """Record the slip that both players signed, typed at the desk.

        It ends the match; if a player has entered another result, it is a second version, and the
        arbiter decides.
        """
        self._not_own(match, act)
        result = self._played(act)
        if match.status is Status.SUBMITTED and result != match.result:
            return replace(match, status=Status.CONTESTED, confirmed=False)
        why = Ending.CONFIRMED if match.status is Status.SUBMITTED else Ending.DESK
        return self._ended(match, result, why)

    def _confirm(self, match: MatchState, act: Act) -> MatchState:
        if match.submitted_by == act.by:
            raise _Refusal("own_submission")
        if match.confirmed:
            raise _Refusal("wrong_state")
        if self.final_on_confirm or match.status is Status.ABSENCE_CLAIMED:
            return replace(match, status=Status.FINAL, why=Ending.CONFIRMED)
        return replace(match, confirmed=True)

    def _contest(self, match: MatchState, act: Act) -> MatchState:
        return replace(match, status=Status.CONTESTED, confirmed=False)

    def _claim_absence(self, match: MatchState, act: Act) -> MatchState:
        if act.at < self.absence_from(match.proposed_at):
            raise _Refusal("too_early")
        absent = Absent.SECOND if act.by == match.first else Absent.FIRST
        return self._claimed(match, Status.ABSENCE_CLAIMED, Result(Kind.ABSENT, absent=absent), act)

    def _deny(self, match: MatchState, act: Act) -> MatchState:
        if match.submitted_by == act.by:
            raise _Refusal("own_submission")
        return replace(match, status=Status.CONTESTED)

    def _withdraw(self, match: MatchState, act: Act) -> MatchState:
        """Take back a claimed absence: the opponent has arrived, and the game begins."""
        if match.submitted_by != act.by:
            raise _Refusal("not_claimer")
        return replace(
            match, status=Status.PLAYING, result=None, submitted_by=None, window_opened_at=None
        )

    def _expire(self, match: MatchState, act: Act) -> MatchState:
        raise _Refusal("window_open")

    def _mark_absent(self, match: MatchState, act: Act) -> MatchState:
        self._not_own(match, act)
        if act.result is None or act.result.absent not in ABSENCES:
            raise _Refusal("bad_result")
        return self._ended(match, act.result, Ending.ARBITER)

    def _timeout(self, match: MatchState, act: Act) -> MatchState:
        if act.at <= self.play_until(match.proposed_at):
            raise _Refusal("too_early")
        return self._ended(match, Result(Kind.ABSENT, absent=Absent.BOTH), Ending.TIMEOUT)

    def _decide(self, match: MatchState, act: Act) -> MatchState:
        return self._ended(match, self._judged(match, act), Ending.ARBITER)

    def _correct(self, match: MatchState, act: Act) -> MatchState:
        after = self._ended(match, self._judged(match, act), Ending.CORRECTED)
        return replace(after, rev=match.rev + 1)

    def _cancel(self, match: MatchState, act: Act) -> MatchState:
        self._not_own(match, act)
        if not act.reason.strip():
            raise _Refusal("reason_required")
        return self._ended(match, Result(Kind.CANCELLED), Ending.CANCELLED)

    def _claimed(self, match: MatchState, status: Status, result: Result, act: Act) -> MatchState:
        return replace(
            match, status=status, result=result, submitted_by=act.by, window_opened_at=act.at
        )

    def _ended(self, match: MatchState, result: Result, why: Ending) -> MatchState:
        if result.kind == Kind.CANCELLED:
            return replace(match, status=Status.CANCELLED, result=None, why=why, confirmed=False)
        void = result.kind == Kind.VOID or result.absent == Absent.BOTH
        status = Status.VOID if void else Status.FINAL
        return replace(match, status=status, result=result, why=why, confirmed=False)

    def _played(self, act: Act) -> Result:
        if act.result is None or not self._has_scores(act.result):
            raise _Refusal("bad_score")
        return act.result

    def _has_scores(self, result: Result) -> bool:
        scores = (result.first_score, result.second_score, *itertools.chain(*result.games))
        return all(map(self.is_score, scores))

    def _judged(self, match: MatchState, act: Act) -> Result:
        self._not_own(match, act)
        if not act.reason.strip():
            raise _Refusal("reason_required")
        result = act.result
        if result is None or result.kind not in JUDGED:
            raise _Refusal("bad_result")
        if result.kind == Kind.PLAYED and not self._has_scores(result):
            raise _Refusal("bad_score")
        if result.kind == Kind.ABSENT and result.absent not in ABSENCES:
            raise _Refusal("bad_result")
        return result

    def _not_own(self, match: MatchState, act: Act) -> None:
        if match.plays(act.by) and not self.arbiter_may_judge_own_match:
            raise _Refusal("own_match")


_MOVES: Mapping[Event, Callable[[Lifecycle, MatchState, Act], MatchState]] = {
    Event.START: Lifecycle._start,
    Event.SUBMIT: Lifecycle._submit,
    Event.EDIT: Lifecycle._edit,
    Event.RECORD: Lifecycle._record,
    Event.CONFIRM: Lifecycle._confirm,
    Event.CONTEST: Lifecycle._contest,
    Event.CLAIM_ABSENCE: Lifecycle._claim_absence,
    Event.DENY: Lifecycle._deny,
    Event.WITHDRAW: Lifecycle._withdraw,
    Event.EXPIRE: Lifecycle._expire,
    Event.MARK_ABSENT: Lifecycle._mark_absent,
    Event.TIMEOUT: Lifecycle._timeout,
    Event.DECIDE: Lifecycle._decide,
    Event.CORRECT: Lifecycle._correct,
    Event.CANCEL: Lifecycle._cancel,
}
