"""An act of one club leaves every row of the neighbouring club alone, where all is the same.

Pages are asked in test_permissions.py; here stand the acts that its bodies do not reach: of
workers, of mail, of the desk. Each would touch the neighbours' rows without the `pk=` of its update.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from clubs.accounts.models import User
from clubs.accounts.older_pages import row_version
from clubs.journal import checks as journal_checks
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member
from clubs.members.models_access import Invitation
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from clubs.sanctions import actions as sanctions
from clubs.sanctions.models import Sanction
from clubs.setup import club_settings
from clubs.upkeep import jobs
from clubs.upkeep.models import JournalCheck
from clubs.upkeep.models_jobs import Job
from pairings.arbitration import actions as arbitration
from pairings.arbitration import undo
from pairings.arbitration.models import Contest
from pairings.evenings import actions as evenings
from pairings.evenings.admission import guests, presence
from pairings.evenings.admission import screen_link as screen
from pairings.evenings.models import CheckIn, Evening, GuestRequest
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.players import merging
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments import registration
from pairings.tournaments.models import Entry, Round, Tournament
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rounds import score_entry
from ratings.competitions import actions as competitions
from ratings.ledger import corrections, posting, settlement
from ratings.ledger.models import Period
from ratings.systems.protocol import Game
from tests.clubhouse import Clubhouse, account, make_club
from tests.permissions.furnished_club import rows
from tests.tournament_day import make_tournament, play, play_round, publish, round_of

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
PIN = "7305"


@dataclass
class Case:
    """`make` puts a row into each club, `act(row, club, at)` is done in one of them."""

    make: Callable[[Clubhouse], Any]
    act: Callable[[Any, Clubhouse, datetime], Any]


def by(
    role: str, action: Callable[..., Any], argument: str, **more: Any
) -> Callable[[Any, Clubhouse, datetime], Any]:
    """The action by the club's arbiter or committee, on the row that was made."""
    return lambda row, club, at: action(**{argument: row}, by=getattr(club, role), at=at, **more)


# What is in both clubs


def open_invitation(club: Clubhouse) -> Invitation:
    return club.invite()[0]


def named_invitation(club: Clubhouse) -> Invitation:
    """For a member of the club who has no account yet."""
    member = club.join("Ida")
    return club.invite(member=member)[0]


def draft(club: Clubhouse) -> RuleBook:
    return club.draft_rules({"cote": {"k_beginner": 39}})


def proposed(club: Clubhouse) -> Sanction:
    return sanctions.propose(
        member=club.members[0], trigger_key="x", grounds={}, by=club.committee, at=club.at
    )


def withdrawn(club: Clubhouse) -> Sanction:
    sanction = proposed(club)
    sanctions.withdraw(sanction=sanction, by=club.committee, at=club.at)
    return sanction


def imposed(club: Clubhouse) -> Sanction:
    return sanctions.impose(
        sanction=proposed(club), reason="r", appeal_days=7, by=club.committee, at=club.at
    )


def contested(club: Clubhouse) -> Contest:
    match, (_one, other) = club.entered()
    match_actions.contest(match=match, by=other, at=club.at, words="faux", scores=(401, 350))
    return match.contests.get()


def taken(club: Clubhouse) -> Contest:
    return arbitration.take(contest=contested(club), by=club.arbiter, at=club.at)


def late_request(club: Clubhouse) -> Contest:
    match, (_one, other) = club.played()
    return arbitration.ask_committee(match=match, by=other, at=club.at, words="faux")


def evening(club: Clubhouse) -> Evening:
    return club.evening


def who_left(club: Clubhouse) -> CheckIn:
    return presence.go_home(
        evening=club.evening, member=club.members[0], by=club.arbiter, at=club.at
    )


def newcomer(club: Clubhouse) -> GuestRequest:
    return guests.ask(evening=club.evening, first_name="Gus", last_name="", at=club.at)


def guest_with_account(club: Clubhouse) -> Member:
    guest = club.join("Gaspard", is_guest=True)
    members.link_account(
        member=guest,
        user=account(f"guest-{club.organisation.slug}"),
        by=club.committee,
        at=club.at,
    )
    return guest


def absence(club: Clubhouse) -> Match:
    match, _players = club.match()
    return club.mark_absent(match, "a", reason="parti")


def journal_checked(club: Clubhouse) -> JournalCheck:
    return journal_checks.check(club.organisation, at=club.at)


def entries_open(club: Clubhouse) -> Tournament:
    return make_tournament(club, size=4, round_count=2)


def entry(club: Clubhouse) -> Entry:
    return entries_open(club).entries.order_by("pk").first()


def gone(club: Clubhouse) -> Entry:
    """Of a frozen tournament, gone before its first round."""
    found = frozen(club).entries.order_by("pk").first()
    return registration.withdraw(entry=found, number=1, by=club.committee, at=club.at)


def frozen(club: Clubhouse) -> Tournament:
    return tournaments.freeze(tournament=entries_open(club), by=club.committee, at=club.at)


def played_once(club: Clubhouse) -> Tournament:
    row = make_tournament(club, size=4, round_count=1)
    tournaments.freeze(tournament=row, by=club.committee, at=club.at)
    play_round(club, row, 1)
    return row


def drawn_twice(club: Clubhouse) -> Tournament:
    """A second round is drawn, a third one planned."""
    row = make_tournament(club, size=4, system="swiss", round_count=3)
    tournaments.freeze(tournament=row, by=club.committee, at=club.at)
    play_round(club, row, 1)
    rounds.draw(round=round_of(row, 2), by=club.arbiter, at=club.at)
    return row


def without_two(club: Clubhouse) -> Round:
    """A published round from which two people were away."""
    row = frozen(club)
    for found in row.entries.order_by("pk")[:2]:
        registration.withdraw(entry=found, number=1, by=club.committee, at=club.at)
    return publish(club, row, 1)


def typed(club: Clubhouse) -> Match:
    """A board whose result was typed by the arbiter."""
    published = publish(club, frozen(club), 1)
    play(club, published)
    return round_of(published.tournament, 1).matches.order_by("table_number").first()


def brought(club: Clubhouse, number: int = 0) -> Period:
    """A competition brought in and not rated, `number` days after the evening."""
    return settlement.open_period(
        rating_list=settlement.list_of(club.organisation, "faizers", kind="essai"),
        key=f"w{number}",
        label="À calculer",
        held_on=club.at.date() + timedelta(days=number),
    )


def competition(club: Clubhouse, number: int = 0) -> Period:
    """The same with one game."""
    period = brought(club, number)
    one, other = club.members[:2]
    posting.record_game(period=period, posting=Game("g", one.pk, other.pk, 2, 400, 300), at=club.at)
    return period


def job(club: Clubhouse) -> Job:
    """A check of a list in which one competition is rated."""
    period = competition(club)
    settlement.settle(period=period, by=club.committee, at=club.at)
    return club.ask(Job.Kind.CHECK, period.rating_list_id)


def going_job(club: Clubhouse) -> Job:
    row = job(club)
    Job.objects.filter(pk=row.pk).update(state=Job.State.RUNNING, taken_at=club.at)
    return row


def first_evening(club: Clubhouse) -> Evening:
    """The first one of its season: the rules of the season are not fixed yet."""
    Evening.objects.filter(pk=club.evening.pk).update(
        state=Evening.State.CLOSED, closed_at=club.at, rule_book=None
    )
    club.organisation.seasons.update(rule_fixed=False, rule_book=None)
    return club.announce(club.at + timedelta(days=7))


def closing(club: Clubhouse) -> Evening:
    return evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)


def of_one_name(club: Clubhouse) -> Organisation:
    """Two clubs that the settings cannot tell apart."""
    Organisation.objects.filter(pk=club.organisation.pk).update(name="Club")
    return Organisation.objects.get(pk=club.organisation.pk)


# Acts that need more than a line


def accept(row: Invitation, club: Clubhouse, at: datetime) -> None:
    invitations.accept(
        invitation=row, user=account("new"), first_name="Ada", last_name="Neuve", at=at
    )


def choose_theme(row: User, club: Clubhouse, at: datetime) -> None:
    client = Client()
    client.force_login(row, backend=settings.AUTHENTICATION_BACKENDS[-1])
    address = f"/c/{club.organisation.slug}" + reverse("clubs:theme")
    assert client.post(address, {"theme": "dark"}).status_code == 302


def do_job(row: Job, club: Clubhouse, at: datetime) -> None:
    Job.objects.filter(pk=row.pk).update(state=Job.State.WAITING)
    assert jobs.work(row.pk, clock=lambda: at) == Job.State.DONE


def wrong_code(row: Member, club: Clubhouse, at: datetime) -> None:
    """The fourth day: what was counted more than KEPT_DAYS ago is deleted."""
    source = pins.Source.address("192.0.2.7")
    with pytest.raises(pins.PinRefused):
        pins.check(
            member=row,
            pin="0000",
            source=source,
            by=club.player(row),
            at=at + timedelta(days=pins.KEPT_DAYS + 1),
        )


def right_code(row: Member, club: Clubhouse, at: datetime) -> None:
    source = pins.Source.address("192.0.2.8")
    pins.check(member=row, pin=PIN, source=source, by=club.player(row), at=at)


def tried(club: Clubhouse) -> Member:
    member = club.members[0]
    pins.set_pin(member=member, pin=PIN, by=club.player(member), at=club.at)
    with pytest.raises(pins.PinRefused):
        pins.check(
            member=member,
            pin="0000",
            source=pins.Source.address("192.0.2.8"),
            by=club.player(member),
            at=club.at,
        )
    return member


def move(row: Organisation, club: Clubhouse, at: datetime) -> None:
    seen = row_version(row, club_settings.CLUB_FIELDS)
    changes = {"place": "Sibiu"}
    club_settings.edit_club(organisation=row, changes=changes, seen=seen, by=club.committee, at=at)


def pair_late(row: Round, club: Clubhouse, at: datetime) -> None:
    first, second = Entry.objects.filter(
        tournament=row.tournament_id, withdrawn_from__isnull=False
    ).values_list("member_id", flat=True)
    round_publishing.pair_late(
        round=row, first=first, second=second, reason="r", by=club.arbiter, at=at
    )


CASES = {
    "an invitation accepted": Case(open_invitation, accept),
    "an invitation of a member accepted": Case(named_invitation, accept),
    "an account linked": Case(
        lambda club: named_invitation(club).member,
        lambda row, club, at: members.link_account(
            member=row, user=account("new"), by=club.committee, at=at
        ),
    ),
    "an evening cancelled": Case(
        lambda club: club.announce(club.at + timedelta(days=7)),
        by("committee", evenings.cancel_evening, "evening", reason="r"),
    ),
    "a theme chosen": Case(lambda club: club.members[0].user, choose_theme),
    "a language chosen": Case(
        lambda club: club.members[0],
        lambda row, club, at: members.choose_settings(
            member=row, language="ro", visibility=row.visibility, by=club.player(row), at=at
        ),
    ),
    "a wrong code": Case(tried, wrong_code),
    "a right code after a wrong one": Case(tried, right_code),
    "a club that moves": Case(of_one_name, move),
    "the first evening of a season": Case(
        first_evening, by("arbiter", evenings.open_doors, "evening")
    ),
    "an evening closed": Case(closing, by("arbiter", evenings.close_evening, "evening")),
    "a draft of rules dropped": Case(draft, by("committee", rulebooks.drop, "draft")),
    "a sanction proposed on other grounds": Case(
        lambda club: proposed(club).member,
        by("committee", sanctions.propose, "member", trigger_key="x", grounds={"n": 1}),
    ),
    "a sanction proposed again": Case(
        lambda club: withdrawn(club).member,
        by("committee", sanctions.propose, "member", trigger_key="x", grounds={}),
    ),
    "a sanction withdrawn": Case(proposed, by("committee", sanctions.withdraw, "sanction")),
    "a sanction whose grounds are gone": Case(
        imposed, by("committee", sanctions.note_grounds, "sanction", hold=False)
    ),
    "a suspension from tonight": Case(
        proposed,
        lambda row, club, at: club.impose(row, "r", at=at, sessions=2, from_tonight=True),
    ),
    "a job lost and taken back": Case(
        job, lambda row, club, at: jobs.take_back(job=row, at=at + 2 * MINUTE)
    ),
    "a job cancelled": Case(job, lambda row, club, at: jobs.cancel(job=row, at=at)),
    "a job taken": Case(job, do_job),
    "a job done": Case(going_job, do_job),
    "a contest passed on": Case(taken, by("arbiter", arbitration.pass_on, "contest", reason="r")),
    "a late request answered": Case(
        late_request, by("committee", arbitration.close_request, "contest", answer="non")
    ),
    "an evening paired by itself": Case(
        evening, by("arbiter", evenings.set_auto_pair, "evening", on=True)
    ),
    "a player who comes back": Case(
        who_left, lambda row, club, at: club.check_in(row.member, at=at)
    ),
    "a newcomer refused": Case(newcomer, by("arbiter", guests.refuse, "request")),
    "newcomers who need not wait": Case(
        evening,
        lambda row, club, at: guests.set_wait(
            evening=row, on=not row.guests_wait, by=club.arbiter, at=at
        ),
    ),
    "a link for a screen": Case(evening, by("arbiter", screen.give, "evening")),
    "an absence undone": Case(absence, by("arbiter", undo.undo, "match")),
    "an absence corrected": Case(
        absence,
        lambda row, club, at: club.correct(
            row, Result("absent", absent="a", justified=True), "r", at=at
        ),
    ),
    "a journal verified": Case(
        journal_checked,
        lambda row, club, at: journal_checks.check(club.organisation, at=at),
    ),
    "a guest who is a member": Case(
        guest_with_account,
        lambda row, club, at: merging.unite(
            guest=row, into=club.join("Gaspard", at=at), reason="r", by=club.committee, at=at
        ),
    ),
    "entries opened again": Case(
        frozen, by("committee", tournaments.unfreeze, "tournament", reason="r")
    ),
    "rounds at another hour": Case(
        frozen, by("committee", tournaments.edit, "tournament", changes={"round_minutes": 61})
    ),
    "a tournament closed": Case(
        played_once, by("committee", tournament_closing.close, "tournament")
    ),
    "a tournament that ends early": Case(
        drawn_twice, by("committee", tournament_closing.close, "tournament", reason="r")
    ),
    "an entry taken away": Case(entry, by("committee", registration.remove, "entry")),
    "a player who gives up": Case(
        lambda club: frozen(club).entries.order_by("pk").first(),
        by("committee", registration.withdraw, "entry", number=1),
    ),
    "a player who returns": Case(gone, by("committee", registration.come_back, "entry", number=1)),
    "two latecomers at a table": Case(without_two, pair_late),
    "a result checked by a second person": Case(
        typed,
        lambda row, club, at: score_entry.check(
            match=row, version=row.version, by=club.committee, at=at
        ),
    ),
    "a competition dropped": Case(
        brought, by("committee", competitions.drop, "period", reason="r")
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_act_of_one_club_leaves_the_rows_of_the_next_alone(name):
    case = CASES[name]
    neighbours = make_club("voisins", size=4)
    case.make(neighbours)
    theirs = rows()
    club = make_club("ici", size=4)
    row = case.make(club)
    before = rows()
    case.act(row, club, club.at + MINUTE)
    after = rows()
    assert after != before
    assert theirs <= after


@pytest.mark.parametrize("act", ["insert", "remove", "restore"])
def test_a_correction_leaves_the_other_competitions_of_its_list_in_their_state(act):
    """Each stands beside another in its own state: waiting, rated or removed."""
    club = make_club("ici", size=4)
    at = club.at + MINUTE
    chosen, other, last = (competition(club, number) for number in (1, 2, 3))
    rated = (last,) if act == "insert" else (chosen, other, last)
    for period in rated:
        settlement.settle(period=period, by=club.committee, at=club.at)

    def correct(work: Callable[[Period], Any], period: Period) -> None:
        settlement.apply(
            rating_list=period.rating_list,
            correction=work(period),
            by=club.committee,
            at=at,
            reason="r",
        )

    if act == "restore":
        for period in (chosen, other):
            correct(corrections.remove_event, period)
    before = Period.objects.values().get(pk=other.pk)
    correct(getattr(corrections, f"{act}_event"), chosen)
    after = Period.objects.values().get(pk=other.pk)
    assert after == before
