"""The addresses that an organisation's events are posted to, and the log of what was posted."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clubs.organisations.models import Organisation

ADDRESS_LENGTH = 500


class Event(models.TextChoices):
    """What another program may hear of."""

    RESULT = "result.final", _("un résultat est définitif")
    RULING = "ruling", _("une décision d’arbitre, une correction")
    EVENING = "evening.closed", _("une soirée est clôturée")
    EDITION = "edition.published", _("un classement est publié")
    RATING = "rating.changed", _("des cotes changent")


class DeliveryState(models.TextChoices):
    WAITING = "waiting", _("en attente")
    SENT = "sent", _("reçu")
    GIVEN_UP = "given_up", _("abandonné")


class Webhook(models.Model):
    """Where to post which events. `handled_seq`: the last journal entry that was looked at."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="webhooks"
    )
    address = models.CharField(max_length=ADDRESS_LENGTH)
    events = models.JSONField(default=list)
    secret = models.CharField(max_length=64)
    is_on = models.BooleanField(default=True)
    version = models.PositiveIntegerField(default=0)
    handled_seq = models.PositiveBigIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "address"], name="an_address_is_one_webhook"
            ),
        ]

    def __str__(self) -> str:
        return f"webhook {self.pk}"


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def due(self, *, at: datetime) -> Self:
        """Select those to send now."""
        return self.waiting().filter(due_at__lte=at, webhook__is_on=True)

    def waiting(self) -> Self:
        return self.filter(state=DeliveryState.WAITING.value)

    def ended(self) -> Self:
        return self.exclude(state=DeliveryState.WAITING.value)


class Delivery(models.Model):
    """One event to one webhook: what the journal entry `seq` says.

    A try moves `due_at` behind the longest time it can take, so that no other worker begins it.
    `answer`: the status of the last answer, or a code of `api.webhooks.sending`.
    """

    State = DeliveryState

    webhook = models.ForeignKey(Webhook, on_delete=models.PROTECT, related_name="deliveries")
    seq = models.PositiveBigIntegerField()
    event = models.CharField(max_length=20, choices=Event.choices)
    created_at = models.DateTimeField(db_index=True)
    state = models.CharField(
        max_length=10, choices=DeliveryState.choices, default=DeliveryState.WAITING.value
    )
    tries = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    answer = models.CharField(max_length=20, blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["webhook", "seq", "event"], name="an_event_is_delivered_once"
            ),
            models.CheckConstraint(
                condition=Q(state=DeliveryState.WAITING.value, ended_at__isnull=True)
                | (~Q(state=DeliveryState.WAITING.value) & Q(ended_at__isnull=False)),
                name="a_delivery_that_ended_says_when",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=Q(state=DeliveryState.WAITING.value),
                name="deliveries_to_send",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.seq} to {self.webhook_id}"
