"""A webhook changed by two of a committee at once: each holds what the other needs next (decision 0046)."""

from __future__ import annotations

import threading

import pytest

from api.webhooks import actions
from api.webhooks.models import Delivery, Webhook
from clubs.journal import chain as journal
from tests.clubhouse import make_club
from tests.pairings.matches.test_races import together, while_open

pytestmark = pytest.mark.django_db(transaction=True)
HOOK = {"address": "https://hooks.example.org/a", "events": ["result.final"]}


@pytest.mark.parametrize("act", [actions.renew_secret, actions.remove])
def test_a_change_meets_another_act_on_the_same_webhook(transactional_db, monkeypatch, act):
    club = make_club("faizers", size=2)
    how = {"by": club.committee, "at": club.at}
    made = actions.create(organisation=club.organisation, **HOOK, **how)
    begun, ended = threading.Event(), threading.Event()
    record = journal.record

    def recorded(**details):
        """The act has its row and comes to the journal: the change begins."""
        begun.set()
        ended.wait(timeout=0.5)
        return record(**details)

    def change():
        begun.wait(timeout=20)
        try:
            actions.edit(webhook=made, **HOOK, is_on=False, seen=made.version, **how)
        finally:
            ended.set()

    monkeypatch.setattr(journal, "record", recorded)
    answers = together(lambda: act(webhook=Webhook.objects.get(pk=made.pk), **how), change)
    assert answers == ["ok", "stale"]


@pytest.mark.parametrize(("first", "said"), [("stopped", "off"), ("removed", "stale")])
def test_nothing_is_sent_again_where_its_webhook_is_stopped_meanwhile(
    transactional_db, first, said
):
    club = make_club("faizers", size=2)
    how = {"by": club.committee, "at": club.at}
    made = actions.create(organisation=club.organisation, **HOOK, **how)
    sent = {"webhook": made, "seq": 1, "event": "result.final", "state": Delivery.State.SENT.value}
    times = {"created_at": club.at, "due_at": club.at, "ended_at": club.at}
    delivery = Delivery.objects.create(**sent, **times)
    acts = {
        "stopped": lambda: actions.edit(
            webhook=made, **HOOK, is_on=False, seen=made.version, **how
        ),
        "removed": lambda: actions.remove(webhook=Webhook.objects.get(pk=made.pk), **how),
    }
    stale = Delivery.objects.select_related("webhook").get(pk=delivery.pk)
    answers = while_open(acts[first], lambda: actions.replay(delivery=stale, **how))
    assert answers == ["ok", said]
    assert not Delivery.objects.waiting().exists()
