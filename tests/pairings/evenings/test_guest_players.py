"""A guest is a full player for the evening, by the phone with which they arrived and no other."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from clubs.accounts.actor import PLAYER, Actor
from clubs.accounts.device import remember_device
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.invitations import actions as invitations
from clubs.members.merging import confirm_guest
from clubs.members.models import Member
from clubs.members.models_access import Invitation, JoinRequest
from clubs.notifications.models import PushSubscription
from pairings.evenings.admission import guests, presence
from pairings.evenings.models import CheckIn, GuestRequest
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.players import merging
from pairings.rules.match_state import Result, Status
from tests.clubhouse import account
from tests.pages import url
from tests.permissions.access import PHONE

pytestmark = pytest.mark.django_db
PAUSE = "/ma-soiree/pause/"


def arrive(club, name: str = "Solène") -> tuple[Client, Member]:
    phone = Client()
    door = url("checkin", code=club.evening.door_code)
    assert phone.post(door, {"first_name": name, "last_name": "B"}).status_code == 302
    return phone, Member.objects.get(first_name=name)


def phone_of(member: Member) -> Client:
    """A phone that remembers this member since their arrival."""
    phone, answer = Client(), HttpResponse()
    remember_device(answer, member)
    phone.cookies.update(answer.cookies)
    return phone


@pytest.fixture
def open_door(club):
    club.evening = guests.set_wait(evening=club.evening, on=False, by=club.arbiter, at=club.at)
    return club


@pytest.fixture
def guest(open_door):
    return arrive(open_door)


def card(phone: Client) -> str:
    return phone.get(url("my_evening")).content.decode()


@pytest.mark.parametrize("waits", [False, True])
def test_a_guest_finds_their_evening_from_every_page(club, waits):
    guests.set_wait(evening=club.evening, on=waits, by=club.arbiter, at=club.at)
    phone, door = Client(), url("checkin", code=club.evening.door_code)
    assert phone.post(door, {"first_name": "Solène", "last_name": "B"}).status_code == 302
    assert GuestRequest.objects.filter(member=None).count() == int(waits)
    link = f'href="{url("my_evening")}"'
    pages = ("pairings:ranking", "pairings:player_list", "pairings:evening_list", "clubs:rules")
    for name in (*pages, "clubs:home", "clubs:help", "pairings:tournament_list"):
        page = phone.get(reverse(name)).content.decode()
        header, bar = page.split("</header>")[0], page.split('class="bottom-bar"')[1]
        assert link in header and link in bar, name
        assert link not in Client().get(reverse(name)).content.decode(), name


def test_a_phone_that_only_remembers_its_member_finds_the_evening_and_the_way_in(club):
    match, (one, _other) = club.match()
    phone, link = phone_of(one.member), f'href="{url("my_evening")}"'
    with CaptureQueriesContext(connection) as asked:
        page = phone.get(reverse("pairings:ranking")).content.decode()
    assert sum('"device_version" = ' in query["sql"] for query in asked) == 1, "read once a page"
    assert link in page.split("</header>")[0] and link in page.split('class="bottom-bar"')[1]
    way_in = f'href="{reverse("account_login")}?next={url("my_evening")}"'
    for status in (Status.PROPOSED, Status.PLAYING):
        Match.objects.filter(pk=match.pk).update(status=status, started_at=club.at)
        assert way_in in phone.get(url("my_card")).content.decode(), status


def test_a_phone_that_only_remembers_its_member_offers_what_it_can_do(club):
    """It pauses nobody and calls nobody back: it leads to signing in, or to the code of the door."""
    member = club.members[0]
    phone, by = phone_of(member), club.player(member)
    sign_in = f'href="{reverse("account_login")}?next={url("my_evening")}"'
    code = f'href="{url("checkin_code")}"'
    for act, way_on in ((None, sign_in), (presence.pause, sign_in), (presence.go_home, code)):
        if act is not None:
            act(evening=club.evening, member=member, by=by, at=club.at)
        page = phone.get(url("my_card")).content.decode()
        assert way_on in page and "<form" not in page, act


def test_a_guest_pauses_comes_back_leaves_and_returns(open_door, guest):
    phone, member = guest
    assert PAUSE in card(phone)
    steps = [
        ("pause", "Vous êtes en pause"),
        ("pret", "Vous attendez un adversaire"),
        ("partir", "Vous avez terminé pour ce soir"),
        ("revenir", "Vous attendez un adversaire"),
    ]
    for act, words in steps:
        assert phone.post(url("my_act", act=act)).status_code == 302
        assert words in card(phone), act
    assert CheckIn.objects.filter(member=member).count() == 1


def test_a_member_of_another_club_plays_here_as_a_guest(open_door, other_club, as_user):
    phone = as_user(other_club.members[0].user)
    door = url("checkin", code=open_door.evening.door_code)
    root = f"/c/{open_door.organisation.slug}"
    page = phone.get(f"{root}{door}").content.decode()
    assert "me connecter" not in page and "n’est pas membre de ce club" in page
    assert phone.post(f"{root}{door}", {"first_name": "Solène"}).status_code == 302
    assert PAUSE in phone.get(f"{root}{url('my_evening')}").content.decode()
    assert phone.post(f"{root}{PAUSE}").status_code == 302
    assert "Vous êtes en pause" in phone.get(f"{root}{url('my_card')}").content.decode()


@pytest.mark.parametrize("waits", [False, True])
def test_an_account_that_plays_as_a_guest_finds_its_evening_on_each_device(
    club, other_club, as_user, waits
):
    guests.set_wait(evening=club.evening, on=waits, by=club.arbiter, at=club.at)
    root = f"/c/{club.organisation.slug}"
    visitor, stranger = (member.user for member in other_club.members[:2])
    phone, tablet = as_user(visitor), as_user(visitor)
    door = root + url("checkin", code=club.evening.door_code)
    assert phone.post(door, {"first_name": "Solène"}).status_code == 302
    evening = root + url("my_evening")
    if waits:
        assert "L’accueil va vous admettre" in tablet.get(evening).content.decode()
        rules, other = f"{root}/regles/", as_user(stranger)
        assert f'href="{evening}"' in tablet.get(rules).content.decode()
        assert f'href="{evening}"' not in other.get(rules).content.decode()
        asked = club.evening.guest_requests.get()
        guests.admit(request=asked, by=club.arbiter, at=club.at)
    assert f'href="{evening}"' in tablet.get(f"{root}/regles/").content.decode()
    assert "Ma soirée" in tablet.get("/").content.decode()
    assert tablet.post(root + PAUSE).status_code == 302
    assert "Vous êtes en pause" in phone.get(evening).content.decode()
    assert tablet.get(f"{root}/moi/").status_code == 403  # a guest, no member
    other = as_user(stranger)
    assert "Vous êtes en pause" not in other.get(evening).content.decode()
    assert other.post(root + PAUSE).status_code == 403
    guest = Member.objects.get(first_name="Solène")
    members.link_account(member=guest, user=account("solene"), by=club.committee, at=club.at)
    assert tablet.post(root + PAUSE).status_code == 403


def test_a_guest_admitted_by_the_desk_can_act_at_once(club):
    phone = Client()
    door = url("checkin", code=club.evening.door_code)
    phone.post(door, {"first_name": "Nour", "last_name": "B"})
    asked = club.evening.guest_requests.get()
    guests.admit(request=asked, by=club.arbiter, at=club.at)
    assert PAUSE in phone.get(url("my_card")).content.decode()  # the card alone, live
    assert phone.post(url("my_act", act="pause")).status_code == 302
    assert "Vous êtes en pause" in card(phone)


def test_a_guest_sits_enters_and_the_member_confirms(open_door, guest):
    phone, member = guest
    match, (_guest, opponent) = open_door.match(member, open_door.members[0])
    assert "Je suis à table" in card(phone)
    phone.post(url("sit", match_id=match.pk))
    answer = phone.post(url("result_enter", match_id=match.pk), {"mine": "412", "theirs": "388"})
    assert answer.status_code == 302
    match.refresh_from_db()
    assert (match.status, match.submitted_by) == (Status.SUBMITTED, member)
    match_actions.confirm(match=match, by=opponent, at=open_door.at)
    match.refresh_from_db()
    assert match.status == Status.FINAL and {match.first_score, match.second_score} == {412, 388}


@pytest.mark.parametrize("answer", ["confirm", "contest"])
def test_a_guest_answers_a_result(open_door, guest, answer):
    phone, member = guest
    match, (_guest, opponent) = open_door.match(member, open_door.members[0])
    match = match_actions.enter_score(
        match=match, by=opponent, mine=400, theirs=350, key="", photo="", at=open_door.at
    )
    assert "Un résultat attend votre réponse" in card(phone)
    if answer == "confirm":
        phone.post(url("result_confirm", match_id=match.pk), {"version": match.version})
    else:
        body = {"version": match.version, "subject": "score", "mine": "351", "theirs": "400"}
        phone.post(url("result_dispute", match_id=match.pk), body)
    match.refresh_from_db()
    assert match.status == (Status.FINAL if answer == "confirm" else Status.CONTESTED)


def test_another_guest_and_a_visitor_answer_nothing(open_door, guest):
    _phone, member = guest
    other, _other_member = arrive(open_door, "Basile")
    match, (_guest, opponent) = open_door.match(member, open_door.members[0])
    match = match_actions.enter_score(
        match=match, by=opponent, mine=400, theirs=350, key="", photo="", at=open_door.at
    )
    page, body = url("result_confirm", match_id=match.pk), {"version": match.version}
    assert other.post(page, body).status_code == 404
    assert "/login/" in Client().post(page, body)["Location"]
    match.refresh_from_db()
    assert match.status == Status.SUBMITTED


def test_the_phone_of_a_member_with_an_account_still_signs_nobody_in(open_door):
    member = open_door.members[0]
    phone = phone_of(member)
    assert "/login/" in phone.post(url("my_act", act="pause"))["Location"]
    assert PAUSE not in card(phone)
    assert CheckIn.objects.get(member=member).paused_until is None
    without_account = open_door.members[1]
    Member.objects.filter(pk=without_account.pk).update(user=None)
    assert "/login/" in phone_of(without_account).post(url("my_act", act="pause"))["Location"]


def test_a_guest_who_became_a_member_plays_on_with_their_phone(open_door, guest):
    phone, member = guest
    match, _players = open_door.match(member, open_door.members[0])
    confirm_guest(member=member, by=open_door.committee, at=open_door.at)
    assert "Je suis à table" in card(phone)
    phone.post(url("result_enter", match_id=match.pk), {"mine": "412", "theirs": "388"})
    match.refresh_from_db()
    assert (match.status, match.submitted_by) == (Status.SUBMITTED, member)
    assert "Garder mes résultats" not in phone.get("/rejoindre/").content.decode()
    for name in ("clubs:me", "clubs:settings", "clubs:my_data"):
        assert "/login/" in phone.get(reverse(name))["Location"], name


def test_the_phone_of_a_new_member_works_until_the_next_evening(open_door, guest):
    phone, member = guest
    played(open_door, member)
    confirm_guest(member=member, by=open_door.committee, at=open_door.at)
    open_door.close()
    assert "Voir le bilan" in card(phone) and "Garder mes résultats" not in card(phone)
    open_door.next_evening()
    assert "/login/" in phone.post(url("my_act", act="pause"))["Location"]
    assert PAUSE not in card(phone)


def test_the_phone_of_a_new_member_ends_with_their_account(open_door, guest):
    phone, member = guest
    confirm_guest(member=member, by=open_door.committee, at=open_door.at)
    assert PAUSE in card(phone)
    members.link_account(
        member=member, user=account("solene"), by=open_door.committee, at=open_door.at
    )
    assert "/login/" in phone.post(url("my_act", act="pause"))["Location"]
    assert PAUSE not in card(phone)


def test_a_new_member_arrives_again_by_the_code(open_door, guest):
    phone, member = guest
    confirm_guest(member=member, by=open_door.committee, at=open_door.at)
    CheckIn.objects.filter(member=member).delete()
    assert phone.post(url("my_act", act="revenir"))["Location"] == url("checkin_code")


def test_a_guest_is_no_member(open_door, guest):
    """Pages and names of the club stay those of a visitor."""
    phone, _member = guest
    hidden = open_door.members[0]
    Member.objects.filter(pk=hidden.pk).update(visibility=Member.MEMBERS)
    for name in ("clubs:me", "clubs:settings", "clubs:my_data", "pairings:my_absences"):
        assert "/login/" in phone.get(reverse(name))["Location"], name
    assert hidden.full_name not in phone.get(url("player_list")).content.decode()


def shy(club) -> Member:
    """A minor who shows their name to members only."""
    fields = {"first_name": "Xenofa", "last_name": "Bulbucanari", "is_minor": True}
    member = club.members[0]
    Member.objects.filter(pk=member.pk).update(**fields, visibility=Member.MEMBERS)
    return Member.objects.get(pk=member.pk)


def steps_of(club, one: Member, other: Member):
    """Play a match of these two; yield (step, pages that `one` may read about it) at each step."""
    match, _players = club.match(one, other)
    mine, theirs = (Actor(user=row.user, member=row, role=PLAYER) for row in (one, other))
    pages = {
        name: url(name, match_id=match.pk)
        for name in ("match", "match_why", "result_enter", "result_dispute", "absence_report")
    }
    here = [url("my_evening"), url("my_card"), *pages.values()]
    yield "called", here
    enter = {"match": match, "scores": (400, 350)}
    match_actions.submit(**enter, by=mine, at=club.at)
    yield "sent", [*here, url("result_pin", match_id=match.pk)]
    Match.objects.filter(pk=match.pk).update(submitted_by=other)
    yield "to confirm", [*here, url("result_confirm", match_id=match.pk)]
    match.refresh_from_db()
    match_actions.contest(match=match, by=theirs, at=club.at, words="faux", scores=(300, 350))
    yield "contested", here
    decided = Result("played", 400, 350)
    club.decide(match, decided, "vu")
    yield "decided", here
    second, _players = club.match(one, other)
    later = [url("my_evening"), url("absence_report", match_id=second.pk)]
    reported = club.at + timedelta(hours=1)
    match_actions.claim_absence(match=second, by=theirs, at=reported)
    yield "absent", later
    match_actions.cancel(match=second, reason="fin", by=club.arbiter, at=reported)
    club.close()
    yield "over", [url("my_evening"), url("my_recap", day=club.evening.address)]


def test_a_guest_reads_an_opponent_as_a_visitor_does(open_door, guest):
    phone, member = guest
    opponent, named = shy(open_door), []
    for step, pages in steps_of(open_door, member, opponent):
        for page in pages:
            words = phone.get(page, follow=True).content.decode()
            assert "Xenofa" not in words and "Bulbucanari" not in words, (step, page)
            if "X.B." in words:
                named.append(step)
    assert set(named) == {"called", "sent", "to confirm", "contested", "decided", "absent", "over"}


def test_a_member_goes_on_reading_the_name_of_an_opponent(open_door, as_user):
    reader, opponent, named = open_door.members[1], shy(open_door), []
    for step, pages in steps_of(open_door, reader, opponent):
        for page in pages:
            if "Xenofa Bulbucanari" in as_user(reader.user).get(page, follow=True).content.decode():
                named.append(step)
    assert set(named) == {"called", "sent", "to confirm", "contested", "decided", "absent", "over"}


def test_a_guest_of_last_week_arrives_by_the_code_like_anybody(open_door, guest):
    phone, member = guest
    open_door.close()
    evening = open_door.next_evening()
    CheckIn.objects.filter(evening=evening, member=member).delete()
    answer = phone.post(url("my_act", act="revenir"))
    assert answer["Location"] == url("checkin_code")
    assert not CheckIn.objects.filter(evening=evening, member=member).exists()
    phone.post(url("checkin", code=evening.door_code))
    assert CheckIn.objects.filter(evening=evening, member=member).exists()


def test_the_guest_of_one_club_is_a_visitor_in_another(open_door, guest, neighbours, as_user):
    phone, member = guest
    here, there = (
        f"/c/{one.organisation.slug}" + url("my_act", act="pause")
        for one in (open_door, neighbours)
    )
    assert "/login/" in phone.post(there)["Location"]
    user = account("solene")
    Member.objects.filter(pk=member.pk).update(visitor=user)
    signed_in = as_user(user)
    assert [signed_in.post(act).status_code for act in (here, there)] == [302, 403]


def test_the_acts_of_a_guest_are_in_the_journal_under_their_row(open_door, guest):
    phone, member = guest
    phone.post(url("my_act", act="pause"))
    entry = JournalEntry.objects.get(organisation=open_door.organisation, verb="checked_pause")
    assert entry.member_id_of_actor == member.pk
    by = Actor(user=None, member=member, role=PLAYER)
    presence.go_home(evening=open_door.evening, member=member, by=by, at=open_door.at)


# Keeping the results

JOIN = {"first_name": "Solène", "last_name": "Bertin", "email": "solene@example.org"}


def played(club, member) -> None:
    match, (_guest, opponent) = club.match(member, club.members[0])
    by = Actor(user=None, member=member, role=PLAYER)
    match = match_actions.enter_score(
        match=match, by=by, mine=412, theirs=388, key="", photo="", at=club.at
    )
    match_actions.confirm(match=match, by=opponent, at=club.at)


def test_a_guest_who_reads_the_recap_has_one_filled_button(open_door, guest):
    phone, member = guest
    played(open_door, member)
    open_door.close()
    shown = phone.get(url("my_card")).content.decode()
    assert "Voir le bilan" in shown and "Garder mes résultats" in shown
    assert shown.count("btn--primary") == 1


def answer_of(club, as_user, request, choice: str):
    desk = as_user(club.committee.user)
    return desk.post("/gestion/demandes/", {"request": request.pk, choice: "1"}, follow=True)


def test_at_the_end_a_guest_keeps_their_results_and_the_committee_agrees_in_one_tap(
    open_door, guest, as_user
):
    phone, member = guest
    played(open_door, member)
    assert "Garder mes résultats" not in card(phone)  # the evening goes on
    phone.post(url("my_act", act="partir"))
    assert "Garder mes résultats" in card(phone)
    open_door.close()
    assert "Garder mes résultats" in card(phone)
    recap = phone.get(url("my_recap", day=open_door.evening.held_on.isoformat()))
    assert recap.context["recap"].best_score.mine == 412 and recap.context["member"] == member
    form = phone.get("/rejoindre/").content.decode()
    assert "Garder mes résultats" in form and 'value="Solène"' in form
    assert phone.post("/rejoindre/", JOIN).status_code == 200
    request = JoinRequest.objects.get()
    assert request.guest == member
    page = as_user(open_door.committee.user).get("/gestion/demandes/").content.decode()
    assert "A joué comme invité" in page
    before = Member.objects.count()
    assert (
        "garde ses résultats" in answer_of(open_door, as_user, request, "accept").content.decode()
    )
    member.refresh_from_db()
    assert (member.is_guest, member.full_name, member.email) == (
        False,
        "Solène Bertin",
        "solene@example.org",
    )
    assert Member.objects.count() == before and Match.objects.involving(member).count() == 1


def test_a_guest_accepted_at_the_end_is_invited_and_still_reads_their_evening(
    open_door, guest, as_user, after_commit
):
    phone, member = guest
    played(open_door, member)
    open_door.close()
    phone.post("/rejoindre/", JOIN)
    with after_commit():
        answer = answer_of(open_door, as_user, JoinRequest.objects.get(), "accept")
    assert "L’invitation est envoyée à solene@example.org." in answer.content.decode()
    letter = next(one for one in mail.outbox if one.to == [JOIN["email"]])
    link = next(line for line in letter.body.splitlines() if line.startswith("http"))
    assert as_user().get(link).status_code == 200
    invitation = Invitation.objects.get()
    assert invitation.member == member and invitation.mailed_at is not None
    assert list(verbs_after(open_door, "request_answered")) == ["invited"]
    assert "Voir le bilan" in card(phone)
    recap = phone.get(url("my_recap", day=open_door.evening.held_on.isoformat()))
    assert recap.context["recap"].best_score.mine == 412


def test_who_is_refused_or_needs_a_parent_is_not_invited(club, as_user):
    ask = {"organisation": club.organisation, "at": club.at, "last_name": "Petit"}
    no = invitations.ask_to_join(**ask, first_name="Ana", email="ana@example.org")
    declined = answer_of(club, as_user, no, "decline").content.decode()
    assert "Écrivez vous-même à ana@example.org" in declined
    child = {"is_child": True, "guardian_email": "ada@example.org"}
    guest = club.join("Mia", is_guest=True)
    for name, played in (("Radu", None), ("Mia", guest)):
        email = f"{name}@example.org".lower()
        young = invitations.ask_to_join(**ask, first_name=name, email=email, guest=played, **child)
        answer_of(club, as_user, young, "accept")
        member = Member.objects.get(email=email)
        assert member.awaits_guardian and member.guardian_email == "ada@example.org"
    assert not Invitation.objects.exists()


def verbs_after(club, verb: str):
    entries = JournalEntry.objects.filter(organisation=club.organisation).order_by("seq")
    return entries.filter(seq__gt=entries.get(verb=verb).seq).values_list("verb", flat=True)


def test_a_guest_confirmed_elsewhere_leaves_no_request_waiting(open_door, guest, as_user):
    phone, member = guest
    phone.post("/rejoindre/", JOIN)
    Client().post("/rejoindre/", JOIN)  # somebody else, who still waits
    confirm_guest(member=member, by=open_door.committee, at=open_door.at)
    assert JoinRequest.objects.get(guest=None).answered_at is None
    request = JoinRequest.objects.get(guest=member)
    assert (request.accepted, request.answered_by) == (True, open_door.committee.user)
    page = answer_of(open_door, as_user, request, "accept").content.decode()
    assert "déjà une réponse" in page
    member.refresh_from_db()
    assert member.email == ""


def test_nobody_gets_the_results_of_a_guest_by_their_address(open_door, guest):
    phone, member = guest
    phone.post("/rejoindre/", JOIN)
    Client().post("/rejoindre/", JOIN)
    phone.post("/rejoindre/", JOIN)
    assert sorted(JoinRequest.objects.values_list("guest", flat=True), key=str) == sorted(
        [member.pk, None], key=str
    )


def test_a_guest_who_was_a_member_all_along_is_united_with_that_member(open_door, guest, as_user):
    phone, member = guest
    known = open_door.members[3]
    Member.objects.filter(pk=known.pk).update(email=JOIN["email"])
    phone.post("/rejoindre/", JOIN)
    page = as_user(open_door.committee.user).get("/gestion/demandes/").content.decode()
    assert url("merge_guest", member_id=member.pk, into_id=known.pk) in page


def test_the_phone_of_a_guest_follows_them_into_the_member(open_door, guest):
    phone, member = guest
    phone.post("/rejoindre/", JOIN)
    phone.post("/moi/notifications/appareil/", PHONE)
    known = open_door.members[3]
    merging.unite(
        guest=member, into=known, reason="la même", by=open_door.committee, at=open_door.at
    )
    assert PushSubscription.objects.get().member == known
    assert JoinRequest.objects.get().accepted


def test_a_guest_who_is_forgotten_leaves_no_request_behind(open_door, guest):
    phone, member = guest
    phone.post("/rejoindre/", JOIN)
    members.leave(member=member, by=open_door.committee, at=open_door.at, forget=True)
    assert not JoinRequest.objects.exists()


def test_another_member_arrives_with_a_phone_that_remembers_somebody(club):
    one, other = club.members[:2]
    pins.set_pin(member=other, pin="4321", by=club.player(other), at=club.at)
    presence.go_home(evening=club.evening, member=other, by=club.arbiter, at=club.at)
    door, phone = url("checkin", code=club.evening.door_code), phone_of(one)
    assert 'name="number"' in phone.get(door).content.decode()
    assert phone.post(door, {"number": other.number, "pin": "4321"}).status_code == 302
    assert phone.get(url("my_evening")).context["card"].check_in.member == other


def test_the_phone_of_a_guest_stays_theirs(guest):
    phone, member = guest
    door = url("checkin", code=member.check_ins.get().evening.door_code)
    assert 'name="number"' not in phone.get(door).content.decode()


def test_a_phone_is_remembered_in_each_club_where_it_arrived(club, other_club):
    """Who played in one club and arrives in another the same evening is still known by the first."""
    for place in (club, other_club):
        guests.set_wait(evening=place.evening, on=False, by=place.arbiter, at=place.at)
    phone = Client()
    for place, name in ((club, "Solène"), (other_club, "Ilona"), (other_club, "Petra")):
        door = f"/c/{place.organisation.slug}{url('checkin', code=place.evening.door_code)}"
        assert phone.post(door, {"first_name": name, "last_name": "B"}).status_code == 302
    assert not Member.objects.filter(first_name="Petra").exists()  # one person's in each club
    for place, name in ((club, "Solène"), (other_club, "Ilona")):
        assert phone.post(f"/c/{place.organisation.slug}{PAUSE}").status_code == 302
        assert CheckIn.objects.get(member__first_name=name).paused_until is not None


def test_a_phone_keeps_one_member_a_club_and_the_last_ten_clubs(club, other_club):
    first, second = club.members[:2]
    elsewhere = other_club.members[0]
    links = [(first.pk, 0), (elsewhere.pk, 0)]
    phone, answer = Client(), HttpResponse()
    remember_device(answer, second, beside=links)
    phone.cookies.update(answer.cookies)
    value = phone.cookies["device"].value
    assert value.partition(":")[0] == f"{second.pk}.0-{elsewhere.pk}.0"
    remember_device(answer, second, beside=[(elsewhere.pk, 0)] * 20)
    assert answer.cookies["device"].value.partition(":")[0].count("-") == 9
