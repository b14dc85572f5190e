"""Redis is away: people still sign in, read, enter and confirm, and soon nobody waits for it."""

from __future__ import annotations

import socket
import time

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from config import cache
from pairings.matches import actions as match_actions
from tests.clubhouse import PASSWORD, make_club

pytestmark = pytest.mark.django_db


@pytest.fixture
def no_redis(settings):
    """A cache on a port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings.CACHES = {
        **settings.CACHES,
        "default": {
            "BACKEND": "config.cache.SharedCache",
            "LOCATION": f"redis://127.0.0.1:{port}/0",
            "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 2},
        },
    }
    cache._Away.until = 0.0
    caches["default"].clear()
    cache._Away.until = 0.0
    yield
    caches["default"].clear()
    cache._Away.until = 0.0


def test_an_evening_goes_on_without_redis(no_redis):
    club = make_club("faizers", size=4)
    match, (a, b) = club.match()
    a.user.set_password(PASSWORD)
    a.user.save()
    phone = Client()
    for path in ("/", "/classement/", "/soirees/", "/regles/", "/compte/login/"):
        assert phone.get(path).status_code == 200, path
    signed = phone.post("/compte/login/", {"login": a.user.email, "password": PASSWORD})
    assert signed.status_code == 302
    sent = phone.post(f"/matchs/{match.pk}/saisir/", {"mine": "400", "theirs": "350", "key": "k"})
    assert sent.status_code == 302
    match.refresh_from_db()
    match_actions.confirm(match=match, by=b, at=timezone.now(), version=match.version)
    assert "Nom" in phone.get("/classement/").content.decode()


def test_wrong_passwords_are_still_counted(no_redis):
    user = make_club("faizers", size=2).members[0].user
    phone = Client()
    said = [
        phone.post("/compte/login/", {"login": user.email, "password": "faux"}).content.decode()
        for _try in range(8)
    ]
    assert "Trop de tentatives" not in said[0]
    assert "Trop de tentatives" in said[-1]


def test_redis_is_asked_once_and_then_left_alone(no_redis, monkeypatch):
    asked = []
    usual = cache.RedisCache.get

    def count(self, *arguments, **named):
        asked.append(arguments)
        return usual(self, *arguments, **named)

    monkeypatch.setattr(cache.RedisCache, "get", count)
    monkeypatch.setattr(cache.SharedCache, "get", cache._tolerant("get"))
    held = caches["default"]
    held.set("a", 1)
    cache._Away.until = 0.0
    assert [held.get("a") for _again in range(5)] == [1] * 5
    assert len(asked) == 1
    cache._Away.until = time.monotonic() - 1
    held.get("a")
    assert len(asked) == 2


@pytest.mark.only_on("postgres")
def test_with_redis_there_every_process_reads_the_same(settings):
    """The same cache on the real Valkey: what one instance writes the other reads."""
    assert settings.CACHES["default"]["BACKEND"] == "config.cache.SharedCache"
    cache._Away.until = 0.0
    one = cache.SharedCache(settings.CACHES["default"]["LOCATION"], {"OPTIONS": {}})
    other = cache.SharedCache(settings.CACHES["default"]["LOCATION"], {"OPTIONS": {}})
    one.set("shared", [1, 2])
    other.spare.clear()
    assert other.get("shared") == [1, 2]
    assert one.add("shared", 3) is False
    one.set("count", 1)
    assert one.incr("count", 2) == 3
    with pytest.raises(ValueError, match="count-that-is-not"):
        one.incr("count-that-is-not")
