"""A worker whose clock is wrong: sweeps go by the database's clock, and say that they differ."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from celery.beat import Service
from celery.signals import beat_init
from django.utils import timezone

from clubs.upkeep import database_clock
from config.celery import app
from pairings import tasks
from pairings.matches import actions as match_actions
from tests.clubhouse import make_club

pytestmark = [pytest.mark.django_db, pytest.mark.real_clock]
AHEAD = timedelta(minutes=6)


@pytest.fixture
def entered():
    """A result that was entered just now, and the player who has five minutes to answer."""
    club = make_club("club", size=2)
    club.at = timezone.now()
    match, (_a, b) = club.entered()
    return match, b


def test_a_worker_six_minutes_ahead_closes_nothing_and_the_contest_is_accepted(entered):
    match, b = entered
    with time_machine.travel(datetime.now(UTC) + AHEAD):
        assert tasks.sweep_due() == 0
    match.refresh_from_db()
    assert match.status == "submitted"
    told = match_actions.contest(match=match, by=b, at=timezone.now(), words="faux")
    assert told.status == "contested"


def test_a_worker_that_is_behind_still_ends_what_is_over():
    club = make_club("club", size=2)
    club.at = timezone.now() - AHEAD
    match, _players = club.entered()
    with time_machine.travel(datetime.now(UTC) - AHEAD):
        assert tasks.sweep_due() == 1
    match.refresh_from_db()
    assert match.status == "final"


@pytest.mark.parametrize(("seconds", "said"), [(4, False), (6, True), (-6, True)])
def test_a_difference_of_more_than_five_seconds_is_logged(entered, caplog, seconds, said):
    with (
        caplog.at_level(logging.ERROR, logger="clubs.upkeep.database_clock"),
        time_machine.travel(datetime.now(UTC) + timedelta(seconds=seconds)),
    ):
        database_clock.now()
    assert bool(caplog.records) is said


def begun(folder) -> Service:
    """Return a beat as at its start, before its first look at the clock."""
    service = Service(app, schedule_filename=str(folder / "beat-schedule"))
    beat_init.send(sender=service)
    return service


def test_a_beat_that_is_restarted_after_a_clock_three_hours_ahead_sends_its_tasks(tmp_path):
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=3)):
        begun(tmp_path).scheduler.close()
    again = begun(tmp_path).scheduler
    waits = {entry.name: entry.is_due().next for entry in again.schedule.values()}
    again.close()
    assert waits["sweep-due"] <= 5
    assert waits["archive-site"] <= 86400


def test_a_beat_that_is_restarted_keeps_when_a_daily_task_ran(tmp_path):
    with time_machine.travel(datetime.now(UTC) - timedelta(hours=23)):
        begun(tmp_path).scheduler.close()
    again = begun(tmp_path).scheduler
    wait = again.schedule["archive-site"].is_due().next
    again.close()
    assert wait <= 3600
