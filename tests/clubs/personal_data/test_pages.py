"""The public page says what the settings say; the young are named once a parent agreed."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpResponse
from django.test import RequestFactory

from api.tokens import actions as tokens
from api.tokens.models import Scope, Token
from clubs.accounts.device import device_member, remember_device
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import merging
from clubs.members.actions import MemberRefused
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member, RoleGrant
from clubs.notifications import push
from clubs.notifications.models import PushNotice, PushSubscription
from clubs.organisations.models import Organisation
from clubs.personal_data.models import PrivacySettings
from clubs.personal_data.register import Purpose
from tests.clubhouse import account
from tests.permissions.access import PHONE
from tests.refusals import refused

pytestmark = pytest.mark.django_db
PAGE, FORM = "/confidentialite/", "/gestion/donnees/"


def fields_of(page) -> dict[str, object]:
    form = page.context["form"]
    return {
        name: form[name].value() for name in form.fields if form[name].value() not in (None, False)
    }


@pytest.mark.parametrize(
    ("days", "words"),
    [(0, ""), (1, "la dernière est gardée"), (14, "y figure encore 14 jours")],
)
def test_the_page_says_how_long_archives_keep_a_forgotten_person(
    club, as_user, settings, days, words
):
    settings.ARCHIVE_KEEP = days
    page = as_user().get(PAGE).content.decode()
    assert ("Quand une copie est restaurée" in page) == bool(words) and words in page


@pytest.mark.parametrize(
    ("kind", "shown"), [(Organisation.CLUB, True), (Organisation.FEDERATION, False)]
)
def test_what_a_federation_gets_of_a_club_is_said_on_the_page_of_the_club(
    club, as_user, kind, shown
):
    """A federation has more of its people than that: files of licences and of results."""
    Organisation.objects.filter(pk=club.organisation.pk).update(kind=kind)
    page = as_user().get(PAGE).content.decode()
    assert ("seulement les compétitions que le club lui transmet" in page) is shown


def test_the_page_prints_controller_contacts_and_the_real_durations(club, as_user):
    desk, reader = as_user(club.committee.user), as_user()
    before = reader.get(PAGE).content.decode()
    assert "Club faizers" in before and "180" in before
    _others, notices = before.split(str(Purpose.NOTICES.label))
    notices, _others = notices.split(str(Purpose.DECISIONS.label))
    assert re.findall("<li>(.*?)</li>", notices) == [
        "Appareils prévenus",
        "Choix des notifications",
        "Notifications, jusqu’à une semaine après leur fin",
    ]
    assert before.count("<li>Accès techniques</li>") == 1, "two tables of one title"
    given = {
        **fields_of(desk.get(FORM)),
        "controller": "Association FAIZERS",
        "contact_email": "donnees@example.org",
        "protection_contact": "Dina Popescu",
        "requests_days": "77",
        "consent_age": "16",
    }
    assert desk.post(FORM, given).status_code == 302
    page = reader.get(PAGE).content.decode()
    for words in (
        "Association FAIZERS",
        "donnees@example.org",
        "Dina Popescu",
        "77",
        "Pour les moins de 16 ans",
    ):
        assert words in page
    assert "180" not in page
    entry = JournalEntry.objects.get(verb="privacy_edited")
    assert entry.after["requests_days"] == 77
    assert desk.post(FORM, given).status_code == 422  # read before somebody changed it
    given = fields_of(desk.get(FORM))
    for days in ("0", "3651"):
        assert desk.post(FORM, {**given, "requests_days": days}).status_code == 422
    assert PrivacySettings.objects.get().requests_days == 77


def child(club, **details) -> Member:
    return club.join("Mirela", "Petite", is_child=True, is_minor=True, **details)


def test_a_child_is_not_named_and_has_no_account_before_a_parent_agreed(club, as_user):
    mirela = child(club)
    assert mirela.visibility == Member.INITIALS
    assert mirela.name_for(viewer_is_member=True) == mirela.short_name
    assert mirela.name_for(viewer_is_member=False) == "M.P."
    user = club.members[0].user
    with refused("guardian"):  # who has one already
        club.edit(club.members[0], {"is_child": True})
    Member.objects.filter(user=user).update(user=None)
    with refused("guardian"):
        members.link_account(member=mirela, user=user, by=club.committee, at=club.at)
    held, _token = club.invite(member=mirela)
    accept = {"invitation": held, "user": user, "first_name": "M", "last_name": "P", "at": club.at}
    with pytest.raises(MemberRefused):
        invitations.accept(**accept)
    with pytest.raises(IntegrityError), transaction.atomic():
        Member.objects.filter(pk=mirela.pk).update(visibility=Member.EVERYBODY)
    desk, address = as_user(club.committee.user), f"/gestion/membres/{mirela.pk}/"
    given = {**fields_of(desk.get(address)), "save": "1", "guardian_name": "Ioana Petite"}
    assert desk.post(address, given).status_code in (200, 422)
    mirela.refresh_from_db()
    assert mirela.awaits_guardian  # who, and when
    assert desk.post(address, {**given, "guardian_agreed_on": "2026-01-05"}).status_code == 302
    mirela.refresh_from_db()
    assert (mirela.guardian_name, mirela.visibility) == ("Ioana Petite", Member.INITIALS)
    entry = JournalEntry.objects.filter(verb="member_edited", subject=f"member:{mirela.pk}").get()
    assert "guardian_agreed_on" in entry.after["fields"] and "Ioana" not in str(entry.after)
    assert invitations.accept(**accept, visibility=Member.MEMBERS).user == user


AGREED = {"guardian_name": "Ioana Petite", "guardian_agreed_on": date(2026, 1, 5)}


@pytest.fixture
def agreed_child(club, other_club):
    """A child with an account, of this club and of another one."""
    user = other_club.members[0].user
    return child(club, user=user, visibility=Member.EVERYBODY, pin_hash="x", **AGREED)


def device_of(member):
    """A request from a phone that remembers this member."""
    request, answer = RequestFactory().get("/"), HttpResponse()
    remember_device(answer, member)
    request.COOKIES["device"] = answer.cookies["device"].value
    return request


def withdraw(club, member, as_user):
    page = as_user(club.committee.user).post(
        f"/c/faizers/gestion/membres/{member.pk}/accord/", follow=True
    )
    member.refresh_from_db()
    return page


def test_a_parent_takes_their_agreement_back_and_the_club_keeps_results_alone(
    club, other_club, agreed_child, as_user
):
    user, phone = agreed_child.user, device_of(agreed_child)
    assert device_member(phone, club.organisation) == agreed_child
    other = club.members[0]
    for number, reader in enumerate((agreed_child, other)):
        endpoint = f"{PHONE['endpoint']}{number}"
        push.subscribe(member=reader, **PHONE | {"endpoint": endpoint}, at=club.at)
        until = club.at + timedelta(hours=1)
        PushNotice.objects.create(member=reader, key="x", due_at=club.at, until=until)
    how = {"by": club.committee, "at": club.at}
    members.grant(member=agreed_child, role=RoleGrant.ARBITER, **how)
    invitations.invite(organisation=club.organisation, member=agreed_child, **how)
    guest = club.join("Mirela", is_guest=True)
    merging.mark_merged(guest=guest, into=agreed_child, reason="r", **how)
    page = withdraw(club, agreed_child, as_user)
    assert "L’accord est retiré" in page.content.decode()
    assert agreed_child.awaits_guardian and agreed_child.user is None
    assert agreed_child.name_for(viewer_is_member=False) == "M.P."
    assert (agreed_child.guardian_name, agreed_child.pin_hash) == ("", "")
    assert device_member(phone, club.organisation) is None
    assert PushSubscription.objects.get().member == PushNotice.objects.get().member == other
    assert agreed_child.grants.get().revoked_at is not None
    assert Member.objects.get(pk=guest.pk).visibility == Member.INITIALS
    assert JournalEntry.objects.filter(verb="invitation_revoked").count() == 1
    assert JournalEntry.objects.get(verb="guardian_withdrew").subject == f"member:{agreed_child.pk}"
    user.refresh_from_db()
    assert user.is_active, "the account is of another club too"
    assert "vient d’être modifiée" in withdraw(club, agreed_child, as_user).content.decode()


def test_the_keys_of_a_child_work_no_more_once_the_agreement_is_given_again(
    club, agreed_child, as_user
):
    user, how = agreed_child.user, {"by": club.committee, "at": club.at}
    mine = {"member": agreed_child, "name": "Chez moi", "scopes": [Scope.READ], "days": 90}
    tokens.create(**mine, by=club.player(agreed_child), at=club.at)
    withdraw(club, agreed_child, as_user)
    members.edit(member=agreed_child, changes=AGREED, **how)
    members.link_account(member=agreed_child, user=user, **how)
    assert not Token.objects.live(at=club.at).filter(member=agreed_child).exists()


def test_an_account_of_no_other_club_is_closed_with_the_agreement(club, agreed_child, as_user):
    user = agreed_child.user
    Member.objects.filter(user=user).exclude(pk=agreed_child.pk).update(user=None)
    browser = as_user(user)
    assert browser.get("/c/faizers/moi/").status_code == 200
    withdraw(club, agreed_child, as_user)
    user.refresh_from_db()
    assert not user.is_active and user.email.endswith("@invalid")
    assert browser.get("/c/faizers/moi/").status_code == 302


def test_an_agreement_is_not_just_emptied_while_there_is_an_account(club, agreed_child, as_user):
    address = f"/c/faizers/gestion/membres/{agreed_child.pk}/"
    desk = as_user(club.committee.user)
    given = {**fields_of(desk.get(address)), "guardian_name": "", "guardian_agreed_on": ""}
    page = desk.post(address, {**given, "save": "1"})
    assert page.status_code == 422
    assert "Un parent retire son accord" in page.context["form"].errors["guardian_agreed_on"][0]


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("hier", "Saisissez une date valide."),
        ("0026-11-20", "Donnez une date entre 1950 et 2100."),
        ("", "Notez qui a donné l’accord, et quand."),
        ("2026-11-21", "Cette date est dans l’avenir."),  # the day after the tests' clock
    ],
)
def test_what_is_wrong_with_the_date_of_an_agreement_is_said_once(club, as_user, typed, sentence):
    mirela = child(club)
    desk, address = as_user(club.committee.user), f"/c/faizers/gestion/membres/{mirela.pk}/"
    given = {**fields_of(desk.get(address)), "save": "1", "guardian_name": "Ioana Petite"}
    page = desk.post(address, {**given, "guardian_agreed_on": typed})
    assert page.context["form"].errors["guardian_agreed_on"] == [sentence]


def test_a_child_who_unticks_their_age_stays_a_child(club):
    child = club.join("Mia", "Petit", is_child=True, is_minor=True, guardian_name="Ana",
                      guardian_agreed_on=club.at.date())  # fmt: skip
    held, _token = club.invite(member=child)
    invitations.accept(
        invitation=held, user=account("mia"), first_name="Mia", last_name="Petit", at=club.at
    )
    child.refresh_from_db()
    assert child.is_minor and child.name_for(viewer_is_member=False) == "Mia P."


def test_who_says_on_an_invitation_by_name_that_they_are_a_minor_is_shown_short(club):
    held, _token = club.invite(member=club.join("Mia", "Petit"))
    mia = invitations.accept(
        invitation=held,
        user=account("mia"),
        first_name="Mia",
        last_name="Petit",
        is_minor=True,
        at=club.at,
    )
    assert mia.name_for(viewer_is_member=False) == "Mia P."


@pytest.mark.parametrize("is_named", [False, True])
def test_somebody_who_says_that_they_are_too_young_gets_no_account(club, is_named):
    held, _token = club.invite(member=club.join("Mia") if is_named else None)
    user = club.members[0].user
    with refused("guardian"):  # who has one already
        club.edit(club.members[0], {"is_child": True})
    Member.objects.filter(user=user).update(user=None)
    with refused("guardian"):
        invitations.accept(
            invitation=held, user=user, first_name="M", last_name="P", is_child=True, at=club.at
        )
    assert not Member.objects.filter(Q(is_child=True) | Q(user=user)).exists()


def test_who_asks_to_join_is_promised_a_mail_only_where_the_committee_accepts(
    club, as_user, mailoutbox, after_commit
):
    body = {"first_name": "Ana", "last_name": "Petit", "email": "ana@example.org"}
    page = as_user().post("/rejoindre/", body).content.decode()
    assert "Si le comité accepte votre demande, une invitation arrive par e-mail." in page
    with after_commit():
        invitations.answer_request(
            request=club.organisation.join_requests.get(),
            accepted=False,
            link=str,
            by=club.committee,
            at=club.at,
        )
    assert not mailoutbox


def test_a_child_who_asks_to_join_becomes_a_member_shown_by_initials(club, as_user):
    body = {
        "first_name": "Radu", "last_name": "Petit", "email": "radu@example.org", "is_child": "on",
        "guardian_email": "parent@example.org",
    }  # fmt: skip
    assert "(facultatif)" not in as_user().get("/rejoindre/").content.decode()
    assert as_user().post("/rejoindre/", {**body, "guardian_email": ""}).status_code == 422
    nameless = as_user().post("/rejoindre/", {**body, "first_name": "\u202e"})
    assert nameless.status_code == 422 and "Le prénom est obligatoire" in nameless.content.decode()
    body["first_name"] = "Ra\u202edu"  # would turn around what the committee reads after it
    assert as_user().post("/rejoindre/", body).status_code == 200
    request = club.organisation.join_requests.get()
    radu = invitations.answer_request(
        request=request, accepted=True, link=str, by=club.committee, at=club.at
    )
    assert radu is not None
    assert (radu.is_child, radu.is_minor, radu.visibility) == (True, True, Member.INITIALS)
    assert request.first_name == "Radu"


def test_the_committee_reads_that_a_child_needs_a_parent_and_what_to_do(club, as_user):
    ask = {"organisation": club.organisation, "at": club.at, "last_name": "Petit"}
    young = {"is_minor": True, "guardian_email": "parent@example.org"}
    child = invitations.ask_to_join(
        **ask, **young, is_child=True, first_name="Radu", email="radu@example.org"
    )
    invitations.ask_to_join(**ask, **young, first_name="Ana", email="ana@example.org")
    invitations.ask_to_join(**ask, first_name="Dan", email="dan@example.org")
    desk = as_user(club.committee.user)
    page = desk.get("/gestion/demandes/").content.decode()
    assert page.count("Moins de 15 ans : l’accord d’un parent est nécessaire") == 1
    assert page.count("moins de 18 ans") == 1  # Ana, who decides alone
    assert page.count('"mailto:parent@example.org"') == 2
    answer = desk.post("/gestion/demandes/", {"request": child.pk, "accept": "1"}, follow=True)
    radu = Member.objects.get(first_name="Radu")
    assert answer.redirect_chain == [(f"/gestion/membres/{radu.pk}/", 302)]
    card = answer.content.decode()
    assert "Notez ici l’accord d’un parent" in card and "L’accord d’un parent manque" in card
    assert '"mailto:parent@example.org"' in card and "Envoyer une invitation" not in card
    assert "accord d’un parent attendu" in desk.get("/gestion/membres/?q=Petit").content.decode()
    given = {
        **fields_of(desk.get(f"/gestion/membres/{radu.pk}/")),
        "save": "1",
        "guardian_name": "Ioana",
        "guardian_agreed_on": "2026-01-05",
    }
    answer = desk.post(f"/gestion/membres/{radu.pk}/", given, follow=True)
    assert answer.redirect_chain == [(f"/gestion/membres/{radu.pk}/", 302)]
    card = answer.content.decode()
    assert "L’accord est noté" in card
    assert "manque" not in card and "Envoyer une invitation" in card
    assert "attendu" not in desk.get("/gestion/membres/?q=Petit").content.decode()
