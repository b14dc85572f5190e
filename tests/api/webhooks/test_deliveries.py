"""Each event of a club is posted once to who asked for it, retried, and named by public ids."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
import time_machine
from django.core.cache import cache
from django.db import OperationalError, connection

from api import tasks
from api.webhooks import actions, deliveries, payloads, sending
from api.webhooks.models import Delivery, Event, Webhook
from clubs.journal.models import JournalEntry
from clubs.members.models import Member
from clubs.upkeep import sweeps
from pairings.matches import actions as match_actions
from pairings.rules.match_state import Kind, Result
from ratings.ledger import origins, settlement
from ratings.ledger.corrections import change_event
from ratings.ledger.models import Period
from ratings.systems.protocol import Game
from tests.our_code import ROOT
from tests.push_server import push_server

pytestmark = pytest.mark.django_db
ALL = [event.value for event in Event]


@pytest.fixture
def server(settings):
    settings.WEBHOOK_LOOPBACK = True
    cache.clear()
    with push_server() as running:
        yield running


def test_every_event_has_its_row_in_the_documentation_and_what_is_posted():
    page = (ROOT / "docs" / "webhooks.md").read_text("utf-8")
    assert set(payloads.DATA) == set(Event)
    # Rows in the order of `Event`.
    assert re.findall(r"^\| `([a-z.]+)` \|", page, re.M) == ["event", *ALL]


def hook(club, server, events=ALL, path="/hook"):
    return actions.create(
        organisation=club.organisation,
        address=f"{server.address}{path}",
        events=events,
        by=club.committee,
        at=club.at,
    )


def final(club):
    match, (_one, other) = club.entered()
    return match_actions.confirm(match=match, by=other, at=club.at)


def sweep(club, **later):
    """One sweep, so much later."""
    with time_machine.travel(club.at + timedelta(**later), tick=False):
        return tasks.sweep_webhooks()


def bodies(server):
    return [json.loads(body) for _path, _headers, body in server.received]


def test_a_final_result_is_posted_once_and_signed(club, server):
    webhook = hook(club, server, ["result.final"])
    match = final(club)
    assert [sweep(club), sweep(club)] == [1, 0]
    [(_path, headers, raw)] = server.received
    body = json.loads(raw)
    assert (headers["Webhook-Event"], body["event"]) == ("result.final", "result.final")
    assert headers["Webhook-Id"] == str(body["id"])
    timestamp = int(headers["Webhook-Timestamp"])
    assert timestamp == int(club.at.timestamp())
    assert headers["Webhook-Signature"] == sending.signature(webhook.secret, timestamp, raw)
    data = body["data"]
    assert (data["match"], data["status"], data["scores"]) == (match.pk, "final", [400, 350])
    assert data["evening"] == club.evening.address
    assert data["link"].endswith(f"/matchs/{match.pk}/")
    assert data["first"] == {"id": match.first.public_id, "name": match.first.full_name}
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.answer, delivery.tries) == ("sent", "201", 1)


def test_of_who_is_closed_to_visitors_neither_name_nor_id_is_sent(club, server):
    hook(club, server, ["result.final"])
    match = final(club)
    Member.objects.filter(pk=match.first_id).update(visibility=Member.INITIALS)
    Member.objects.filter(pk=match.second_id).update(visibility=Member.MEMBERS)
    sweep(club)
    [(_path, _headers, raw)] = server.received
    for person in (match.first, match.second):
        for hidden in (person.last_name, person.first_name, person.public_id):
            assert hidden not in raw.decode()
    data = json.loads(raw)["data"]
    assert data["first"]["id"] is data["second"]["id"] is None


def test_no_program_is_told_whether_an_absence_is_excused(club, server):
    hook(club, server, ["result.final"])
    match, _players = club.match()
    match_actions.mark_absent(match=match, absent="b", justified=True, by=club.arbiter, at=club.at)
    sweep(club)
    [body] = bodies(server)
    assert body["data"]["absent"] == "b" and "justified" not in body["data"]


def test_two_clubs_hear_of_their_own_events_alone(club, other_club, server):
    hooks = [(hook(one, server, ["result.final"]), one, final(one)) for one in (club, other_club)]
    Webhook.objects.update(handled_seq=0)  # both as far as the other
    assert sweep(club) == 2
    sent = {(body["organisation"], body["data"]["match"]) for body in bodies(server)}
    assert sent == {(one.organisation.slug, match.pk) for _webhook, one, match in hooks}


def test_an_evening_sends_its_rulings_its_end_its_ratings_and_its_ranking(club, other_club, server):
    hook(club, server)
    final(other_club)
    other_club.close()
    cancelled, _players = club.match()
    match_actions.cancel(match=cancelled, reason="erreur", by=club.arbiter, at=club.at)
    match, (_one, other) = club.entered()
    match_actions.contest(match=match, by=other, at=club.at, words="faux", scores=(401, 350))
    match.refresh_from_db()
    club.decide(match, Result("played", 401, 350), "feuille", version=match.version)
    club.close()
    club.publish_edition("R")
    sweep(club)
    received = {body["event"]: body["data"] for body in bodies(server)}
    assert set(received) == set(ALL)
    assert received["result.final"]["match"] == received["ruling"]["match"] == match.pk
    assert received["ruling"]["why"] == "arbiter"
    assert received["evening.closed"]["evening"] == club.evening.address
    assert received["evening.closed"]["matches"] == 1
    edition, rating = received["edition.published"], received["rating.changed"]
    assert (edition["number"], edition["list"]) == (1, None)
    assert edition["link"].endswith("/classement/publications/1/")
    assert (rating["changes"], rating["correction"]) == (2, False)
    assert rating["held_on"] == club.evening.held_on.isoformat()
    rated = Period.objects.get(rating_list__organisation=club.organisation)
    assert rating["competition"] == rated.pk
    for data in received.values():
        assert data["link"].startswith("http")


def test_a_corrected_result_is_a_ruling_and_ends_no_match_again(club, server):
    match = final(club)
    hook(club, server, ["result.final", "ruling"])
    other = Result(Kind.PLAYED, 410, 350)
    match_actions.correct(match=match, result=other, reason="feuille", by=club.arbiter, at=club.at)
    sweep(club)
    assert [(body["event"], body["data"]["rev"]) for body in bodies(server)] == [("ruling", 1)]


def test_an_erratum_is_an_edition_as_what_it_corrects():
    for verb in ("edition_published", "edition_mended"):
        assert [*payloads.events_of(JournalEntry(verb=verb))] == [Event.EDITION]


def test_a_cut_is_a_changed_rating_without_where_it_comes_from(club, server):
    ladder = settlement.list_of(club.organisation, "faizers")
    hook(club, server, ["rating.changed"])
    settlement.adjust(
        rating_list=ladder,
        member=club.members[0],
        percent="2",
        floor=None,
        origin=origins.sanction(1),
        label="Sanction",
        held_on=club.at.date(),
        reason="absences",
        by=club.committee,
        at=club.at,
    )
    sweep(club)
    [body] = bodies(server)
    assert body["data"]["list"] == ladder.slug
    assert body["data"].keys() == {"list", "link", "correction", "changes"}


@pytest.mark.parametrize("other", ["events", "off", "club", "before"])
def test_what_was_not_asked_for_is_not_written(club, other_club, server, other):
    if other == "before":
        final(club)
    owner = other_club if other == "club" else club
    webhook = hook(owner, server, ["evening.closed"] if other == "events" else ALL)
    if other == "off":
        edited(webhook, club, is_on=False)
    if other != "before":
        final(club)
    if other == "off":
        webhook.refresh_from_db()
        edited(webhook, club, is_on=True)
    assert sweep(club) == 0
    assert not Delivery.objects.exists()


def edited(webhook, club, **changes):
    given = {"address": webhook.address, "events": webhook.events, "is_on": webhook.is_on}
    return actions.edit(
        webhook=webhook,
        seen=webhook.version,
        by=club.committee,
        at=club.at,
        **{**given, **changes},
    )


def test_a_correction_that_changes_no_rating_is_no_event(club, server):
    """Two rows of a person in one list are merged, and a competition gets another name."""
    played, _idle = club.rating_list("fisf"), club.rating_list("absp")
    event = settlement.open_period(
        rating_list=played, key="open", label="Open", held_on=club.at.date()
    )
    one, other = (member.pk for member in club.members[:2])
    game = Game("g1", one, other, 2)
    settlement.record_game(period=event, posting=game, at=club.at)
    settlement.settle(period=event, by=club.committee, at=club.at)
    hook(club, server, ["rating.changed"])
    named = change_event(event, label="Open de Lyon")
    settlement.apply(
        rating_list=played, correction=named, by=club.committee, at=club.at, reason="nom"
    )
    settlement.merge_member(
        member=club.members[2], into=club.join("Ana"), by=club.committee, at=club.at, reason="même"
    )
    assert sweep(club) == 0
    settlement.merge_member(
        member=club.members[1], into=club.join("Eva"), by=club.committee, at=club.at, reason="même"
    )
    sweep(club)
    assert [body["data"]["list"] for body in bodies(server)] == ["fisf"]


def test_two_workers_that_look_at_once_write_an_event_once(club, server, monkeypatch):
    hook(club, server, ["result.final"])
    final(club)
    stale = list(Webhook.objects.all())
    assert deliveries.gather(at=club.at) == 1
    assert [deliveries.gather_for(webhook, club.at) for webhook in stale] == [0]
    assert Delivery.objects.count() == 1


def test_two_workers_never_send_one_delivery_at_once(club, server, monkeypatch):
    hook(club, server, ["result.final"])
    final(club)
    deliveries.gather(at=club.at)
    pk, sent = Delivery.objects.get().pk, []
    depth = len(connection.atomic_blocks)

    def post(address, *, body, headers):
        sent.append(address)
        assert len(connection.atomic_blocks) == depth  # no transaction waits for the answer
        assert not deliveries.deliver(pk, clock=lambda: club.at + timedelta(seconds=90))
        return 204

    monkeypatch.setattr(sending, "post", post)
    assert deliveries.deliver(pk, clock=lambda: club.at)
    assert not deliveries.deliver(pk, clock=lambda: club.at)
    assert len(sent) == 1


def test_a_worker_that_died_is_followed_by_another(club, server, monkeypatch):
    hook(club, server, ["result.final"])
    final(club)
    deliveries.gather(at=club.at)

    def die(*_given, **_more):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(sending, "post", die)
        sweep(club)
    assert [sweep(club, seconds=119), sweep(club, seconds=121)] == [0, 1]


def test_one_that_is_not_received_is_retried_with_growing_waits_then_given_up(club, server):
    hook(club, server, ["result.final"])
    server.answers["/hook"] = 300  # the first that is no receipt
    final(club)
    waited = timedelta()
    for number, wait in enumerate(deliveries.WAITS, start=1):
        sweep(club, seconds=waited.total_seconds())
        assert len(server.received) == number
        sweep(club, seconds=(waited + wait).total_seconds() - 1)
        assert len(server.received) == number
        waited += wait
    assert Delivery.objects.get().state == "waiting"
    sweep(club, seconds=waited.total_seconds())
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.answer, delivery.tries) == ("given_up", "300", 9)
    sweep(club, days=10)
    assert len(server.received) == 9


def test_an_address_that_fails_is_asked_once_a_sweep_and_the_others_go_on(club, server):
    hook(club, server, ["result.final"], "/broken")
    hook(club, server, ["result.final"])
    server.answers["/broken"] = 500
    for _match in range(3):
        final(club)
    assert sweep(club) == 3
    assert [path for path, *_rest in server.received].count("/broken") == 1
    sweep(club, seconds=60)
    assert [path for path, *_rest in server.received].count("/broken") == 2


def test_an_address_that_was_away_for_days_holds_up_no_other_club(
    club, other_club, server, monkeypatch
):
    """More waits for it than one sweep reads, and all of it is older."""
    hook(club, server, ["result.final"], "/broken")
    server.answers["/broken"] = 500
    for _match in range(4):
        final(club)
    deliveries.gather(at=club.at)
    hook(other_club, server, ["result.final"])
    final(other_club)
    deliveries.gather(at=club.at + timedelta(days=1))
    monkeypatch.setattr(deliveries, "AT_ONCE", 3)
    assert sweep(club, days=1) == 1
    assert [path for path, *_rest in server.received] == ["/broken", "/hook"]


def test_a_body_that_cannot_be_written_blocks_no_other(club, server, monkeypatch):
    hook(club, server, ["result.final"])
    broken, _fine = final(club), final(club)
    write = payloads.body_of

    def body_of(delivery):
        if delivery.seq == first.seq:
            raise ValueError(broken.pk)
        return write(delivery)

    deliveries.gather(at=club.at)
    first = Delivery.objects.order_by("pk").first()
    monkeypatch.setattr(payloads, "body_of", body_of)
    assert sweep(club) == 1
    waited = timedelta()
    for wait in deliveries.WAITS:
        first.refresh_from_db()
        assert (first.state, first.answer) == ("waiting", sending.FAILED)
        waited += wait
        sweep(club, seconds=waited.total_seconds())
    first.refresh_from_db()
    assert (first.state, first.answer, first.tries) == ("given_up", sending.FAILED, 9)
    assert len(server.received) == 1


def test_an_event_is_sent_again_on_request(club, server):
    hook(club, server, ["result.final"])
    final(club)
    sweep(club)
    delivery = Delivery.objects.select_related("webhook__organisation").get()
    server.answers["/hook"] = 503
    final(club)
    assert sweep(club) == 0
    del server.answers["/hook"]  # mended at once: who asks does not wait for the next minute
    actions.replay(delivery=delivery, by=club.committee, at=club.at)
    with pytest.raises(actions.WebhookRefused):
        actions.replay(delivery=delivery, by=club.committee, at=club.at)
    assert sweep(club) == 1
    first, _failed, second = bodies(server)
    assert first == second


def test_what_waits_when_it_is_switched_off_is_not_sent_later(club, server):
    webhook = hook(club, server, ["result.final"])
    final(club)
    deliveries.gather(at=club.at)
    edited(webhook, club, is_on=False)
    webhook.refresh_from_db()
    edited(webhook, club, is_on=True)
    assert sweep(club) == 0 and Delivery.objects.get().state == "given_up"


def test_what_waits_of_an_event_that_is_unticked_is_not_sent_later(club, server):
    webhook = hook(club, server, ["result.final", "ruling"])
    match, _players = club.contested()
    ruled = {"match": match, "version": match.version, "by": club.arbiter, "at": club.at}
    match_actions.decide(result=Result("played", 401, 350), reason="feuille", **ruled)
    deliveries.gather(at=club.at)
    edited(webhook, club, events=["ruling"])
    assert sweep(club) == 1 and [body["event"] for body in bodies(server)] == ["ruling"]
    states = Delivery.objects.order_by("pk").values_list("event", "state")
    assert set(states) == {("result.final", "given_up"), ("ruling", "sent")}


def test_an_event_that_is_unticked_while_a_worker_reads_the_log_is_not_written(
    club, server, monkeypatch
):
    webhook = hook(club, server, ["result.final", "ruling"])
    final(club)
    events_of = payloads.events_of

    def meanwhile(entry):
        monkeypatch.setattr(payloads, "events_of", events_of)
        edited(webhook, club, events=["ruling"])
        return events_of(entry)

    monkeypatch.setattr(payloads, "events_of", meanwhile)
    assert deliveries.gather(at=club.at) == 0 and not Delivery.objects.exists()
    assert deliveries.gather(at=club.at) == 0 and not Delivery.objects.exists()


@pytest.mark.parametrize(("days", "kept"), [(89, 1), (90, 1), (91, 0)])
def test_the_log_is_kept_for_90_days(club, server, days, kept):
    Delivery.objects.create(
        webhook=hook(club, server),
        seq=1,
        event=ALL[0],
        state=Delivery.State.SENT.value,
        created_at=club.at,
        due_at=club.at,
        ended_at=club.at,
    )
    with time_machine.travel(club.at + timedelta(days=days), tick=False):
        tasks.forget_deliveries()
    assert Delivery.objects.count() == kept


def test_a_removal_of_old_deliveries_that_fails_is_said_until_one_succeeds(club, monkeypatch):
    def state():
        task = sweeps.states(at=club.at, after=sweeps.ALL_LATE_AFTER)[sweeps.DELIVERIES]
        return task.ended_at, task.failed_at

    def away(*, at):
        raise OperationalError("the server closed the connection")

    with time_machine.travel(club.at, tick=False), monkeypatch.context() as patch:
        patch.setattr(deliveries, "forget_old", away)
        tasks.forget_deliveries()
    assert state() == (None, club.at)
    with time_machine.travel(club.at + timedelta(days=1), tick=False):
        tasks.forget_deliveries()
    assert state() == (club.at + timedelta(days=1), None)


def test_the_sweep_is_watched(club):
    sweep(club)
    assert not sweeps.states(at=club.at, after=sweeps.LATE_AFTER)["webhooks"].late


def test_a_slow_address_takes_only_a_part_of_a_sweep(club, server, monkeypatch):
    slow, quick = hook(club, server, path="/slow"), hook(club, server, path="/quick")
    for _match in range(4):
        final(club)
    now, real, asked = [0.0], deliveries.sending.post, []

    def post(address, **sent):
        asked.append(address)
        now[0] += 2 if address == slow.address else 0.01
        return real(address, **sent)

    monkeypatch.setattr(deliveries.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(deliveries.sending, "post", post)
    sweep(club)
    assert (asked.count(slow.address), asked.count(quick.address)) == (2, 4)
    sweep(club, seconds=20)
    assert asked.count(slow.address) == 4  # the others stay for the sweeps after


def test_a_sweep_is_short_whatever_waits_and_one_at_a_time(club, server, monkeypatch):
    hooks = [hook(club, server, path=f"/{number}") for number in range(5)]
    final(club)
    now = [0.0]

    def post(_address, **_sent):
        now[0] += 4
        assert tasks.sweep_webhooks() == 0  # another worker begins meanwhile
        return 200

    monkeypatch.setattr(deliveries.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(deliveries.sending, "post", post)
    assert sweep(club) == 3  # of five: the sweep ends after ten seconds
    assert Delivery.objects.filter(state="waiting").count() == len(hooks) - 3
    assert sweep(club, seconds=20) == 2
