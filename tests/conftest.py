"""Two clubs on one site, and clients signed in as each kind of reader."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial

import pytest
from django.conf import settings
from django.contrib.auth import login
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from django.test import Client, override_settings

from tests.clubhouse import Clubhouse, make_club
from tests.migrated import django_db_keepdb

__all__ = ["django_db_keepdb"]


def pytest_collection_finish() -> None:
    """Keep the modules out of later garbage collections, which took a twentieth of the run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


@pytest.fixture(scope="session", autouse=True)
def own_media(tmp_path_factory) -> Iterator[None]:
    """A folder of photos for each worker: what no row of its database names is deleted there."""
    with override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("media")):
        yield


@pytest.fixture
def club(request, db) -> Clubhouse:
    """As a module's fixture `begun` leaves it, where a test asks for what that has made."""
    if "begun" in request.fixturenames:
        return request.getfixturevalue("begun")[0]
    return make_club("faizers")


@pytest.fixture
def other_club(db) -> Clubhouse:
    return make_club("voisins", size=4)


@pytest.fixture
def neighbours(other_club) -> Clubhouse:
    return other_club


@pytest.fixture
def as_user():
    """A client signed in as that account; None is a visitor."""

    def sign_in(user=None) -> Client:
        client = Client()
        if user is not None:
            # `force_login` stores a visitor's session first, reads it and deletes it: half of its time.
            request = HttpRequest()
            request.session = SessionStore()
            login(request, user)
            request.session.save()
            client.cookies[settings.SESSION_COOKIE_NAME] = request.session.session_key
        return client

    return sign_in


@pytest.fixture
def after_commit(django_capture_on_commit_callbacks):
    """What runs at the end of the block as after a commit: mails, notifications, tasks."""
    return partial(django_capture_on_commit_callbacks, execute=True)


@pytest.fixture
def desk(club, as_user) -> Client:
    """The committee's client."""
    return as_user(club.committee.user)


@pytest.fixture
def root(club) -> str:
    """The first part of the club's addresses, where the site has several clubs."""
    return f"/c/{club.organisation.slug}"
