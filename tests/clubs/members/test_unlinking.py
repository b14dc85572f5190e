"""An account taken off a member's row: what goes, what stays, who may, and what they read."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import timezone

from api.tokens import actions as tokens
from api.tokens.models import Scope, Token
from clubs.accounts.device import device_member, remember_device
from clubs.accounts.older_pages import row_version
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.actions import MemberRefused
from clubs.members.invitations import actions as invitations
from clubs.members.invitations import unlinking
from clubs.members.models import Member, RoleGrant
from clubs.notifications import push
from clubs.notifications.models import PushChoices, PushNotice, PushSubscription
from tests.clubhouse import account
from tests.older_pages import seen, send
from tests.permissions.access import PHONE
from tests.printed_fields import Printed
from tests.refusals import refused

pytestmark = pytest.mark.django_db
WHY = {"reason": "Invitation ouverte par une autre personne"}


def page_of(root: str, member: Member) -> str:
    return f"{root}/gestion/membres/{member.pk}/compte/"


def unlink(club, member: Member, **details) -> None:
    how = {"seen": row_version(member, unlinking.ACCOUNT), **WHY, "by": club.committee}
    unlinking.unlink_account(member=member, **{**how, **details}, at=club.at)


def test_the_account_goes_with_what_it_could_do_and_the_results_stay(club, desk, root, as_user):
    member, other = club.members[0], club.members[1]
    match, _players = club.played(member, other)
    user, how = member.user, {"by": club.committee, "at": club.at}
    pins.set_pin(member=member, pin="4821", by=club.player(member), at=club.at)
    tokens.create(
        member=member,
        name="Chez moi",
        scopes=[Scope.READ],
        days=90,
        by=club.player(member),
        at=club.at,
    )
    members.grant(member=member, role=RoleGrant.ARBITER, **how)
    members.grant(member=member, role=RoleGrant.COMMITTEE, **how)
    members.withdraw_role(member=member, role=RoleGrant.ARBITER, **how)
    members.grant(member=member, role=RoleGrant.ARBITER, **how)
    held, _token = club.invite(member=member)
    for number, reader in enumerate((member, other)):
        endpoint = f"{PHONE['endpoint']}{number}"
        push.subscribe(member=reader, **PHONE | {"endpoint": endpoint}, at=club.at)
        until = club.at + timedelta(hours=1)
        PushNotice.objects.create(member=reader, key="x", due_at=club.at, until=until)
        PushChoices.objects.create(member=reader, by_mail=False)
    phone, answer = RequestFactory().get("/"), HttpResponse()
    remember_device(answer, member)
    phone.COOKIES["device"] = answer.cookies["device"].value
    assert device_member(phone, club.organisation) == member
    wrong = as_user(user)
    assert wrong.get(f"{root}/moi/").status_code == 200
    before = Member.objects.get(pk=member.pk)
    said = send(desk, page_of(root, member), WHY, follow=True).content.decode()
    assert "Le compte est retiré de cette fiche." in said and user.email not in said
    member.refresh_from_db()
    assert (member.user, member.pin_hash, member.left_at) == (None, "", None)
    kept = ("number", "first_name", "last_name", "public_id", "visibility", "initial_rank")
    assert [getattr(member, name) for name in kept] == [getattr(before, name) for name in kept]
    assert match.seats(member)
    assert device_member(phone, club.organisation) is None
    assert not member.grants.filter(revoked_at=None).exists()
    entry = JournalEntry.objects.get(verb="invitation_revoked")
    assert entry.subject == f"invitation:{held.pk}"
    assert not Token.objects.live(at=timezone.now()).filter(member=member).exists()
    for table in (PushSubscription, PushNotice, PushChoices):
        assert table.objects.get().member == other
    assert wrong.get(f"{root}/moi/").status_code in (302, 403)
    assert wrong.get(f"{root}/gestion/").status_code in (302, 403)
    user.refresh_from_db()
    assert user.is_active


def test_the_journal_says_who_and_why_in_one_entry(club, desk, root):
    member = club.members[0]
    send(desk, page_of(root, member), WHY)
    entry = JournalEntry.objects.get(verb="account_unlinked")
    assert entry == JournalEntry.objects.order_by("seq").last()
    assert (entry.subject, entry.reason) == (f"member:{member.pk}", WHY["reason"])
    assert entry.actor == club.committee.user
    assert "retire un compte de la fiche" in desk.get(f"{root}/gestion/journal/").content.decode()


@pytest.mark.parametrize(
    ("language", "subject", "greeting"),
    [
        ("fr", "Votre compte n’est plus relié à Club faizers", "Bonjour,"),
        ("en", "Your account is no longer linked with Club faizers", "Hello,"),
        ("ro", "Contul dumneavoastră nu mai este legat de Club faizers", "Bună ziua,"),
    ],
)
def test_the_owner_of_the_account_is_told_in_their_language_and_nobody_is_named(
    club, desk, root, after_commit, language, subject, greeting
):
    member = club.members[0]
    type(member.user).objects.filter(pk=member.user_id).update(language=language)
    with after_commit():
        send(desk, page_of(root, member), WHY)
    sent = mail.outbox[-1]
    assert (sent.to, sent.subject) == ([member.user.email], subject)
    assert greeting in sent.body and "/contact/" in sent.body
    for person in (member, club.committee.member):
        assert person.first_name not in sent.body and person.last_name not in sent.body
    assert WHY["reason"] not in sent.body


@pytest.mark.parametrize("is_theirs", [True, False])
def test_the_address_of_the_row_goes_if_it_is_the_account_s(club, desk, root, is_theirs):
    member, user = club.members[0], club.members[0].user
    address = user.email.upper() if is_theirs else "right@example.org"
    Member.objects.filter(pk=member.pk).update(email=address)
    send(desk, page_of(root, member), WHY)
    member.refresh_from_db()
    assert member.email == ("" if is_theirs else address)
    for page in (f"{root}/gestion/membres/{member.pk}/", f"{root}/gestion/membres/"):
        assert user.email not in desk.get(page).content.decode().lower()


def test_the_member_is_invited_again_and_the_former_account_stays_outside(club, desk, root):
    member, wrong, right = club.members[0], club.members[0].user, account("right")
    how = {"by": club.committee, "at": club.at}
    open_one, _token = invitations.invite(organisation=club.organisation, member=member, **how)
    unlink(club, member)
    open_one.refresh_from_db()
    assert open_one.revoked_at is not None
    again, _token = invitations.invite(organisation=club.organisation, member=member, **how)
    names = {"first_name": member.first_name, "last_name": member.last_name}
    invitations.accept(invitation=again, user=right, **names, at=club.at)
    member.refresh_from_db()
    assert member.user == right
    assert not Member.objects.filter(user=wrong).exists()


def test_whoever_left_with_the_wrong_account_comes_back_without_it(club, desk, root):
    member = club.members[0]
    members.leave(member=member, by=club.committee, at=club.at, forget=False)
    send(desk, page_of(root, member), WHY)
    page = f"{root}/gestion/membres/{member.pk}/"
    assert 'name="readmit"' in desk.get(page).content.decode()
    desk.post(page, {"readmit": "1"})
    member.refresh_from_db()
    assert (member.user, member.left_at) == (None, None)


def test_a_guest_row_forgets_the_account_with_which_they_arrived(club):
    member, other = club.members[0], club.members[1]
    for row, visitor in ((member, member.user), (other, member.user)):
        Member.objects.filter(pk=row.pk).update(visitor=visitor)
    unlink(club, member)
    unlink(club, other)
    member.refresh_from_db()
    other.refresh_from_db()
    assert member.visitor is None and other.visitor is not None


def test_the_last_of_the_committee_with_an_account_keeps_it(club, desk, root):
    chair, second = club.committee.member, club.members[0]
    members.grant(member=second, role=RoleGrant.COMMITTEE, by=club.committee, at=club.at)
    other = club.player(second)
    # Another one of the committee, who has no account any more, is not enough.
    Member.objects.filter(pk=second.pk).update(user=None)
    with refused("last_committee"):
        unlink(club, chair, by=other)
    chair.refresh_from_db()
    assert chair.user is not None
    assert chair.grants.filter(revoked_at=None).exists()
    assert not JournalEntry.objects.filter(verb__in=("account_unlinked", "role_withdrawn")).exists()


def test_nobody_takes_their_own_account_off_and_reads_what_to_do(club, desk, root):
    chair = club.committee.member
    members.grant(member=club.members[0], role=RoleGrant.COMMITTEE, by=club.committee, at=club.at)
    page = page_of(root, chair)
    shown = desk.get(page).content.decode()
    assert "C’est votre propre compte" in shown and 'name="reason"' not in shown
    with refused("own_account"):
        unlink(club, chair)
    refused_page = desk.post(page, {**WHY, "seen": row_version(chair, unlinking.ACCOUNT)})
    assert refused_page.status_code == 422
    assert Member.objects.get(pk=chair.pk).user_id == chair.user_id


def test_the_page_says_first_what_goes_and_asks_for_a_reason(club, desk, root):
    member = club.members[0]
    assert (
        page_of(root, member) in desk.get(f"{root}/gestion/membres/{member.pk}/").content.decode()
    )
    page = page_of(root, member)
    shown = desk.get(page).content.decode()
    assert shown.index("Ce qui part") < shown.index("Ce qui reste") < shown.index("btn--danger")
    for reason in ("", "   "):
        refused = send(desk, page, {"reason": reason})
        assert refused.status_code == 422 and Printed(refused, "id_reason").is_refused
    with pytest.raises(MemberRefused) as refused_act:
        unlink(club, member, reason="  ")
    assert refused_act.value.code == "reason_required"
    assert Member.objects.get(pk=member.pk).user_id is not None


@pytest.mark.parametrize("who", ["visitor", "member", "arbiter", "stranger"])
def test_only_the_committee_of_this_club_does_it(club, other_club, root, as_user, desk, who):
    member = club.members[0]
    users = {
        "visitor": None,
        "member": member.user,
        "arbiter": club.arbiter.user,
        "stranger": other_club.committee.user,
    }
    page = page_of(root, member)
    typed = {**WHY, "seen": seen(desk, page)}
    assert as_user(users[who]).post(page, typed).status_code in (302, 403, 404)
    assert Member.objects.get(pk=member.pk).user_id == member.user_id
    theirs = as_user(other_club.committee.user)
    elsewhere = f"/c/voisins/gestion/membres/{member.pk}/compte/"
    assert theirs.post(elsewhere, typed).status_code == 404


def test_an_older_page_takes_no_newer_account_off(club, desk, root):
    member, right = club.members[0], account("right")
    page = page_of(root, member)
    typed = {**WHY, "seen": seen(desk, page)}
    assert desk.post(page, typed).status_code == 302
    twice = desk.post(page, typed)
    assert twice.status_code == 422 and "n’a pas de compte" in twice.content.decode()
    member.refresh_from_db()
    members.link_account(member=member, user=right, by=club.committee, at=club.at)
    refused = desk.post(page, typed)
    assert refused.status_code == 422
    assert "La situation de cette personne a changé" in refused.content.decode()
    assert Member.objects.get(pk=member.pk).user == right
    assert JournalEntry.objects.filter(verb="account_unlinked").count() == 1


def test_a_merged_row_has_no_such_page(club, desk, root):
    guest = club.members[0]
    Member.objects.filter(pk=guest.pk).update(merged_into=club.members[1])
    assert desk.get(page_of(root, guest)).status_code == 404
    with refused("stale"):
        unlink(club, guest)


def test_what_the_account_was_doing_at_that_moment_leaves_nothing_on_the_row(club):
    """Its request was let in before the account was taken off."""
    member = Member.objects.get(pk=club.members[0].pk)
    by = club.player(member)
    unlink(club, Member.objects.get(pk=member.pk))
    with pytest.raises(MemberRefused) as code:
        pins.set_pin(member=member, pin="4821", by=by, at=club.at)
    with pytest.raises(push.PushRefused) as device:
        push.subscribe(member=member, **PHONE, at=club.at)
    assert code.value.code == device.value.code == "stale"
    member.refresh_from_db()
    assert member.pin_hash == "" and not PushSubscription.objects.exists()
