"""Somebody who is forgotten while rows that refer to them are written."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction

from clubs.members import actions as members
from clubs.members.invitations import actions as invitations
from clubs.members.invitations import agreement
from clubs.members.models import Member, MemberImport, RoleGrant
from clubs.personal_data.models import settings_of
from clubs.personal_data.own_tables import old_contacts
from clubs.persons import actions as persons
from clubs.persons.matching import name_key
from clubs.persons.models import Alias
from pairings import personal_data
from pairings.arbitration import forced_closing
from pairings.evenings.admission import presence
from pairings.live.models import Operation
from pairings.matches import actions as match_actions
from pairings.players import merging
from ratings.competitions import actions as competitions
from ratings.competitions.models import CompetitionDraft
from ratings.names import actions as names
from tests.pairings.matches.test_lock_order import after_the_first_entry
from tests.pairings.matches.test_races import while_open

pytestmark = pytest.mark.django_db(transaction=True)


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


def invited_again(club, member, how):
    invitation, _token = club.invite(
        member=member, email="ada@example.org", at=club.at - timedelta(days=40)
    )
    return lambda: invitations.resend(invitation=invitation, link=lambda token: token, **how)


def known_as(club, member, how):
    row = {"organisation": club.organisation, "member": member, "chosen_at": club.at}
    alias = Alias.objects.create(name="ada nom0", **row)
    return lambda: persons.forget_alias(alias=alias, **how)


def draft_with(club, member):
    return CompetitionDraft.objects.create(
        rating_list=club.rating_list("glicko2"),
        file_name="open.csv",
        label="Open",
        held_on=club.at.date(),
        facts={"sheet": "games"},
        rows=[
            ["Joueur 1", "Joueur 2", "Résultat"],
            [member.full_name, club.members[1].full_name, "1"],
        ],
        created_at=club.at,
        created_by=club.committee.user,
    )


def named(club, member, how):
    draft = draft_with(club, member)
    choices = {name_key(member.full_name, ""): club.members[2].pk}
    return lambda: names.choose_names(draft=draft, seen=draft.version, choices=choices, **how)


def brought(club, member, how):
    draft = draft_with(club, member)
    return lambda: competitions.bring(draft=draft, with_newcomers=True, **how)


@pytest.mark.parametrize("act", [invited_again, known_as, named, brought])
def test_somebody_with_a_role_is_forgotten_while_what_names_them_is_answered(club, act):
    """What names them goes before the entry that takes their role away."""
    member, how = club.members[0], {"by": club.committee, "at": club.at}
    members.grant(member=member, role=RoleGrant.ARBITER, **how)
    go_home(club, member)
    then = act(club, member, how)
    answers = after_the_first_entry(leave(club, member), then)
    assert answers[0] == "ok" and answers[1] in ("ok", "stale")
    member.refresh_from_db()
    assert member.is_forgotten and not member.grants.filter(revoked_at=None).exists()


def test_a_choice_in_a_file_is_kept_while_somebody_else_in_it_is_forgotten(club):
    ada, eva, kept = club.members[:3]
    go_home(club, ada)
    draft, key, name = draft_with(club, ada), name_key(eva.full_name, ""), ada.full_name
    how = {"choices": {key: kept.pk}, "by": club.committee, "at": club.at}
    answers = while_open(
        lambda: names.choose_names(draft=draft, seen=draft.version, **how), leave(club, ada)
    )
    assert answers == ["ok", "ok"]
    draft.refresh_from_db()
    assert draft.choices[key] == kept.pk
    assert name not in str(draft.rows)


def test_two_people_of_one_file_are_forgotten_at_once(club):
    """A member by the committee, and a guest by the durations of the club."""
    ada, eva = club.members[:2]
    for member in (ada, eva):
        go_home(club, member)
    Member.objects.filter(pk=eva.pk).update(is_guest=True, user=None)
    rows = [["Prénom", "Nom"], *([m.first_name, m.last_name] for m in (ada, eva))]
    details = {"organisation": club.organisation, "file_name": "a.csv", "columns": {}}
    file = MemberImport.objects.create(
        rows=rows, created_at=club.at, created_by=club.committee.user, **details
    )
    chosen, later = settings_of(club.organisation), club.at + timedelta(days=4000)
    answers = while_open(lambda: personal_data.old_guests(chosen, later), leave(club, ada))
    assert answers == ["ok", "ok"]
    file.refresh_from_db()
    assert file.rows == [rows[0], ["", ""], ["", ""]]


def test_a_guest_who_is_merged_meanwhile_is_not_forgotten_under_the_members_results(club):
    """Their row stands for the member by then, whose matches would name a retired player."""
    guest, into = Member.objects.get(pk=club.join("Nora", is_guest=True).pk), club.members[0]
    how = {"reason": "la même", "by": club.committee, "at": club.at}
    stale = Member.objects.get(pk=guest.pk)
    answers = while_open(lambda: merging.unite(guest=guest, into=into, **how), leave(club, stale))
    assert answers == ["ok", "stale"]
    guest.refresh_from_db()
    assert guest.first_name == "Nora" and guest.merged_into == into


@pytest.mark.parametrize("act", [invited_again, known_as, named, brought])
def test_somebody_who_is_here_is_forgotten_while_what_names_them_is_answered(club, act):
    """They go home first, with an entry; what names them is locked before it."""
    member, how = club.members[0], {"by": club.committee, "at": club.at}
    then = act(club, member, how)
    answers = after_the_first_entry(leave(club, member), then)
    assert answers[0] == "ok" and answers[1] in ("ok", "stale")
    member.refresh_from_db()
    assert member.is_forgotten


def test_a_file_that_is_removed_meanwhile_keeps_nobody_from_being_forgotten(club):
    ada = club.members[0]
    go_home(club, ada)
    details = {"organisation": club.organisation, "file_name": "a.csv", "columns": {}}
    rows = [["Prénom", "Nom"], [ada.first_name, ada.last_name]]
    file = MemberImport.objects.create(
        rows=rows, created_at=club.at, created_by=club.committee.user, **details
    )
    draft = draft_with(club, ada)

    def remove():
        MemberImport.objects.filter(pk=file.pk).delete()
        CompetitionDraft.objects.filter(pk=draft.pk).delete()

    assert while_open(transaction.atomic(remove), leave(club, ada)) == ["ok", "ok"]
    ada.refresh_from_db()
    assert ada.is_forgotten


def test_old_guests_are_forgotten_while_the_names_of_a_file_are_chosen(club):
    """The second goes out of the file before the entry about the first."""
    one, other = club.members[0], club.members[3]
    for member in (one, other):
        go_home(club, member)
    then = named(club, other, {"by": club.committee, "at": club.at})
    guests = Member.objects.filter(pk__in=[one.pk, other.pk])
    guests.update(is_guest=True, user=None)
    chosen, later = settings_of(club.organisation), club.at + timedelta(days=4000)
    forget = transaction.atomic(lambda: personal_data.old_guests(chosen, later))
    answers = after_the_first_entry(forget, then)
    assert answers[0] == "ok" and answers[1] in ("ok", "stale")
    assert [guest.is_forgotten for guest in guests] == [True, True]


def test_two_people_whom_an_answer_to_a_program_names_are_forgotten_at_once(club):
    ada, eva = club.members[:2]
    for member in (ada, eva):
        go_home(club, member)
    Member.objects.filter(pk=eva.pk).update(is_guest=True, user=None)
    names = {"names": [ada.full_name, eva.full_name]}
    how = {"actor": club.committee.user, "key": "a", "body_hash": "b", "at": club.at}
    operation = Operation.objects.create(answer=names, **how)
    chosen, later = settings_of(club.organisation), club.at + timedelta(days=4000)
    guests = transaction.atomic(lambda: personal_data.old_guests(chosen, later))
    assert while_open(guests, leave(club, ada)) == ["ok", "ok"]
    operation.refresh_from_db()
    assert not {*names["names"]} & {*operation.answer["names"]}


def test_somebody_comes_back_while_the_addresses_of_who_left_long_ago_go(club):
    how = {"by": club.committee, "at": club.at}
    for member in club.members[:2]:
        go_home(club, member)
        members.leave(member=member, forget=False, **how)
        Member.objects.filter(pk=member.pk).update(user=None, email=f"{member.pk}@example.org")
    back = Member.objects.get(pk=club.members[1].pk)
    chosen, later = settings_of(club.organisation), club.at + timedelta(days=4000)
    answers = after_the_first_entry(
        transaction.atomic(lambda: old_contacts(chosen, later)),
        lambda: members.readmit(member=back, **how),
    )
    assert answers == ["ok", "ok"]
