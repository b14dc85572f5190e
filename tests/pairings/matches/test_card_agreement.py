"""The other player agrees on this phone by showing their card; its scan alone changes nothing."""

from __future__ import annotations

import pytest
import time_machine
from django.urls import reverse
from django.utils import formats

from clubs.journal.models import JournalEntry
from clubs.members import merging, pins
from clubs.members.models import Member
from clubs.ui.french import unbroken
from pairings.matches.models import Match

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(club):
    match, (one, other) = club.entered()
    return Match.objects.get(pk=match.pk), one, other


@pytest.fixture(autouse=True)
def during_the_evening(club):
    with time_machine.travel(club.at, tick=False):
        yield


def card_of(member: Member) -> str:
    return f"/j/{member.number}/{pins.seal_of(member)}/"


def agreement(match: Match) -> str:
    return reverse("pairings:result_pin", kwargs={"match_id": match.pk})


def test_the_bar_names_the_evening_as_on_the_other_forms_of_a_match(as_user, sent):
    match, one, _other = sent
    page = as_user(one.user).get(agreement(match)).content.decode()
    subtitle = page.partition('class="phone-bar__subtitle">')[2].partition("<")[0]
    assert subtitle == unbroken(formats.date_format(match.evening.held_on, "l j F"))


@pytest.mark.parametrize(("query", "status"), [("", "final"), ("&non=1", "contested")])
def test_a_scanned_card_stands_for_the_code(as_user, sent, query, status):
    match, one, other = sent
    phone = as_user(one.user)
    scanned = phone.get(card_of(other.member))
    assert scanned["Location"].startswith(agreement(match))
    page = phone.get(scanned["Location"]).content.decode()
    assert "votre carte est lue" in page and "keypad" not in page.split("<main")[1]
    assert Match.objects.get(pk=match.pk).status == "submitted"
    scores = {"mine": "351", "theirs": "400"} if query else {}  # theirs, with a contest
    phone.post(scanned["Location"] + query, {"version": match.version, **scores})
    assert Match.objects.get(pk=match.pk).status == status
    entry = JournalEntry.objects.filter(subject=f"match:{match.pk}").order_by("pk").last()
    assert (entry.origin, entry.actor) == ("card", one.user)


@pytest.mark.parametrize("held", ["0" * 20, "", "theirs", "a third one", "é"])
def test_without_that_players_own_card_the_code_is_asked(club, as_user, sent, held):
    match, one, other = sent
    pins.set_pin(member=other.member, pin="4821", by=other, at=club.at)
    third = next(m for m in club.members if m.pk not in (one.member.pk, other.member.pk))
    seal = {"theirs": pins.seal_of(one.member), "a third one": pins.seal_of(third)}.get(held, held)
    answer = as_user(one.user).post(f"{agreement(match)}?carte={seal}", {"version": match.version})
    assert answer.status_code == 422 and "keypad" in answer.content.decode()
    assert Match.objects.get(pk=match.pk).status == "submitted"


@pytest.mark.parametrize("query", ["", "?non=1"])
@pytest.mark.parametrize("is_guest", [False, True])
def test_who_has_no_code_is_asked_for_none(as_user, sent, query, is_guest):
    match, one, other = sent
    Member.objects.filter(pk=other.member.pk).update(is_guest=is_guest)
    phone = as_user(one.user)
    for page in (
        phone.get(agreement(match) + query),
        phone.post(agreement(match) + query, {"pin": "4821", "version": match.version}),
    ):
        words = page.content.decode().split("<main")[1]
        assert 'name="pin"' not in words and "tapez" not in words
        assert "répond sur son propre téléphone" in words and "demandez à l’arbitre" in words
        assert ("sa carte" in words) is not is_guest
    assert Match.objects.get(pk=match.pk).status == "submitted"


def test_a_lost_card_is_replaced_by_its_owner_or_the_committee(club, as_user, sent):
    match, one, other = sent
    for person, address in (
        (other, "/moi/reglages/"),
        (club.committee, f"/gestion/membres/{other.member.pk}/"),
    ):
        lost = card_of(Member.objects.get(pk=other.member.pk))
        as_user(person.user).post(address, {"forget_devices": "1", "replace_card": "1"})
        phone = as_user(one.user)
        answer = phone.get(lost, follow=True)
        assert answer.redirect_chain[-1][0] == f"/joueurs/{other.member.address}/"
        assert "Cette carte a été remplacée" in answer.content.decode()
        new = card_of(Member.objects.get(pk=other.member.pk))
        assert new != lost and agreement(match) in phone.get(new)["Location"]


def test_a_card_opens_the_profile_for_everybody_else(club, as_user, sent):
    _match, _one, other = sent
    third = club.members[-1]
    for reader in (as_user(), as_user(third.user), as_user(other.user)):
        answer = reader.get(card_of(other.member), follow=True)
        assert answer.redirect_chain[-1][0] == f"/joueurs/{other.member.address}/"


def test_the_card_of_a_guest_who_was_merged_opens_the_members_profile(club, as_user):
    """It answered as a number that nobody has."""
    guest, known = club.join("Ion", is_guest=True), club.members[0]
    printed = card_of(guest)
    merging.merge_guest(guest=guest, into=known, by=club.committee, at=club.at, reason="même")
    answer = as_user(club.members[1].user).get(printed, follow=True)
    assert answer.redirect_chain[-1][0] == f"/joueurs/{known.address}/"
    Member.objects.filter(pk=known.pk).update(left_at=club.at)
    assert as_user(club.members[1].user).get(printed, follow=True).status_code == 404


def test_a_card_replaced_after_its_scan_says_so_beside_the_code(club, as_user, sent):
    match, one, other = sent
    phone = as_user(one.user)
    page = phone.get(card_of(other.member))["Location"]
    pins.forget_devices(member=other.member, by=other, at=club.at)
    answer = phone.post(page, {"version": match.version})
    assert answer.status_code == 422
    assert "Cette carte a été remplacée" in answer.content.decode()


def test_the_card_on_the_phone_bears_the_seal(club, as_user, monkeypatch):
    from clubs.members import views_account

    written = []
    monkeypatch.setattr(views_account, "svg", lambda text: written.append(text) or "")
    as_user(club.members[0].user).get("/moi/carte/")
    assert written == [f"http://testserver{card_of(club.members[0])}"]
