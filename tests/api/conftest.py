"""Requests to the API, with a key or without."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.api.keys import key_of


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


@pytest.fixture
def send(club, other_club):
    """Send a body to an address of the club's API, with that member's key; a GET asks with it."""
    keys: dict[tuple[Any, ...], str] = {}

    def post(path, body, by, *scopes, once="", method="post", of=club):
        held = (by.pk, scopes)
        if held not in keys:
            keys[held] = key_of(by, club.at, *scopes)
        headers = {"Authorization": f"Bearer {keys[held]}", "Accept-Language": "fr"}
        if once:
            headers["Idempotency-Key"] = once
        address = f"/c/{of.organisation.slug}/api/v1/{path}"
        if method == "get":
            return Client().get(address, body, headers=headers)
        return getattr(Client(), method)(
            address,
            body,
            content_type="application/json",
            headers=headers,
        )

    return post


@pytest.fixture
def judge(club):
    """The arbiter who directs with a key."""
    return club.arbiter.member
