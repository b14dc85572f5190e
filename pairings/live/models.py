"""The outbox of live events, and the stored responses to idempotent requests."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from clubs.organisations.models import Organisation


class LiveEvent(models.Model):
    """A change that live pages must show.

    Written in the transaction of the change, read by the event stream. `payload` carries ids only:
    each page fetches what its reader may see.
    """

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="live_events", db_index=False
    )
    kind = models.CharField(max_length=20)
    payload = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["organisation", "id"], name="live_events_in_order")]

    def __str__(self) -> str:
        return f"{self.pk} {self.kind}"


class Operation(models.Model):
    """One request sent with an idempotency key: the same key gets the same response, once."""

    key = models.CharField(max_length=64)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    body_hash = models.CharField(max_length=64)
    answer = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["actor", "key"], name="an_operation_happens_once"),
        ]

    def __str__(self) -> str:
        return self.key
