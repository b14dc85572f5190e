"""Who has a contest in hand: the arbiter who took it, while they are an arbiter of its club."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Exists, OuterRef

from clubs.members.models import Member, RoleGrant
from pairings.arbitration.models import Contest


def holders_of(contests: Collection[Contest]) -> dict[int, Member]:
    """Return {contest: who has it in hand}, without those whose taker left or lost the role."""
    taken = [contest for contest in contests if contest.taken_by_id is not None]
    if not taken:
        return {}
    roles = RoleGrant.objects.filter(member=OuterRef("pk"), revoked_at__isnull=True)
    arbiters = Member.objects.active().filter(
        Exists(roles),
        organisation__in={contest.match.organisation_id for contest in taken},
        user__in={contest.taken_by_id for contest in taken},
    )
    by_account = {(one.organisation_id, one.user_id): one for one in arbiters}
    holders = {
        contest.pk: by_account.get((contest.match.organisation_id, contest.taken_by_id))
        for contest in taken
    }
    return {number: holder for number, holder in holders.items() if holder is not None}


def holder_of(contest: Contest) -> Member | None:
    """Return who has a contest in hand; None where any arbiter may take it."""
    return holders_of([contest]).get(contest.pk)
