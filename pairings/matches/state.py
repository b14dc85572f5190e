"""A stored match as the plain values that the rules take."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from clubs.accounts.actor import Actor
from pairings.matches.models import Match
from pairings.rules.match_state import Absent, Act, Ending, Kind, MatchState, Result, Status

Games = Sequence[Sequence[int]]


def instant(seconds: float) -> datetime:
    """Return an instant of the rules, in epoch seconds, as the rows store it."""
    return datetime.fromtimestamp(seconds, tz=UTC)


def state_of(match: Match) -> MatchState:
    """Return the stored row as the plain value that the rules take. Instants are epoch seconds."""
    result = None
    if match.kind:
        result = Result(
            kind=Kind(match.kind),
            first_score=match.first_score,
            second_score=match.second_score,
            absent=Absent(match.absent) if match.absent else None,
            justified=match.justified,
            games=games_of(match.games),
        )
    return MatchState(
        first=match.first_id,
        second=match.second_id,
        status=Status(match.status),
        rev=match.rev,
        result=result,
        why=Ending(match.why) if match.why else None,
        submitted_by=match.submitted_by_id,
        confirmed=match.confirmed,
        window_opened_at=match.submitted_at.timestamp() if match.submitted_at else None,
        proposed_at=match.proposed_at.timestamp(),
    )


def columns_of(result: Result | None) -> dict[str, Any]:
    """Return a result of the rules as the columns of a row: what `state_of` reads."""
    return {
        "kind": result.kind if result else "",
        "first_score": result.first_score if result else None,
        "second_score": result.second_score if result else None,
        "games": [list(game) for game in result.games] if result else [],
        "absent": (result.absent or "") if result else "",
        "justified": result.justified if result else False,
    }


def allowed(match: Match, *, by: Actor, at: datetime) -> frozenset[str]:
    """Return the actions that would be accepted now, so that a page may offer them."""
    who = by.member.pk if by.member else ""
    return match.competition.match_rules().allowed(
        state_of(match), by=who, role=by.role, at=at.timestamp()
    )


def games_of(games: Games) -> tuple[tuple[int, int], ...]:
    """Return games as the rules hold them: JSON gives lists."""
    return tuple((own, other) for own, other in games)


def act_of(event: str, by: Actor, at: datetime, **details: Any) -> Act:
    who = by.member.pk if by.member else (f"user:{by.user.pk}" if by.user else "system")
    return Act(type=event, by=who, role=by.role, at=at.timestamp(), **details)
