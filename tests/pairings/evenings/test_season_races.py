"""Evenings that are announced or moved while the days of their season change."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clubs.accounts.older_pages import row_version
from clubs.setup import club_settings
from pairings.evenings import actions as evenings
from pairings.evenings.models import Evening
from tests.pairings.matches.test_races import while_open

pytestmark = pytest.mark.django_db(transaction=True)


def edit_season(club, **changes):
    season = club.evening.season
    values = {name: getattr(season, name) for name in club_settings.SEASON_FIELDS}
    seen = row_version(season, club_settings.SEASON_SEEN)
    how = {"changes": {**values, **changes}, "seen": seen, "by": club.committee, "at": club.at}
    return lambda: club_settings.edit_season(season=season, **how)


def announce(club, *, days):
    how = {"starts_at": club.at + timedelta(days=days), "by": club.committee, "at": club.at}
    return lambda: evenings.announce_evening(organisation=club.organisation, **how)


def test_an_evening_announced_while_its_season_is_shortened_is_refused(club):
    day = club.evening.held_on
    answers = while_open(
        edit_season(club, ends_on=day + timedelta(days=7)), announce(club, days=14)
    )
    assert answers == ["ok", "no_season"]
    assert Evening.objects.filter(held_on__gt=day).count() == 0


def test_an_evening_moved_while_its_season_is_shortened_is_refused(club):
    day = club.evening.held_on
    later = announce(club, days=3)()
    row = {"place": later.place, "auto_pair": True, "by": club.committee, "at": club.at}
    answers = while_open(
        edit_season(club, ends_on=day + timedelta(days=7)),
        lambda: evenings.edit_evening(evening=later, starts_at=club.at + timedelta(days=14), **row),
    )
    assert answers == ["ok", "no_season"]


def test_a_season_shortened_while_an_evening_is_announced_keeps_it(club):
    day = club.evening.held_on
    answers = while_open(
        announce(club, days=14), edit_season(club, ends_on=day + timedelta(days=7))
    )
    assert answers == ["ok", "evenings_outside"]
