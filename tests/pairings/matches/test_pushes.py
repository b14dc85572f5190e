"""What reaches the phones of players and of nobody else, and what a locked phone shows."""

from __future__ import annotations

from datetime import datetime, time, timedelta

import pytest
import time_machine
from django.core import mail
from django.urls import reverse

from clubs.accounts.actor import Actor
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.notifications import push
from clubs.notifications.models import PushChoices, PushNotice, PushSubscription
from clubs.notifications.push_service import ServiceAway
from pairings.evenings import actions as evenings
from pairings.evenings import announcements, pairing
from pairings.matches import actions as match_actions
from pairings.matches.messages import calls
from pairings.matches.refusals import ResultRefused
from pairings.rules.match_state import Result
from tests import tournament_day
from tests.push_server import push_server
from tests.refusals import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def phones(club, settings):
    """A phone for each of the first three players, on a push service of our own."""
    settings.PUSH_LOOPBACK = True
    with push_server() as server:
        browsers = [server.browser(f"phone{n}") for n in range(3)]
        for member, browser in zip(club.members, browsers, strict=False):
            push.subscribe(member=member, endpoint=browser.endpoint, **browser.keys, at=club.at)
        yield browsers


def kinds(browser) -> list[str]:
    return [message["tag"].partition(":")[0] for message in browser.messages()]


def submitted(club, first: Member | None = None):
    match, (one, other) = club.match(first)
    entered = match_actions.enter_score(
        match=match, by=one, mine=412, theirs=388, key="", photo="", at=club.at
    )
    return entered, one, other


@pytest.mark.parametrize("days", [0, 3])
def test_a_table_of_a_later_day_says_its_day(club, phones, after_commit, as_user, days):
    tournament = tournament_day.frozen(club, 2, system="swiss", round_count=1)
    begins = tournament.starts_at + timedelta(days=days)
    tournament.rounds.update(starts_at=begins)
    with after_commit():
        tournament_day.publish(club, tournament, 1)
    told = phones[0].messages()[0]
    said = "Table 1 : lundi 23 novembre, 21:00" if days else "Table 1 : à table !"
    assert told["title"] == said and ("On vous attend" in told["body"]) == (not days)
    club.close()  # while an evening is live, the card is of the evening
    with time_machine.travel(club.at, tick=False):
        card = as_user(club.members[0].user).get("/c/faizers/ma-soiree/").content.decode()
    assert ("lundi 23\u00a0novembre, 21:00" in card) == bool(days)
    assert ("On vous y attend jusqu’à 21:15" in card) == (not days)
    match = tournament.rounds.get().matches.get()
    with pytest.raises(ResultRefused) as early:
        match_actions.claim_absence(match=match, by=club.player(match.first), at=club.at)
    assert ("lundi 23 novembre à 21:15" in str(early.value)) == bool(days)
    with time_machine.travel(club.at, tick=False):
        page = as_user(match.first.user).get(f"/c/faizers/matchs/{match.pk}/absence/")
    assert ("lundi 23\u00a0novembre, 21:00" in page.content.decode()) == bool(days)


def test_a_table_that_is_ready_reaches_its_two_players(club, phones, after_commit):
    with after_commit():
        match, _players = club.match()
    assert [kinds(phone) for phone in phones] == [["table"], ["table"], []]
    told = phones[0].messages()[0]
    assert str(match.table_number) in told["title"]
    assert "Prénom1 N." in told["body"] and "Nom1" not in told["body"]  # as on the wall
    hour = match.competition.call_ends().astimezone(club.organisation.zone)
    assert f"{hour:%H:%M}" in told["body"]
    assert told["url"] == reverse("pairings:my_evening")


def test_a_table_that_was_changed_meanwhile_is_not_called_by_a_later_try(
    club, phones, after_commit
):
    """The service is away when the table is called; once it answers, the two have other tables."""
    server, by = phones[0].server, {"by": club.arbiter, "at": club.at}
    server.answers = {phone.path: 503 for phone in phones}
    for member in club.members[:3]:
        push.choose(member=member, choices={"by_mail": False})
    with after_commit():
        (a, _two), (b, _others) = club.match(), club.match()
        calls.call_players(match=a, **by)
        pairing.swap(evening=club.evening, one=a, other=b, reason="revanche", **by)
    server.answers.clear()
    server.received.clear()
    push.sweep(at=club.at + timedelta(minutes=1))
    told = [[m["body"] for m in phone.messages() if "table" in m["tag"]] for phone in phones]
    assert [len(bodies) for bodies in told] == [1, 1, 1]
    assert [name in told[n][0] for n, name in enumerate(("Prénom3", "Prénom2", "Prénom1"))] == [
        True,
        True,
        True,
    ]
    assert not any("call" in kinds(phone) for phone in phones)


def test_a_table_that_is_taken_away_while_its_call_is_tried_is_not_called_again(
    club, phones, after_commit, monkeypatch
):
    """A service that is away is waited for: the arbiter swaps two tables meanwhile."""
    push.choose(member=club.members[0], choices={"by_mail": False})
    with after_commit():
        match, _players = club.match()
    phones[0].server.received.clear()

    def is_away(**_message):
        later = club.at + timedelta(seconds=5)
        match_actions.cancel(match=match, reason="revanche", by=club.arbiter, at=later)
        raise ServiceAway

    monkeypatch.setattr(push.push_service, "send", is_away)
    PushNotice.objects.exclude(member=match.first_id).delete()
    PushNotice.objects.update(sent_at=None)
    push.sweep(at=club.at)
    monkeypatch.undo()
    push.sweep(at=club.at + timedelta(minutes=1))
    assert phones[0].messages() == []


def test_a_player_who_shows_initials_stays_initials_on_a_locked_phone(club, phones, after_commit):
    Member.objects.filter(pk=club.members[1].pk).update(visibility=Member.INITIALS)
    with after_commit():
        club.match()
    assert "P.N." in phones[0].messages()[0]["body"]
    assert "Prénom" not in phones[0].messages()[0]["body"]


def test_a_result_to_confirm_says_until_when_and_no_score(club, phones, after_commit):
    with after_commit():
        match, _one, _other = submitted(club)
    assert kinds(phones[0]) == ["table"] and kinds(phones[1]) == ["table", "confirm"]
    told = phones[1].messages()[1]
    until = match.contest_until.astimezone(club.organisation.zone)
    assert f"{until:%H:%M}" in told["body"]
    for secret in ("412", "388", "Prénom", "Nom"):
        assert secret not in told["title"] + told["body"]
    assert told["url"] == reverse("pairings:result_confirm", kwargs={"match_id": match.pk})


def test_a_corrected_entry_asks_again_and_an_answer_asks_nothing(club, phones, after_commit):
    with after_commit():
        match, one, other = submitted(club)
        match = match_actions.enter_score(
            match=match, by=one, mine=413, theirs=388, key="", photo="", at=club.at
        )
        match_actions.confirm(match=match, by=other, at=club.at)
    assert kinds(phones[1]) == ["table", "confirm", "confirm"]
    assert kinds(phones[0]) == ["table"]


def test_an_absence_that_is_claimed_asks_the_absent_player(club, phones, after_commit):
    with after_commit():
        match, (one, _other) = club.match()
        later = club.at + timedelta(minutes=30)
        match = match_actions.claim_absence(match=match, by=one, at=later)
    push.sweep(at=later)  # the worker's clock stands still in tests
    assert kinds(phones[1]) == ["table", "confirm"] and kinds(phones[0]) == ["table"]
    told = phones[1].messages()[1]
    assert "absence" in told["title"]
    assert told["url"] == reverse("pairings:absence_report", kwargs={"match_id": match.pk})


def test_a_ruling_reaches_both_players_and_their_mail_too(club, phones, after_commit):
    Member.objects.filter(pk=club.members[0].pk).update(email="a@example.org")
    noon = datetime.combine(club.at.date(), time(12), tzinfo=club.organisation.zone)
    with after_commit():
        match, _one, other = submitted(club)
        match = match_actions.contest(match=match, by=other, at=club.at)
        result = Result(kind="played", first_score=400, second_score=390)
        ruled_at = noon + timedelta(days=1)
        club.decide(match, result, "Feuille lue.", at=ruled_at)
    push.sweep(at=ruled_at)
    assert kinds(phones[0]) == ["table", "ruling"]
    assert kinds(phones[1]) == ["table", "confirm", "ruling"]
    told = phones[0].messages()[1]
    assert "400" not in told["title"] + told["body"] and "Feuille" not in told["body"]
    assert "a@example.org" in [message.to[0] for message in mail.outbox]


def test_a_generated_evening_notifies_nobody(club, phones, after_commit):
    with after_commit():
        match, (one, _other) = club.match()
        by = Actor(user=one.user, member=one.member, role=one.role, origin="demo")
        match_actions.enter_score(
            match=match, by=by, mine=412, theirs=388, key="", photo="", at=club.at
        )
    assert "confirm" not in kinds(phones[1])


def test_an_arbiter_calls_both_players_once_a_minute(club, phones, after_commit, as_user):
    match, (one, _other) = club.match()
    with after_commit():
        calls.call_players(match=match, by=club.arbiter, at=club.at)
    assert "call" in kinds(phones[0]) and "call" in kinds(phones[1])
    with refused("just_called"):
        calls.call_players(match=match, by=club.arbiter, at=club.at + timedelta(seconds=59))
    calls.call_players(match=match, by=club.arbiter, at=club.at + timedelta(seconds=61))
    assert PushNotice.objects.filter(kind="call", member=one.member).count() == 2


def test_the_control_page_has_the_button_and_only_for_a_table_not_begun(club, as_user):
    desk, day = as_user(club.arbiter.user), club.evening.held_on.isoformat()
    match, (one, _other) = club.match()
    page = reverse("pairings:control", kwargs={"day": day})
    act = reverse("pairings:evening_act", kwargs={"day": day, "act": "rappeler"})
    assert f'name="match" value="{match.pk}"' in desk.get(page).content.decode()
    assert "rappelés" in desk.post(act, {"match": match.pk}, follow=True).content.decode()
    assert (
        "attendez une minute" in desk.post(act, {"match": match.pk}, follow=True).content.decode()
    )
    match_actions.start(match=match, by=one, at=club.at)
    assert f'name="match" value="{match.pk}"' not in desk.get(page).content.decode()
    match.refresh_from_db()
    with pytest.raises(ResultRefused, match="n’attend pas ses joueurs\xa0: en jeu") as refusal:
        calls.call_players(
            match=match, by=club.arbiter, at=club.at + timedelta(minutes=5), version=match.version
        )
    assert refusal.value.code == "wrong_state"


def test_a_table_of_another_evening_is_not_called(club, neighbours, as_user):
    match, _players = neighbours.match()
    day = club.evening.held_on.isoformat()
    act = reverse("pairings:evening_act", kwargs={"day": day, "act": "rappeler"})
    prefix = f"/c/{club.organisation.slug}"
    assert as_user(club.arbiter.user).post(prefix + act, {"match": match.pk}).status_code == 404


@pytest.fixture
def tomorrow(club):
    club.close()
    starts = club.at + timedelta(days=7)
    club.announce(starts)
    return starts


def test_an_evening_is_announced_the_day_before_once(club, phones, tomorrow):
    zone = club.organisation.zone
    day_before = tomorrow.astimezone(zone).date() - timedelta(days=1)

    def run(day: datetime) -> int:
        announcements.evenings_tomorrow(at=day)
        return PushNotice.objects.filter(kind="evening").count()

    noon = datetime.combine(day_before, time(12), tzinfo=zone)
    awake = {"by_mail": True, "quiet_from": None, "quiet_until": None}
    PushChoices.objects.create(member=club.members[0], **awake)
    PushChoices.objects.create(member=club.members[3], **awake)  # by mail, without a phone
    assert run(noon - timedelta(days=1)) == 0
    assert run(noon + timedelta(days=1)) == 0
    assert run(noon - timedelta(hours=3, minutes=1)) == 0  # nobody is woken
    assert run(noon + timedelta(hours=10, minutes=30)) == 2  # quiet until it is no longer tomorrow
    assert run(noon) == 4
    assert run(noon + timedelta(minutes=15)) == 4
    notice = PushNotice.objects.filter(kind="evening").first()
    assert f"{tomorrow.astimezone(zone):%H:%M}" in notice.title


def test_an_evening_that_was_cancelled_is_not_announced(club, phones, tomorrow):
    from pairings.evenings.models import Evening

    evening = Evening.objects.get(state=Evening.State.PLANNED)
    evenings.cancel_evening(evening=evening, reason="Salle fermée", by=club.committee, at=club.at)
    announcements.evenings_tomorrow(at=tomorrow - timedelta(days=1, hours=4))
    assert not PushNotice.objects.filter(kind="evening").exists()


def test_without_phones_a_pairing_costs_one_query_more(club, django_assert_num_queries):
    from pairings.matches.messages import pushes

    match, _players = club.match()
    assert not PushSubscription.objects.exists()
    with django_assert_num_queries(1):
        pushes.tables_ready([match], at=club.at)


def test_who_is_forgotten_is_named_in_no_notification_of_an_opponent(club, phones, after_commit):
    one, other, third = club.members[:3]
    with after_commit():
        match, _players = club.match(one, other)
    later = club.at + timedelta(minutes=2)
    calls.call_players(match=match, by=club.arbiter, at=later)
    match_actions.cancel(match=match, by=club.arbiter, at=later, reason="Fin")
    with after_commit():
        club.match(third, one)
    members.leave(member=other, by=club.player(other), at=later, forget=True)
    told = PushNotice.objects.filter(kind__in=("table", "call"))
    assert not [notice.body for notice in told if "Prénom1" in notice.body]
    assert [notice.member for notice in told if "Prénom0" in notice.body] == [third]
    kept = told.filter(member=one, key__contains=f":{match.pk}")
    assert kept.count() == 2, "a late task must not repeat them"
