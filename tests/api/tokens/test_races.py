"""Keys made, used and revoked at once, and while the device of their account is reported lost."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from threading import Barrier, BrokenBarrierError
from time import sleep

import pytest

from api.tokens import actions
from api.tokens.models import Token
from clubs.accounts.actor import PLAYER, Actor
from clubs.accounts.older_pages import row_version
from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.invitations import unlinking
from clubs.members.models import Member
from pairings.evenings.admission import presence
from pairings.matches import actions as match_actions
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from tests.api.keys import key_of
from tests.clubhouse import make_club
from tests.pairings.matches.test_lock_order import after_the_first_entry
from tests.pairings.matches.test_races import together, while_open
from tests.tournament_day import make_tournament

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 4


@pytest.fixture
def there(club):
    return make_club("voisins", size=2)


def joined(there, user):
    """The row of that account in another club."""
    row = {"organisation": there.organisation, "first_name": "Ada", "user": user}
    return members.create(**row, by=there.committee, at=there.at)


@pytest.fixture
def elsewhere(club, there):
    """The arbiter's row in another club, of the same account."""
    return joined(there, club.arbiter.user)


def make(club, member, scope="arbitrate"):
    return lambda: key_of(Member.objects.get(pk=member.pk), club.at, scope)


def lose(club):
    row = Member.objects.select_related("user").get(pk=club.arbiter.member.pk)
    return lambda: pins.report_loss(member=row, by=Actor(row.user, row, PLAYER), at=club.at)


def stale(**wanted):
    return Token.objects.select_related("member__organisation", "user").get(**wanted)


def revoked():
    return JournalEntry.objects.filter(verb="token_revoked").count()


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_two_keys_at_once_do_not_pass_the_limit(club, _round):
    member = club.arbiter.member
    for _number in range(actions.MOST_KEYS - 1):
        key_of(member, club.at, "read")
    assert sorted(together(*[make(club, member)] * 2)) == ["ok", "too_many"]
    assert Token.objects.count() == actions.MOST_KEYS


@pytest.mark.parametrize("_round", range(ROUNDS))
@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_a_key_against_a_report_of_loss_ends_no_key_halfway(club, elsewhere, is_elsewhere, _round):
    member = elsewhere if is_elsewhere else club.arbiter.member
    assert together(make(club, member), lose(club)) == ["ok", "ok"]
    assert revoked() == Token.objects.filter(revoked_at__isnull=False).count()


@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_a_key_that_is_being_made_is_revoked_by_the_report_that_waits_for_it(
    club, elsewhere, is_elsewhere
):
    """The report asks every club of the account: a key that is not committed would be left."""
    member = elsewhere if is_elsewhere else club.arbiter.member
    assert while_open(make(club, member), lose(club)) == ["ok", "ok"]
    assert Token.objects.get(member=member).revoked_at is not None and revoked() == 1


@pytest.mark.parametrize("_round", range(3 * ROUNDS))
def test_a_key_revoked_by_hand_and_by_a_report_is_revoked_once(club, _round):
    key_of(club.arbiter.member, club.at, "arbitrate")
    token = stale()
    by = Actor(token.user, token.member, PLAYER)
    answers = together(lambda: actions.revoke(token=token, by=by, at=club.at), lose(club))
    assert answers == ["ok", "ok"]
    assert revoked() == 1


def test_a_key_revoked_by_hand_and_by_a_departure_is_revoked_once(club, monkeypatch):
    """A departure has the rows of all keys before the journal, or each would wait for the other."""
    member, write = club.arbiter.member, journal.note
    _first, last = (key_of(member, club.at, "read") for _number in range(2))
    met = Barrier(2)

    def write_together(subject, *given, **named):
        """Write once both have their first row, the departure first."""
        with suppress(BrokenBarrierError):
            met.wait(timeout=0.5)
        sleep(0.2 * (named["by"].member == member))
        write(subject, *given, **named)

    monkeypatch.setattr(journal, "note", write_together)
    token = actions.find(last)
    by = Actor(token.user, token.member, PLAYER)

    def leave():
        members.leave(member=token.member, by=club.committee, at=club.at, forget=False)

    answers = together(lambda: actions.revoke(token=token, by=by, at=club.at), leave)
    assert answers == ["ok", "ok"] and revoked() == 2


@pytest.mark.parametrize("end", ["left", "forgotten", "account taken off"])
def test_no_key_is_made_for_who_is_no_member_any_more(club, end):
    member, how = club.members[0], {"by": club.committee, "at": club.at}
    go_home = {"evening": club.evening, "member": member, "by": club.player(member), "at": club.at}
    presence.go_home(**go_home)
    seen = row_version(member, unlinking.ACCOUNT)
    acts = {
        "left": lambda: members.leave(member=member, forget=False, **how),
        "forgotten": lambda: members.leave(member=member, forget=True, **how),
        "account taken off": lambda: unlinking.unlink_account(
            member=member, seen=seen, reason="r", **how
        ),
    }
    answers = while_open(acts[end], make(club, Member.objects.get(pk=member.pk), "read"))
    assert answers == ["ok", "stale"]
    assert not Token.objects.exists()


@pytest.mark.parametrize("act", ["ranking frozen", "dispute settled"])
def test_who_has_a_key_leaves_what_they_take_part_in_while_somebody_else_acts_there(
    transactional_db, act
):
    """The tournament, or the place in the hall, before the entry of the key that ends."""
    club = make_club("tournoi", size=4)
    arbiter = {"by": club.arbiter, "at": club.at}
    if act == "ranking frozen":
        made = make_tournament(club, 4, system="swiss", round_count=2)
        one = club.player(club.members[0])
        presence.go_home(evening=club.evening, member=one.member, by=one, at=club.at)
    else:
        match, (one, _other) = club.contested()
    key_of(one.member, club.at, "read")
    acts = {
        "ranking frozen": lambda: tournaments.freeze(tournament=made, **arbiter),
        "dispute settled": lambda: match_actions.decide(
            match=match, result=Result("played", 400, 300), reason="vu", **arbiter
        ),
    }
    answers = after_the_first_entry(
        lambda: members.leave(member=one.member, by=club.committee, at=club.at, forget=False),
        acts[act],
    )
    assert answers == ["ok", "ok"] and revoked() == 1


@pytest.mark.parametrize("_round", range(3 * ROUNDS))
def test_two_people_lose_their_devices_each_in_another_of_the_clubs_they_share(
    club, there, elsewhere, _round
):
    """Each report writes in both journals: taken as they come, each would wait for the other."""
    key_of(elsewhere, club.at, "arbitrate")
    key_of(club.committee.member, club.at, "arbitrate")
    other = joined(there, club.committee.user)
    by = Actor(other.user, other, PLAYER)
    answers = together(lose(club), lambda: pins.report_loss(member=other, by=by, at=club.at))
    assert answers == ["ok", "ok"] and revoked() == 2


@pytest.mark.parametrize("is_used_first", [False, True])
def test_a_key_in_use_is_revoked_and_stays_so(club, ask, is_used_first):
    key = key_of(club.arbiter.member, club.at, "read", "arbitrate")
    token, later = stale(), club.at + timedelta(hours=2)

    def use():
        actions.note_use(token, at=later)

    acts = (use, lose(club)) if is_used_first else (lose(club), use)
    assert while_open(*acts) == ["ok", "ok"]
    token.refresh_from_db()
    assert (token.revoked_at, token.last_used_at) == (club.at, later)
    assert ask("seasons", key).json()["code"] == "token_revoked"
