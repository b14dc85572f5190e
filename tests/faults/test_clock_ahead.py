"""A worker whose clock is wrong: sweeps go by the database's clock, and say that they differ."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from clubs.upkeep import database_clock
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
    match, (a, b) = club.match()
    match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at)
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
    match, (a, _b) = club.match()
    match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at)
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
