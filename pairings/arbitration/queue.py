"""The arbiters' queue, most urgent first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from clubs.organisations.models import Organisation
from pairings.arbitration import opinions
from pairings.arbitration.models import Contest
from pairings.matches.models import Match
from pairings.rules.match_lifecycle import Status


@dataclass(frozen=True, slots=True)
class Task:
    """One item of the queue, by urgency: contest, absence, unanswered entry, call overdue, request.

    `asked`: an arbiter has asked the others for a second opinion on it.
    """

    kind: str
    match: Match
    since: datetime
    contest: Contest | None = None
    asked: bool = False


URGENCY = ("contest", "absence", "call", "unanswered", "request")


def queue(organisation: Organisation, *, at: datetime) -> list[Task]:
    """Return the pending tasks of the arbiters, most urgent kind first, oldest first within a kind."""
    tasks = []
    contests = (
        Contest.objects.of(organisation)
        .open()
        .select_related("match__first", "match__second", "match__evening", "taken_by", "opened_by")
    )
    asked = opinions.waiting_for([contest.pk for contest in contests])
    for contest in contests:
        kind = "request" if contest.late else "contest"
        held = contest.pk in asked
        tasks.append(Task(kind, contest.match, contest.opened_at, contest, held))
    matches = (
        Match.objects.of(organisation)
        .open()
        .exclude(status=Status.CONTESTED)
        .select_related("first", "second", "evening")
    )
    for match in matches:
        if match.status == Status.ABSENCE_CLAIMED:
            tasks.append(Task("absence", match, match.submitted_at or match.proposed_at))
        elif match.status == Status.SUBMITTED:
            tasks.append(Task("unanswered", match, match.submitted_at or match.proposed_at))
        elif match.status == Status.PROPOSED and match.round_id is None and call_ends(match) < at:
            tasks.append(Task("call", match, call_ends(match)))
    return sorted(tasks, key=lambda task: (URGENCY.index(task.kind), task.since, task.match.pk))


def call_ends(match: Match) -> datetime:
    """Return the deadline by which the called players must be at their table."""
    delay = match.evening.call_delay_s if match.evening else 600
    ends = match.proposed_at + timedelta(seconds=delay)
    return ends if match.round is None else max(ends, match.round.starts_at)
