"""Requests to the API, with a key or without."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client


@pytest.fixture
def ask(club):
    """Ask an address under /api/v1/ of the club, with a key or as a visitor."""

    def get(path: str, key: str = "", *, of: Any = club, language: str = "fr", **headers: str):
        headers = {"Accept-Language": language, **headers}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        client = Client(raise_request_exception=False)
        return client.get(f"/c/{of.organisation.slug}/api/v1/{path}", headers=headers)

    return get
