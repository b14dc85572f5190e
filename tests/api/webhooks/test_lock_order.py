"""A webhook changed by two of a committee at once: each holds what the other needs next (decision 0046)."""

from __future__ import annotations

import threading

import pytest

from api.webhooks import actions
from api.webhooks.models import Webhook
from clubs.journal import chain as journal
from tests.clubhouse import make_club
from tests.pairings.matches.test_races import together

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
