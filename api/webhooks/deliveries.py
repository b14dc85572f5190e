"""From the journal to other programs: find the events, send what is due, forget what is old.

Every change of the site writes its journal entry in its own transaction, and entries of one
organisation are committed in the order of their numbers: what is behind the last number that was
looked at is new, no matter who wrote it.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db import transaction
from django.db.models import F, Window
from django.db.models.functions import RowNumber

from api.webhooks import payloads, sending
from api.webhooks.models import Delivery, Webhook
from clubs.journal.models import JournalEntry

log = logging.getLogger(__name__)
AT_ONCE = 500
"""Journal entries read by one sweep for one webhook, and deliveries that one sweep sends."""
LEASE = timedelta(minutes=2)
"""Longer than a try can take, the look-up of the name included."""
SWEEP_S, SLOW_S = 10, 3
"""A sweep ends after so long; an address that has taken so much of it waits for the next sweep."""
SWEEPING = "webhooks-sweeping"
AWAY_S = 55
"""Seconds that an address is left alone after a failure, whatever else waits for it."""
WAITS = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 3 * 60, 6 * 60, 12 * 60, 24 * 60)
)
"""From one try to the next; after the last of them a delivery is given up."""
KEPT = timedelta(days=90)

Clock = Callable[[], datetime]


def gather(*, at: datetime) -> int:
    """Write a delivery for each new event that a webhook asks for. Return how many."""
    webhooks = Webhook.objects.filter(is_on=True).order_by("pk")
    return sum(gather_for(webhook, at) for webhook in webhooks)


def gather_for(webhook: Webhook, at: datetime) -> int:
    """Write the deliveries that this webhook has not got yet; return how many."""
    behind = JournalEntry.objects.filter(
        organisation=webhook.organisation_id, seq__gt=webhook.handled_seq
    ).order_by("seq")
    entries = list(behind.only("seq", "at", "verb", "before", "after")[:AT_ONCE])
    if not entries:
        return 0
    rows = [
        Delivery(webhook=webhook, seq=entry.seq, event=event.value, created_at=entry.at, due_at=at)
        for entry in entries
        for event in payloads.events_of(entry)
        if event.value in webhook.events
    ]
    seen = {"is_on": True, "handled_seq": webhook.handled_seq, "version": webhook.version}
    with transaction.atomic():
        if not Webhook.objects.filter(pk=webhook.pk, **seen).update(handled_seq=entries[-1].seq):
            return 0  # another worker looks at the same entries, or its events were changed
        Delivery.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def send_due(*, clock: Clock) -> int:
    """Send what is due, in one worker at a time. Return how many were received.

    The oldest of each webhook first, then the next of each: an address that has been away for days,
    with more behind it than one sweep reads, holds up no other club.

    Mails and the other clubs' webhooks wait for the same workers, so a sweep is short, and a slow
    address takes only a part of it.
    """
    if not cache.add(SWEEPING, True, timeout=LEASE.total_seconds()):
        return 0
    try:
        return _send_due(clock)
    finally:
        cache.delete(SWEEPING)


def _send_due(clock: Clock) -> int:
    turn = Window(RowNumber(), partition_by="webhook_id", order_by=("due_at", "pk"))
    due = Delivery.objects.due(at=clock()).annotate(turn=turn).order_by("turn", "due_at", "pk")
    received, began = 0, time.perf_counter()
    used: defaultdict[int, float] = defaultdict(float)
    for pk, webhook_id in list(due.values_list("pk", "webhook_id")[:AT_ONCE]):
        begins = time.perf_counter()
        if begins - began > SWEEP_S:
            break
        if used[webhook_id] > SLOW_S:
            continue
        received += deliver(pk, clock=clock)
        used[webhook_id] += time.perf_counter() - begins
    return received


def deliver(pk: int, *, clock: Clock) -> bool:
    """Try one delivery, unless another worker does. Return whether it was received.

    No transaction is open while the other program is asked.
    """
    at = clock()
    delivery = Delivery.objects.select_related("webhook__organisation").filter(pk=pk).first()
    if delivery is None or cache.get(_away(delivery.webhook_id), 0) > at.timestamp():
        return False
    wait = WAITS[min(delivery.tries, len(WAITS) - 1)]
    claim = {"tries": F("tries") + 1, "due_at": at + max(wait, LEASE)}
    if not Delivery.objects.due(at=at).filter(pk=pk, tries=delivery.tries).update(**claim):
        return False
    answer = _tried(delivery, at)
    received = answer.isdecimal() and 200 <= int(answer) < 300
    changes: dict[str, object] = {"answer": answer}
    if received:
        changes |= {"state": Delivery.State.SENT.value, "ended_at": clock()}
    elif delivery.tries >= len(WAITS):
        changes |= {"state": Delivery.State.GIVEN_UP.value, "ended_at": clock()}
    else:
        changes |= {"due_at": at + wait}
    seen = {"state": Delivery.State.WAITING.value, "tries": delivery.tries + 1}
    Delivery.objects.filter(pk=pk, **seen).update(**changes)
    if not received and answer != sending.FAILED:
        until = at.timestamp() + AWAY_S
        cache.set(_away(delivery.webhook_id), until, timeout=2 * AWAY_S)
        log.info("webhook not received", extra={"delivery": pk, "answer": answer})
    return received


def _tried(delivery: Delivery, at: datetime) -> str:
    """Post one delivery. Return the status of the answer, or why there is none."""
    try:
        return _posted(delivery, at)
    except sending.NotSent as away:
        return away.code
    except Exception:  # one that cannot be written must not block the others, and ends as they do
        log.exception("webhook delivery %s failed", delivery.pk)
        return sending.FAILED


def _posted(delivery: Delivery, at: datetime) -> str:
    webhook, timestamp = delivery.webhook, int(at.timestamp())
    body = payloads.body_of(delivery)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "club-webhooks",
        "Webhook-Id": str(delivery.pk),
        "Webhook-Event": delivery.event,
        "Webhook-Timestamp": str(timestamp),
        "Webhook-Signature": sending.signature(webhook.secret, timestamp, body),
    }
    return str(sending.post(webhook.address, body=body, headers=headers))


def _away(webhook_id: int) -> str:
    return f"webhook-away:{webhook_id}"


def try_again_now(webhook_id: int) -> None:
    """Forget that this address failed a moment ago: a person asked for another try."""
    cache.delete(_away(webhook_id))


def forget_old(*, at: datetime) -> int:
    """Delete what is in the log for 90 days. Return how many."""
    gone, _models = Delivery.objects.ended().filter(created_at__lt=at - KEPT).delete()
    return gone
