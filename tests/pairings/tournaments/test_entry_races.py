"""An entry or a round that goes away while another act waits for its tournament."""

from __future__ import annotations

import pytest

from clubs.members import actions as members
from clubs.members.models import Member
from pairings.evenings.admission import presence
from pairings.exchange.formats.csv_xlsx_reading import EntryLine
from pairings.players import merging
from pairings.tournaments import actions as tournaments
from pairings.tournaments import registration
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import entries, restore, snapshot
from pairings.tournaments.models import Entry
from pairings.tournaments.rounds import actions as rounds
from tests.clubhouse import make_club
from tests.pairings.matches.test_lock_order import after_the_first_entry
from tests.pairings.matches.test_races import while_open
from tests.tournament_day import make_tournament, round_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def club(transactional_db):
    return make_club("tournoi", size=5)


@pytest.fixture
def made(club):
    return make_tournament(club, 4, system="swiss", round_count=2)


ACTS = {
    "away": lambda entry, how: registration.set_presence(
        entry=entry, number=1, present=False, **how
    ),
    "withdraw": lambda entry, how: registration.withdraw(entry=entry, number=1, **how),
    "come back": lambda entry, how: registration.come_back(entry=entry, number=1, **how),
    "edit": lambda entry, how: registration.edit_entry(entry=entry, changes={"paid": True}, **how),
    "remove": lambda entry, how: registration.remove(entry=entry, **how),
}


@pytest.mark.parametrize("act", list(ACTS))
def test_an_entry_that_is_removed_meanwhile_takes_no_other_act(club, made, act):
    entry = made.entries.get(member=club.members[0])
    how = {"by": club.arbiter, "at": club.at}
    answers = while_open(
        lambda: registration.remove(entry=Entry.objects.get(pk=entry.pk), **how),
        lambda: ACTS[act](entry, how),
    )
    assert answers == ["ok", "stale"]


def enter(club, made, member):
    how = {"by": club.arbiter, "at": club.at}
    return lambda: registration.enter(tournament=made, member=member, cote=1500, **how)


def test_whoever_leaves_meanwhile_is_not_entered(club, made):
    member = club.members[4]
    presence.go_home(evening=club.evening, member=member, by=club.player(member), at=club.at)
    leave = {"member": member, "by": club.committee, "at": club.at, "forget": True}
    stale = Member.objects.get(pk=member.pk)
    answers = while_open(lambda: members.leave(**leave), enter(club, made, stale))
    assert answers == ["ok", "stale"]
    assert not Entry.objects.filter(member=member).exists()


def test_whoever_is_entered_meanwhile_leaves_without_the_entry(club, made):
    member = club.members[4]
    presence.go_home(evening=club.evening, member=member, by=club.player(member), at=club.at)
    leave = {"member": member, "by": club.committee, "at": club.at, "forget": True}
    answers = while_open(enter(club, made, member), lambda: members.leave(**leave))
    assert answers == ["ok", "ok"]
    assert not Entry.objects.filter(member=member).exists()


@pytest.fixture
def withdrawn(club, made):
    """Somebody who gave up a running tournament; they are not at tonight's club night."""
    member = club.members[0]
    presence.go_home(evening=club.evening, member=member, by=club.player(member), at=club.at)
    running = tournaments.freeze(tournament=made, by=club.committee, at=club.at)
    entry = running.entries.get(member=member)
    return registration.withdraw(entry=entry, number=1, by=club.arbiter, at=club.at)


def come_back(club, entry):
    how = {"number": 1, "by": club.arbiter, "at": club.at}
    return lambda: registration.come_back(entry=entry, **how)


def leave(club, entry):
    how = {"by": club.committee, "at": club.at, "forget": True}
    return lambda: members.leave(member=Member.objects.get(pk=entry.member_id), **how)


@pytest.mark.parametrize("leaves_first", [True, False])
def test_whoever_leaves_the_club_does_not_come_back_to_its_tournament(
    club, withdrawn, leaves_first
):
    acts = [leave(club, withdrawn), come_back(club, withdrawn)]
    if leaves_first:
        assert while_open(*acts) == ["ok", "stale"]
    else:
        assert while_open(*reversed(acts)) == ["ok", "ok"]
    withdrawn.refresh_from_db()
    assert withdrawn.member.is_forgotten and withdrawn.withdrawn_from == 1


@pytest.fixture
def guest(club):
    return club.join("Nora", is_guest=True)


def merge(club, guest):
    how = {"into": club.members[4], "reason": "la même", "by": club.committee, "at": club.at}
    return lambda: merging.unite(guest=guest, **how)


def test_a_guest_who_is_merged_meanwhile_is_not_entered(club, made, guest):
    stale = Member.objects.get(pk=guest.pk)
    answers = while_open(merge(club, guest), enter(club, made, stale))
    assert answers == ["ok", "stale"]
    assert not Entry.objects.filter(member=guest).exists()


def test_a_guest_who_is_entered_meanwhile_is_not_merged(club, made, guest):
    answers = while_open(enter(club, made, guest), merge(club, guest))
    assert answers == ["ok", "in_tournament"]


def test_a_round_that_is_not_planned_any_more_is_not_drawn(club, made):
    running = tournaments.freeze(tournament=made, by=club.committee, at=club.at)
    drawn = round_of(running, 2)
    how = {"by": club.committee, "at": club.at}
    answers = while_open(
        lambda: tournaments.edit(tournament=running, changes={"round_count": 1}, **how),
        lambda: rounds.draw(round=drawn, **how),
    )
    assert answers == ["ok", "stale"]


def test_a_round_is_not_drawn_once_the_entries_are_open_again(club, made):
    running = tournaments.freeze(tournament=made, by=club.committee, at=club.at)
    drawn = round_of(running, 1)
    how = {"by": club.committee, "at": club.at}
    answers = while_open(
        lambda: tournaments.unfreeze(tournament=running, reason="oubli", **how),
        lambda: rounds.draw(round=drawn, **how),
    )
    assert answers == ["ok", "stale"]


def edit(club, member):
    row = Member.objects.get(pk=member.pk)
    changes = {"visibility": Member.INITIALS}
    return lambda: club.edit(row, changes)


def test_a_list_of_entries_against_a_member_who_changes_a_choice(club, made):
    member = club.members[4]
    lines = [
        EntryLine(line=2, first_name="Ada", last_name="Neuve"),
        EntryLine(line=3, first_name=member.first_name, number=member.number),
    ]
    how = {"tournament": made, "lines": lines, "by": club.arbiter, "at": club.at}
    answers = after_the_first_entry(lambda: entries.enter_all(**how), edit(club, member))
    assert answers == ["ok", "ok"]


def test_an_imported_tournament_against_a_member_who_changes_a_choice(club, made):
    sheet = snapshot.photograph(tournament_standings.sheet_of(made))
    Member.objects.filter(pk=club.members[0].pk).update(search_name="autre")  # becomes a guest
    how = {"organisation": club.organisation, "digest": "d", "by": club.committee, "at": club.at}
    answers = after_the_first_entry(
        lambda: restore.restore(sheet=sheet, **how), edit(club, club.members[1])
    )
    assert answers == ["ok", "ok"]


def test_an_imported_tournament_against_another_that_is_announced(club, made):
    sheet = snapshot.photograph(tournament_standings.sheet_of(made))
    Member.objects.filter(pk=club.members[0].pk).update(search_name="autre")  # becomes a guest
    how = {"organisation": club.organisation, "by": club.committee, "at": club.at}
    answers = after_the_first_entry(
        lambda: restore.restore(sheet=sheet, digest="d", **how),
        lambda: tournaments.create(name="Open", system="swiss", starts_at=club.at, **how),
    )
    assert answers == ["ok", "ok"]
