"""The current evening as shown on the player's own page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from pairings.absences import suspensions
from pairings.arbitration.models import Contest
from pairings.evenings.models import CheckIn, Evening
from pairings.evenings.queries import live_evening, next_evening
from pairings.matches.models import Match
from pairings.rules.match_lifecycle import Status


@dataclass(frozen=True, slots=True)
class Card:
    """What `/ma-soiree/` shows: one state, one sentence, at most one filled button."""

    state: str
    evening: Evening | None = None
    check_in: CheckIn | None = None
    match: Match | None = None
    contest: Contest | None = None
    suspension: suspensions.Suspension | None = None
    free_others: int = 0
    upcoming: Evening | None = None


def my_card(member: Member, organisation: Organisation, *, at: datetime) -> Card:
    """Return the state of this member's evening. Every state has a name."""
    evening = live_evening(organisation)
    match = open_match(member)
    if match is not None:
        return _match_card(match, member, evening)
    if evening is None:
        return Card("none", upcoming=next_evening(organisation, at=at))
    suspension = suspensions.of_member(member, evening)
    found = CheckIn.objects.filter(evening=evening, member=member).first()
    if suspension is not None:
        return Card("suspended", evening, found, suspension=suspension)
    if evening.state == Evening.State.CLOSING:
        return Card("closing", evening, found)
    if found is None:
        return Card("arrive", evening)
    if found.state == CheckIn.State.LEFT:
        return Card("left", evening, found)
    if found.paused_until and found.paused_until > at:
        return Card("paused", evening, found)
    free = CheckIn.objects.filter(evening=evening).waiting(at=at).exclude(member=member).count()
    state = {
        Evening.State.OPEN: "before_start",
        Evening.State.RUNNING: "waiting",
        Evening.State.LAST_GAMES: "last_games",
    }[Evening.State(evening.state)]
    return Card(state, evening, found, free_others=free)


def open_match(member: Member) -> Match | None:
    """Return the open match that a member was called to last.

    They have one live seat; an older match may be open too, while a contest is pending.
    """
    return (
        Match.objects.open()
        .involving(member)
        .select_related(
            "first", "second", "evening", "round__tournament", "organisation", "rule_book"
        )
        .order_by("-proposed_at", "-pk")
        .first()
    )


def _match_card(match: Match, member: Member, evening: Evening | None) -> Card:
    mine = match.submitted_by_id == member.pk
    state = {
        Status.PROPOSED: "called",
        Status.PLAYING: "playing",
        Status.SUBMITTED: "sent" if mine else "to_confirm",
        Status.ABSENCE_CLAIMED: "absence_sent" if mine else "absence_to_answer",
        Status.CONTESTED: "contested",
    }[Status(match.status)]
    if match.status == Status.SUBMITTED and match.confirmed:
        state = "agreed"
    contest = match.contests.open().filter(late=False).first()
    return Card(state, match.evening or evening, match=match, contest=contest)
