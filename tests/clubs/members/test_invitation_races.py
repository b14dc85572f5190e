"""Invitations and requests to join that meet another act of the same moment."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.db import transaction

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import merging
from clubs.members.invitations import actions as invitations
from clubs.members.invitations import addresses
from clubs.members.models import Member
from clubs.members.models_access import Invitation, JoinRequest
from clubs.personal_data.own_tables import old_accounts
from tests.clubhouse import account
from tests.pairings.matches.test_races import at_its_first_step, together, while_open

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 4


@pytest.fixture
def newcomer(club):
    """A member without an account yet."""
    return club.join("Nora", "Neuve")


def invite(club, **details):
    invitation, _token = club.invite(**details)
    return invitation


def accept(club, invitation, user):
    stale = Invitation.objects.select_related("member", "organisation").get(pk=invitation.pk)
    return lambda: invitations.accept(
        invitation=stale, user=user, first_name="Ada", last_name="Neuve", at=club.at
    )


def revoke(club, invitation):
    stale = Invitation.objects.get(pk=invitation.pk)
    return lambda: invitations.revoke(invitation=stale, by=club.committee, at=club.at)


def resend(club, invitation):
    stale = Invitation.objects.select_related("member", "organisation").get(pk=invitation.pk)
    return lambda: invitations.resend(
        invitation=stale, link=lambda token: f"/i/{token}/", by=club.committee, at=club.at
    )


def joined(club, *users):
    return Member.objects.of(club.organisation).filter(user__in=users).count()


@pytest.mark.parametrize("_round", range(ROUNDS))
@pytest.mark.parametrize("is_named", [False, True])
def test_two_accounts_with_one_invitation_are_one_member(club, newcomer, is_named, _round):
    invitation = invite(club, member=newcomer if is_named else None)
    users = account("ada"), account("bob")
    answers = together(*(accept(club, invitation, user) for user in users))
    assert sorted(answers) == ["expired", "ok"]
    assert joined(club, *users) == 1
    invitation.refresh_from_db()
    assert invitation.used_count == 1


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_two_accounts_invited_as_one_member_are_not_both_this_member(club, newcomer, _round):
    users = account("ada"), account("bob")
    asked = [invite(club, member=newcomer) for _user in users]
    acts = [accept(club, one, user) for one, user in zip(asked, users, strict=True)]
    assert sorted(together(*acts)) == ["already_linked", "ok"]
    assert joined(club, *users) == 1


@pytest.mark.parametrize("_round", range(ROUNDS))
@pytest.mark.parametrize("is_named", [False, True])
def test_one_account_with_two_invitations_is_one_member(club, newcomer, is_named, _round):
    ada = account("ada")
    asked = invite(club, max_uses=5), invite(club, member=newcomer if is_named else None)
    answers = together(*(accept(club, one, ada) for one in asked))
    assert sorted(answers) == ["already_member", "ok"]
    assert joined(club, ada) == 1
    used = [Invitation.objects.get(pk=one.pk).used_count for one in asked]
    assert used == [int(answer == "ok") for answer in answers], "a refusal uses no invitation up"


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_an_invitation_against_its_withdrawal_is_accepted_before_it_or_refused(club, _round):
    ada, invitation = account("ada"), invite(club)
    answers = together(accept(club, invitation, ada), revoke(club, invitation))
    assert answers[0] in ("ok", "expired") and answers[1] == "ok"
    assert joined(club, ada) == (answers[0] == "ok")
    entries = JournalEntry.objects.filter(verb__in=["account_linked", "invitation_revoked"])
    verbs = list(entries.order_by("-seq").values_list("verb", flat=True))
    assert verbs[0] == "invitation_revoked", "who joined joined before it"


@pytest.mark.parametrize("withdraw", [revoke, resend])
def test_an_invitation_that_waits_for_its_withdrawal_is_refused(club, withdraw):
    """The link that was sent again is another one: the previous link no longer opens anything."""
    ada, invitation = account("ada"), invite(club, email="ada@example.org")
    answers = while_open(withdraw(club, invitation), accept(club, invitation, ada))
    assert answers == ["ok", "expired"]
    assert joined(club, ada) == 0


def test_a_withdrawal_comes_once(club):
    invitation = invite(club)
    assert sorted(together(*[revoke(club, invitation)] * 2)) == ["ok", "stale"]
    assert JournalEntry.objects.filter(verb="invitation_revoked").count() == 1


def test_what_was_just_accepted_is_not_sent_again(club):
    ada, invitation = account("ada"), invite(club, email="ada@example.org")
    answers = while_open(accept(club, invitation, ada), resend(club, invitation))
    assert answers == ["ok", "stale"]


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_who_leaves_while_they_accept_is_gone(club, newcomer, _round):
    ada, invitation = account("ada"), invite(club, member=newcomer)
    row = Member.objects.get(pk=newcomer.pk)
    answers = together(
        accept(club, invitation, ada),
        lambda: members.leave(member=row, by=club.committee, at=club.at, forget=True),
    )
    assert answers[0] in ("ok", "expired", "left") and answers[1] == "ok"
    newcomer.refresh_from_db()
    assert newcomer.left_at is not None and newcomer.is_forgotten
    if answers[0] != "ok":
        assert newcomer.user_id is None


def test_an_account_that_comes_back_meanwhile_is_not_closed(club):
    past, days = club.members[0], settings.ACCOUNTS_KEPT_DAYS
    members.leave(member=past, by=club.committee, at=club.at, forget=False)
    after = timedelta(days=days + 1)
    closing = transaction.atomic(old_accounts)  # as `expire_all` calls it
    answers = while_open(accept(club, invite(club), past.user), lambda: closing(club.at + after))
    assert answers == ["ok", "ok"]
    past.user.refresh_from_db()
    assert past.user.is_active and joined(club, past.user) == 1


def test_nobody_is_invited_at_an_address_that_was_corrected_meanwhile(club, newcomer):
    club.edit(newcomer, {"email": "faux@example.org"})
    stale, how = Member.objects.get(pk=newcomer.pk), {"by": club.committee, "at": club.at}
    correct = {"member": newcomer, "changes": {"email": "vrai@example.org"}}
    answers = while_open(
        lambda: invitations.correct(**correct, **how),
        lambda: invite(club, member=stale, email="faux@example.org"),
    )
    assert answers == ["ok", "stale"]
    assert not Invitation.objects.filter(member=newcomer).exists()


def test_two_of_a_committee_who_invite_one_list_send_each_mail_once(club, newcomer):
    club.edit(newcomer, {"email": "nora@example.org"})
    typed = "nora@example.org, eva@example.org"
    read = addresses.read(club.organisation, typed, at=club.at)
    how = {"language": "fr", "link": lambda token: token, "by": club.committee, "at": club.at}

    def send():
        invitations.send(organisation=club.organisation, addresses=read, **how)

    assert sorted(together(send, send)) == ["ok", "stale"]
    assert Invitation.objects.filter(organisation=club.organisation).count() == 2


def test_two_requests_of_one_address_at_once_wait_as_one(club):
    who = {"first_name": "Nora", "last_name": "Neuve", "email": "nora@example.org"}

    def ask():
        invitations.ask_to_join(organisation=club.organisation, at=club.at, **who)

    assert while_open(ask, ask) == ["ok", "ok"]
    assert together(*[ask] * ROUNDS) == ["ok"] * ROUNDS
    assert JoinRequest.objects.filter(organisation=club.organisation).count() == 1


def test_a_guest_is_confirmed_while_another_accepts_their_request(club):
    """The guest's row comes before the request, or each would hold what the other needs."""
    guest, how = club.join("Nora", is_guest=True), {"by": club.committee, "at": club.at}
    asked = invitations.ask_to_join(
        organisation=club.organisation,
        at=club.at,
        guest=guest,
        first_name="Nora",
        last_name="Neuve",
        email="nora@example.org",
    )

    def confirm(step):
        with transaction.atomic():
            Member.objects.filter(pk=guest.pk).lock()
            step(0, 1)
            merging.confirm_guest(member=guest, **how)

    answers = at_its_first_step(
        confirm,
        lambda: invitations.answer_request(request=asked, accepted=True, link=str, **how),
    )
    assert answers == ["ok", "stale"]
    guest.refresh_from_db()
    assert not guest.is_guest
