"""Cards, results and messages of a match show a hidden opponent as each reader may read them."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urljoin

import pytest
import time_machine
from django.core import mail
from django.http import HttpResponse
from django.test import Client

from clubs.accounts.actor import COMMITTEE, Actor
from clubs.accounts.device import remember_device
from clubs.members import pins
from clubs.members.invitations import actions as invitations
from clubs.members.invitations import addresses
from clubs.members.models import Member
from clubs.notifications.models import PushNotice
from pairings.live.models import LiveEvent
from pairings.matches import actions as match_actions
from pairings.rules.match_state import Result
from tests.clubhouse import make_club
from tests.privacy.site_crawl import folded, text_of

# Which names a card or a message shows is decided above the database.
pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]

HIDDEN = ("Zazoune", "Fayocanari")
"""Their family name is for nobody, and their first name for members alone."""


@pytest.fixture
def house(db):
    """A club where one of two who play hides their name, and an evening in progress."""
    club = make_club("faizers", size=4)
    shy = club.members[0]
    club.edit(
        shy,
        dict(zip(("first_name", "last_name"), HIDDEN, strict=True))
        | {"visibility": Member.INITIALS},
    )
    shy.refresh_from_db()
    guest = club.join("Solène", is_guest=True, by=club.arbiter)
    club.check_in(guest)
    club.shy, club.guest = shy, guest
    return club


def phone_of(member: Member) -> Client:
    phone, answer = Client(), HttpResponse()
    remember_device(answer, member)
    phone.cookies.update(answer.cookies)
    return phone


def called(club, match, shy, other):
    pass


def playing(club, match, shy, other):
    match_actions.start(match=match, by=other, at=club.at)


def theirs_to_answer(club, match, shy, other):
    match_actions.submit(match=match, by=shy, scores=(400, 350), at=club.at)


def waits_for_them(club, match, shy, other):
    match_actions.submit(match=match, by=other, scores=(400, 350), at=club.at)


def claimed(club, match, shy, other):
    match_actions.claim_absence(match=match, by=shy, at=club.at + timedelta(minutes=16))


def contested(club, match, shy, other):
    theirs_to_answer(club, match, shy, other)
    match.refresh_from_db()
    match_actions.contest(match=match, by=other, at=club.at, words="faux", scores=(3, 4))


def confirmed(club, match, shy, other):
    theirs_to_answer(club, match, shy, other)
    match.refresh_from_db()
    match_actions.confirm(match=match, by=other, at=club.at)


def ruled(club, match, shy, other):
    contested(club, match, shy, other)
    match.refresh_from_db()
    club.decide(match, Result("played", 400, 350), "feuille relue")


def absent(club, match, shy, other):
    club.mark_absent(match, "a")


def missed(club, match, shy, other):
    club.mark_absent(match, "b")


def ruled_absent(club, match, shy, other):
    contested(club, match, shy, other)
    match.refresh_from_db()
    club.decide(match, Result("absent", absent="a"), "personne")


def corrected(club, match, shy, other):
    confirmed(club, match, shy, other)
    match_actions.correct(
        match=match,
        result=Result("played", 350, 400),
        reason="inversé",
        by=club.committee,
        at=club.at,
    )


def cancelled(club, match, shy, other):
    match_actions.cancel(match=match, reason="erreur", by=club.arbiter, at=club.at)


def over(club, match, shy, other):
    confirmed(club, match, shy, other)
    club.close()


STATES = [
    called,
    playing,
    theirs_to_answer,
    waits_for_them,
    claimed,
    contested,
    confirmed,
    ruled,
    absent,
    missed,
    ruled_absent,
    corrected,
    cancelled,
    over,
]
DECIDED = [ruled, missed, ruled_absent, corrected]
"""What the other player is told by mail."""


def addresses_of(club, match):
    """Every address where the match of a hidden player is shown, acted on or counted."""
    day, own, person = club.evening.held_on.isoformat(), f"matchs/{match.pk}", club.shy.address
    acts = ("", "saisir/", "confirmer/", "accord/", "accord/?non", "contester/", "absence/")
    yield from (f"{own}/{act}" for act in (*acts, "pourquoi/"))
    yield from ("", "ma-soiree/", "ma-soiree/carte/", f"ma-soiree/bilan/{day}/")
    yield from (f"soirees/{day}/", f"soirees/{day}/direct/", f"soirees/{day}/ecran/", "classement/")
    yield f"joueurs/{club.other.address}/contre/{person}/"
    yield f"j/{club.shy.number}/{pins.seal_of(club.shy)}/"
    yield from (f"api/v1/matches/{match.pk}", f"api/v1/matches/{match.pk}/why")
    yield f"api/v1/evenings/{day}/1/matches"


POSTED = {
    "saisir/": [{"mine": 410, "theirs": 390}, {"mine": "x", "theirs": ""}],
    "confirmer/": [{"version": 0}, {"version": 2}],
    "accord/": [{"pin": "0000", "version": 1}],
    "contester/": [{"words": "", "version": 0}, {"words": "faux", "mine": 1, "theirs": 2}],
    "absence/": [{"version": 0}],
    "a-table/": [{}],
}
"""Forms of a player, right and wrong, late and early."""


def read_by(browser, club, match, *, acts):
    """Return address and text of every answer: pages and data, then the answers to each form."""
    waiting = [f"/c/faizers/{address}" for address in addresses_of(club, match)]
    seen = set()
    while waiting:
        address = waiting.pop(0)
        if address in seen:  # several lead to the login, or back to the match
            continue
        seen.add(address)
        answer = browser.get(address)
        assert answer.status_code < 500, address
        yield address, text_of(answer)
        if "Location" in answer:
            waiting.append(urljoin(address, answer["Location"]))
    for act, forms in POSTED.items() if acts else ():
        for form in forms:
            answer = browser.post(f"/c/faizers/matchs/{match.pk}/{act}", form, follow=True)
            assert answer.status_code < 500, (act, form)
            yield f"POST {act} {form}", text_of(answer)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("reader", ["visitor", "guest", "opponent", "bystander"])
def test_every_card_of_a_match_names_a_hidden_player_as_the_reader_may(
    house, as_user, reader, state
):
    house.other = house.guest if reader == "guest" else house.members[1]
    browser = {
        "visitor": lambda: as_user(None),
        "guest": lambda: phone_of(house.guest),
        "opponent": lambda: as_user(house.members[1].user),
        "bystander": lambda: as_user(house.members[2].user),
    }[reader]()
    is_member = reader in ("opponent", "bystander")
    with time_machine.travel(house.at + timedelta(minutes=1), tick=False):
        match, (shy, other) = house.match(house.shy, house.other)
        state(house, match, shy, other)
        acts = reader in ("guest", "opponent")
        read = list(read_by(browser, house, match, acts=acts))
    for word in ("Fayocanari",) if is_member else HIDDEN:
        leaks = sorted({address for address, text in read if folded(word) in text})
        assert leaks == [], word
    shown = folded("Zazoune F." if is_member else "Z.F.")
    assert sum(shown in text for _address, text in read) > 3


@pytest.mark.parametrize("is_guest", [False, True])
@pytest.mark.parametrize("state", STATES)
def test_what_is_sent_about_a_match_names_a_hidden_player_as_its_reader_may(
    house, state, is_guest, after_commit
):
    """Notifications, mails and events of the other player and of everybody."""
    house.other = house.guest if is_guest else house.members[1]
    Member.objects.filter(pk=house.guest.pk).update(email="solene@example.org")
    house.guest.refresh_from_db()
    with after_commit():
        match, (shy, other) = house.match(house.shy, house.other)
        state(house, match, shy, other)
    own = house.shy.user.email
    notices = PushNotice.objects.exclude(member=house.shy).values_list("title", "body", "path")
    sent = [" ".join(notice) for notice in notices]
    sent += [f"{one.subject} {one.body}" for one in mail.outbox if one.to != [own]]
    sent += [str(payload) for payload in LiveEvent.objects.values_list("payload", flat=True)]
    hidden = HIDDEN if is_guest else ("Fayocanari",)
    assert not [text for text in sent for word in hidden if folded(word) in folded(text)]
    assert (state in DECIDED) is any(one.to != [own] for one in mail.outbox)


def test_an_invitation_names_who_invites_as_a_visitor_may_read_them(house, after_commit):
    by = Actor(house.shy.user, house.shy, COMMITTEE)
    with after_commit():
        invitations.send(
            organisation=house.organisation,
            addresses=[addresses.Address(1, "new@example.org")],
            language="fr",
            link=lambda token: f"/i/{token}/",
            by=by,
            at=house.at,
        )
    (sent,) = mail.outbox
    preview = invitations.words(house.organisation, "fr", house.at, by)
    for text in (f"{sent.subject} {sent.body}", " ".join(preview)):
        assert "Z.F. vous invite" in text and "Zazoune" not in text


def test_a_wrong_code_on_a_guests_phone_does_not_tell_the_hidden_name(house):
    match, (shy, other) = house.match(house.shy, house.guest)
    waits_for_them(house, match, shy, other)
    match.refresh_from_db()
    pins.set_pin(member=house.shy, pin="4821", by=house.committee, at=house.at)
    page, wrong = f"/c/faizers/matchs/{match.pk}/accord/", {"pin": "0000", "version": match.version}
    with time_machine.travel(house.at + timedelta(minutes=1), tick=False):
        text = text_of(phone_of(house.guest).post(page, wrong))
    assert folded("Code faux") in text
    assert not [word for word in HIDDEN if folded(word) in text]
