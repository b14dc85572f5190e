"""A member's own settings: saved whole, in one transaction, as often as one likes."""

from __future__ import annotations

import pytest

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import Member

pytestmark = pytest.mark.django_db
CHOICE = {"language": "ro", "visibility": Member.INITIALS}


@pytest.fixture
def own(club, as_user):
    member = club.members[0]
    return member, as_user(member.user), f"/c/{club.organisation.slug}/moi/reglages/"


def edits_of(member: Member) -> int:
    return JournalEntry.objects.filter(verb="member_edited", subject=f"member:{member.pk}").count()


def test_saving_the_settings_saves_the_visibility_and_the_language(own):
    member, browser, address = own
    answer = browser.post(address, CHOICE)
    assert answer.status_code == 302
    assert answer.cookies["django_language"].value == "ro"
    member.refresh_from_db()
    member.user.refresh_from_db()
    assert (member.visibility, member.language) == (Member.INITIALS, "ro")
    assert member.user.language == "ro"
    assert "Se connecter" not in browser.get(address).content.decode()


def test_saving_the_settings_twice_changes_nothing_more(own):
    member, browser, address = own
    assert browser.post(address, CHOICE).status_code == 302
    assert browser.post(address, CHOICE).status_code == 302
    assert edits_of(member) == 1


def test_a_choice_that_cannot_be_journaled_is_not_saved_at_all(own, monkeypatch):
    member, browser, address = own

    def broken(**_given):
        raise members.MemberRefused("Le journal est fermé.", code="test")

    monkeypatch.setattr(members.journal, "record", broken)
    assert browser.post(address, CHOICE).status_code == 200
    member.refresh_from_db()
    member.user.refresh_from_db()
    assert (member.visibility, member.user.language) == (Member.EVERYBODY, "fr")
