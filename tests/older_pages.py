"""What a browser sends of a form that edits stored values: also the version that its page showed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.test import Client


def seen(client: Client, address: str) -> str:
    """The version of the values that the form on that page shows."""
    return str(client.get(address).context["form"].initial["seen"])


def send(client: Client, address: str, typed: Mapping[str, Any], **asked: Any) -> HttpResponse:
    """Open the page of that address and send its form with what is typed."""
    return client.post(address, {**typed, "seen": seen(client, address)}, **asked)
