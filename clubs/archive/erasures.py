"""After a restore: people who were forgotten since the archive was made are forgotten again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from clubs.accounts.actor import Actor, Refused
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.personal_data.erasures import Erasure


def forget_again(erasures: Iterable[Erasure], *, at: datetime) -> tuple[int, list[str]]:
    """Return how many came back and were forgotten again, and a sentence for each who was not.

    Who is in the middle of a match, or the last of a committee, stays until somebody ends that.
    """
    forgotten, left = 0, []
    for erasure, member in _back(erasures):
        try:
            members.leave(member=member, by=Actor.system("restore"), at=at, forget=True)
            forgotten += 1
        except Refused as refused:
            left.append(f"{erasure.organisation}, member {member.number}: {refused}")
    return forgotten, left


def in_doubt(begun: Iterable[Erasure]) -> list[str]:
    """Return who came back and may have been forgotten: the site was killed, or refused, meanwhile."""
    return [f"{erasure.organisation}, member {member.number}" for erasure, member in _back(begun)]


def _back(erasures: Iterable[Erasure]) -> Iterator[tuple[Erasure, Member]]:
    """Yield who came back. A row merged in the archive goes with the row it was merged into."""
    for erasure in erasures:
        member = Member.objects.filter(
            organisation__slug=erasure.organisation,
            public_id=erasure.public_id,
            merged_into=None,
        ).first()
        if member is not None:
            yield erasure, member
