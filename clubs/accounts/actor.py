"""The person behind an action, their role and address: passed to every action beside `at`."""

from __future__ import annotations

from dataclasses import dataclass

from clubs.accounts.models import User
from clubs.members.models import Member

PLAYER = "player"
ARBITER = "arbiter"
COMMITTEE = "committee"
SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """`role` is the right used for this action, not the highest one held."""

    user: User | None
    member: Member | None
    role: str
    origin: str = "web"

    @classmethod
    def system(cls, origin: str = "task") -> Actor:
        """Return the actor of periodic tasks and commands, who is no person."""
        return cls(user=None, member=None, role=SYSTEM, origin=origin)


class Refused(Exception):
    """A foreseen refusal. Its text is a sentence the reader may see; `code` is for tests."""

    def __init__(self, sentence: str, *, code: str = "refused") -> None:
        super().__init__(sentence)
        self.code = code
