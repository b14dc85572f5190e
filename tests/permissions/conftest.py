"""Two furnished clubs and their leagues: built once a module, and each test is one case in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.views.defaults import permission_denied

from config import urls
from tests.clubhouse import NOW
from tests.permissions.furnished_club import Furnished, furnish


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[Furnished]:
    with django_db_blocker.unblock(), transaction.atomic():
        with time_machine.travel(NOW, tick=False):
            site = furnish()
        yield site
        transaction.set_rollback(True)


@pytest.fixture
def site(world: Furnished, db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Furnished]:
    monkeypatch.setattr(urls, "handler403", refuse, raising=False)
    with time_machine.travel(world.club.at, tick=False):
        yield world


_told: set[int | None] = set()


def refuse(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Refuse with the site's page each reader once, then without one: it is asked for 1,400 times."""
    if request.user.pk in _told:
        return HttpResponseForbidden()
    _told.add(request.user.pk)
    return permission_denied(request, exception)
