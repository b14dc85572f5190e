"""A stored match as the plain values that the rules take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from clubs.accounts.actor import Actor
from pairings.arbitration.models import Contest
from pairings.matches.models import Match
from pairings.rules.match_state import (
    ENTERED_COLUMNS,
    RESULT_COLUMNS,
    Absent,
    Act,
    Ending,
    Event,
    Kind,
    MatchState,
    Result,
    Status,
)
from pairings.rules.scoring import ABSENT, MatchRecord

Games = Sequence[Sequence[int]]


def state_of(match: Match) -> MatchState:
    """Return the stored row as the plain value that the rules take. Instants are epoch seconds."""
    return MatchState(
        first=match.first_id,
        second=match.second_id,
        status=Status(match.status),
        rev=match.rev,
        result=result_of(match),
        why=Ending(match.why) if match.why else None,
        submitted_by=match.submitted_by_id,
        confirmed=match.confirmed,
        window_opened_at=match.submitted_at.timestamp() if match.submitted_at else None,
        proposed_at=match.competition.plays_from().timestamp(),
    )


def result_of(row: Match | Contest) -> Result | None:
    """Return the result that a match has, or the scores that a contest claims; None without one."""
    columns = {name: getattr(row, name) for name in RESULT_COLUMNS if hasattr(row, name)}
    kind, absent = columns.pop("kind", Kind.PLAYED), columns.pop("absent", "")
    if not kind:
        return None
    columns["games"] = games_of(columns["games"])
    return Result(Kind(kind), absent=Absent(absent) if absent else None, **columns)


def final_since(match: Match) -> datetime | None:
    """Return when a match ended: what players agreed on, at the end of its window at the latest.

    `ended_at` is when that was noticed.
    """
    if match.why in (Ending.CONFIRMED, Ending.EXPIRED) and match.contest_until is not None:
        return min(match.contest_until, match.ended_at or match.contest_until)
    return match.ended_at


def record_of(match: Match, day: int) -> MatchRecord | None:
    """Return a match as rankings and pairings read it; None while it does not count."""
    void = match.status == Status.VOID.value and match.absent == Absent.BOTH
    if not (match.counts or void):
        return None
    return MatchRecord(
        match.first_id,
        match.second_id,
        ABSENT if void else match.kind,
        match.first_score,
        match.second_score,
        match.absent,
        match.justified,
        day,
        str(match.pk),
        games_of(match.games),
    )


def columns_of(result: Result | None) -> dict[str, object]:
    """Return a result of the rules as the columns of a row: what `result_of` reads."""
    columns = asdict(result or Result(Kind.CANCELLED))
    return columns | {
        "kind": result.kind if result else "",
        "games": [list(game) for game in columns["games"]],
        "absent": columns["absent"] or "",
    }


def entered_columns(result: Result) -> dict[str, object]:
    """Return what players enter of a result, as the columns of a submission or a contest."""
    columns = columns_of(result)
    return {name: columns[name] for name in ENTERED_COLUMNS}


def claimed_columns(scores: tuple[int, int] | None) -> dict[str, object]:
    """Return the two scores that a contest claims as its columns; none of them where it claims none."""
    return entered_columns(Result(Kind.PLAYED, *scores)) if scores else {}


def entered_words(columns: Mapping[str, object]) -> dict[str, object]:
    """Return what players enter, for the journal: the two scores, and what a match has besides."""
    first, second, *others = ENTERED_COLUMNS
    beside = {name: columns[name] for name in others if columns[name]}
    return {"scores": [columns[first], columns[second]], **beside}


def allowed(match: Match, *, by: Actor, at: datetime) -> frozenset[Event]:
    """Return the actions that would be accepted now, so that a page may offer them."""
    actor_id = by.member.pk if by.member else ""
    return match.competition.match_rules().allowed(
        state_of(match), by=actor_id, role=by.role, at=at.timestamp()
    )


def games_of(games: Games) -> tuple[tuple[int, int], ...]:
    """Return games as the rules hold them: JSON gives lists."""
    return tuple((score, other) for score, other in games)


def act_of(event: Event, by: Actor, at: datetime, **details: Any) -> Act:
    actor_id = by.member.pk if by.member else (f"user:{by.user.pk}" if by.user else "system")
    return Act(type=event, by=actor_id, role=by.role, at=at.timestamp(), **details)
