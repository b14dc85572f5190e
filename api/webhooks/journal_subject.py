"""The subject of a journal entry in words: webhooks."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from django.urls import reverse

from api.webhooks.models import Webhook
from clubs.journal.wording import Subject


def webhooks(ids: Collection[int]) -> dict[int, Subject]:
    return {
        webhook.pk: (
            urlsplit(webhook.address).hostname or "",
            reverse("api:webhook", kwargs={"webhook_id": webhook.pk}),
        )
        for webhook in Webhook.objects.filter(pk__in=ids)
    }
