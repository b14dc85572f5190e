"""Somebody who is forgotten while rows that refer to them are written."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction

from clubs.members import actions as members
from clubs.members.invitations import actions as invitations
from clubs.members.invitations import agreement
from clubs.members.models import Member
from clubs.personal_data.models import settings_of
from pairings import personal_data
from pairings.arbitration import forced_closing
from pairings.evenings.admission import presence
from pairings.matches import actions as match_actions
from tests.clubhouse import make_club
from tests.pairings.matches.test_races import while_open

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def club(transactional_db):
    return make_club("faizers", size=4)


def leave(club, member):
    how = {"by": club.committee, "at": club.at, "forget": True}
    return lambda: members.leave(member=member, **how)


def go_home(club, member):
    how = {"member": member, "by": club.player(member), "at": club.at}
    presence.go_home(evening=club.evening, **how)


def test_somebody_who_played_is_forgotten_while_the_evening_is_rated(club):
    club.played(*club.members[:2])
    go_home(club, club.members[0])
    seen = forced_closing.consequences(club.evening).mark
    how = {"reason": "fin", "seen": seen, "by": club.arbiter, "at": club.at}
    answers = while_open(
        lambda: forced_closing.force_close(evening=club.evening, **how),
        leave(club, club.members[0]),
    )
    assert answers == ["ok", "ok"]


def test_somebody_is_forgotten_while_they_are_invited(club):
    member = club.join("Nora", "Neuve")
    invite = {"organisation": club.organisation, "by": club.committee, "at": club.at}
    answers = while_open(lambda: invitations.invite(member=member, **invite), leave(club, member))
    assert answers == ["ok", "ok"]


def test_an_old_guest_is_forgotten_while_they_are_invited(club):
    go_home(club, club.members[0])
    Member.objects.filter(pk=club.members[0].pk).update(is_guest=True, user=None)
    guest = Member.objects.get(pk=club.members[0].pk)
    later = club.at + timedelta(days=4000)
    invite = {"organisation": club.organisation, "by": club.committee, "at": later}
    chosen = settings_of(club.organisation)
    answers = while_open(
        lambda: invitations.invite(member=guest, **invite),
        transaction.atomic(lambda: personal_data.old_guests(chosen, later)),
    )
    assert answers == ["ok", "ok"]


def test_a_parent_takes_their_agreement_back_while_the_child_confirms_a_result(club):
    match, (_one, other) = club.entered()
    child = Member.objects.filter(pk=other.member.pk)
    child.update(is_minor=True, is_child=True, guardian_name="Eva", guardian_agreed_on=club.at)
    how = {"member": child.get(), "by": club.committee, "at": club.at}
    answers = while_open(
        lambda: match_actions.confirm(match=match, by=other, at=club.at),
        lambda: agreement.withdraw(**how),
    )
    assert answers == ["ok", "ok"]
