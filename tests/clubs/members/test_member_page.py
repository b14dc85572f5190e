"""What a refused form of a member's page keeps, and says beside the field."""

from __future__ import annotations

import pytest
from django.utils import timezone

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import merging
from clubs.members.invitations import actions as invitations
from clubs.organisations.models import Organisation
from clubs.persons.models import MemberLink
from tests.clubhouse import make_club
from tests.older_pages import send
from tests.printed_fields import Printed

pytestmark = pytest.mark.django_db


@pytest.fixture
def federation() -> Organisation:
    held = make_club("federation", size=2).organisation
    Organisation.objects.filter(pk=held.pk).update(kind=Organisation.FEDERATION)
    return held


def test_a_licence_that_is_too_long_is_kept_beside_its_federation(club, desk, root, federation):
    member = club.members[0]
    page, field = f"{root}/gestion/membres/{member.pk}/", f"licence{federation.pk}"
    typed = {"licence": "9" * 21, "federation": federation.pk}
    refused = desk.post(page, typed)
    printed = Printed(refused, field)
    assert refused.status_code == 422 and printed.is_refused
    assert printed.attributes["value"] == "9" * 21 and printed.label == federation.name
    assert not MemberLink.objects.exists()
    saved = desk.post(page, {**typed, "licence": "98"}, follow=True)
    assert "La fiche est enregistrée." in saved.content.decode()
    assert MemberLink.objects.get(member=member).licence == "98"
    shown = desk.get(page)
    assert Printed(shown, field).attributes["value"] == "98"
    assert "La fédération dira à qui est cette licence." in shown.content.decode()
    assert desk.post(page, {**typed, "licence": ""}).status_code == 302
    assert MemberLink.objects.get(member=member).licence == ""


def test_a_licence_of_what_is_no_federation_is_not_stored(club, desk, root, federation):
    page = f"{root}/gestion/membres/{club.members[0].pk}/"
    for elsewhere in (club.organisation.pk, "", "x"):
        assert desk.post(page, {"licence": "98", "federation": elsewhere}).status_code == 404
    assert not MemberLink.objects.exists()


def test_a_guest_is_said_to_be_somebody_who_left(club, desk, root):
    guest, gone = club.members[0], club.members[1]
    type(guest).objects.filter(pk=guest.pk).update(is_guest=True)
    type(gone).objects.filter(pk=gone.pk).update(left_at=club.at)
    page = f"{root}/gestion/membres/{guest.pk}/"
    refused = desk.post(page, {"merge": "1", "into": gone.pk})
    assert refused.status_code == 422 and Printed(refused, "into").is_refused


def test_every_act_on_a_member_is_said(club, desk, root):
    guest = club.members[0]
    type(guest).objects.filter(pk=guest.pk).update(is_guest=True)
    page = f"{root}/gestion/membres/{guest.pk}/"
    shown = desk.get(page).content.decode()
    assert "connu depuis le" in shown and "membre depuis" not in shown
    said = desk.post(page, {"confirm": "1"}, follow=True).content.decode()
    assert "La personne est maintenant membre du club." in said and "membre depuis le" in said
    said = send(desk, page, {"save": "1", "first_name": "Ada"}, follow=True).content.decode()
    assert "La fiche est enregistrée." in said
    said = desk.post(page, {"leave": "1"}, follow=True).content.decode()
    assert "Le départ est noté." in said


@pytest.mark.parametrize("kind", ["is_guest", "is_outsider"])
def test_whoever_left_is_not_offered_to_be_confirmed(club, desk, root, kind):
    someone = club.members[0]
    type(someone).objects.filter(pk=someone.pk).update(**{kind: True})
    page = f"{root}/gestion/membres/{someone.pk}/"
    assert 'name="confirm"' in desk.get(page).content.decode()
    type(someone).objects.filter(pk=someone.pk).update(left_at=club.at)
    assert 'name="confirm"' not in desk.get(page).content.decode()
    said = desk.post(page, {"confirm": "1"}, follow=True).content.decode()
    assert "Cette personne a quitté le club : enregistrez d’abord son retour" in said
    type(someone).objects.filter(pk=someone.pk).update(user=None)
    assert 'name="readmit"' in desk.get(page).content.decode()  # what that sentence asks for
    desk.post(page, {"readmit": "1"})
    assert 'name="confirm"' in desk.get(page).content.decode()


def test_a_departure_that_must_wait_keeps_the_tick(club, desk, root, as_user):
    club.match(club.members[0], club.members[1])
    leaving = {"leave": "1", "forget": "1"}
    own = as_user(club.members[0].user)
    for client, page in (
        (desk, f"{root}/gestion/membres/{club.members[0].pk}/"),
        (own, f"{root}/moi/donnees/"),
    ):
        assert "checked" not in Printed(client.get(page), "forget").attributes
        refused = client.post(page, leaving)
        assert "checked" in Printed(refused, "forget").attributes
        assert '<details class="card card--pad" open>' in refused.content.decode()
    club.members[0].refresh_from_db()
    assert club.members[0].left_at is None


def test_the_committee_takes_back_somebody_who_left_without_an_account(club, desk, root):
    club.close()
    someone = club.join("Ana", "Pop")
    club.next_evening()
    match, _players = club.played(someone, club.members[0])
    club.close()
    page = f"{root}/gestion/membres/{someone.pk}/"
    assert 'name="readmit"' not in desk.get(page).content.decode()
    desk.post(page, {"leave": "1"})
    assert 'name="readmit"' in desk.get(page).content.decode()
    said = desk.post(page, {"readmit": "1"}, follow=True).content.decode()
    assert "Le retour est noté." in said
    someone.refresh_from_db()
    assert someone.left_at is None and match.seats(someone)
    entry = JournalEntry.objects.order_by("seq").last()
    assert (entry.verb, entry.subject) == ("member_readmitted", f"member:{someone.pk}")
    twice = desk.post(page, {"readmit": "1"}, follow=True).content.decode()
    assert "La situation de cette personne a changé." in twice
    assert JournalEntry.objects.order_by("seq").last() == entry


@pytest.mark.parametrize("account", [True, False])
def test_the_committee_takes_back_neither_an_account_nor_a_forgotten_person(
    club, desk, root, account
):
    someone = club.members[0] if account else club.join("Ana", "Pop")
    members.leave(member=someone, by=club.committee, at=club.at, forget=not account)
    page = f"{root}/gestion/membres/{someone.pk}/"
    shown = desk.get(page).content.decode()
    assert 'name="readmit"' not in shown
    assert ("donnez-lui une invitation sans nom" in shown) == account
    desk.post(page, {"readmit": "1"})
    someone.refresh_from_db()
    assert someone.left_at is not None


@pytest.mark.parametrize("corrected", ["right@example.org", "", "wrong@example.org"])
def test_a_corrected_address_takes_the_invitation_away_that_went_to_another(
    club, desk, root, as_user, corrected
):
    member = club.join("Ion", "Pop", email="wrong@example.org")
    about = {"organisation": club.organisation, "by": club.committee, "at": timezone.now()}
    _sent, token = invitations.invite(**about, member=member, email="wrong@example.org")
    _shown, by_hand = invitations.invite(**about, member=member)
    page = f"{root}/gestion/membres/{member.pk}/"
    form = desk.get(page).context["form"]
    typed = {"first_name": "Ion", "last_name": "Pop", "seen": form["seen"].value(), "save": "1"}
    saved = desk.post(page, {**typed, "email": corrected}, follow=True).content.decode()
    is_other = corrected != "wrong@example.org"
    assert ("envoyée à l’ancienne adresse est annulée" in saved) is is_other
    reader = as_user(None)
    assert reader.get(f"{root}/i/{token}/").status_code == (410 if is_other else 200)
    assert reader.get(f"{root}/i/{by_hand}/").status_code == 200
    assert JournalEntry.objects.filter(verb="invitation_revoked").count() == int(is_other)


def test_a_row_that_nobody_may_correct_has_no_form_to_do_so(club, desk, root):
    gone, guest, member = club.members[0], club.join("Gus", is_guest=True), club.members[1]
    members.leave(member=gone, by=club.committee, at=club.at, forget=True)
    how = {"by": club.committee, "at": club.at, "reason": "r"}
    merging.mark_merged(guest=guest, into=member, **how)
    for row, is_open in ((gone, False), (guest, False), (member, True)):
        page = desk.get(f"{root}/gestion/membres/{row.pk}/").content.decode()
        assert ('name="save"' in page) is is_open
