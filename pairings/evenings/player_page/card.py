"""The current evening as shown on the player's own page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from django.db.models import Count, Exists, FilteredRelation, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from pairings.absences import suspensions
from pairings.arbitration.models import Contest
from pairings.evenings.common import DOORS_OPEN
from pairings.evenings.models import CheckIn, Evening
from pairings.evenings.queries import own_first
from pairings.matches import actions as match_actions
from pairings.matches import seats
from pairings.matches.models import OPEN_VALUES, Match
from pairings.ranking import live as live_ranking
from pairings.rules.match_state import Status

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class OfMember(TypedDict):
    """What an evening is read with for one member's card."""

    own_check_in: CheckIn
    free_others: int
    may_be_suspended: bool


SCREEN_ON = frozenset(
    {"before_start", "waiting", "called", "to_confirm", "absence_to_answer", "agreed"}
)
AFTER_MATCH = frozenset({"result"})
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
    rooms: list[Evening] = field(default_factory=list)

    @property
    def has_ended(self) -> bool:
        """Return whether nothing more will happen to this player tonight."""
        return self.state in NOTHING_MORE

    @property
    def expects_table(self) -> bool:
        """Return whether a table may still be called for this player: before the evening closes."""
        open_ = self.evening is None or self.evening.state in DOORS_OPEN
        return open_ and not self.has_ended

    @property
    def keeps_screen_on(self) -> bool:
        """Return whether the player looks out for something: a table, the start, their answer.

        After a result they are on the waiting list again; once no more matches are made they are not.
        """
        if self.state not in AFTER_MATCH:
            return self.state in SCREEN_ON
        queued = self.check_in is not None and self.check_in.state == CheckIn.State.WAITING
        return queued and self.evening is not None and self.evening.state == Evening.State.RUNNING


def my_card(
    member: Member,
    organisation: Organisation,
    *,
    match: Match | None,
    at: datetime,
    later: Match | None = None,
) -> Card:
    """Return the state of this member's evening. Every state has a name.

    `later`: a match that they are called to and that does not hold them yet, shown while no evening is
    live.
    """
    if match is not None and match.is_open:
        return _match_card(match, member)
    evenings = _evenings_of(member, organisation, at)
    rooms = sorted((one for one in evenings if one.is_live), key=_closes_without_them)
    evening = next(iter(rooms), None)
    if evening is None:
        return _card_between(evenings) if later is None else _match_card(later, member)
    suspension = suspensions.of_member(member, evening) if evening.may_be_suspended else None
    # Django sets no attribute where no row of the relation was joined.
    check_in: CheckIn | None = getattr(evening, "own_check_in", None)
    if suspension is not None:
        return Card("suspended", evening, check_in, suspension=suspension)
    if evening.state == Evening.State.CLOSING:
        return Card("closing", evening, check_in, rooms=_open_first(rooms)[1:])
    if check_in is None:
        return Card("arrive", evening, rooms=_open_first(rooms))
    if check_in.state == CheckIn.State.LEFT:
        return Card("left", evening, check_in, rooms=_open_first(rooms))
    if check_in.paused_until and check_in.paused_until > at:
        return Card("paused", evening, check_in)
    state = {
        Evening.State.OPEN: "before_start",
        Evening.State.RUNNING: "waiting",
        Evening.State.LAST_GAMES: "last_games",
    }[Evening.State(evening.state)]
    if match is not None and _is_news(match, evening, check_in):
        return Card("result", evening, check_in, match=match)
    return Card(state, evening, check_in, free_others=evening.free_others)


def _is_news(match: Match, evening: Evening, check_in: CheckIn) -> bool:
    """Return whether the player has not asked for another match since this one ended."""
    ended = match.evening_id == evening.pk and match.ended_at is not None
    return ended and match.ended_at >= check_in.waiting_since  # type: ignore[operator]


def _card_between(evenings: list[WithAnnotations[Evening, OfMember]]) -> Card:
    """Return the card while no evening is live: the last one, if the player was there, and the next."""
    upcoming = next((one for one in evenings if one.state == Evening.State.PLANNED), None)
    last = next((one for one in evenings if one.state == Evening.State.CLOSED), None)
    if last is None or getattr(last, "own_check_in", None) is None:
        return Card("none", upcoming=upcoming)
    return Card("recap", upcoming=upcoming, over=last)


def _evenings_of(
    member: Member, organisation: Organisation, at: datetime
) -> list[WithAnnotations[Evening, OfMember]]:
    """Return the live evenings, theirs first, the next one announced and the last one closed.

    One query, with what the card asks of each: the member's check-in, or None, how many others are
    free, whether a suspension is to be read, the version of the ranking.
    """
    shown = Evening.objects.of(organisation)
    today = at.astimezone(organisation.zone).date()
    coming = shown.coming(on=today)
    first = coming.order_by("starts_at", "pk").values("pk")[:1]
    others = CheckIn.objects.filter(evening=OuterRef("pk")).exclude(member=member)
    free = others.waiting(at=at).exclude(seats.in_round(at=at))
    count = free.order_by().values("evening").annotate(people=Count("pk")).values("people")
    return list(
        own_first(
            shown.filter(
                Q(state__in=Evening.LIVE) | Q(pk=Subquery(first)) | Q(pk=_last_closed(organisation))
            ),
            member,
        )
        .annotate(
            own_check_in=FilteredRelation("check_ins", condition=Q(check_ins__member=member)),
            free_others=Coalesce(Subquery(count), 0),
            may_be_suspended=Exists(suspensions.of_members([member.pk])),
            **live_ranking.version_columns("organisation"),
        )
        .select_related("own_check_in", "organisation", "season", "rule_book")  # type: ignore[misc]
    )


def _last_closed(organisation: Organisation) -> Subquery:
    return Subquery(Evening.objects.of(organisation).closed().newest_first().values("pk")[:1])


def _closes_without_them(evening: Evening) -> bool:
    """Return whether an evening closes to which the member has not come: their card is of another."""
    own = getattr(evening, "own_check_in", None)
    return evening.state == Evening.State.CLOSING and own is None


def _open_first(rooms: Sequence[Evening]) -> list[Evening]:
    """Return the evenings that a member may go to now: the card's first, the others by their start."""
    others = [one for one in rooms[1:] if one.state in DOORS_OPEN]
    return [rooms[0], *sorted(others, key=lambda one: (one.starts_at, one.pk))]


def current_matches(member: Member, organisation: Organisation) -> list[Match]:
    """Return a member's open matches, the last called first, then those of this evening and the last.

    They have one live seat; an older match may be open too, while a contest is pending. Last come those
    that an arbiter took away, which the card is never about. Each has the
    states of both players in the club's list, the decision in force and the version of the ranking.
    `organisation`: the member's club, which is not read again with each match.
    """
    matches: list[Match] = list(
        Match.objects.involving(member)
        .filter(
            Q(status__in=OPEN_VALUES)
            | Q(evening__state__in=Evening.LIVE)
            | Q(evening=_last_closed(organisation))
        )
        .with_states()
        .with_decision()
        .annotate(**live_ranking.version_columns("organisation"))
        .select_related(
            "first", "second", "evening__organisation", "round__tournament", "rule_book"
        )
    )
    for match in matches:
        match.organisation = organisation
    return sorted(matches, key=_last_of_all, reverse=True)


def current_card(
    member: Member, organisation: Organisation, *, at: datetime
) -> tuple[Card, list[Match]]:
    """Return the card of this moment, a window that has just run out being closed, and the matches."""
    matches = current_matches(member, organisation)
    match, later = _first_of(matches, at)
    if match is not None and match.is_open and match_actions.lapse_read(match, at=at):
        matches = current_matches(member, organisation)
        match, later = _first_of(matches, at)
    return my_card(member, organisation, match=match, later=later, at=at), matches


def _first_of(matches: list[Match], at: datetime) -> tuple[Match | None, Match | None]:
    """Return the match of now that the card is about, and the first that does not hold them yet."""
    standing = [match for match in matches if match.status != Status.CANCELLED]
    later = [
        match
        for match in standing
        if match.status == Status.PROPOSED and not seats.holds_at(_hour(match), at)
    ]
    now = [match for match in standing if match not in later]
    first = next(iter(now), None)
    if first is not None and first.status == Status.PROPOSED:
        first = _before_its_hour(first, now, at)
    return first, min(later, key=_hour, default=None)


def also_open(card: Card, matches: list[Match]) -> list[Match]:
    """Return the member's other open matches of the same day; a contested one waits for an arbiter."""
    if card.match is None:
        return []
    day = card.match.competition.held_on
    return [
        match
        for match in matches
        if match.is_open
        and match != card.match
        and match.status != Status.CONTESTED
        and match.competition.held_on == day
    ]


def _hour(match: Match) -> datetime:
    return match.competition.plays_from()


def _before_its_hour(called: Match, matches: list[Match], at: datetime) -> Match:
    """Return the table of today that comes first, while the one called last has not begun yet.

    Rounds of two tournaments may be published ahead in another order than they are played in.
    """
    if _hour(called) <= at:
        return called
    today = [
        match
        for match in matches
        if match.is_open and match.status != Status.CONTESTED and _hour(match) > at - seats.TONIGHT
    ]
    return min(today, key=_hour)


def _last_of_all(match: Match) -> tuple[bool, bool, datetime, datetime, int]:
    """Order the few matches of an evening: those taken away, those that ended, open ones; by time."""
    ended_at = None if match.is_open else match.ended_at
    stands = match.status != Status.CANCELLED
    return stands, ended_at is None, ended_at or match.proposed_at, match.proposed_at, match.pk


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
