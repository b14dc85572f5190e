"""Whoever hides their name in a club hides it in the lists of the federation that the club feeds."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import merging
from clubs.members.actions import Newcomer
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member
from clubs.persons import actions as persons
from ratings.handovers import actions as handovers
from ratings.ledger import origins, settlement
from tests.clubhouse import account, make_club
from tests.older_pages import send as send_page
from tests.printed_fields import Printed
from tests.ratings.handovers.test_handovers import (
    OFFICIAL,
    accepted,
    bring,
    competition,
    officer,
    scene,
    send,
)
from tests.refusals import refused

__all__ = ["scene"]
pytestmark = pytest.mark.django_db


def choose(club, member, **changes):
    by = club.player(member)
    return members.edit(member=member, changes=changes, by=by, at=club.at)


def copy_of(member):
    return Member.objects.get(links__member=member)


def shown(member):
    member.refresh_from_db()
    return member.visibility, member.is_minor


def outsider(federation, name):
    people = [Newcomer(*name.split(" ", 1))]
    return members.create_outsiders(
        organisation=federation.organisation, people=people, at=federation.at
    )[0]


def link(federation, member, person):
    persons.link_member(member=member, person=person, by=federation.committee, at=federation.at)


@contextmanager
def unchecked(constraint: str) -> Iterator[None]:
    """Rows that were written before a constraint of the members' table was there."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = 1")
        else:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"ALTER TABLE clubs_member DROP CONSTRAINT {constraint}")
        yield
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = 0")


def entries(organisation, verb="choice_followed"):
    return JournalEntry.objects.filter(organisation=organisation, verb=verb)


def test_a_stricter_choice_in_the_club_reaches_the_federation_with_an_entry_of_its_own(scene):
    accepted(scene, send(scene, (400, 300)))
    one, other = scene.club.members[:2]
    choose(scene.club, one, visibility=Member.INITIALS)
    assert shown(copy_of(one)) == (Member.INITIALS, False)
    assert shown(copy_of(other)) == (Member.EVERYBODY, False)
    entry = entries(scene.federation.organisation).get()
    assert (entry.subject, entry.after) == (
        f"member:{copy_of(one).pk}",
        {"fields": ["visibility"]},
    )
    assert entry.actor is None and entry.at == scene.at
    choose(scene.club, other, is_minor=True)
    assert shown(copy_of(other)) == (Member.EVERYBODY, True)


def test_of_two_clubs_the_stricter_choice_counts_and_a_looser_one_needs_both(scene):
    accepted(scene, send(scene, (400, 300)))
    one, second_club = scene.club.members[0], make_club("second", size=1)
    again, copy = second_club.members[0], copy_of(one)
    link(scene.federation, again, copy)
    choose(scene.club, one, visibility=Member.INITIALS)
    choose(second_club, again, visibility=Member.MEMBERS)
    assert shown(copy) == (Member.INITIALS, False)
    choose(scene.club, one, visibility=Member.EVERYBODY)
    assert shown(copy) == (Member.MEMBERS, False)
    choose(second_club, again, visibility=Member.EVERYBODY)
    assert shown(copy) == (Member.EVERYBODY, False)


def test_what_a_club_forgot_holds_back_a_looser_choice(scene):
    accepted(scene, send(scene, (400, 300)))
    one, second_club = scene.club.members[0], make_club("second", size=1)
    again, copy = second_club.members[0], copy_of(one)
    link(scene.federation, again, copy)
    choose(scene.club, one, visibility=Member.INITIALS)
    members.leave(member=one, by=scene.club.player(one), at=scene.at, forget=True)
    choose(second_club, again, visibility=Member.MEMBERS)
    choose(second_club, again, visibility=Member.EVERYBODY)
    assert shown(copy) == (Member.INITIALS, False)


def test_another_change_of_the_club_loosens_nothing(scene):
    accepted(scene, send(scene, (400, 300)))
    one = scene.club.members[0]
    copy = copy_of(one)
    choose(scene.federation, copy, is_minor=True)
    choose(scene.club, one, visibility=Member.MEMBERS)
    assert shown(copy) == (Member.MEMBERS, True)
    choose(scene.club, one, visibility=Member.EVERYBODY, last_name="Autre")
    assert shown(copy) == (Member.EVERYBODY, True)


def test_a_person_with_an_account_in_the_federation_chooses_there_within_their_clubs(
    scene, as_user
):
    one, person = scene.club.members[0], scene.federation.members[0]
    link(scene.federation, one, person)
    choose(scene.club, one, visibility=Member.MEMBERS)
    assert shown(person) == (Member.MEMBERS, False)
    phone, page = as_user(person.user), "/c/federation/moi/reglages/"
    looser = send_page(phone, page, {"language": "fr", "visibility": Member.EVERYBODY})
    assert looser.status_code == 422
    assert f"Au club {scene.club.organisation.name}" in Printed(looser, "id_visibility").error
    assert shown(person) == (Member.MEMBERS, False)
    stricter = send_page(phone, page, {"language": "fr", "visibility": Member.INITIALS})
    assert stricter.status_code == 302 and shown(person) == (Member.INITIALS, False)
    choose(scene.club, one, visibility=Member.EVERYBODY)
    assert shown(person) == (Member.INITIALS, False), "chosen in the federation"
    assert (
        send_page(phone, page, {"language": "fr", "visibility": Member.EVERYBODY}).status_code
        == 302
    )


def test_a_club_that_somebody_has_left_bounds_no_choice_of_theirs_in_the_federation(scene):
    one, person = scene.club.members[0], scene.federation.members[0]
    link(scene.federation, one, person)
    choose(scene.club, one, visibility=Member.INITIALS)
    with refused("shows_less"):
        choose(scene.federation, person, visibility=Member.EVERYBODY)
    members.leave(member=one, by=scene.club.player(one), at=scene.at, forget=False)
    person.refresh_from_db()
    choose(scene.federation, person, visibility=Member.EVERYBODY)
    assert shown(person) == (Member.EVERYBODY, False)


def test_an_officer_does_not_say_of_age_whom_a_club_calls_a_minor(scene, as_user):
    one = scene.club.members[0]
    choose(scene.club, one, is_minor=True)
    accepted(scene, send(scene, (400, 300)))
    copy, desk = copy_of(one), as_user(scene.federation.committee.user)
    page = f"/c/federation/gestion/membres/{copy.pk}/"
    sent = {"save": "1", "first_name": copy.first_name, "last_name": "Autre"}
    refused = send_page(desk, page, sent)
    assert refused.status_code == 422 and Printed(refused, "id_is_minor").is_refused
    assert send_page(desk, page, sent | {"is_minor": "on"}).status_code == 302
    choose(scene.club, one, is_minor=False)
    assert shown(copy) == (Member.EVERYBODY, False)


def test_who_accepts_an_invitation_chooses_for_the_federation_too(scene):
    club, user = scene.club, account("solene")
    guest = club.join("Solène", "Guyot")
    accepted(scene, send(scene, (400, 300), players=(club.members[0], guest)))
    invited, _token = club.invite(member=guest)
    names = {"first_name": "Solène", "last_name": "Guyot", "visibility": Member.INITIALS}
    invitations.accept(invitation=invited, user=user, at=club.at, **names)
    assert shown(copy_of(guest)) == (Member.INITIALS, False)


def test_an_invitation_of_the_federation_shows_no_more_than_the_club(scene, as_user):
    federation, user = scene.federation, account("ada")
    accepted(scene, send(scene, (400, 300)))
    one = scene.club.members[0]
    choose(scene.club, one, visibility=Member.INITIALS)
    _invited, token = federation.invite(member=copy_of(one))
    names = {"first_name": "Ada", "last_name": "X", "visibility": Member.EVERYBODY}
    refused = as_user(user).post(f"/c/federation/i/{token}/", names)
    assert refused.status_code == 422 and Printed(refused, "id_visibility").error
    assert copy_of(one).user is None


def test_a_person_who_is_linked_later_keeps_to_what_the_club_lets_read(scene):
    one, other, third = scene.club.members[:3]
    for member in (one, other, third):
        choose(scene.club, member, visibility=Member.INITIALS)
    known, licensed, chosen = (outsider(scene.federation, f"Eva Rus{n}") for n in range(3))
    link(scene.federation, one, known)
    assert shown(known) == (Member.INITIALS, False)
    Member.objects.filter(pk=licensed.pk).update(
        first_name=other.first_name, last_name=other.last_name
    )
    how = {"by": scene.federation.committee, "at": scene.at}
    persons.edit_person(member=licensed, seen=0, changes={"licence": "77"}, **how)
    persons.say_licence(
        member=other,
        federation=scene.federation.organisation,
        licence="77",
        by=scene.club.committee,
        at=scene.at,
    )
    assert shown(licensed) == (Member.INITIALS, False)
    held = send(scene, (400, 300))
    accepted(scene, held)
    handovers.follow(
        competition=competition(scene, (400, 300), players=(one, third)),
        by=scene.club.committee,
        at=scene.at,
    )
    held.refresh_from_db()
    officer(scene, handovers.tell_players, held, people={third.pk: chosen.pk})
    assert shown(chosen) == (Member.INITIALS, False)


def test_a_known_player_of_a_hand_over_keeps_to_what_the_club_lets_read(scene):
    one = scene.club.members[0]
    known = outsider(scene.federation, one.full_name)
    choose(scene.club, one, visibility=Member.INITIALS)
    accepted(scene, send(scene, (400, 300)))
    assert copy_of(one) == known and shown(known) == (Member.INITIALS, False)


def test_rows_that_are_merged_show_no_more_than_a_club_lets_read(scene):
    accepted(scene, send(scene, (400, 300)))
    one, kept = scene.club.members[0], outsider(scene.federation, "Eva Rus")
    copy = copy_of(one)
    choose(scene.club, one, visibility=Member.INITIALS)
    settlement.merge_member(
        member=copy, into=kept, by=scene.federation.committee, at=scene.at, reason="La même"
    )
    assert shown(kept) == shown(copy) == (Member.INITIALS, False)
    choose(scene.club, one, visibility=Member.MEMBERS)
    assert shown(kept) == shown(copy) == (Member.MEMBERS, False)


def test_a_guest_merged_with_a_member_who_hides_their_name_hides_it_in_the_federation(scene):
    club = scene.club
    guest = club.join("Solène", "Guyot", is_guest=True)
    accepted(scene, send(scene, (400, 300), players=(club.members[0], guest)))
    into = club.members[1]
    choose(club, into, visibility=Member.INITIALS)
    merging.merge_guest(guest=guest, into=into, by=club.committee, at=club.at, reason="La même")
    assert shown(copy_of(guest)) == (Member.INITIALS, False)


def test_what_was_linked_before_this_version_keeps_to_the_clubs(scene):
    accepted(scene, send(scene, (400, 300)))
    one, other = scene.club.members[:2]
    copy, merged = copy_of(one), outsider(scene.federation, "Eva Rus")
    Member.objects.filter(pk=merged.pk).update(merged_into=copy)
    Member.objects.filter(pk=one.pk).update(visibility=Member.INITIALS, is_minor=True)
    own = copy_of(other)
    Member.objects.filter(pk=own.pk).update(visibility=Member.MEMBERS)
    import_module("clubs.migrations.0031_copies_keep_to_clubs").keep_to_clubs(apps, None)
    assert shown(copy) == shown(merged) == (Member.INITIALS, True)
    assert shown(own) == (Member.MEMBERS, False)


def test_children_of_before_this_version_are_minors_in_every_row_of_theirs(scene):
    accepted(scene, send(scene, (400, 300)))
    club, (one, other) = scene.club, scene.club.members[:2]
    guest, merged = club.join("Lou", "Bel", is_guest=True), outsider(scene.federation, "Eva Rus")
    Member.objects.filter(pk=guest.pk).update(merged_into=one)
    Member.objects.filter(pk=merged.pk).update(merged_into=copy_of(one))
    child = Member.objects.filter(pk=one.pk)
    with unchecked("child_is_a_minor"):
        child.update(is_child=True, guardian_agreed_on=scene.at.date())
    import_module("clubs.migrations.0032_children_are_minors").hide_names_of_children(apps, None)
    for row in (one, guest, copy_of(one), merged):
        assert shown(row) == (Member.EVERYBODY, True)
    assert shown(other) == shown(copy_of(other)) == (Member.EVERYBODY, False)


def test_a_child_of_a_federation_stays_a_minor_whatever_a_club_says(scene):
    accepted(scene, send(scene, (400, 300)))
    one, by = scene.club.members[0], scene.federation.committee
    young = {"is_child": True, "guardian_name": "Ada", "guardian_agreed_on": scene.at.date()}
    members.edit(member=copy_of(one), changes=young, by=by, at=scene.at)
    for is_minor in (True, False):
        choose(scene.club, one, is_minor=is_minor)
        assert shown(copy_of(one)) == (Member.EVERYBODY, True)
    with pytest.raises(IntegrityError), transaction.atomic():
        Member.objects.filter(pk=copy_of(one).pk).update(is_minor=False)


def test_two_whom_two_clubs_forgot_are_two_people_in_the_federation(scene):
    there = SimpleNamespace(**{**vars(scene), "club": make_club("second", size=2)})
    for at, number in ((scene, 7), (there, 8)):
        club, one = at.club, at.club.members[0]
        members.leave(member=one, by=club.player(one), at=at.at, forget=True)
        at.federation.lets_feed(club, at.list)
        games = dataclasses.replace(competition(at, (400, 300)), origin=origins.tournament(number))
        how = {"rating_list": at.list, "facts": OFFICIAL, "tell": False}
        accepted(at, handovers.hand_over(competition=games, **how, by=club.committee, at=at.at))
    gone = [at.club.members[0] for at in (scene, there)]
    assert gone[0].number == gone[1].number
    assert [copy_of(one).full_name for one in gone] == [
        f"Joueur retiré {gone[0].number} ({slug})" for slug in ("club", "second")
    ]


def test_who_is_forgotten_while_a_federation_matches_names_is_not_named_there(scene):
    one, other = scene.club.members[:2]
    held = send(scene, (400, 300))
    draft = officer(scene, handovers.accept, held)
    seen, name = draft.version, one.full_name
    members.leave(member=one, by=scene.club.player(one), at=scene.at, forget=True)
    draft.refresh_from_db()
    assert draft.version > seen
    assert name not in str(draft.rows) and other.full_name in str(draft.rows)
    assert set(draft.handed["players"].values()) == {one.pk, other.pk}
    bring(scene, draft)
    assert copy_of(one).full_name == f"Joueur retiré {one.number} (club)"
    assert copy_of(other).full_name == other.full_name
