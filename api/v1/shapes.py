"""Values that several answers have: people, matches, exact numbers."""

from __future__ import annotations

import json
from datetime import datetime

from ninja import Schema
from pydantic import Field

from clubs.accounts.permissions import Access, may_open
from clubs.members.models import Member
from pairings.matches.models import Match

ERRORS = frozenset({400, 401, 403, 404, 422, 429})


class PersonOut(Schema):
    """A person, as far as they chose to be seen by this reader."""

    id: str | None = Field(description="for `players/<id>`; null where the reader may not open it")
    name: str = Field(description="whole name, `First N.` or initials, as the person chose")


class MatchOut(Schema):
    """A match, or a bye where `second` is null."""

    id: int
    version: int = Field(description="raised by each change; an action names the one it is about")
    evening: str | None = Field(description="its evening, `<day>/<number>`")
    tournament: str | None = Field(description="slug of its tournament")
    round: int | None = Field(description="number of its round")
    table: int | None
    status: str = Field(
        description="`proposed`, `playing`, `submitted`, `absence_claimed`, `contested`; at its end "
        "`final`, `void` (both absent) or `cancelled`"
    )
    kind: str = Field(
        description="`played`, `absent` or `bye`; empty before a result and where it was cancelled"
    )
    counts: bool = Field(description="whether the result affects the ranking now")
    first: PersonOut
    second: PersonOut | None
    first_score: int | None = Field(description="points, or games won where two are to be won")
    second_score: int | None
    games: list[list[int]] = Field(description="scores of each game where two are to be won")
    proposed_at: datetime
    started_at: datetime | None
    contest_until: datetime | None = Field(description="last instant to contest")
    ended_at: datetime | None


def person(member: Member, access: Access) -> dict[str, object]:
    """Return what this reader may see of a person.

    A guest merged with a member has the member's id, in whose matches theirs are.
    """
    player = member.current_row
    return {
        "id": player.public_id if may_open(access, player) else None,
        "name": member.name_for(viewer_is_member=access.is_member),
    }


def match_out(match: Match, access: Access) -> dict[str, object]:
    """Return a match read with `READ_WITH`."""
    fields = {name: getattr(match, name) for name in SAME}
    return fields | {
        "id": match.pk,
        **dict.fromkeys(("evening", "tournament", "round")),
        **match.competition.named(always_numbered=True),
        "table": match.table_number,
        "first": person(match.first, access),
        "second": person(match.second, access) if match.second else None,
    }


SAME = (
    *("version", "status", "kind", "counts", "first_score", "second_score", "games"),
    *("proposed_at", "started_at", "contest_until", "ended_at"),
)
READ_WITH = ("first__merged_into", "second__merged_into", "evening", "round__tournament")


def exact(value: object) -> str | None:
    """Return a number without loss: digits, or a fraction (`25/2`); lists and tables as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | list | tuple | dict):
        return json.dumps(value, default=str, ensure_ascii=False)
    return str(value)
