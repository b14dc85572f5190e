"""Liveness asks nothing and refuses nobody; readiness says what the process reaches."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import cache, caches
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from api.tasks import sweep_webhooks
from clubs.journal.tasks import verify_journals
from clubs.tasks import sweep_runs
from clubs.upkeep import sweeps
from clubs.upkeep.models import SweepRun
from config import cache as shared_cache
from pairings.tasks import daily, sweep_due

AT_LEAST = {"due", "runs", "journal", "webhooks", "daily"}


@pytest.fixture
def production(settings):
    settings.ALLOWED_HOSTS = ["club.example.org"]
    settings.SECURE_SSL_REDIRECT = True


@pytest.mark.parametrize("method", ["get", "head"])
def test_liveness_asks_no_database_and_takes_any_host_over_plain_http(production, method):
    """No `django_db` mark: a question to the database fails this test."""
    answer = getattr(Client(), method)("/healthz", headers={"host": "10.1.2.3:8001"})
    assert answer.status_code == 200
    assert answer.content == (b"ok" if method == "get" else b"")


@pytest.mark.django_db
def test_readiness_says_what_the_process_reaches(production):
    for task in (sweep_due, sweep_runs, verify_journals, sweep_webhooks, daily):
        task()
    answer = Client().get("/healthz/ready", headers={"host": "10.1.2.3:8001"})
    told = answer.json()
    assert (answer.status_code, told["status"]) == (200, "ready")
    assert (told["database"], told["cache"], told["late"]) == (True, True, [])
    assert set(told["last_sweep_s"]) == AT_LEAST
    assert all(0 <= age < 60 for age in told["last_sweep_s"].values())


def refuse(*_arguments, **_named):
    raise OperationalError("the server closed the connection")


@pytest.mark.django_db
def test_without_the_database_it_is_not_ready():
    with connection.execute_wrapper(refuse):
        answer = Client().get("/healthz/ready")
        assert Client().get("/healthz").status_code == 200
    assert answer.status_code == 503
    assert answer.json()["status"] == "unavailable"
    assert answer.json()["database"] is False


@pytest.mark.django_db
@pytest.mark.parametrize(("seconds", "late"), [(59, False), (60, False), (61, True)])
def test_a_sweep_that_is_late_is_named_and_pages_go_on(seconds, late, monkeypatch):
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    for name in AT_LEAST:
        SweepRun.objects.create(name=name, ended_at=now)
    SweepRun.objects.filter(name="due").update(ended_at=now - timedelta(seconds=seconds))
    answer = Client().get("/healthz/ready")
    assert answer.status_code == 200
    assert answer.json()["last_sweep_s"]["due"] == seconds
    assert answer.json()["late"] == (["due"] if late else [])
    assert answer.json()["status"] == ("degraded" if late else "ready")


@pytest.mark.django_db
@pytest.mark.parametrize(("days", "late"), [(1, False), (2, False), (2.1, True)])
def test_a_new_site_is_degraded_once_a_task_should_have_run(days, late):
    """`daily` runs after a day, with the beat of its first start: until two days it is not late."""
    now = timezone.now()
    assert sweeps.states(at=now, after=sweeps.LATE_AFTER)["daily"].late  # nothing ever ran
    sweeps.note("due", at=now)
    sweeps.note("due", at=now + timedelta(days=1))
    task = sweeps.states(at=now + timedelta(days=days), after=sweeps.LATE_AFTER)["daily"]
    assert (task.late, task.age) == (late, None)


@pytest.mark.django_db
def test_two_processes_that_answer_at_one_moment_are_both_ready(monkeypatch):
    read, told = cache.get, []

    def read_late(key, *rest):
        if not told:  # once: the other process writes before this one reads
            told.append(None)
            told[0] = Client().get("/healthz/ready").json()["cache"]
        return read(key, *rest)

    monkeypatch.setattr(cache, "get", read_late, raising=False)
    told.append(Client().get("/healthz/ready").json()["cache"])
    assert told == [True, True]


@pytest.mark.django_db
def test_a_cache_that_forgets_or_is_away_is_said(monkeypatch):
    for name in AT_LEAST:
        SweepRun.objects.create(name=name, ended_at=timezone.now())
    with monkeypatch.context() as patch:
        patch.setattr(cache, "get", lambda *_arguments: None, raising=False)
        told = Client().get("/healthz/ready").json()
        assert (told["cache"], told["status"]) == (False, "degraded")
    caches["process"].set(shared_cache.AWAY, True)
    told = Client().get("/healthz/ready").json()
    assert (told["cache"], told["status"]) == (False, "degraded")


@pytest.mark.django_db
@pytest.mark.parametrize(("seconds", "late"), [(60, False), (61, True)])
def test_a_task_that_ended_in_the_future_is_late_until_it_ends_again(seconds, late):
    """The clock was ahead and was set back: whether the task still runs, its row does not say."""
    now = timezone.now()
    sweeps.note("due", at=now + timedelta(seconds=seconds))
    assert sweeps.states(at=now, after=sweeps.LATE_AFTER)["due"].late is late
    sweeps.note("due", at=now)
    task = sweeps.states(at=now, after=sweeps.LATE_AFTER)["due"]
    assert (task.late, task.ended_at) == (False, now)


@pytest.mark.django_db
def test_a_task_that_runs_every_few_seconds_is_written_down_every_fifteen():
    now = timezone.now()
    for seconds, kept in [(0, 0), (14, 0), (15, 15), (20, 15)]:
        sweeps.note("due", at=now + timedelta(seconds=seconds))
        ended = SweepRun.objects.get(name="due").ended_at
        assert ended == now + timedelta(seconds=kept)
