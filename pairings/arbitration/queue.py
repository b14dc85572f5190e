"""The arbiters' queue, most urgent first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from clubs.organisations.models import Organisation
from pairings.arbitration import opinions
from pairings.arbitration.holders import holders_of
from pairings.arbitration.models import Contest
from pairings.matches.models import Match
from pairings.rules.match_state import Status


@dataclass(frozen=True, slots=True)
class Task:
    """One item of the queue, by urgency: contest, absence, unanswered entry, call overdue, request.

    `asked`: an arbiter has asked the others for a second opinion on it. `taken`: one has it in hand.
    """

    kind: str
    match: Match
    since: datetime
    contest: Contest | None = None
    asked: bool = False
    taken: bool = False

    @property
    def is_empty_table(self) -> bool:
        """Return whether this is a called table at which nobody sits."""
        match = self.match
        return self.kind == "call" and not (match.first_seated_at or match.second_seated_at)


URGENCY = ("contest", "absence", "call", "unanswered", "request")


def queue(organisation: Organisation, *, at: datetime) -> list[Task]:
    """Return the pending tasks of the arbiters, most urgent kind first, oldest first within a kind."""
    tasks = []
    contests = (
        Contest.objects.of(organisation)
        .open()
        .select_related("match__first", "match__second", "match__evening", "opened_by")
    )
    asked = opinions.waiting_for([contest.pk for contest in contests])
    holders = holders_of(contests)
    for contest in contests:
        kind = "request" if contest.late else "contest"
        marks = {"asked": contest.pk in asked, "taken": contest.pk in holders}
        tasks.append(Task(kind, contest.match, contest.opened_at, contest, **marks))
    matches = (
        Match.objects.of(organisation)
        .open()
        .exclude(status=Status.CONTESTED)
        .select_related("first", "second", "evening")
    )
    for match in matches:
        if match.status == Status.ABSENCE_CLAIMED:
            tasks.append(Task("absence", match, match.submitted_at or match.proposed_at))
        elif match.status == Status.SUBMITTED and not match.confirmed:
            tasks.append(Task("unanswered", match, match.submitted_at or match.proposed_at))
        elif (
            match.status == Status.PROPOSED
            and match.competition.calls_players
            and (ends := match.competition.call_ends()) < at
        ):
            tasks.append(Task("call", match, ends))
    return sorted(tasks, key=lambda task: (URGENCY.index(task.kind), task.since, task.match.pk))
