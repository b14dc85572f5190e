"""An act on one webhook leaves every other as it was; what may not happen is refused by its code."""

from __future__ import annotations

from datetime import timedelta

import pytest

from api.webhooks import actions
from api.webhooks.models import Delivery, Webhook
from clubs.journal.models import JournalEntry
from tests.refusals import refused

pytestmark = pytest.mark.django_db
ADDRESS = "https://example.org/{}"
LATER = timedelta(hours=2)


def made(club, name):
    """A webhook with an event that waits and one that was given up."""
    webhook = actions.create(
        organisation=club.organisation,
        address=ADDRESS.format(name),
        events=["ruling"],
        by=club.committee,
        at=club.at,
    )
    given_up = {"state": Delivery.State.GIVEN_UP.value, "ended_at": club.at, "tries": 9}
    for seq, more in ((1, {}), (2, given_up)):
        Delivery.objects.create(
            webhook=webhook,
            seq=seq,
            event="ruling",
            created_at=club.at,
            due_at=club.at + LATER,
            **more,
        )
    return webhook


@pytest.fixture
def webhook(club, other_club):
    """One of three: one more of the club, one of its neighbours."""
    made(club, "first")
    webhook = made(club, "own")
    made(other_club, "own")
    return webhook


def rows(webhook, *, own):
    """The rows of this webhook, or of all others."""
    chosen = (
        Webhook.objects.filter(pk=webhook.pk) if own else Webhook.objects.exclude(pk=webhook.pk)
    )
    of_them = Delivery.objects.filter(webhook__in=chosen)
    return [list(part.order_by("pk").values()) for part in (chosen, of_them)]


def edit(webhook, club, **changes):
    typed = {"address": webhook.address, "events": ["ruling"], "is_on": True, **changes}
    return actions.edit(
        webhook=webhook, seen=webhook.version, by=club.committee, at=club.at, **typed
    )


def replay(webhook, club, *, ended=True):
    delivery = webhook.deliveries.filter(ended_at__isnull=not ended).latest("pk")
    return actions.replay(delivery=delivery, by=club.committee, at=club.at)


def renew(webhook, club):
    return actions.renew_secret(webhook=webhook, by=club.committee, at=club.at)


def remove(webhook, club):
    return actions.remove(webhook=webhook, by=club.committee, at=club.at)


ACTS = {
    "moved": lambda webhook, club: edit(webhook, club, address=ADDRESS.format("new")),
    "switched off": lambda webhook, club: edit(webhook, club, is_on=False),
    "a new secret": renew,
    "removed": remove,
    "sent again": replay,
}


@pytest.mark.parametrize("act", ACTS)
def test_an_act_changes_its_own_webhook_alone(club, webhook, act):
    own, others = rows(webhook, own=True), rows(webhook, own=False)
    entries = JournalEntry.objects.filter(subject=f"webhook:{webhook.pk}")
    assert entries.count() == 1, "that it was made"
    ACTS[act](webhook, club)
    assert rows(webhook, own=False) == others
    assert rows(webhook, own=True) != own
    assert entries.count() == 2


def test_a_webhook_that_stays_on_misses_nothing_that_happened_meanwhile(club, webhook):
    before = Webhook.objects.get(pk=webhook.pk).handled_seq
    renew(webhook, club)  # one more entry of the journal
    webhook.refresh_from_db()
    edit(webhook, club, address=ADDRESS.format("new"))
    assert Webhook.objects.get(pk=webhook.pk).handled_seq == before
    assert webhook.deliveries.waiting().count() == 1


def test_one_that_is_switched_on_again_begins_with_what_comes_next(club, webhook):
    webhook = edit(webhook, club, is_on=False)
    head = JournalEntry.objects.filter(organisation=club.organisation).latest("seq")
    assert edit(webhook, club).handled_seq == head.seq
    assert webhook.deliveries.waiting().count() == 0


def gone(webhook, club):
    other = Webhook.objects.get(pk=webhook.pk)
    remove(webhook, club)
    return other


REFUSED = {
    "no event": (lambda webhook, club: edit(webhook, club, events=["unknown"]), "no_event"),
    "the address of another": (
        lambda webhook, club: edit(webhook, club, address=ADDRESS.format("first")),
        "taken",
    ),
    "made twice": (lambda webhook, club: made(club, "own"), "taken"),
    "edited after it was removed": (
        lambda webhook, club: edit(gone(webhook, club), club),
        "stale",
    ),
    "removed twice": (lambda webhook, club: remove(gone(webhook, club), club), "stale"),
    "renewed after it was edited": (
        lambda webhook, club: (
            edit(Webhook.objects.get(pk=webhook.pk), club) and renew(webhook, club)
        ),
        "stale",
    ),
    "sent again while it is off": (
        lambda webhook, club: replay(edit(webhook, club, is_on=False), club),
        "off",
    ),
    "sent again while it waits": (
        lambda webhook, club: replay(webhook, club, ended=False),
        "waiting",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_may_not_happen_is_refused(club, webhook, case):
    act, code = REFUSED[case]
    with refused(code):
        act(webhook, club)


def test_two_clubs_post_to_the_same_address(webhook):
    assert Webhook.objects.filter(address=ADDRESS.format("own")).count() == 2


def test_a_club_has_five_webhooks_whatever_its_neighbour_has(club, other_club):
    for number in range(actions.MOST):
        made(other_club, f"n{number}")
    assert made(club, "first").pk
    with refused("too_many"):
        made(other_club, "one more")
