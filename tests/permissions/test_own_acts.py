"""What only the person concerned may do is refused by the action too, not by its page alone."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from clubs.journal.models import JournalEntry
from clubs.sanctions import actions as sanctions
from clubs.sanctions.models import Sanction
from pairings.absences import actions as absences
from pairings.absences.models import Absence
from pairings.tournaments import registration
from tests.refusals import refused
from tests.tournament_day import entry_of, make_tournament

pytestmark = pytest.mark.django_db


def excuse(club, whose):
    match, _players = club.match(whose, club.members[4])
    club.mark_absent(match, "a")
    absence = Absence.objects.get(match=match, member=whose)
    return partial(absences.excuse, absence=absence, words="malade")


def appeal(club, whose):
    sanction = Sanction.objects.create(
        member=whose,
        trigger_key="absence:1",
        status=Sanction.Status.IMPOSED,
        reason="abus",
        proposed_at=club.at,
        decided_at=club.at,
        appeal_until=club.at + timedelta(days=7),
    )
    return partial(sanctions.appeal, sanction=sanction, text="J’étais malade.")


def enter(club, whose):
    tournament = make_tournament(club, size=0, self_entry=True)
    return partial(registration.enter, tournament=tournament, member=whose, cote=1500)


def remove(club, whose):
    return partial(registration.remove, entry=entry_of(make_tournament(club), whose))


def be_absent(club, whose):
    entry = entry_of(make_tournament(club), whose)
    return partial(registration.set_presence, entry=entry, number=1, present=False)


def withdraw(club, whose):
    return partial(registration.withdraw, entry=entry_of(make_tournament(club), whose), number=1)


def come_back(club, whose):
    entry = entry_of(make_tournament(club), whose)
    registration.withdraw(entry=entry, number=1, by=club.committee, at=club.at)
    return partial(registration.come_back, entry=entry, number=1)


OWN_ACTS = [excuse, appeal, enter, remove, be_absent, withdraw, come_back]


@pytest.mark.parametrize("begin", OWN_ACTS)
def test_it_is_refused_to_somebody_else_and_done_by_the_person_concerned(club, begin):
    whose, other = club.members[:2]
    act = begin(club, whose)
    theirs = JournalEntry.objects.filter(actor__in=[whose.user, other.user])
    with refused("not_yours"):
        act(by=club.player(other), at=club.at)
    assert not theirs.exists()
    act(by=club.player(whose), at=club.at)
    assert theirs.get().actor == whose.user
