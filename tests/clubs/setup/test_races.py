"""Changes of a club's settings that meet another act on the same rows."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clubs.accounts.older_pages import STALE, row_version
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import RoleGrant
from clubs.organisations.models import Organisation
from clubs.personal_data.models import PrivacySettings
from clubs.setup import closing, club_settings
from pairings.evenings.admission import presence
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments.models import Tournament
from tests.pairings.matches.test_lock_order import after_the_first_entry, before_the_first_entry

pytestmark = pytest.mark.django_db(transaction=True)


def edit_club(club, **changes):
    seen = row_version(Organisation.objects.get(pk=club.organisation.pk), club_settings.CLUB_FIELDS)
    how = {"changes": changes, "seen": seen, "by": club.committee, "at": club.at}
    return lambda: club_settings.edit_club(organisation=club.organisation, **how)


def edit_privacy(club, **changes):
    row = PrivacySettings.objects.get(organisation=club.organisation)
    seen = row_version(row, PrivacySettings.FIELDS)
    how = {"changes": changes, "seen": seen, "by": club.committee, "at": club.at}
    return lambda: club_settings.edit_privacy(organisation=club.organisation, **how)


def test_posters_are_hung_while_the_club_is_renamed(club):
    how = {"organisation": club.organisation, "by": club.arbiter, "at": club.at}
    answers = before_the_first_entry(
        edit_club(club, name="Autre nom"), lambda: club_settings.hang_posters(**how)
    )
    assert answers == ["ok", "ok"]
    club.organisation.refresh_from_db()
    assert club.organisation.name == "Autre nom" and club.organisation.posters_hung_at is not None


def close(club, at):
    how = {"organisation": club.organisation, "by": club.committee, "at": at}
    return lambda: closing.close(reason="Dissolution", **how)


def test_a_club_is_closed_once_by_two_at_the_same_time(club):
    club.close()
    later = club.at + timedelta(seconds=1)
    answers = before_the_first_entry(close(club, club.at), close(club, later))
    assert answers == ["ok", STALE]
    assert JournalEntry.objects.filter(verb="club_closed").count() == 1
    club.organisation.refresh_from_db()
    assert club.organisation.closed_at == club.at


def test_a_club_is_not_closed_beside_an_evening_that_is_announced_meanwhile(club):
    club.close()
    day = club.at + timedelta(days=3)
    answers = before_the_first_entry(lambda: club.announce(day), close(club, club.at))
    assert answers == ["ok", "going_on"]


def test_no_evening_is_announced_in_a_club_that_is_closed_meanwhile(club):
    club.close()
    day = club.at + timedelta(days=3)
    answers = before_the_first_entry(close(club, club.at), lambda: club.announce(day))
    assert answers == ["ok", "club_closed"]


def announce_tournament(club, name="Open"):
    how = {"system": "swiss", "by": club.committee, "at": club.at}
    starts_at = club.at + timedelta(days=3)
    club_ = club.organisation
    return lambda: tournaments.create(organisation=club_, name=name, starts_at=starts_at, **how)


def reopen_tournament(club):
    row = announce_tournament(club)()
    over = {"state": Tournament.State.CLOSED, "closed_at": club.at, "frozen_at": club.at}
    Tournament.objects.filter(pk=row.pk).update(**over)
    how = {"reason": "Un score", "by": club.committee, "at": club.at}
    return lambda: tournament_closing.reopen(tournament=row, **how)


@pytest.mark.parametrize("begin", [announce_tournament, reopen_tournament])
def test_no_tournament_begins_in_a_club_that_is_closed_meanwhile(club, begin):
    club.close()
    act = begin(club)
    answers = before_the_first_entry(close(club, club.at), act)
    assert answers == ["ok", "club_closed"]


@pytest.mark.parametrize("begin", [announce_tournament, reopen_tournament])
def test_a_club_is_not_closed_beside_a_tournament_that_begins_meanwhile(club, begin):
    club.close()
    act = begin(club)
    answers = before_the_first_entry(act, close(club, club.at))
    assert answers == ["ok", "going_on"]


def test_two_tournaments_of_one_name_are_announced_at_the_same_time(club):
    answers = before_the_first_entry(announce_tournament(club), announce_tournament(club))
    assert answers == ["ok", "ok"]
    slugs = Tournament.objects.order_by("pk").values_list("slug", flat=True)
    assert list(slugs) == ["open", "open-2"]


@pytest.fixture
def contact(club):
    """A member whose address is the public one of the club."""
    member = club.members[0]
    Organisation.objects.update(contact_email=member.user.email)
    PrivacySettings.objects.create(organisation=club.organisation, contact_email=member.user.email)
    how = {"member": member, "by": club.player(member), "at": club.at}
    presence.go_home(evening=club.evening, **how)
    return member


def forget(club, member):
    how = {"by": club.committee, "at": club.at, "forget": True}
    return lambda: members.leave(member=member, **how)


def test_the_contact_of_a_club_with_a_role_leaves_while_it_is_renamed(club, contact):
    RoleGrant.objects.create(member=contact, role=RoleGrant.ARBITER, granted_at=club.at)
    answers = after_the_first_entry(forget(club, contact), edit_club(club, name="Autre nom"))
    assert answers == ["ok", "stale"]


def test_the_contact_of_a_club_leaves_while_its_privacy_page_is_changed(club, contact):
    answers = before_the_first_entry(forget(club, contact), edit_privacy(club, guests_days=400))
    assert answers == ["ok", "stale"]
