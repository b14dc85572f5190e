"""A small club made by the verbs: members, an arbiter, a committee, a running evening."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import count
from typing import Any

from clubs.accounts.actor import ARBITER, COMMITTEE, PLAYER, Actor
from clubs.accounts.models import User
from clubs.members import actions as members
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member, RoleGrant
from clubs.members.models_access import Invitation
from clubs.organisations.models import Organisation, Season
from clubs.persons import actions as persons
from clubs.persons.models import MemberLink
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from clubs.sanctions.models import Sanction
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from pairings.absences import actions as absences
from pairings.evenings import actions as evenings
from pairings.evenings import pairing
from pairings.evenings.admission import presence
from pairings.evenings.models import CheckIn, Evening
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from pairings.tournaments import registration
from pairings.tournaments.models import Entry, Tournament
from ratings.competitions import actions as competitions
from ratings.editions import actions as editions
from ratings.handovers import actions as handovers
from ratings.ledger.models import Edition, RatingList
from tests.kept import once_a_worker
from tests.plugins.clock import NOW

PASSWORD = "not-a-secret-here"
_numbers = count(1)


def account(name: str) -> User:
    """A user who can log in with `force_login`."""
    user = User(email=f"{name}-{next(_numbers)}@example.org", password="!")
    user.save()
    return user


@dataclass
class Clubhouse:
    """`members` are players with accounts; matches are paired by hand from those who wait."""

    organisation: Organisation
    members: list[Member]
    arbiter: Actor
    committee: Actor
    evening: Evening
    at: datetime = NOW
    used: set[int] = field(default_factory=set)

    def player(self, member: Member) -> Actor:
        return Actor(user=member.user, member=member, role=PLAYER)

    def join(self, first_name: str, last_name: str = "", **details: Any) -> Member:
        """A new member without an account, added by the committee (or `by`)."""
        name = {"first_name": first_name, "last_name": last_name}
        return members.create(organisation=self.organisation, **name, **self._by_committee(details))

    def draft_rules(
        self, values: dict[str, Any], *, code: str = "faizers", at: datetime | None = None
    ) -> RuleBook:
        """The committee's draft of the rules."""
        draft = {"code": code, "values": values, "at": at or self.at}
        return rulebooks.save_draft(organisation=self.organisation, **self._by_committee(draft))

    def rule_book(
        self,
        values: dict[str, dict[str, Any]] | None = None,
        *,
        scope: str = "faizers",
        at: datetime | None = None,
    ) -> RuleBook:
        """One more version of the rules, in force from `at` on; now by default."""
        return RuleBook.objects.create(
            organisation=self.organisation,
            scope=scope,
            number=RuleBook.objects.count() + 1,
            values=values or {},
            created_at=at or self.at,
            adopted_at=at or self.at,
            effective_from=at or self.at,
        )

    def match(
        self, first: Member | None = None, second: Member | None = None
    ) -> tuple[Match, tuple[Actor, Actor]]:
        """Two people who have not been used yet (or those named), called to a table now."""
        free = [m for m in self.members if m.pk not in self.used]
        one = first or free.pop(0)
        other = second or next(m for m in free if m.pk != one.pk)
        self.used |= {one.pk, other.pk}
        match = pairing.pair_by_hand(
            evening=self.evening,
            first=one,
            second=other,
            reason="test",
            by=self.arbiter,
            at=self.at,
        )
        return match, (self.player(one), self.player(other))

    def entered(
        self, *players: Member, scores: tuple[int, int] = (400, 350)
    ) -> tuple[Match, tuple[Actor, Actor]]:
        """A match like `match`, whose first player has entered the result."""
        match, (one, other) = self.match(*players)
        return match_actions.submit(match=match, by=one, scores=scores, at=self.at), (one, other)

    def played(
        self, *players: Member, scores: tuple[int, int] = (400, 350)
    ) -> tuple[Match, tuple[Actor, Actor]]:
        """A match whose second player has confirmed the result."""
        match, (one, other) = self.entered(*players, scores=scores)
        return match_actions.confirm(match=match, by=other, at=self.at), (one, other)

    def contested(
        self, *players: Member, scores: tuple[int, int] = (400, 350)
    ) -> tuple[Match, tuple[Actor, Actor]]:
        """A match whose second player has contested the result."""
        match, (one, other) = self.entered(*players, scores=scores)
        match = match_actions.contest(match=match, by=other, at=self.at, words="faux")
        return match, (one, other)

    def rating_list(
        self, system: str, *, name: str = "Liste", kind: str = "", category: str = ""
    ) -> RatingList:
        """A list of the organisation, opened by the committee."""
        details = {"system": system, "name": name, "kind": kind, "category": category}
        return competitions.create_list(
            organisation=self.organisation, **self._by_committee(details)
        )

    def lets_feed(self, club: Clubhouse, *lists: RatingList) -> None:
        """A federation's committee says which of its lists another club may feed."""
        how = self._by_committee({"club": club.organisation, "lists": lists})
        handovers.invite(federation=self.organisation, **how)

    def mark_absent(
        self, match: Match, absent: str, *, justified: bool = False, **more: Any
    ) -> Match:
        """An absence that the arbiter notes."""
        noted = {"absent": absent, "justified": justified}
        return match_actions.mark_absent(match=match, **noted, **self._by_arbiter(more))

    def record(self, match: Match, result: Result, **more: Any) -> Match:
        """A slip that the arbiter types."""
        return match_actions.record(match=match, result=result, **self._by_arbiter(more))

    def decide(self, match: Match, result: Result, reason: str, **more: Any) -> Match:
        """The arbiter's ruling on a contested match."""
        ruling = {"result": result, "reason": reason}
        return match_actions.decide(match=match, **ruling, **self._by_arbiter(more))

    def correct(self, match: Match, result: Result, reason: str, **more: Any) -> Match:
        """A result in force that the arbiter changes."""
        change = {"result": result, "reason": reason}
        return match_actions.correct(match=match, **change, **self._by_arbiter(more))

    def check_in(self, member: Member, **more: Any) -> CheckIn:
        """Somebody whom the arbiter ticks at the desk of the evening."""
        arrival = {"evening": self.evening, "source": "desk", **self._by_arbiter(more)}
        return presence.check_in(member=member, **arrival)

    def announce(self, starts_at: datetime, **more: Any) -> Evening:
        """An evening that the committee announces."""
        evening = {"organisation": self.organisation, "starts_at": starts_at}
        return evenings.announce_evening(**evening, **self._by_committee(more))

    def publish_edition(self, title: str, **more: Any) -> Edition:
        """The ranking, or `rating_list`, as the committee publishes it."""
        edition = {"organisation": self.organisation, "title": title}
        return editions.publish(**edition, **self._by_committee(more))

    def invite(self, **more: Any) -> tuple[Invitation, str]:
        """An invitation of the committee, and its token."""
        return invitations.invite(organisation=self.organisation, **self._by_committee(more))

    def edit(self, member: Member, changes: dict[str, Any], **more: Any) -> Member:
        """Details of a member that the committee changes."""
        return members.edit(member=member, changes=changes, **self._by_committee(more))

    def impose(self, sanction: Sanction, reason: str, **more: Any) -> Sanction:
        """What the committee decides on a proposal."""
        return absences.impose(sanction=sanction, reason=reason, **self._by_committee(more))

    def adopt(self, draft: RuleBook, effective_from: datetime, **more: Any) -> RuleBook:
        """Rules that the committee adopts, after a vote if nothing else is said."""
        vote = {"reason": "vote", "voted_by": "", **self._by_committee(more)}
        return rulebooks.adopt(draft=draft, effective_from=effective_from, **vote)

    def say_licence(self, member: Member, federation: Organisation, licence: str) -> MemberLink:
        """A licence that the committee gives of its member."""
        said = {"federation": federation, "licence": licence}
        return persons.say_licence(member=member, **said, **self._by_committee({}))

    def enter(self, tournament: Tournament, member: Member, **more: Any) -> Entry:
        """Somebody whom the committee enters in a tournament."""
        return registration.enter(tournament=tournament, member=member, **self._by_committee(more))

    def set_away(self, entry: Entry, number: int) -> Entry:
        """Somebody whom the arbiter does not expect at a round."""
        return registration.set_presence(
            entry=entry, number=number, present=False, **self._by_arbiter({})
        )

    def ask(self, kind: str, target_id: int, **more: Any) -> Job:
        """A job of the club that the committee asks for."""
        job = {"organisation": self.organisation, "kind": kind, "target_id": target_id}
        return jobs.ask(**job, **self._by_committee(more))

    def season(self, name: str, starts_on: date, ends_on: date, **more: Any) -> Season:
        """One more season of the club."""
        days = {"starts_on": starts_on, "ends_on": ends_on}
        return Season.objects.create(organisation=self.organisation, name=name, **days, **more)

    def _by_arbiter(self, more: dict[str, Any]) -> dict[str, Any]:
        return {"by": self.arbiter, "at": self.at, **more}

    def _by_committee(self, more: dict[str, Any]) -> dict[str, Any]:
        return {"by": self.committee, "at": self.at, **more}

    def close(self) -> None:
        """Close the evening: every match must have ended."""
        evenings.begin_closing(evening=self.evening, by=self.arbiter, at=self.at)
        evenings.close_evening(evening=self.evening, by=self.arbiter, at=self.at)

    def next_evening(self, days: int = 7) -> Evening:
        """Another running evening with everybody there, some days later."""
        self.at += timedelta(days=days)
        self.used = set()
        self.evening = running_evening(self.organisation, self.everybody(), self.committee, self.at)
        return self.evening

    def everybody(self) -> list[Member]:
        return list(Member.objects.active().filter(organisation=self.organisation).order_by("pk"))


def running_evening(
    organisation: Organisation, here: list[Member], by: Actor, at: datetime, *, auto: bool = False
) -> Evening:
    evening = evenings.announce_evening(
        organisation=organisation, starts_at=at, by=by, at=at, auto_pair=auto
    )
    evenings.open_doors(evening=evening, by=by, at=at)
    for member in here:
        presence.check_in(evening=evening, member=member, source="desk", by=by, at=at)
    return evenings.begin(evening=evening, by=by, at=at)


@once_a_worker
def make_club(slug: str = "club", size: int = 8) -> Clubhouse:
    """A club with `size` players, an arbiter and a committee member who may play too."""
    organisation = Organisation.objects.create(slug=slug, name=f"Club {slug}", created_at=NOW)
    Season.objects.create(
        organisation=organisation,
        name="2026",
        starts_on=date(2026, 1, 1),
        ends_on=date(2027, 12, 31),
    )
    system = Actor.system("test")
    people = []
    for number in range(size + 2):
        member = members.create(
            organisation=organisation,
            first_name=f"Prénom{number}",
            last_name=f"Nom{number}",
            by=system,
            at=NOW,
            joined_on=date(2026, 1, 1) + timedelta(days=number),
        )
        members.link_account(member=member, user=account(f"{slug}{number}"), by=system, at=NOW)
        people.append(member)
    judge, chair = people[size], people[size + 1]
    members.grant(member=judge, role=RoleGrant.ARBITER, by=system, at=NOW)
    members.grant(member=chair, role=RoleGrant.COMMITTEE, by=system, at=NOW)
    committee = Actor(chair.user, chair, COMMITTEE)
    return Clubhouse(
        organisation=organisation,
        members=people[:size],
        arbiter=Actor(judge.user, judge, ARBITER),
        committee=committee,
        evening=running_evening(organisation, people, committee, NOW),
    )
