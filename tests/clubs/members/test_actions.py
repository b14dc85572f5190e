"""Invitations, codes, roles, guests and departures."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from django.utils import translation

from clubs.accounts.device import device_member
from clubs.accounts.models import User
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import merging, pins
from clubs.members.actions import Newcomer
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member, RoleGrant
from clubs.members.models_access import Invitation, JoinRequest
from clubs.search import without_accents
from pairings.matches.models import Match
from ratings.ledger.models import RatedGame
from tests.clubhouse import account
from tests.clubs.personal_data.test_pages import device_of
from tests.refusals import refused

pytestmark = pytest.mark.django_db


def invite(club, **details):
    return club.invite(**details)


def accept(club, invitation, name="Ana", user=None, after=timedelta(0)) -> Member:
    return invitations.accept(
        invitation=invitation,
        user=user or account(name),
        first_name=name,
        last_name="Țurcanu",
        at=club.at + after,
    )


def guest(club, name="Invitée") -> Member:
    return club.join(name, is_guest=True, by=club.arbiter)


def verbs(club, member: Member) -> list[str]:
    return list(
        JournalEntry.objects.filter(organisation=club.organisation, subject=f"member:{member.pk}")
        .order_by("seq")
        .values_list("verb", flat=True)
    )


def test_a_new_member_gets_the_next_number_the_last_place_and_a_free_address(club, other_club):
    other_club.join("Inès", "Neuve", number=900, initial_rank=900)
    how = {"organisation": club.organisation, "at": club.at}
    before = club.everybody()
    number, rank = max(m.number for m in before), max(m.initial_rank for m in before)
    names = (("Inès", "Neuve"), ("Inès", "Neuve"), ("李", ""))
    new = [members.create(first_name=a, last_name=b, by=club.committee, **how) for a, b in names]
    assert [row.slug for row in new] == ["ines-neuve", "ines-neuve-2", "joueur"]
    new += members.create_outsiders(people=[Newcomer("Ana"), Newcomer("Ion")], **how)
    numbered = [(row.number, row.initial_rank) for row in new]
    assert numbered == [(number + n, rank + n) for n in range(1, 6)]
    with refused("number_taken"):
        members.create(first_name="Zoé", number=number, by=club.committee, **how)


# Invitations


def test_an_accepted_invitation_makes_a_member_with_that_account(club):
    invitation, token = invite(club)
    user = account("ana")
    assert invitations.invitation_of(token) == invitation
    assert token not in (invitation.token_hash, str(invitation))
    member = accept(club, invitation, user=user)
    assert (member.user, member.organisation, member.is_guest) == (user, club.organisation, False)
    assert member.number == 101 + len(club.everybody()) - 1
    assert verbs(club, member) == ["member_created", "account_linked"]


def test_an_invitation_for_a_member_links_their_own_row(club):
    known = club.join("Ion")
    invitation, _token = invite(club, member=known)
    before = len(club.everybody())
    member = accept(club, invitation, name="Autre")
    assert (member.pk, member.first_name) == (known.pk, "Ion")
    assert len(club.everybody()) == before


def test_somebody_who_left_comes_back_with_their_number_and_results(club, as_user, root):
    past = club.members[0]
    members.leave(member=past, by=club.committee, at=club.at, forget=False)
    named, _token = invite(club, member=club.join("Ana"))
    with refused("came_back"):
        accept(club, named, user=past.user)
    invitation, token = invite(club)
    page = as_user(past.user).get(f"{root}/i/{token}/").content.decode()
    assert f'value="{past.first_name}"' in page and f'value="{past.last_name}"' in page
    member = accept(club, invitation, user=past.user, name="Anaïs")
    assert (member.pk, member.number, member.first_name) == (past.pk, past.number, "Anaïs")
    assert (member.left_at, member.email) == (None, past.user.email)
    assert Member.objects.active().filter(pk=past.pk, user=past.user).exists()
    assert verbs(club, member)[-3:] == ["member_left", "member_edited", "member_returned"]
    with refused("already_member"):
        accept(club, invite(club)[0], user=past.user)


def test_the_request_of_somebody_who_left_leads_to_their_own_row(
    club, desk, root, mailoutbox, after_commit
):
    other, past = club.members[:2]
    members.leave(member=other, by=club.committee, at=club.at, forget=False)
    before = len(club.everybody())
    members.leave(member=past, by=club.committee, at=club.at, forget=False)
    who = {"first_name": "Ana", "last_name": "Neuve", "email": past.user.email.upper()}
    asked = invitations.ask_to_join(organisation=club.organisation, at=club.at, **who)
    with after_commit():
        page = desk.post(
            f"{root}/gestion/demandes/", {"request": asked.pk, "accept": "1"}, follow=True
        )
    assert f"{past.full_name} a déjà été membre" in page.content.decode()
    [mail], [invitation] = mailoutbox, Invitation.objects.all()
    assert (mail.to, invitation.member) == ([past.user.email], None)
    assert accept(club, invitation, user=past.user).pk == past.pk
    assert len(club.everybody()) == before


def answered(club, **who) -> Member:
    """The member whom an accepted request of that person leads to."""
    asked = invitations.ask_to_join(organisation=club.organisation, at=club.at, **who)
    member = invitations.answer_request(
        request=asked, accepted=True, link=str, by=club.committee, at=club.at
    )
    assert member is not None
    return member


@pytest.mark.parametrize("has_left", [False, True])
def test_whom_the_club_knows_by_name_and_address_gets_no_second_row(club, has_left):
    known = club.join("Ána", "Neuve", email="Ana@example.org", visibility=Member.INITIALS)
    if has_left:
        members.leave(member=known, by=club.committee, at=club.at, forget=False)
    who = {"first_name": "Ana", "last_name": "Neuve", "email": "ana@example.org"}
    member = answered(club, **who, is_minor=True, guardian_email="eva@example.org")
    assert (member.pk, member.left_at, member.first_name) == (known.pk, None, "Ána")
    assert (member.is_minor, member.guardian_email) == (True, "eva@example.org")
    [invitation] = Invitation.objects.all()
    assert invitation.member == known
    assert accept(club, invitation).pk == known.pk
    with refused("already_linked"):
        answered(club, **who)
    User.objects.filter(memberships=known).update(email=who["email"])
    assert answered(club, **who | {"first_name": "Ion"}).pk != known.pk
    Member.objects.filter(pk=known.pk).update(email="")  # known by the address of the account
    with refused("already_linked"):
        answered(club, **who)


def test_a_known_member_who_says_that_they_are_a_child_is_invited_after_a_parents_agreement(club):
    known = club.join("Ana", "Neuve", email="ana@example.org")
    who = {"first_name": "Ana", "last_name": "Neuve", "email": known.email}
    member = answered(club, **who, is_minor=True, is_child=True, guardian_email="eva@example.org")
    assert (member.pk, member.awaits_guardian, member.visibility) == (known.pk, True, "initials")
    assert not Invitation.objects.exists()


def test_a_refused_request_of_somebody_who_left_invites_nobody_and_is_in_the_journal(club):
    past = club.join("Ana", "Neuve", email="ana@example.org")
    members.leave(member=past, by=club.committee, at=club.at, forget=False)
    who = {"first_name": "Ana", "last_name": "Neuve", "email": past.email}
    asked = invitations.ask_to_join(organisation=club.organisation, at=club.at, **who)
    answer = {"request": asked, "link": str, "by": club.committee, "at": club.at}
    assert invitations.answer_request(accepted=False, **answer) is None
    past.refresh_from_db()
    assert past.left_at is not None and not Invitation.objects.exists()
    entry = JournalEntry.objects.get(verb="request_answered", subject=f"request:{asked.pk}")
    assert entry.after == {"accepted": False, "member": None}


@pytest.mark.parametrize(("has_account", "has_left"), [(False, False), (True, False), (True, True)])
def test_who_asks_from_another_domain_is_given_nobody_elses_row(club, has_account, has_left):
    """PostgreSQL writes ı as I in capitals: who owns that domain would get the row."""
    known = club.members[0] if has_account else club.join("Ana", "Neuve")
    address = known.user if has_account else known
    address.email = "ana@mail.example.org"
    address.save(update_fields=["email"])
    if has_left:
        members.leave(member=known, by=club.committee, at=club.at, forget=False)
    who = {"first_name": known.first_name, "last_name": known.last_name}
    assert answered(club, **who, email="ana@maıl.example.org").pk != known.pk


def test_whom_another_club_knows_or_knew_is_a_new_member_here(club, other_club):
    other_club.join("Ana", "Neuve", email="ana@example.org")
    past = other_club.members[0]
    members.leave(member=past, by=other_club.committee, at=club.at, forget=False)
    for email in ("ana@example.org", past.user.email):
        member = answered(club, first_name="Ana", last_name="Neuve", email=email)
        assert member.organisation == club.organisation
    assert Member.objects.get(pk=past.pk).left_at == club.at


def test_a_child_who_comes_back_without_saying_so_is_a_child_still(club, as_user, root):
    past, agreed = club.members[0], {"is_child": True, "guardian_agreed_on": club.at.date()}
    club.edit(past, agreed)
    members.leave(member=past, by=club.committee, at=club.at, forget=False)
    invitation, token = invite(club)
    form = as_user(past.user).get(f"{root}/i/{token}/").context["form"]
    assert form["is_child"].initial and form["is_minor"].initial
    member = accept(club, invitation, user=past.user)
    assert member.is_child and member.is_minor


def test_an_unknown_token_is_nobodys(club):
    assert invitations.invitation_of("no-such-token") is None


def test_an_expired_invitation_is_refused(club):
    invitation, _token = invite(club, days=14)
    with refused("expired"):
        accept(club, invitation, after=timedelta(days=14))
    assert accept(club, invitation, after=timedelta(days=14) - timedelta(seconds=1)).pk


def test_a_revoked_invitation_is_refused_and_revoked_once(club):
    invitation, _token = invite(club)
    invitations.revoke(invitation=invitation, by=club.committee, at=club.at)
    with refused("expired"):
        accept(club, invitation)
    with refused("stale"):
        invitations.revoke(invitation=invitation, by=club.committee, at=club.at)


def test_leaving_revokes_the_open_invitations_of_a_member(club):
    known = club.join("Ion")
    invitation, _token = invite(club, member=known)
    others, _token = invite(club)
    members.leave(member=known, by=club.committee, at=club.at, forget=False)
    entry = JournalEntry.objects.get(verb="invitation_revoked")
    assert entry.subject == f"invitation:{invitation.pk}"
    with refused("expired"):
        accept(club, invitation)
    assert accept(club, others).pk


def test_uniting_two_rows_revokes_the_invitations_of_the_guest(club):
    create = partial(members.create, organisation=club.organisation, by=club.committee, at=club.at)
    known, newcomer = create(first_name="Ion"), create(first_name="Ion", is_guest=True)
    invitation, _token = invite(club, member=newcomer)
    others, _token = invite(club)
    merging.merge_guest(
        guest=newcomer, into=known, by=club.committee, at=club.at, reason="même personne"
    )
    entry = JournalEntry.objects.get(verb="invitation_revoked")
    assert entry.subject == f"invitation:{invitation.pk}"
    with refused("expired"):
        accept(club, invitation)
    assert accept(club, others).pk


@pytest.mark.parametrize("how", ["left_at", "merged_into"])
def test_an_invitation_links_no_row_that_is_no_longer_active(club, how):
    """The invitation was read as open in the moment in which its member left."""
    known = club.join("Ion")
    invitation, _token = invite(club, member=known)
    changes = {"left_at": club.at, "merged_into": club.members[0]}
    Member.objects.filter(pk=known.pk).update(**{how: changes[how]})
    with refused("left"):
        accept(club, invitation)
    known.refresh_from_db()
    assert known.user is None


def test_an_invitation_serves_as_often_as_it_says(club):
    invitation, _token = invite(club, max_uses=2)
    before = len(club.everybody())
    accept(club, invitation, "Un")
    accept(club, invitation, "Deux")
    with refused("expired"):
        accept(club, invitation, "Trois")
    invitation.refresh_from_db()
    assert (invitation.used_count, len(club.everybody())) == (2, before + 2)


@pytest.mark.parametrize("meanwhile", ["revoked", "accepted", "sent again"])
def test_an_invitation_is_sent_again_only_as_it_was_read(club, meanwhile):
    invitation, _token = invite(club, email="ines@example.org")
    seen = Invitation.objects.get(pk=invitation.pk)
    how = {"by": club.committee, "at": club.at + timedelta(days=3)}
    acts = {
        "revoked": partial(invitations.revoke, invitation=invitation, **how),
        "accepted": partial(accept, club, invitation),
        "sent again": partial(invitations.resend, invitation=invitation, link=str, **how),
    }
    acts[meanwhile]()
    with refused("stale"):
        invitations.resend(invitation=seen, link=str, **how)
    with refused("expired"):
        accept(club, seen)


def test_an_invitation_sent_again_lasts_as_long_as_before(club):
    invitation, _token = invite(club, email="ines@example.org", days=14)
    for at in (club.at + timedelta(days=3), club.at + timedelta(days=6)):
        invitations.resend(invitation=invitation, link=str, by=club.committee, at=at)
        assert Invitation.objects.get().expires_at == at + timedelta(days=14)
    entries = JournalEntry.objects.filter(verb="invitation_resent")
    assert [entry.subject for entry in entries] == [f"invitation:{invitation.pk}"] * 2
    with refused("no_address"):
        link, _token = invite(club)
        invitations.resend(invitation=link, link=str, by=club.committee, at=at)


def test_a_refused_acceptance_uses_nothing(club):
    invitation, _token = invite(club)
    with refused("already_member"):
        accept(club, invitation, user=club.members[0].user)
    invitation.refresh_from_db()
    assert invitation.used_count == 0


def test_a_request_to_join_waits_once_for_each_club_and_each_guest(club, other_club):
    who = {"first_name": "Nora", "last_name": "Neuve", "email": "Nora@example.org"}

    def ask(club=club, **more):
        return invitations.ask_to_join(
            organisation=club.organisation, at=club.at, **(who | more)
        ).pk

    first, here = ask(), guest(club)
    assert ask() == ask(email="nora@example.org ", first_name="NORA") == first
    others = [ask(other_club), ask(email="another@example.org"), ask(guest=here)]
    assert len({first, *others}) == 4 and ask(guest=here) == others[2]
    assert ask(first_name="Lia") not in (first, *others), "her sister has the address of a parent"
    request = JoinRequest.objects.get(pk=first)
    answer = {"accepted": False, "link": str, "by": club.committee, "at": club.at}
    invitations.answer_request(request=request, **answer)
    assert ask() not in (first, *others), "refused once, they may ask again"
    with refused("stale"):
        invitations.answer_request(request=request, **answer)


# The code


@pytest.mark.parametrize("pin", ["123", "12345", "12a4", "١٢٣٤", ""])
def test_a_code_is_four_digits(club, pin):
    member = club.members[0]
    with refused("pin_shape"):
        pins.set_pin(member=member, pin=pin, by=club.player(member), at=club.at)


def test_the_address_of_an_account_changes_on_its_own_rows_that_have_it(club, other_club):
    user, row = club.members[0].user, {"first_name": "Ada", "at": club.at}
    Member.objects.filter(pk=club.members[0].pk).update(email="old@example.org")
    parent = club.join("Zoé", email="old@example.org")
    elsewhere = members.create(
        organisation=other_club.organisation,
        email="club@example.org",
        user=user,
        by=other_club.committee,
        **row,
    )
    User.objects.filter(pk=user.pk).update(email="new@example.org")
    user.refresh_from_db()
    pins.change_address(user=user, previous="Old@example.org", at=club.at)
    rows = [Member.objects.get(pk=one.pk).email for one in (club.members[0], parent, elsewhere)]
    assert rows == ["new@example.org", "old@example.org", "club@example.org"]


# Roles


def test_a_role_is_given_once_and_withdrawn_once(club):
    member = club.members[0]
    given = {"member": member, "role": RoleGrant.ARBITER, "by": club.committee, "at": club.at}
    members.grant(**given)
    with refused("already_granted"):
        members.grant(**given)
    members.withdraw_role(**given)
    with refused("stale"):
        members.withdraw_role(**given)
    assert verbs(club, member)[-2:] == ["role_granted", "role_withdrawn"]
    members.grant(**given)
    members.leave(member=member, by=club.committee, at=club.at, forget=False)
    assert not RoleGrant.objects.filter(member=member, revoked_at=None).exists()


@pytest.mark.parametrize("forget", [False, True])
def test_who_left_meanwhile_is_given_no_role(club, forget):
    heir = club.members[0]
    seen = Member.objects.get(pk=heir.pk)
    members.leave(member=heir, by=club.committee, at=club.at, forget=forget)
    taken = {"role": RoleGrant.COMMITTEE, "by": club.committee, "at": club.at}
    with refused("stale"):
        members.grant(member=seen, **taken)
    with refused("last_committee"):
        members.withdraw_role(member=club.committee.member, **taken)


def test_the_last_committee_member_keeps_the_keys(club, other_club):
    chair, heir = club.committee.member, club.members[0]
    taken = {"role": RoleGrant.COMMITTEE, "by": club.committee, "at": club.at}
    with refused("last_committee"):
        members.withdraw_role(member=chair, **taken)
    with refused("last_committee"):
        members.leave(member=chair, by=club.committee, at=club.at, forget=False)
    chair.refresh_from_db()
    assert chair.left_at is None
    members.grant(member=heir, **taken)
    members.withdraw_role(member=chair, **taken)
    with refused("last_committee"):
        members.withdraw_role(member=heir, **taken)


def test_the_committee_is_not_left_to_somebody_without_an_account(club):
    chair, heir = club.committee.member, club.join("Zoé", "Sans-compte")
    taken = {"role": RoleGrant.COMMITTEE, "by": club.committee, "at": club.at}
    members.grant(member=heir, **taken)
    with refused("last_committee"):
        members.leave(member=chair, by=club.committee, at=club.at, forget=False)
    members.withdraw_role(member=heir, **taken)
    members.grant(member=heir, **taken)
    members.link_account(member=heir, user=account("zoe"), by=club.committee, at=club.at)
    members.leave(member=chair, by=club.committee, at=club.at, forget=False)
    [left] = RoleGrant.objects.filter(role=RoleGrant.COMMITTEE, revoked_at=None)
    assert left.member == heir


# Guests


def test_a_confirmed_guest_is_a_member_with_the_same_number(club):
    someone = guest(club)
    ask = {"organisation": club.organisation, "at": club.at, "last_name": "Munteanu"}
    invitations.ask_to_join(**ask, first_name="Ina", email="ina@example.org", guest=someone)
    other = invitations.ask_to_join(**ask, first_name="Ona", email="ona@example.org")
    done = merging.confirm_guest(
        member=someone, by=club.committee, at=club.at, last_name="Munteanu"
    )
    assert JoinRequest.objects.get(answered_at=None) == other
    assert (done.pk, done.number, done.is_guest) == (someone.pk, someone.number, False)
    assert (done.last_name, done.search_name) == ("Munteanu", "invitee munteanu")
    with refused("stale"):
        merging.confirm_guest(member=someone, by=club.committee, at=club.at)
    assert verbs(club, someone)[1:] == ["member_edited", "guest_confirmed"]


@pytest.mark.parametrize("forget", [False, True])
def test_a_guest_who_left_meanwhile_is_not_confirmed(club, forget):
    someone, how = guest(club), {"by": club.committee, "at": club.at}
    seen = Member.objects.get(pk=someone.pk)
    members.leave(member=someone, **how, forget=forget)
    entries = len(verbs(club, someone))
    with refused("left") as refusal:
        merging.confirm_guest(member=seen, **how, last_name="Munteanu")
    # An invitation by mail would make a second record, without the results of this one.
    assert ("enregistrez d’abord son retour" in str(refusal.value)) is not forget
    seen.refresh_from_db()
    assert (seen.is_guest, seen.confirmed_at, seen.last_name) == (True, None, someone.last_name)
    assert len(verbs(club, someone)) == entries


def merge(club, someone, into):
    merging.merge_guest(guest=someone, into=into, by=club.committee, at=club.at, reason="même")


def test_a_guest_who_never_played_is_united_with_a_member(club):
    someone, known = guest(club), club.members[0]
    ask = {"organisation": club.organisation, "at": club.at, "email": "ina@example.org"}
    asked = invitations.ask_to_join(**ask, first_name="Ina", last_name="Munteanu", guest=someone)
    merge(club, someone, known)
    someone.refresh_from_db()
    assert someone.merged_into == known
    asked.refresh_from_db()
    assert (asked.accepted, asked.answered_by) == (True, club.committee.user)
    assert someone not in Member.objects.of(club.organisation).active()
    with refused("stale"):
        merge(club, someone, known)


def test_a_member_is_no_guest_to_be_united(club):
    member, known = club.members[:2]
    with refused("stale"):
        merge(club, member, known)
    member.refresh_from_db()
    assert (member.merged_into, member.left_at) == (None, None)


def test_a_row_that_was_merged_neither_leaves_nor_comes_back(club):
    someone, how = guest(club), {"by": club.committee, "at": club.at}
    merge(club, someone, club.members[0])
    someone.refresh_from_db()
    entries = verbs(club, someone)
    for forget in (False, True):
        with refused("stale"):
            members.leave(member=someone, **how, forget=forget)
    with refused("stale"):
        members.readmit(member=someone, **how)
    with refused("stale"):
        merging.confirm_guest(member=someone, **how)
    kept = Member.objects.get(pk=someone.pk)
    assert (kept.left_at, kept.full_name) == (club.at, someone.full_name)
    assert verbs(club, someone) == entries


def test_a_guest_who_played_is_not_united_but_confirmed(club):
    someone, known = guest(club), club.members[0]
    club.check_in(someone)
    club.match(someone, club.members[1])
    with refused("has_played"):
        merge(club, someone, known)
    someone.refresh_from_db()
    assert someone.merged_into is None
    assert not merging.confirm_guest(member=someone, by=club.committee, at=club.at).is_guest


def test_a_guest_is_united_within_their_club_only(club, other_club):
    someone = guest(club)
    with refused("wrong_member"):
        merge(club, someone, other_club.members[0])
    with refused("wrong_member"):
        merge(club, someone, someone)


# Leaving


def test_a_forgotten_member_loses_their_name_and_keeps_their_results(club):
    match, (a, _b) = club.played()
    club.close()
    member = a.member
    Member.objects.filter(pk=member.pk).update(email="secret@example.org")
    games = RatedGame.objects.filter(source=f"match:{match.pk}").count()
    assert games == 1
    members.leave(member=member, by=club.committee, at=club.at, forget=True)
    gone = Member.objects.get(pk=member.pk)
    assert gone.full_name == gone.wall_name == f"Joueur retiré {gone.number}"
    assert gone.first_name_for(viewer_is_member=True) == gone.full_name
    with translation.override("ro"):
        for is_member in (True, False):
            name = gone.name_for(viewer_is_member=is_member)
            assert name == gone.wall_name == f"Jucător retras {gone.number}"
    assert (gone.user, gone.email, gone.pin_hash) == (None, "", "")
    for column in ("first_name", "last_name", "search_name", "sort_name", "slug"):
        assert "nom0" not in getattr(gone, column).lower(), column
    assert gone.left_at == club.at
    assert RatedGame.objects.filter(source=f"match:{match.pk}").count() == games
    assert gone in (Match.objects.get(pk=match.pk).first, Match.objects.get(pk=match.pk).second)


def test_a_member_who_leaves_keeps_their_name_and_loses_their_roles_and_phones(club):
    judge = club.arbiter.member
    phone = device_of(judge)
    assert device_member(phone, club.organisation) == judge
    members.leave(member=judge, by=club.committee, at=club.at, forget=False)
    judge.refresh_from_db()
    assert judge.first_name == "Prénom8"
    assert device_member(phone, club.organisation) is None
    assert not RoleGrant.objects.filter(member=judge, revoked_at__isnull=True).exists()
    with refused("stale"):
        members.leave(member=judge, by=club.committee, at=club.at, forget=False)


# Names


def test_a_name_is_one_clean_line(club):
    member = club.join("  Ștefan\u202e\n ", "\tȚurcanu\x00")
    assert (member.first_name, member.last_name) == ("Ștefan", "Țurcanu")
    assert member.search_name == "stefan turcanu"
    with refused("name_required"):
        club.edit(member, {"first_name": "\u200b"})


@pytest.mark.parametrize(
    "hidden",
    ["\u00ad", "\u034f", "\u115f", "\u17b4", "\u200b", "\u2800", "\u3164", "\ufe0f", "\uffa0"],
    ids=lambda letter: f"{ord(letter):x}",
)
def test_no_letter_of_a_name_is_one_that_nobody_sees(club, hidden):
    """Two people would look alike on a wall, and be two in every list and file."""
    member = club.join(f"Ma{hidden}rc{hidden}", f"{hidden}Unu")
    assert (member.first_name, member.last_name) == ("Marc", "Unu")
    assert without_accents(f"Ma{hidden}rc  Unu{hidden}") == member.search_name
    assert members.clean_name(f"Zoe{hidden}\u0308") == "Zo\u00eb"
    with refused("name_required"):
        club.join(hidden)


@pytest.mark.parametrize("letter", ["œ", "ﬃ", "ẞ"])
def test_a_name_whose_letters_become_several_fits_its_columns(club, letter):
    """SQLite has no length of a text; PostgreSQL refuses a longer one as an error."""
    name = (letter * 60)[:60]
    member = club.join(name, name)
    club.edit(member, {"last_name": name[1:]})
    member.clean_fields(exclude=["user", "merged_into"])
    assert member.search_name.startswith(without_accents(letter) * 20)


def test_a_name_that_grows_beyond_its_column_or_has_no_letter_is_refused(club):
    by_club = {"organisation": club.organisation, "at": club.at}
    with refused("name_too_long"):
        members.create(first_name="\u0958" * 40, by=club.committee, **by_club)
    with refused("name_too_long"):
        club.join("Ana", "\u0958" * 40)
    with refused("name_required"):
        members.create(first_name="\u0301\u0301", by=club.committee, **by_club)
    with refused("name_too_long"):
        people = [members.Newcomer("\u0958" * 40)]
        members.create_outsiders(people=people, **by_club)


def test_an_edited_address_is_kept_as_a_new_one_would_be(club):
    member = club.members[0]
    club.edit(member, {"email": " Ana@Example.ORG "})
    member.refresh_from_db()
    assert member.email == "ana@example.org"


def test_an_edit_of_an_older_row_changes_nothing_else(club):
    member = club.members[0]
    older = Member.objects.get(pk=member.pk)
    hidden = {"visibility": Member.INITIALS}
    club.edit(member, hidden)
    club.edit(older, {"email": "a@b.org"})
    member.refresh_from_db()
    assert (member.visibility, member.email) == (Member.INITIALS, "a@b.org")
    assert (older.visibility, older.email) == (Member.INITIALS, "a@b.org")
    last = JournalEntry.objects.filter(verb="member_edited").order_by("pk").last()
    assert last.after == {"fields": ["email"]}


def test_an_edit_of_an_older_row_brings_no_forgotten_name_back(club):
    member = club.members[0]
    older = Member.objects.get(pk=member.pk)
    members.leave(member=member, by=club.committee, at=club.at, forget=True)
    with refused("stale"):
        club.edit(older, {"is_minor": True})
    member.refresh_from_db()
    assert member.full_name == f"Joueur retiré {member.number}" and not member.is_minor


def test_a_row_that_was_merged_meanwhile_is_not_edited(club):
    member, kept = club.members[:2]
    older = Member.objects.get(pk=member.pk)
    Member.objects.filter(pk=member.pk).update(merged_into=kept)
    with refused("stale"):
        club.edit(older, {"first_name": "Ana"})
