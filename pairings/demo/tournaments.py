"""Two demo tournaments, played by a seeded generator through the site's own actions.

One finished, of 23 players, rated in the club cote; one of 16 in its third round.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from clubs.accounts.actor import PLAYER, Actor
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from pairings.demo.order import Acts, in_order
from pairings.matches import actions as match_actions
from pairings.matches.models import Match, Seat
from pairings.rules.match_state import Kind, Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments import rating as tournament_rating
from pairings.tournaments import registration
from pairings.tournaments.models import Round, Tournament
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rounds import score_entry
from ratings.ledger import settlement

SEED = 20261121
OPEN, CUP = "Open d’automne", "Coupe des quatre villes"
# first name, last name, club, cote
VISITORS = (
    ("Aurélie", "Castel", "Lyon", 1810),
    ("Benoît", "Marchand", "Lyon", 1745),
    ("Chloé", "Renaud", "Genève", 1690),
    ("Dragoș", "Munteanu", "Cluj", 1655),
    ("Élise", "Fontaine", "Namur", 1540),
    ("Farid", "Zerrouki", "Namur", 1490),
    ("Gaëlle", "Le Goff", "Rennes", 1425),
    ("Hugo", "Perrin", "Genève", 1360),
    ("Irina", "Vasilescu", "Cluj", 1310),
    ("Jacques", "Hermann", "Rennes", 1255),
)


@dataclass(frozen=True, slots=True)
class Table:
    """The people who act and every player's strength."""

    club: Organisation
    arbiter: Actor
    committee: Actor
    strength: Mapping[int, int]
    dice: random.Random

    def player(self, member: Member) -> Actor:
        return Actor(user=member.user, member=member, role=PLAYER, origin="demo")

    def judge(self, match: Match) -> Actor:
        """Return somebody who does not play this match."""
        return self.committee if match.seats(self.arbiter.member) else self.arbiter

    def scores(self, match: Match) -> tuple[int, int]:
        """Return a plausible result; the stronger player wins more often."""
        gap = self.strength.get(match.first_id, 1200) - self.strength.get(
            match.second_id or 0, 1200
        )
        margin = int(self.dice.gauss(gap / 6, 70))
        total = self.dice.randint(740, 880)
        first = (total + margin) // 2
        return first, total - first


def table_of(
    club: Organisation, arbiter: Actor, committee: Actor, strength: Mapping[int, int]
) -> Table:
    return Table(club, arbiter, committee, strength, random.Random(SEED))


def announced(table: Table, day: date, now: datetime) -> Acts:
    """Announce the open of that day, and the cup that is in progress now."""
    starts_at = datetime.combine(day, time(9, 30), tzinfo=table.club.zone)
    at = starts_at - timedelta(days=20)
    yield at
    hall = "Maison des associations, grande salle"
    _announce(table, OPEN, starts_at, place=hall, fee="10 €", at=at)
    starts_at = now - timedelta(minutes=170)
    day = starts_at.astimezone(table.club.zone).date() - timedelta(days=6)
    at = datetime.combine(day, time(11), tzinfo=table.club.zone)
    yield at
    _announce(table, CUP, starts_at, place="Salle Baize", fee="", at=at)


def _announce(
    table: Table, name: str, starts_at: datetime, *, place: str, fee: str, at: datetime
) -> None:
    tournaments.create(
        organisation=table.club,
        name=name,
        starts_at=starts_at,
        system="formule_classique",
        place=place,
        fee=fee,
        by=table.committee,
        at=at,
    )


def play_open(table: Table, people: Iterable[Member], cotes: Mapping[int, int]) -> None:
    """Play five rounds of 23 players, with absences, a forfeit, a contest, a swap and a return."""
    tournament = Tournament.objects.get(organisation=table.club, name=OPEN)
    at = tournament.starts_at
    for member in people:
        registration.enter(
            tournament=tournament,
            member=member,
            cote=cotes.get(member.pk, 1000),
            cote_origin="PL",
            paid=True,
            by=table.committee,
            at=at - timedelta(hours=1),
        )
    tournament = tournaments.freeze(
        tournament=tournament, by=table.committee, at=at - timedelta(minutes=10)
    )
    away = list(tournament.entries.order_by("initial"))[6:8]
    for entry in away:
        registration.set_presence(
            entry=entry, number=2, present=False, by=table.arbiter, at=at - timedelta(minutes=9)
        )
    for planned in tournament.rounds.order_by("number"):
        _play(table, planned, with_story=planned.number == 1)
        over = planned.starts_at + timedelta(hours=1)
        if planned.number == 3:
            registration.withdraw(entry=away[0], number=4, by=table.arbiter, at=over)
        if planned.number == 4:
            registration.come_back(entry=away[0], number=5, by=table.arbiter, at=over)
    end = at + timedelta(hours=7)
    tournament_closing.close(tournament=tournament, by=table.committee, at=end)
    tournament_rating.hand_over(
        tournament=tournament,
        rating_list=settlement.list_of(table.club, rulebooks.LADDER),
        by=table.committee,
        at=end,
    )


def play_cup(
    table: Table, people: Iterable[Member], cotes: Mapping[int, int], now: datetime
) -> None:
    """Play two rounds of 16 players, and half of the third.

    Matches of members who are seated at tonight's evening are finished: nobody has two live seats.
    """
    tournament = Tournament.objects.get(organisation=table.club, name=CUP)
    at = tournament.starts_at
    ours = list(people)
    for member in ours:
        registration.enter(
            tournament=tournament,
            member=member,
            cote=cotes.get(member.pk, 1000),
            cote_origin="PL",
            by=table.committee,
            at=at - timedelta(hours=1),
        )
    for first_name, last_name, club, cote in VISITORS[: 16 - len(ours)]:
        guest = members.create(
            organisation=table.club,
            first_name=first_name,
            last_name=last_name,
            is_guest=True,
            by=table.committee,
            at=at - timedelta(hours=1),
        )
        registration.enter(
            tournament=tournament,
            member=guest,
            cote=cote,
            cote_origin="PL*",
            home_club=club,
            paid=True,
            by=table.committee,
            at=at - timedelta(hours=1),
        )
    tournament = tournaments.freeze(
        tournament=tournament, by=table.committee, at=at - timedelta(minutes=5)
    )
    first, second, third = tournament.rounds.filter(number__lte=3).order_by("number")
    for planned in (first, second):
        _play(table, planned)
    published = _publish(table, third, now - timedelta(minutes=18))
    boards = score_entry.missing(published)
    tonight = {member.pk for member in ours}
    entered = now - timedelta(minutes=2)
    for number, match in enumerate(boards):
        if number % 2 == 0 or {match.first_id, match.second_id} & tonight:
            in_order([_recorded(table, match, entered)])


def free_members(people: Iterable[Member], count: int) -> list[Member]:
    """Return the first `count` members without an open match."""
    seated = set(Seat.objects.filter(live=True).values_list("member_id", flat=True))
    return [member for member in people if member.pk not in seated][:count]


def _publish(table: Table, planned: Round, at: datetime) -> Round:
    drawn = rounds.draw(round=planned, by=table.arbiter, at=at)
    return round_publishing.publish(round=drawn, by=table.arbiter, at=at)


def _play(table: Table, planned: Round, *, with_story: bool = False) -> None:
    """Draw, publish, enter every result, close."""
    at = planned.starts_at
    drawn = rounds.draw(round=planned, by=table.arbiter, at=at - timedelta(minutes=5))
    if with_story:
        one, other = drawn.draft[2]["first"], drawn.draft[3]["first"]
        drawn = rounds.swap(
            round=drawn,
            one=one,
            other=other,
            reason="Deux joueurs d’une même famille à la première ronde.",
            by=table.arbiter,
            at=at - timedelta(minutes=3),
        )
    published = round_publishing.publish(round=drawn, by=table.arbiter, at=at)
    done = at + timedelta(minutes=50)
    missing = score_entry.missing(published)
    in_order([_ended(table, m, n, done, with_story=with_story) for n, m in enumerate(missing)])
    round_publishing.close(
        round=published,
        by=table.arbiter,
        at=done + timedelta(minutes=10),
        unread_reason="Feuilles comparées à voix haute pendant la saisie.",
    )


def _ended(table: Table, match: Match, number: int, done: datetime, *, with_story: bool) -> Acts:
    """End one match of a round: one is entered by its players, the others by their judge."""
    if with_story and number == 4:
        yield done
        match_actions.mark_absent(
            match=match, absent="b", justified=False, by=table.judge(match), at=done
        )
    elif with_story and number == 5:
        yield from _contested(table, match, done)
    elif number == 0 and match.second is not None:
        scores = table.scores(match)
        yield done
        match_actions.submit(match=match, by=table.player(match.first), scores=scores, at=done)
        confirmed = done + timedelta(minutes=1)
        yield confirmed
        match_actions.confirm(match=match, by=table.player(match.second), at=confirmed)
    else:
        yield from _recorded(table, match, done)


def _recorded(table: Table, match: Match, at: datetime) -> Acts:
    result = Result(Kind.PLAYED, *table.scores(match))
    yield at
    match_actions.record(match=match, result=result, by=table.judge(match), at=at)


def _contested(table: Table, match: Match, at: datetime) -> Acts:
    """Enter a result as one player, contest it as the other, and decide it as a third person."""
    assert match.second is not None
    first, second = table.scores(match)
    yield at
    match_actions.submit(match=match, by=table.player(match.first), scores=(first, second), at=at)
    yield at + timedelta(minutes=2)
    match_actions.contest(
        match=match,
        by=table.player(match.second),
        at=at + timedelta(minutes=2),
        words="La pénalité de temps n’est pas déduite.",
        scores=(first - 10, second),
    )
    yield at + timedelta(minutes=6)
    match_actions.decide(
        match=match,
        result=Result(Kind.PLAYED, first - 10, second),
        reason="Une minute de dépassement : dix points.",
        by=table.judge(match),
        at=at + timedelta(minutes=6),
    )
