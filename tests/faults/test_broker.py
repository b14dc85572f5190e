"""Redis is away: people still sign in, read, enter and confirm, and soon nobody waits for it."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.core.cache import caches
from django.test import Client
from django.utils import timezone
from django_redis.cache import RedisCache

from config import cache
from pairings.matches import actions as match_actions
from tests.clubhouse import PASSWORD, make_club
from tests.plugins.postgres import free_port

pytestmark = pytest.mark.django_db


@pytest.fixture
def no_redis(settings):
    """A cache on a port where nobody listens."""
    port = free_port()
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {
        **settings.CACHES,
        "default": {"BACKEND": "config.cache.SharedCache"},
        "redis": {
            "BACKEND": "django_redis.cache.RedisCache",
            "LOCATION": f"redis://127.0.0.1:{port}/0",
            "OPTIONS": {"SOCKET_CONNECT_TIMEOUT": 1, "SOCKET_TIMEOUT": 2},
        },
        "spare": {"BACKEND": memory, "LOCATION": "spare"},
    }
    yield
    caches["spare"].clear()


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
    assert "Trop d’essais" not in said[0]
    assert "Trop d’essais" in said[-1]


def test_redis_is_asked_once_and_then_left_alone(no_redis, monkeypatch):
    asked = []
    usual = RedisCache.get

    def count(self, *arguments):
        asked.append(arguments)
        return usual(self, *arguments)

    monkeypatch.setattr(RedisCache, "get", count)
    held = caches["default"]
    held.set("a", 1)
    caches["process"].delete(cache.AWAY)
    assert [held.get("a") for _again in range(5)] == [1] * 5
    assert len(asked) == 1 and cache.is_away()
    with time_machine.travel(timezone.now() + timedelta(seconds=cache.PAUSE_S), tick=False):
        assert not cache.is_away()
        held.get("a")
    assert len(asked) == 2


@pytest.mark.only_on("postgres")
def test_with_redis_there_every_process_reads_the_same(settings):
    """The same cache on the real Valkey: what one instance writes the other reads."""
    assert settings.CACHES["default"]["BACKEND"] == "config.cache.SharedCache"
    one, other = caches["default"], caches["redis"]
    one.set("shared", [1, 2])
    assert other.get("shared") == [1, 2]
    assert one.add("shared", 3) is False
    one.set("count", 1)
    assert one.incr("count", 2) == 3
    with pytest.raises(ValueError, match="count-that-is-not"):
        one.incr("count-that-is-not")
