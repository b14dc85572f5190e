"""The numbers of a match's life in a tournament: what the organiser typed is what is applied."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pairings.matches import actions as match_actions
from pairings.matches.refusals import ResultRefused
from pairings.tournaments import actions as tournaments
from tests.clubhouse import make_club
from tests.tournament_day import make_tournament, publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(db):
    return make_club("faizers", size=8)


def first_match(house, **match_rules):
    """Table 1 of a round that is published one hour before it begins."""
    made = make_tournament(house, 8, match_rules=match_rules)
    made = tournaments.freeze(tournament=made, by=house.committee, at=house.at)
    match = publish(house, made, 1).matches.get(table_number=1)
    assert match.round.starts_at == house.at + timedelta(hours=1)
    return match


@pytest.mark.parametrize(("seconds", "accepted"), [(899, False), (900, True), (901, True)])
def test_an_absence_is_reported_after_the_grace_time_from_the_start_of_the_round(
    house, seconds, accepted
):
    match = first_match(house)
    at = match.round.starts_at + timedelta(seconds=seconds)
    claim = {"match": match, "by": house.player(match.first), "at": at}
    if accepted:
        assert match_actions.claim_absence(**claim).status == "absence_claimed"
    else:
        with pytest.raises(ResultRefused, match="à 21:15"):
            match_actions.claim_absence(**claim)


def test_a_round_that_is_published_late_counts_from_then(house):
    match = first_match(house)
    match.round.starts_at = house.at - timedelta(hours=1)
    match.round.save()
    by = house.player(match.first)
    late = house.at + timedelta(seconds=900)
    with pytest.raises(ResultRefused):
        match_actions.claim_absence(match=match, by=by, at=late - timedelta(seconds=1))
    assert match_actions.claim_absence(match=match, by=by, at=late).status == "absence_claimed"


@pytest.mark.parametrize(("seconds", "over"), [(-1, False), (0, False), (1, True)])
def test_the_time_to_play_runs_from_the_start_of_the_round(house, seconds, over):
    match = first_match(house)
    ends = match.round.starts_at + timedelta(days=7)
    assert match.deadline_until == ends
    at = ends + timedelta(seconds=seconds)
    assert match_actions.lapse_due(at=at, grace=timedelta(), limit=9) == (4 if over else 0)
    match.refresh_from_db()
    assert match.status == ("void" if over else "proposed")


def test_the_form_of_an_absence_says_from_when_it_may_be_sent(house, as_user):
    match = first_match(house)
    page = as_user(match.first.user).get(f"/c/faizers/matchs/{match.pk}/absence/")
    assert page.context["absence_from"] == match.round.starts_at + timedelta(minutes=15)
    assert not page.context["absence_possible"]
