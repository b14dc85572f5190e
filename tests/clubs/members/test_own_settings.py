"""A member's own settings: saved whole, in one transaction, as often as one likes."""

from __future__ import annotations

import pytest

from clubs.accounts.models import User
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.notifications import push
from clubs.notifications.models import PushSubscription
from tests.older_pages import send
from tests.permissions.access import PHONE

pytestmark = pytest.mark.django_db
CHOICE = {"language": "ro", "visibility": Member.INITIALS}


@pytest.fixture
def own(club, as_user):
    member = club.members[0]
    return member, as_user(member.user), f"/c/{club.organisation.slug}/moi/reglages/"


def edits_of(member: Member) -> int:
    return JournalEntry.objects.filter(verb="member_edited", subject=f"member:{member.pk}").count()


def test_saving_the_settings_saves_the_visibility_and_the_language(club, own):
    member, browser, address = own
    answer = send(browser, address, CHOICE)
    assert answer.status_code == 302
    assert answer.cookies["django_language"].value == "ro"
    member.refresh_from_db()
    member.user.refresh_from_db()
    assert (member.visibility, member.language) == (Member.INITIALS, "ro")
    assert member.user.language == "ro"
    assert User.objects.get(pk=club.members[1].user_id).language == "fr"
    assert "Se connecter" not in browser.get(address).content.decode()


def test_who_chooses_initials_reads_before_what_members_still_read(club, own):
    member, browser, address = own
    assert "les membres lisent votre prénom" in browser.get(address).content.decode()
    send(browser, address, CHOICE)
    member.refresh_from_db()
    assert member.name_for(viewer_is_member=True) == f"{member.first_name} {member.last_name[:1]}."


def test_saving_the_settings_twice_changes_nothing_more(own):
    member, browser, address = own
    assert send(browser, address, CHOICE).status_code == 302
    assert send(browser, address, CHOICE).status_code == 302
    assert edits_of(member) == 1


def test_a_lost_phone_is_notified_of_nothing_more(club, other_club, own):
    member, browser, address = own
    elsewhere, stranger = other_club.members[:2]
    Member.objects.filter(pk=elsewhere.pk).update(user=member.user)
    elsewhere.refresh_from_db()
    for number, reader in enumerate((member, elsewhere, stranger)):
        endpoint = f"{PHONE['endpoint']}{number}"
        push.subscribe(member=reader, **PHONE | {"endpoint": endpoint}, at=club.at)
    browser.post(address, {"forget_devices": "1"})
    assert PushSubscription.objects.get().member == stranger
    assert push.choices_of(member).pk, "they asked to be notified: a mail comes instead"
    entry = JournalEntry.objects.get(verb="devices_forgotten")
    assert (entry.actor, entry.subject) == (member.user, f"member:{member.pk}")


def test_a_choice_that_cannot_be_journaled_is_not_saved_at_all(own, monkeypatch):
    member, browser, address = own

    def broken(**_given):
        raise members.MemberRefused("Le journal est fermé.", code="test")

    monkeypatch.setattr(members.journal, "record", broken)
    assert send(browser, address, CHOICE).status_code == 422
    member.refresh_from_db()
    member.user.refresh_from_db()
    assert (member.visibility, member.user.language) == (Member.EVERYBODY, "fr")


@pytest.mark.parametrize("typed", ["", "12", "12345", "12a4", "１２３４"])
def test_a_code_that_is_not_four_digits_is_told_in_one_sentence(own, typed):
    _member, browser, address = own
    page = browser.post(address, {"pin": typed, "again": typed})
    assert page.status_code == 422
    assert set(map(str, page.context["pin_form"].errors["pin"])) == {"Le code a quatre chiffres."}
