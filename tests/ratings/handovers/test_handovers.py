"""A club's competition in the officer's inbox: handed over, returned, accepted, corrected."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from types import SimpleNamespace

import pytest
from django.core import mail
from django.urls import reverse

from clubs.accounts.actor import Refused
from clubs.accounts.models import User
from clubs.journal.models import JournalEntry
from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons import actions as persons
from clubs.persons.models import MemberLink
from ratings import registries
from ratings.competitions import actions as competitions
from ratings.competitions.models import CompetitionDraft
from ratings.editions import actions as editions
from ratings.editions.sources import ListSource
from ratings.handovers import actions as handovers
from ratings.handovers import corrections, documents, queries
from ratings.handovers.documents import Competition
from ratings.handovers.forms import InviteForm
from ratings.handovers.models import Delivery, HandOver
from ratings.handovers.queries import lists_open_to
from ratings.home_blocks import awaiting_officer
from ratings.ledger import corrections as ledger_corrections
from ratings.ledger import origins, settlement
from ratings.ledger.models import Period, RatedGame, RatingList
from ratings.systems.protocol import Game
from tests.clubhouse import make_club
from tests.printed_fields import Printed

pytestmark = pytest.mark.django_db
OFFICIAL = {"official": True}


@pytest.fixture
def scene():
    club, federation = make_club("club", size=4), make_club("federation", size=2)
    Organisation.objects.filter(pk=federation.organisation.pk).update(kind="federation")
    for member in club.members:  # the federation's own people are called Prénom0 Nom0 too
        Member.objects.filter(pk=member.pk).update(first_name=f"Ada{member.number}")
        member.refresh_from_db()
    held = federation.rating_list("glicko2", name="Glicko")
    federation.lets_feed(club, held)
    return SimpleNamespace(club=club, federation=federation, list=held, at=club.at)


def competition(scene, *scores, players=None):
    """Games between the first two members (or those named), one a score."""
    one, other = players or scene.club.members[:2]
    games = [
        Game(f"match:{n}", one.pk, other.pk, 2 if a > b else 0, a, b, position=n)
        for n, (a, b) in enumerate(scores, start=1)
    ]
    return Competition(
        scene.club.organisation,
        origins.tournament(7),
        "Open",
        scene.at.date(),
        games,
        placings=[(one.pk, 1), (other.pk, 2)],
    )


def hand_over(scene, sent, facts=OFFICIAL, *, tell=False):
    by, at = scene.club.committee, scene.at
    return handovers.hand_over(
        competition=sent, rating_list=scene.list, facts=facts, tell=tell, by=by, at=at
    )


def send(scene, *scores, facts=OFFICIAL, tell=False, **more):
    return hand_over(scene, competition(scene, *scores, **more), facts, tell=tell)


def officer(scene, act, held, **more):
    return act(handover=held, seen=held.version, by=scene.federation.committee, at=scene.at, **more)


def bring(scene, draft):
    by, at = scene.federation.committee, scene.at
    return competitions.bring(draft=draft, with_newcomers=True, by=by, at=at)


def accepted(scene, held, *, rated=True):
    period = bring(scene, officer(scene, handovers.accept, held))
    if rated:
        settlement.settle(period=period, by=scene.federation.committee, at=scene.at)
    held.refresh_from_db()
    return period


def scores(period):
    games = RatedGame.objects.filter(period=period).in_force().order_by("position")
    return [(game.first_score, game.second_score) for game in games]


def code_of(act, *args, **more):
    with pytest.raises(Refused) as refused:
        act(*args, **more)
    return refused.value.code


def test_a_club_hands_over_only_to_the_lists_opened_to_it(scene):
    assert lists_open_to(scene.club.organisation) == [scene.list]
    scene.federation.lets_feed(scene.club)
    assert lists_open_to(scene.club.organisation) == []
    assert code_of(send, scene, (400, 300)) == "no_right"


def test_nothing_is_handed_over_to_a_federation_that_is_closed(scene):
    Organisation.objects.filter(pk=scene.federation.organisation.pk).update(closed_at=scene.at)
    assert lists_open_to(scene.club.organisation) == []
    assert code_of(send, scene, (400, 300)) == "no_right"


def test_a_correction_still_reaches_a_federation_that_closed_meanwhile(scene):
    """It may answer what it has once it is open again: with the results as they are then."""
    held = send(scene, (400, 300))
    Organisation.objects.filter(pk=scene.federation.organisation.pk).update(closed_at=scene.at)
    follow(scene, held)
    held.refresh_from_db()
    assert (held.state, held.delivered) == (HandOver.State.SENT, 2)


def test_a_club_that_is_closed_is_not_offered_to_be_invited(scene):
    federation, club = scene.federation.organisation, scene.club.organisation
    assert club in InviteForm(federation=federation, invited={}, chosen=None).clubs
    Organisation.objects.filter(pk=club.pk).update(closed_at=scene.at)
    assert club not in InviteForm(federation=federation, invited={}, chosen=None).clubs


def test_a_right_is_of_one_club_for_one_list(scene):
    neighbours = make_club("voisins", size=2)
    another = scene.federation.rating_list("fisf", name="Autre liste", kind="autre")
    theirs = replace(competition(scene, (400, 300)), club=neighbours.organisation)
    given = {"facts": OFFICIAL, "tell": False, "by": neighbours.committee, "at": scene.at}
    hand_over = {"competition": theirs, "rating_list": scene.list, **given}
    assert code_of(handovers.hand_over, **hand_over) == "no_right"
    scene.list, opened = another, scene.list
    assert code_of(send, scene, (400, 300)) == "no_right"
    scene.federation.lets_feed(neighbours, opened)
    scene.federation.lets_feed(scene.club)
    assert lists_open_to(neighbours.organisation) == [opened]
    assert lists_open_to(scene.club.organisation) == []


def test_a_federation_opens_and_closes_its_own_lists_alone(scene):
    club, elsewhere = scene.club, make_club("ailleurs", size=2)
    foreign = elsewhere.rating_list("fisf", name="Liste d’ailleurs")
    assert code_of(scene.federation.lets_feed, club, foreign) == "other"
    assert code_of(scene.federation.lets_feed, scene.federation, scene.list) == "other"
    elsewhere.lets_feed(club, foreign)
    assert set(lists_open_to(club.organisation)) == {scene.list, foreign}
    scene.federation.lets_feed(club)
    assert lists_open_to(club.organisation) == [foreign]
    for _again in range(2):  # the same lists once more are no change
        scene.federation.lets_feed(club, scene.list)
    assert set(lists_open_to(club.organisation)) == {scene.list, foreign}
    entries = JournalEntry.objects.filter(verb="club_invited", organisation=scene.list.organisation)
    lists = [(entry.before["lists"], entry.after["lists"]) for entry in entries.order_by("seq")]
    pk = scene.list.pk
    assert lists == [([], [pk]), ([pk], []), ([], [pk])]


def test_the_same_tournament_is_handed_over_once(scene):
    held = send(scene, (400, 300))
    assert code_of(send, scene, (400, 300)) == "twice"
    accepted(scene, held)
    assert code_of(send, scene, (400, 300)) == "twice"
    assert HandOver.objects.count() == Delivery.objects.count() == 1
    assert Period.objects.filter(rating_list=scene.list).count() == 1
    clubs = (scene.club.organisation, scene.federation.organisation)
    assert [len(queries.last_by_list(club, [scene.list])) for club in clubs] == [1, 0]


def test_accepted_it_becomes_a_period_of_persons_linked_with_the_clubs_members(scene):
    one, other = scene.club.members[:2]
    Member.objects.filter(pk=one.pk).update(visibility=Member.INITIALS)
    persons.say_licence(
        member=other,
        federation=scene.federation.organisation,
        licence="77",
        by=scene.club.committee,
        at=scene.at,
    )
    held = send(scene, (400, 300), (310, 320))
    period = accepted(scene, held)
    assert held.state == HandOver.State.ACCEPTED and not held.is_corrected
    assert period.origin == "handed-over" and scores(period) == [(400, 300), (310, 320)]
    links = MemberLink.objects.filter(federation=scene.federation.organisation)
    told = dict(links.values_list("member_id", "person_id"))
    game = RatedGame.objects.filter(period=period).order_by("position")[0]
    assert told == {one.pk: game.first_id, other.pk: game.second_id}
    person = game.first
    assert person.is_outsider and person.visibility == Member.INITIALS
    assert game.second.person.licence == "77"
    assert scene.list.cotes.count() == 2


def test_an_officers_own_corrections_stay_where_the_club_corrects_another_game(scene):
    held = send(scene, (400, 300), (310, 320), (350, 340))
    period = accepted(scene, held)
    first, second, _third = period.games.order_by("position")
    upset = replace(first.game, first_halves=0, first_score=300, second_score=400)
    mended = ledger_corrections.change_game(period, upset)
    mended |= ledger_corrections.withdraw_game(period, second.source)
    by = {"by": scene.federation.committee, "at": scene.at}
    settlement.apply(rating_list=scene.list, correction=mended, reason="feuille relue", **by)
    again = competition(scene, (400, 300), (310, 320), (350, 345))
    handovers.follow(competition=again, by=scene.club.committee, at=scene.at)
    held.refresh_from_db()
    officer(scene, corrections.take_correction, held, reason="une faute de frappe")
    assert scores(period) == [(300, 400), (350, 345)]
    again = competition(scene, (410, 300), (310, 320), (350, 345))  # what the club changes counts
    handovers.follow(competition=again, by=scene.club.committee, at=scene.at)
    held.refresh_from_db()
    officer(scene, corrections.take_correction, held, reason="une autre")
    assert scores(period) == [(410, 300), (350, 345)]


def test_a_linked_member_keeps_their_person_in_the_next_competition(scene):
    accepted(scene, send(scene, (400, 300)))
    elsewhere = make_club("ailleurs", size=1)  # a person of another federation too
    by, at = elsewhere.committee, scene.at
    one, person = scene.club.members[0], elsewhere.members[0]
    persons.link_member(member=one, person=person, by=by, at=at)
    MemberLink.objects.filter(person=person).update(licence="their own affair")
    found = competition(scene, (500, 400))
    later = Competition(
        found.club, origins.evening(3), "Soirée", found.held_on, found.games, found.placings
    )
    held = hand_over(scene, later)
    accepted(scene, held)
    federation = scene.federation.organisation
    known = Member.objects.of(federation).filter(is_outsider=True)
    assert set(queries.persons_of(held).values()) == {row.pk for row in known}
    assert set(held.deliveries.get().document["players"].values()) == {""}
    assert known.count() == 2


@pytest.mark.parametrize("merged_first", [True, False])
def test_a_guest_who_became_a_member_of_the_club_is_one_person_in_the_list(scene, merged_first):
    """Sent as a guest and merged before an officer took it, or merged and sent as the member."""
    club = scene.club
    other, member = club.members[:2]
    guest = club.join("Solène", "Guyot", is_guest=True)
    first, second = (member, guest) if merged_first else (guest, member)
    accepted(scene, send(scene, (400, 300), players=(other, first)))
    merging.merge_guest(guest=guest, into=member, by=club.committee, at=club.at, reason="La même")
    later = competition(scene, (500, 400), players=(other, second))
    held = hand_over(scene, replace(later, origin=origins.tournament(8)))
    accepted(scene, held)
    known = Member.objects.of(scene.federation.organisation).filter(is_outsider=True)
    assert known.count() == 2
    assert scene.list.cotes.count() == 2


def test_a_guest_who_was_merged_is_sent_under_the_name_and_licence_of_the_member(scene, as_user):
    club, federation = scene.club, scene.federation.organisation
    other, member = club.members[:2]
    guest = club.join("Solène", "Guyot", is_guest=True)
    by, at = club.committee, club.at
    merging.merge_guest(guest=guest, into=member, by=by, at=at, reason="La même")
    persons.say_licence(member=member, federation=federation, licence="77", by=by, at=at)
    held = send(scene, (400, 300), players=(other, guest))
    assert held.last_delivery.document["players"][str(guest.pk)] == "77"
    desk = as_user(scene.federation.committee.user)
    page = desk.get(f"/c/federation/gestion/cotes/transmissions/{held.pk}/").content.decode()
    assert member.full_name in page and "Guyot" not in page
    period = accepted(scene, held)
    game = RatedGame.objects.get(period=period)
    assert game.second.full_name == member.full_name
    accepted_as_member = competition(scene, (500, 400), players=(other, member))
    sent = replace(accepted_as_member, origin=origins.tournament(8))
    how = {"rating_list": scene.list, "facts": OFFICIAL, "tell": False, "by": by, "at": at}
    accepted(scene, handovers.hand_over(competition=sent, **how))
    assert scene.list.cotes.count() == 2


@pytest.fixture
def page_of_club(monkeypatch):
    """Of a tournament that only its hand-over knows."""
    monkeypatch.setitem(
        registries.HANDING_PAGES, "tournament", lambda pk: f"{reverse('clubs:home')}{pk}/"
    )


@pytest.mark.usefixtures("page_of_club")
def test_a_club_that_asked_is_told_what_is_in_the_list(scene, after_commit):
    with after_commit():
        accepted(scene, send(scene, (400, 300), tell=True), rated=False)
    assert len(mail.outbox) == 1 and "dans la liste" in mail.outbox[0].body
    for score, tell, letters in ((410, False, 1), (420, True, 2)):  # as they chose it last
        held = send(scene, (score, 300), tell=tell)
        with after_commit():
            officer(scene, corrections.take_correction, held, reason="Feuille relue")
        assert len(mail.outbox) == letters


@pytest.mark.usefixtures("page_of_club")
def test_it_is_returned_with_a_reason_and_sent_again(scene, after_commit):
    held = send(scene, (400, 300), tell=True)
    User.objects.filter(pk=scene.club.committee.user.pk).update(language="en")
    assert code_of(officer, scene, handovers.send_back, held, reason=" ") == "reason_required"
    with after_commit():
        officer(scene, handovers.send_back, held, reason="Il manque l’arbitre.")
    held.refresh_from_db()
    assert held.state == HandOver.State.RETURNED and "arbitre" in held.reason
    assert [letter.to for letter in mail.outbox] == [[scene.club.committee.user.email]]
    assert "Il manque l’arbitre." in mail.outbox[0].body
    assert "to the list Glicko: returned to the club." in mail.outbox[0].body
    club = scene.club.organisation.slug
    assert f"/c/{club}/7/?liste={scene.list.pk}\n" in mail.outbox[0].body
    assert not HandOver.objects.waiting().exists()
    send(scene, (400, 300), facts={**OFFICIAL, "arbiter": "A. Pop"})
    held.refresh_from_db()
    assert held.state == HandOver.State.SENT and held.delivered == 2


def test_nobody_is_written_to_who_did_not_choose_it(scene, after_commit):
    held = send(scene, (400, 300))
    with after_commit():
        officer(scene, handovers.send_back, held, reason="Non.")
    assert mail.outbox == []


def test_two_officers_at_one_inbox_do_not_both_answer(scene):
    held = send(scene, (400, 300))
    first, second = (HandOver.objects.get(pk=held.pk) for _n in range(2))
    draft = officer(scene, handovers.accept, first)
    assert code_of(officer, scene, handovers.send_back, second, reason="Non.") == "stale"
    assert code_of(officer, scene, handovers.accept, second) == "stale"
    held.refresh_from_db()
    assert held.state == HandOver.State.MATCHING
    officer(scene, handovers.send_back, held, reason="Non.")
    assert code_of(bring, scene, draft) == "stale"


def withdraw(scene, held, *, reason="Envoyée trop tôt", **more):
    by = scene.club.committee
    handovers.withdraw(handover=held, seen=held.version, reason=reason, by=by, at=scene.at, **more)


def test_a_club_withdraws_what_no_officer_has_accepted(scene):
    held = send(scene, (400, 300))
    inbox = awaiting_officer(scene.list.organisation)
    assert [words for words, _page in inbox] == ["1 transmission reçue"]
    assert code_of(withdraw, scene, held, reason=" ") == "reason_required"
    withdraw(scene, held)
    assert not list(awaiting_officer(scene.list.organisation))
    assert held.state == HandOver.State.WITHDRAWN and not HandOver.objects.waiting().exists()
    assert held.reason == "Envoyée trop tôt"
    entry = JournalEntry.objects.get(verb="hand_over_withdrawn")
    assert entry.organisation == scene.club.organisation
    assert (entry.reason, entry.at) == ("Envoyée trop tôt", scene.at)
    assert code_of(withdraw, scene, held) == "stale"
    assert code_of(officer, scene, handovers.accept, held) == "stale"
    assert code_of(officer, scene, handovers.send_back, held, reason="Non.") == "stale"


def test_what_was_withdrawn_follows_no_correction_and_may_be_sent_again(scene):
    held = send(scene, (400, 300))
    withdraw(scene, held)
    found = competition(scene, (300, 400))
    assert handovers.follow(competition=found, by=scene.club.committee, at=scene.at) == 0
    again = send(scene, (400, 300))
    assert (again.pk, again.state, again.reason) == (held.pk, HandOver.State.SENT, "")


@pytest.mark.parametrize("rated", [None, False, True])
def test_what_an_officer_accepted_is_not_withdrawn_any_more(scene, rated):
    held = send(scene, (400, 300))
    if rated is None:
        officer(scene, handovers.accept, held)
    else:
        accepted(scene, held, rated=rated)
    state = held.state
    assert code_of(withdraw, scene, held) == "taken"
    held.refresh_from_db()
    assert held.state == state


@pytest.mark.parametrize("first", ["withdraw", "accept"])
def test_of_a_withdrawal_and_an_acceptance_at_once_one_counts(scene, first):
    sent = send(scene, (400, 300))
    club_copy, officer_copy = (HandOver.objects.get(pk=sent.pk) for _n in range(2))
    if first == "withdraw":
        withdraw(scene, club_copy)
        assert code_of(officer, scene, handovers.accept, officer_copy) == "stale"
    else:
        officer(scene, handovers.accept, officer_copy)
        assert code_of(withdraw, scene, club_copy) == "taken"
    sent.refresh_from_db()
    assert (sent.draft is None) == (first == "withdraw")
    assert CompetitionDraft.objects.count() == (first == "accept")
    done = {"hand_over_withdrawn", "hand_over_accepted"}
    assert JournalEntry.objects.filter(verb__in=done).count() == 1


def follow(scene, held):
    found = competition(scene, (300, 400))
    assert handovers.follow(competition=found, by=scene.club.committee, at=scene.at) == 1
    entry = JournalEntry.objects.get(verb="hand_over_corrected")
    assert entry.subject == f"handover:{held.pk}"


def tell(scene, held, member):
    """Say that a player whom the club adds is a new person of the federation."""
    officer(scene, handovers.tell_players, held, people={member.pk: None})


def drop(scene, period):
    competitions.drop(period=period, reason="r", by=scene.federation.committee, at=scene.at)


@pytest.mark.parametrize(
    "act",
    [
        withdraw,
        follow,
        lambda scene, held: send(scene, (410, 300)),
        lambda scene, held: officer(scene, handovers.accept, held),
        lambda scene, held: officer(scene, handovers.send_back, held, reason="Non."),
        lambda scene, held: accepted(scene, held, rated=False),
        lambda scene, held: tell(scene, held, scene.club.members[2]),
        lambda scene, held: drop(scene, accepted(scene, held, rated=False)),
    ],
    ids=["withdrawn", "followed", "sent again", "accepted", "returned", "brought in", "told"]
    + ["given up"],
)
def test_an_act_on_a_hand_over_changes_no_other_that_was_sent(scene, act):
    held = send(scene, (400, 300))
    how = {"rating_list": scene.list, "facts": OFFICIAL, "tell": False}
    how |= {"by": scene.club.committee, "at": scene.at}
    for origin in (origins.tournament(8), origins.evening(7)):
        other = replace(competition(scene, (400, 300)), origin=origin)
        handovers.hand_over(competition=other, **how)
    rows = HandOver.objects.order_by("pk")
    before = {row["id"]: row for row in rows.values()}
    act(scene, held)
    assert [row["id"] for row in rows.values() if row != before[row["id"]]] == [held.pk]
    assert Delivery.objects.exclude(hand_over=held).count() == 2


def test_what_is_accepted_is_what_was_read(scene):
    read = send(scene, (400, 300))
    send(scene, (410, 300))
    assert code_of(officer, scene, handovers.accept, read) == "stale"
    assert code_of(officer, scene, handovers.send_back, read, reason="Non.") == "stale"
    assert code_of(withdraw, scene, read) == "stale"
    newest = HandOver.objects.get()
    officer(scene, handovers.send_back, newest, reason="Non.")
    entry = JournalEntry.objects.get(verb="hand_over_returned")
    assert (entry.organisation, entry.reason) == (scene.list.organisation, "Non.")


def test_a_correction_while_the_names_are_told_takes_the_draft_back(scene):
    held = send(scene, (400, 300))
    draft = officer(scene, handovers.accept, held)
    handovers.follow(
        competition=competition(scene, (300, 400)), by=scene.club.committee, at=scene.at
    )
    assert code_of(bring, scene, draft) == "stale"
    held.refresh_from_db()
    assert held.state == HandOver.State.SENT and held.delivered == 2
    assert scores(accepted(scene, held)) == [(300, 400)]


def test_a_correction_before_the_rating_is_posted_and_outdates_the_dry_run(scene):
    held = send(scene, (400, 300), (350, 300))
    period = accepted(scene, held, rated=False)
    before = RatingList.objects.get(pk=scene.list.pk).version
    handovers.follow(
        competition=competition(scene, (300, 400)), by=scene.club.committee, at=scene.at
    )
    held.refresh_from_db()
    assert held.is_corrected and scores(period) == [(400, 300), (350, 300)]
    officer(scene, corrections.take_correction, held, reason="Feuille relue")
    assert scores(period) == [(300, 400)]
    assert RatingList.objects.get(pk=scene.list.pk).version > before


def test_a_correction_after_the_rating_is_proposed_then_replayed(scene):
    held = send(scene, (400, 300))
    period = accepted(scene, held)
    cotes = dict(scene.list.cotes.values_list("member_id", "shown"))
    sent = handovers.follow(
        competition=competition(scene, (300, 400)), by=scene.club.committee, at=scene.at
    )
    assert sent == 1
    held.refresh_from_db()
    assert held.is_corrected and HandOver.objects.waiting().get() == held
    assert scores(period) == [(400, 300)]
    older = HandOver.objects.get()
    handovers.follow(
        competition=competition(scene, (310, 400)), by=scene.club.committee, at=scene.at
    )
    take = partial(officer, scene, corrections.take_correction, reason="Feuille relue")
    assert code_of(take, older) == "stale"
    held.refresh_from_db()
    take(held)
    held.refresh_from_db()
    assert not held.is_corrected and scores(period) == [(310, 400)]
    assert dict(scene.list.cotes.values_list("member_id", "shown")) != cotes
    entry = JournalEntry.objects.get(verb="hand_over_accepted", reason="Feuille relue")
    assert entry.organisation == scene.list.organisation
    assert code_of(take, held) == "stale"


def test_a_proposed_correction_may_be_returned_and_the_list_stays(scene):
    held = send(scene, (400, 300))
    period = accepted(scene, held)
    handovers.follow(
        competition=competition(scene, (300, 400)), by=scene.club.committee, at=scene.at
    )
    held.refresh_from_db()
    officer(scene, handovers.send_back, held, reason="La feuille dit autre chose.")
    held.refresh_from_db()
    assert held.state == HandOver.State.ACCEPTED and not held.is_corrected
    assert scores(period) == [(400, 300)] and held.reason
    assert held.draft is not None, "what says where its tables are split"


def test_nothing_is_delivered_where_no_result_changed(scene):
    send(scene, (400, 300))
    sent = handovers.follow(
        competition=competition(scene, (400, 300)), by=scene.club.committee, at=scene.at
    )
    assert sent == 0 and Delivery.objects.count() == 1


def test_a_correction_with_a_new_player_asks_who_they_are(scene):
    held = send(scene, (400, 300))
    period = accepted(scene, held)
    third = scene.club.members[2]
    persons.say_licence(  # which is nobody's in the federation
        member=third,
        federation=scene.federation.organisation,
        licence="77",
        by=scene.club.committee,
        at=scene.at,
    )
    found = competition(scene, (400, 300), players=(scene.club.members[0], third))
    handovers.follow(competition=found, by=scene.club.committee, at=scene.at)
    held.refresh_from_db()
    assert code_of(corrections.correction_of, held, [period]) == "unknown_player"
    older = HandOver.objects.get(pk=held.pk)
    tell(scene, held, third)
    assert code_of(tell, scene, older, third) == "stale"
    entry = JournalEntry.objects.get(verb="names_chosen")
    assert entry.organisation == scene.list.organisation
    officer(scene, corrections.take_correction, held, reason="Autre adversaire")
    game = RatedGame.objects.filter(period=period).in_force().get()
    assert game.second.full_name == third.full_name and game.second.is_outsider


def test_each_player_whom_a_correction_adds_is_told_beside_their_name(scene, as_user):
    held = send(scene, (400, 300))
    accepted(scene, held)
    third, fourth = scene.club.members[2:4]
    found = competition(scene, (400, 300), players=(third, fourth))
    handovers.follow(competition=found, by=scene.club.committee, at=scene.at)
    held.refresh_from_db()
    desk = as_user(scene.federation.committee.user)
    page = f"/c/federation/gestion/cotes/transmissions/{held.pk}/"
    assert Printed(desk.get(page), "id_key0").attributes["value"] == str(third.pk)
    sent = {"act": "relier", "seen": held.version, "key0": third.pk, "key1": fourth.pk}
    wrong = desk.post(page, sent | {"who0": "0", "who1": "number", "number1": "99999"})
    assert wrong.status_code == 422 and Printed(wrong, "id_number1").is_refused
    assert wrong.context["name_forms"][0].new_player.data["selected"]
    unsaid = desk.post(page, sent | {"who0": "0"})
    assert unsaid.status_code == 422 and "Dites qui est ce joueur." in unsaid.content.decode()
    unreadable = desk.post(page, {"act": "relier", "seen": held.version, "key0": "0", "who0": "0"})
    assert unreadable.status_code == 422 and "inconnu" in unreadable.content.decode()
    known = scene.federation.members[1]
    assert desk.post(page, sent | {"who0": "0", "who1": known.pk}).status_code == 302
    persons = queries.persons_of(HandOver.objects.get())
    assert persons[fourth.pk] == known.pk and third.pk in persons


def test_a_competition_that_is_not_official_is_kept_and_not_rated(scene):
    held = send(scene, (400, 300), facts={"official": False, "why_not": "amical"})
    period = accepted(scene, held)  # settling it rates nothing
    assert held.state == HandOver.State.ACCEPTED and held.accepted == 1
    assert period.games.count() == 1 and not period.entries.exists()
    assert scene.list.periods.shown().get() == period
    assert not scene.list.periods.waiting_for_the_officer().exists()


def test_two_namesakes_stay_two_players(scene):
    one, other = scene.club.members[:2]
    for member in (one, other):
        Member.objects.filter(pk=member.pk).update(first_name="Ana", last_name="Pop")
    period = accepted(scene, send(scene, (400, 300)))
    game = RatedGame.objects.get(period=period)
    assert game.first_id != game.second_id
    assert {game.first.full_name, game.second.full_name} == {"Ana Pop"}


def test_places_are_handed_to_a_list_of_places(scene):
    found = competition(scene, (400, 300))
    content = documents.content_of(
        found, RatingList(organisation=scene.federation.organisation, system="romania")
    )
    members = Member.objects.in_bulk([int(pk) for pk in content["players"]])
    rows, keys = documents.rows_of(content, members)
    assert [row[0] for row in rows] == ["place", "1", "2"] and len(keys) == 2
    (first, _one), (second, _two) = content["placings"]
    later = documents.changes(content, {**content, "placings": [[first, 3]]})
    assert [(c.players, c.before, c.after) for c in later] == [
        ((first,), 1, 3),
        ((second,), 2, None),
    ]


def test_a_game_that_differs_is_read_as_it_was_and_as_it_is():
    game = {"key": "a", "first": 1, "second": 2, "first_halves": 2, "round": "1"}
    game |= {"first_score": None, "second_score": None}
    scored = {**game, "key": "b", "first_score": 3, "second_score": 2}
    changes = documents.changes({"games": [game]}, {"games": [{**game, "first_halves": 1}, scored]})
    assert [(c.before, c.after) for c in changes] == [("1 – 0", "½ – ½"), (None, "3 – 2")]


def test_a_match_of_two_winning_games_arrives_game_by_game(scene):
    found = competition(scene, (400, 300), (300, 400), (410, 380))
    games = [replace(game, facts={"round": 1}) for game in found.games]
    held = hand_over(scene, replace(found, games=games))
    period = accepted(scene, held)
    assert scores(period) == [(400, 300), (300, 400), (410, 380)]
    assert period.entries.first().after["games"] == 3


def test_the_clubs_word_does_not_stand_for_the_time_that_the_document_asks(scene):
    scene.list.system = "fesa"
    scene.list.save()
    told = {**OFFICIAL, "minutes": 10, "byoyomi": 0, "arbiter": "A. Pop"}
    held = send(scene, (1, 0), facts=told)
    with pytest.raises(Refused, match="non officielles"):
        accepted(scene, held)
    assert held.facts == told  # the club reads again what it said


def test_the_officer_says_where_the_new_players_of_a_hand_over_start(scene, as_user):
    scene.list.system = "absp"
    scene.list.save()
    period = accepted(scene, send(scene, (400, 300)), rated=False)
    settle = {"period": period, "by": scene.federation.committee, "at": scene.at}
    assert code_of(settlement.settle, **settle) == "event_refused"  # "Donnez une cote estimée"
    scene.list.refresh_from_db()
    seen, desk = scene.list.version, as_user(scene.federation.committee.user)
    run = f"/c/federation/gestion/cotes/{scene.list.slug}/calcul/{period.pk}/"
    page = f"{run}joueurs/"
    assert f'href="{page}"' in desk.get(run).content.decode()
    game = period.games.get()
    stranger = scene.federation.members[0]
    for typed, why in ((f"{stranger.number}; 120", "inconnu"), ("Ada101 Nom0", "2 champs")):
        refused = desk.post(page, {"guesses": typed, "seen": seen})
        assert refused.status_code == 422 and why in Printed(refused, "id_guesses").error
    told = {"guesses": f"{game.first.number}; 120", "seen": seen}
    assert desk.post(page, told).status_code == 302
    line = JournalEntry.objects.get(verb="newcomers_declared")
    guess = {str(game.first_id): {"guess": "120"}}
    assert line.actor == scene.federation.committee.user
    assert line.after == {"list": scene.list.slug, "players": guess}
    assert (
        desk.post(page, {"guesses": "", "seen": seen}).status_code == 422
    )  # another officer's page
    again = desk.get(page).context["form"]
    assert again.initial["guesses"] == f"{game.first.number}; 120"
    scene.list.refresh_from_db()
    assert scene.list.version > seen
    period.refresh_from_db()
    moved = settlement.settle(**settle)
    assert {entry.member_id: entry.shown_after for entry in moved}[game.second_id] == 80
    scene.list.refresh_from_db()
    late = desk.post(page, {"guesses": "", "seen": scene.list.version})
    assert late.status_code == 422 and "vient de changer" in late.content.decode()


def test_a_competition_that_was_refused_is_not_called_counted(scene, as_user):
    scene.list.system = "absp"
    scene.list.save()
    period = accepted(scene, send(scene, (400, 300)), rated=False)
    scene.list.refresh_from_db()
    run = f"/c/federation/gestion/cotes/{scene.list.slug}/calcul/{period.pk}/"
    desk = as_user(scene.federation.committee.user)
    refused = desk.post(run, {"act": "valider", "seen": scene.list.version})
    page = refused.content.decode()
    assert refused.status_code == 422 and "Donnez une cote estimée" in page
    assert "Cette compétition est comptée" not in page and "Calcul à blanc" in page


def test_both_journals_say_it(scene):
    held = send(scene, (400, 300))
    accepted(scene, held)
    verbs = JournalEntry.objects.filter(subject=f"handover:{held.pk}").order_by("pk")
    assert [(e.organisation.slug, e.verb) for e in verbs] == [
        ("club", "handed_over"),
        ("federation", "hand_over_accepted"),
    ]


def test_a_tournament_decided_as_two_tables_arrives_as_two(scene):
    scene.list.system = "fesa"
    scene.list.save()
    found = competition(scene, (1, 0), (1, 0), (1, 0))
    rounds = [replace(game, facts={"round": n}) for n, game in enumerate(found.games, start=1)]
    byes = [(scene.club.members[2].pk, 2, "3")]

    def sent(*games):
        parts = replace(found, games=games, byes=byes, split_after=2)
        facts = {**OFFICIAL, "minutes": 30, "byoyomi": 30, "arbiter": "A. Pop"}
        return hand_over(scene, parts, facts)

    held = sent(*rounds)
    first = accepted(scene, held, rated=False)
    halves = list(Period.objects.in_order())
    assert halves[0] == first and [half.label for half in halves] == ["Open (1/2)", "Open (2/2)"]
    assert [half.games.count() for half in halves] == [2, 1]

    # A correction goes to the half of its round, also when one half is rated already.
    settlement.settle(period=first, by=scene.federation.committee, at=scene.at)
    held = sent(rounds[0], replace(rounds[1], first_score=5), replace(rounds[2], first_halves=0))
    officer(scene, corrections.take_correction, held, reason="Feuille relue")
    assert scores(halves[0]) == [(1, 0), (5, 0)]
    assert halves[1].games.in_force().get().first_halves == 0
    assert halves[0].games.filter(source=rounds[0].key).count() == 1, "nothing changed in it"
    alone = queries.persons_of(held)[byes[0][0]]
    facts = Period.objects.in_order().values_list("facts", flat=True)
    assert [half.get("byes", []) for half in facts] == [[], [[alone, 2, "3"]]]


def test_a_game_that_the_officer_added_outlives_a_correction_of_the_club(scene):
    period = accepted(scene, send(scene, (400, 300)))
    game = period.games.get().game
    wish = ledger_corrections.add_game(period, replace(game, position=9))
    by, at = scene.federation.committee, scene.at
    settlement.apply(rating_list=scene.list, correction=wish, by=by, at=at, reason="Barrage")
    held = send(scene, (410, 300), (300, 320))
    officer(scene, corrections.take_correction, held, reason="Feuille relue")
    assert scores(period) == [(410, 300), (300, 320), (400, 300)]


def test_a_list_that_takes_whole_tables_never_gets_two(scene):
    found = replace(competition(scene, (400, 300)), split_after=2)
    assert "split_after" not in documents.content_of(found, scene.list)


def test_a_club_reads_why_its_own_competition_was_taken_out(scene):
    sent = [send(scene, (400, 300))]
    other = replace(competition(scene, (300, 400)), origin=origins.tournament(8))
    how = {"rating_list": scene.list, "facts": OFFICIAL, "tell": False}
    how |= {"by": scene.club.committee, "at": scene.at}
    sent.append(handovers.hand_over(competition=other, **how))
    periods = [accepted(scene, held) for held in sent]
    for period, reason in zip(periods, ("Horloges", "Salle"), strict=True):
        wish = ledger_corrections.remove_event(period)
        by, at = scene.federation.committee, scene.at
        settlement.apply(rating_list=scene.list, correction=wish, by=by, at=at, reason=reason)
    gone = HandOver.objects.told().order_by("pk")
    assert [corrections.why_gone(held) for held in gone] == ["Horloges", "Salle"]
    assert code_of(send, scene, (410, 300)) == "removed"


def test_another_name_or_day_is_sent_until_a_list_has_the_competition(scene):
    """The club reopened its tournament and corrected nothing but its last day."""
    later = scene.at.date() + timedelta(days=1)
    by, at = scene.club.committee, scene.at
    named = replace(competition(scene, (400, 300)), label="Open d’hiver")
    held = send(scene, (400, 300))
    assert handovers.follow(competition=named, by=by, at=at) == 1
    how = {"rating_list": scene.list, "facts": OFFICIAL, "tell": False, "by": by, "at": at}
    held = handovers.hand_over(competition=replace(named, held_on=later), **how)
    assert (held.label, held.held_on, held.delivered) == ("Open d’hiver", later, 3)
    period = accepted(scene, held)
    assert (period.label, period.held_on) == ("Open d’hiver", later)
    assert handovers.follow(competition=competition(scene, (400, 300)), by=by, at=at) == 0
    held.refresh_from_db()
    assert (held.label, held.held_on) == ("Open d’hiver", later)  # as the list has it


@pytest.mark.parametrize("given_up", [1, 2])
def test_a_correction_leaves_out_the_table_that_an_officer_gave_up(scene, given_up):
    scene.list.system = "fesa"
    scene.list.save()
    found = competition(scene, (1, 0), (1, 0), (1, 0))
    rounds = [replace(game, facts={"round": n}) for n, game in enumerate(found.games, start=1)]
    by, at = scene.federation.committee, scene.at
    told = {**OFFICIAL, "minutes": 30, "byoyomi": 30, "arbiter": "A. Pop"}
    how = {"rating_list": scene.list, "facts": told, "tell": False}
    how |= {"by": scene.club.committee, "at": at}
    byes = [(scene.club.members[2].pk, 2, "1")]
    sent = replace(found, games=rounds, byes=byes, split_after=2)
    period = accepted(scene, handovers.hand_over(competition=sent, **how), rated=False)
    halves = list(Period.objects.in_order())
    assert halves[0] == period
    competitions.drop(period=halves[given_up - 1], reason="À part", by=by, at=at)
    corrected = [replace(game, first_halves=0, first_score=0, second_score=1) for game in rounds]
    held = handovers.hand_over(competition=replace(sent, games=corrected, byes=[]), **how)
    officer(scene, corrections.take_correction, held, reason="Feuille relue")
    kept = halves[2 - given_up]
    kept.refresh_from_db()
    assert scores(kept) == [(0, 1)] * given_up
    assert "byes" not in kept.facts or kept.facts["byes"] == []


def test_rounds_played_after_a_list_took_the_first_half_are_of_its_only_table(scene):
    scene.list.system = "fesa"
    scene.list.save()
    found = competition(scene, (1, 0), (1, 0))
    rounds = [replace(game, facts={"round": n}) for n, game in enumerate(found.games, start=1)]
    told = {**OFFICIAL, "minutes": 30, "byoyomi": 30, "arbiter": "A. Pop"}
    how = {"rating_list": scene.list, "facts": told, "tell": False}
    how |= {"by": scene.club.committee, "at": scene.at}
    sent = replace(found, split_after=1)
    held = handovers.hand_over(competition=replace(sent, games=rounds[:1]), **how)
    period = accepted(scene, held, rated=False)
    held = handovers.hand_over(competition=replace(sent, games=rounds), **how)
    officer(scene, corrections.take_correction, held, reason="Fin du tournoi")
    assert scores(period) == [(1, 0), (1, 0)]


def handed_over(scene, on=None):
    """The checklist's line of what waits in the inbox: its state and what it names."""
    source = ListSource(scene.list)
    lines = source.checks(scene.federation.organisation, on=on)
    return [(line.state, line.hint) for line in lines if line.code == "handed_over"]


def test_the_checklist_of_a_publication_names_what_waits_in_the_inbox(scene):
    held, day = send(scene, (400, 300)), scene.at.date()
    assert handed_over(scene) == handed_over(scene, day) == [("warn", "Open")]
    assert handed_over(scene, day - timedelta(days=1)) == []  # it changes nothing of that day
    officer(scene, handovers.accept, held)
    assert handed_over(scene) == [("warn", "Open")]
    held.refresh_from_db()
    draft = CompetitionDraft.objects.get(pk=held.draft_id)
    settlement.settle(period=bring(scene, draft), by=scene.federation.committee, at=scene.at)
    assert handed_over(scene) == []
    send(scene, (400, 350))
    assert handed_over(scene) == [("warn", "Open")]
    assert not editions.propose(scene.federation.organisation, scene.list, today=day).blocked


def test_what_is_not_official_changes_no_publication(scene):
    send(scene, (400, 300), facts={"official": False, "why_not": "amicale"})
    assert handed_over(scene) == []
