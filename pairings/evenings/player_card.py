"""The current evening as shown on the player's own page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, Exists, FilteredRelation, OuterRef, Q, Subquery, When
from django.db.models.functions import Coalesce

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from pairings.absences import suspensions
from pairings.arbitration.models import Contest
from pairings.evenings.actions import DOORS_OPEN
from pairings.evenings.models import CheckIn, Evening
from pairings.evenings.queries import live_evenings, next_evening, own_first
from pairings.matches.models import OPEN_VALUES, Match
from pairings.ranking import live as live_ranking
from pairings.rules.match_state import Status

AT_THE_DOOR = frozenset({"arrive", "left"})
NOTHING_MORE = frozenset({"left", "closing", "none", "recap"})


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
    over: Evening | None = None

    @property
    def has_ended(self) -> bool:
        """Return whether nothing more will happen to this player tonight."""
        return self.state in NOTHING_MORE


def my_card(
    member: Member, organisation: Organisation, *, match: Match | None, at: datetime
) -> Card:
    """Return the state of this member's evening. Every state has a name."""
    if match is not None and match.is_open:
        return _match_card(match, member)
    evening = _evening_of(member, organisation, at)
    if evening is None:
        upcoming, over = next_evening(organisation, at=at), _over(member, organisation)
        return Card("none" if over is None else "recap", upcoming=upcoming, over=over)
    suspension = suspensions.of_member(member, evening)
    # Django sets no attribute where no row of the relation was joined.
    found: CheckIn | None = getattr(evening, "own_check_in", None)
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
    state = {
        Evening.State.OPEN: "before_start",
        Evening.State.RUNNING: "waiting",
        Evening.State.LAST_GAMES: "last_games",
    }[Evening.State(evening.state)]
    if match is not None and _is_news(match, evening, found):
        return Card("result", evening, found, match=match)
    return Card(state, evening, found, free_others=evening.free_others)


def _is_news(match: Match, evening: Evening, check_in: CheckIn) -> bool:
    """Return whether the player has not asked for another match since this one ended."""
    ended = match.evening_id == evening.pk and match.ended_at is not None
    return ended and match.ended_at >= check_in.waiting_since  # type: ignore[operator]


def _over(member: Member, organisation: Organisation) -> Evening | None:
    """Return the last closed evening if the member was there. One query."""
    last: Any = (
        Evening.objects.of(organisation)
        .closed()
        .annotate(was_there=Exists(CheckIn.objects.filter(evening=OuterRef("pk"), member=member)))
        .select_related("organisation", "season", "rule_book")
        .order_by("-held_on", "-pk")
        .first()
    )
    return last if last is not None and last.was_there else None


def _evening_of(member: Member, organisation: Organisation, at: datetime) -> Any:
    """Return their live evening or None, with what the card asks of it.

    One query: the member's check-in, or None, how many others are free, whether another evening has
    its doors open, the version of the ranking.
    """
    rooms = Evening.objects.filter(organisation=organisation, state__in=DOORS_OPEN)
    free = CheckIn.objects.filter(evening=OuterRef("pk")).waiting(at=at).exclude(member=member)
    count = free.order_by().values("evening").annotate(people=Count("pk")).values("people")
    return (
        own_first(live_evenings(organisation), member)
        .annotate(
            own_check_in=FilteredRelation("check_ins", condition=Q(check_ins__member=member)),
            free_others=Coalesce(Subquery(count), 0),
            has_other_rooms=Exists(rooms.exclude(pk=OuterRef("pk"))),
            ranking_version=live_ranking.version_column("organisation"),
        )
        .select_related("own_check_in")  # type: ignore[misc]
        .first()
    )


def rooms_of(card: Card) -> list[Evening]:
    """Return the evenings that a member may go to now: the card's first, the others after it."""
    evening: Any = card.evening  # as `_evening_of` read it
    if not evening.has_other_rooms:
        return [evening]
    found = live_evenings(evening.organisation).exclude(pk=evening.pk)
    return [evening, *found.filter(state__in=DOORS_OPEN)]


def current_matches(member: Member) -> list[Match]:
    """Return a member's open matches, the last called first, then those of this evening.

    They have one live seat; an older match may be open too, while a contest is pending.
    """
    return list(
        Match.objects.involving(member)
        .filter(Q(status__in=OPEN_VALUES) | Q(evening__state__in=Evening.LIVE))
        .exclude(status=Status.CANCELLED)
        .with_cotes()
        .select_related(
            "first", "second", "evening", "round__tournament", "organisation", "rule_book"
        )
        .order_by(
            # An open match before those that ended.
            Case(When(~Q(status__in=OPEN_VALUES), then="ended_at")).desc(nulls_first=True),
            "-proposed_at",
            "-pk",
        )
    )


def _match_card(match: Match, member: Member) -> Card:
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
    contest = None
    if match.status == Status.CONTESTED:
        contest = match.contests.open().filter(late=False).select_related("opened_by").first()
    return Card(state, match.evening, match=match, contest=contest)
