"""The committee's webhooks: set one up, change it, give it a new secret, remove it, send again.

The journal keeps the machine that is posted to, not the whole address, which often holds a key.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import datetime
from urllib.parse import urlsplit

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from api.webhooks import deliveries, sending
from api.webhooks.models import Delivery, Event, Webhook
from clubs.accounts.actor import Actor, Refused
from clubs.journal import chain as journal
from clubs.journal.models import JournalHead
from clubs.organisations.models import Organisation

MOST = 5
SECRET_BYTES = 32


class WebhookRefused(Refused):
    """A change of a webhook that may not happen."""


@transaction.atomic
def create(
    *,
    organisation: Organisation,
    address: str,
    events: Collection[str],
    by: Actor,
    at: datetime,
) -> Webhook:
    """Post these events to that address from now on. `secret` of the row is shown to nobody later."""
    address, events = sending.checked(address), _known(events)
    # Locked, so that two at once are counted; what happened before is not posted.
    head = JournalHead.objects.select_for_update(no_key=True).get(pk=organisation.pk)
    if Webhook.objects.filter(organisation=organisation).count() >= MOST:
        raise WebhookRefused(_("Cinq adresses au plus : supprimez-en une."), code="too_many")
    webhook = Webhook(
        organisation=organisation,
        address=address,
        events=events,
        secret=secrets.token_urlsafe(SECRET_BYTES),
        handled_seq=head.seq,
        created_at=at,
    )
    try:
        with transaction.atomic():
            webhook.save()
    except IntegrityError as clash:
        raise _taken() from clash
    journal.note(webhook, "webhook_created", by=by, at=at, after=_summary(webhook))
    return webhook


@transaction.atomic
def edit(
    *,
    webhook: Webhook,
    address: str,
    events: Collection[str],
    is_on: bool,
    seen: int,
    by: Actor,
    at: datetime,
) -> Webhook:
    """Change a webhook, as last read by `seen`. What waits and is no longer asked for is given up.

    While it is off, nothing is kept for later.
    """
    address, events = sending.checked(address), _known(events)
    head = JournalHead.objects.select_for_update(no_key=True).get(pk=webhook.organisation_id)
    row = Webhook.objects.select_for_update(no_key=True).filter(pk=webhook.pk).first()
    if row is None:
        raise _stale()
    before = _summary(row)
    if is_on and not row.is_on:
        row.handled_seq = head.seq
    row.address, row.events, row.is_on = address, events, is_on
    changes = {name: getattr(row, name) for name in ("address", "events", "is_on", "handled_seq")}
    try:
        with transaction.atomic():
            moved = Webhook.objects.filter(pk=row.pk, version=seen).update(
                version=seen + 1, **changes
            )
    except IntegrityError as clash:
        raise _taken() from clash
    if not moved:
        raise _stale()
    waiting = Delivery.objects.waiting().filter(webhook=row)
    unwanted = waiting.exclude(event__in=events) if is_on else waiting
    unwanted.update(state=Delivery.State.GIVEN_UP.value, ended_at=at)
    journal.note(row, "webhook_edited", by=by, at=at, before=before, after=_summary(row))
    webhook.refresh_from_db()
    return webhook


@transaction.atomic
def renew_secret(*, webhook: Webhook, by: Actor, at: datetime) -> Webhook:
    """Sign with a new secret from now on."""
    journal.lock([webhook.organisation_id])
    moved = Webhook.objects.filter(pk=webhook.pk, version=webhook.version).update(
        secret=secrets.token_urlsafe(SECRET_BYTES), version=webhook.version + 1
    )
    if not moved:
        raise _stale()
    journal.note(webhook, "webhook_secret_renewed", by=by, at=at)
    webhook.refresh_from_db()
    return webhook


@transaction.atomic
def remove(*, webhook: Webhook, by: Actor, at: datetime) -> None:
    """Delete a webhook with its log."""
    journal.lock([webhook.organisation_id])
    row = Webhook.objects.select_for_update(no_key=True).filter(pk=webhook.pk).first()
    if row is None:
        raise _stale()
    journal.note(row, "webhook_removed", by=by, at=at, before=_summary(row))
    Delivery.objects.filter(webhook=row).delete()
    Webhook.objects.filter(pk=row.pk).delete()


@transaction.atomic
def replay(*, delivery: Delivery, by: Actor, at: datetime) -> Delivery:
    """Send again what was received or given up."""
    journal.lock([delivery.webhook.organisation_id])
    webhook = Webhook.objects.filter(pk=delivery.webhook_id).first()  # as it is now
    if webhook is None:
        raise _stale()
    if not webhook.is_on:
        raise WebhookRefused(_("Cet envoi est arrêté : reprenez-le d’abord."), code="off")
    moved = (
        Delivery.objects.ended()
        .filter(pk=delivery.pk)
        .update(state=Delivery.State.WAITING.value, due_at=at, tries=0, ended_at=None, answer="")
    )
    if not moved:
        raise WebhookRefused(_("Cet envoi attend déjà."), code="waiting")
    after = {"delivery": delivery.pk, "event": delivery.event}
    journal.note(webhook, "webhook_replayed", by=by, at=at, after=after)
    deliveries.try_again_now(webhook.pk)
    delivery.refresh_from_db()
    return delivery


def _known(events: Collection[str]) -> list[str]:
    known_events = [event.value for event in Event if event.value in events]
    if not known_events:
        raise WebhookRefused(_("Choisissez au moins un événement."), code="no_event")
    return known_events


def _taken() -> WebhookRefused:
    return WebhookRefused(_("Cette adresse est déjà dans la liste."), code="taken")


def _stale() -> WebhookRefused:
    return WebhookRefused(
        _("Quelqu’un a changé cet envoi pendant que vous le lisiez. Rechargez la page."),
        code="stale",
    )


def _summary(webhook: Webhook) -> dict[str, object]:
    host = urlsplit(webhook.address).hostname
    return {"host": host, "events": webhook.events, "is_on": webhook.is_on}
