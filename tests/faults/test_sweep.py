"""One club's trouble stays its own: the sweep goes on to the others, and comes back."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
import time_machine

from clubs.members.models import Member
from clubs.notifications import push
from clubs.upkeep import sweeps
from config.watch.health import ready
from pairings import tasks
from pairings.evenings import actions as evenings
from pairings.evenings import pairing
from pairings.evenings.admission import presence
from pairings.evenings.models import Evening
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.ranking import season
from tests.clubhouse import make_club

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def two_clubs():
    """Two clubs whose players wait for the sweep to pair them."""
    clubs = [make_club(slug, size=2) for slug in ("lyon", "cluj")]
    Evening.objects.update(auto_pair=True)
    return clubs


def test_an_evening_that_cannot_be_paired_does_not_stop_the_others(two_clubs, monkeypatch):
    lyon, cluj = two_clubs
    usual = pairing.auto_pair

    def fails_in_lyon(*, evening, at):
        if evening.pk == lyon.evening.pk:
            raise RuntimeError("a row that nobody foresaw")
        return usual(evening=evening, at=at)

    monkeypatch.setattr(pairing, "auto_pair", fails_in_lyon)
    tasks.sweep_due()
    assert not Match.objects.filter(evening=lyon.evening).exists()
    assert Match.objects.filter(evening=cluj.evening).count() == 2
    monkeypatch.setattr(pairing, "auto_pair", usual)
    tasks.sweep_due()
    assert Match.objects.filter(evening=lyon.evening).count() == 2


def test_an_evening_that_cannot_be_paired_is_told_at_each_sweep_until_it_can(
    two_clubs, monkeypatch
):
    begun, told = two_clubs[0].at, []

    def sweep(seconds):
        with time_machine.travel(begun + timedelta(seconds=seconds), tick=False):
            tasks.sweep_due()
            answer = json.loads(ready().content)
        return answer["status"], answer["failed"]

    def fails(**_arguments):
        raise RuntimeError("a row that nobody foresaw")

    usual = pairing.auto_pair
    sweep(0)
    monkeypatch.setattr(pairing, "auto_pair", fails)
    told += [sweep(seconds) for seconds in range(5, 40, 5)]
    assert told == [("degraded", ["due"])] * 7
    monkeypatch.setattr(pairing, "auto_pair", usual)
    sweep(45)
    assert sweep(60)[1] == []


@pytest.mark.parametrize("meanwhile", ["closing", "gone home"])
def test_an_evening_that_changes_while_it_is_paired_is_no_failure(
    two_clubs, monkeypatch, meanwhile
):
    propose = season.propose

    def proposed(evening, waiting, **options):
        outcome, club = propose(evening, waiting, **options), two_clubs[0]
        if evening == club.evening:
            if meanwhile == "closing":
                evenings.begin_closing(evening=evening, by=club.arbiter, at=club.at)
            else:
                for member in Member.objects.filter(pk__in=waiting):
                    by = club.player(member)
                    presence.go_home(evening=evening, member=member, by=by, at=club.at)
            monkeypatch.setattr(season, "propose", propose)
        return outcome

    monkeypatch.setattr(season, "propose", proposed)
    with time_machine.travel(two_clubs[0].at, tick=False):
        tasks.sweep_due()
    assert not two_clubs[0].evening.matches.exists() and two_clubs[1].evening.matches.exists()
    assert sweeps.states(at=two_clubs[0].at, after=sweeps.LATE_AFTER)["due"].failed_at is None


def test_windows_that_cannot_be_closed_do_not_stop_the_pairing(two_clubs, monkeypatch):
    def fails(**_arguments):
        raise RuntimeError("a row that nobody foresaw")

    monkeypatch.setattr(match_actions, "lapse_due", fails)
    with pytest.raises(RuntimeError):
        tasks.sweep_due()
    assert Match.objects.count() == 4


def test_a_club_that_cannot_announce_its_evening_does_not_stop_the_others(two_clubs, monkeypatch):
    lyon, cluj = two_clubs
    for club in two_clubs:
        club.close()
        club.announce(club.at + DAY)
    usual, posted = push.post, []

    def fails_in_lyon(*, key, **options):
        evening = Evening.objects.get(pk=int(key.rpartition(":")[2]))
        if evening.organisation_id == lyon.organisation.pk:
            raise RuntimeError("a row that nobody foresaw")
        posted.append(evening.organisation_id)

    monkeypatch.setattr(push, "post", fails_in_lyon)
    tasks.announce_evenings()
    assert posted == [cluj.organisation.pk]
    state = sweeps.states(at=lyon.at, after=sweeps.ALL_LATE_AFTER)[sweeps.ANNOUNCEMENTS]
    assert state.failed_at == lyon.at and not state.late
    monkeypatch.setattr(push, "post", usual)
    with time_machine.travel(lyon.at + timedelta(minutes=15), tick=False):
        tasks.announce_evenings()
        state = sweeps.states(at=lyon.at, after=sweeps.ALL_LATE_AFTER)[sweeps.ANNOUNCEMENTS]
    assert state.failed_at is None
