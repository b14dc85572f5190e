"""Keys of members."""

from __future__ import annotations

from typing import Any

from api.tokens import actions
from clubs.accounts.actor import PLAYER, Actor
from clubs.members.models import Member

ALL = ("read", "results", "direct", "arbitrate", "office")


def key_of(member: Member, at: Any, *scopes: str, days: int = 30) -> str:
    """Return a new key of that member; of every scope where none is named."""
    by = Actor(member.user, member, PLAYER)
    given = {"name": "essai", "scopes": scopes or ALL, "days": days}
    return actions.create(member=member, **given, by=by, at=at)[1]


def code_of(answer: Any) -> tuple[int, str]:
    """Return the status and the code of a problem."""
    assert answer["Content-Type"] == "application/problem+json", answer.content
    body = answer.json()
    assert body["status"] == answer.status_code and body["detail"]
    return answer.status_code, body["code"]
