"""What the director reads above a draft before they publish it."""

from __future__ import annotations

import pytest

from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing as round_publishing
from tests.clubhouse import make_club
from tests.tournament_day import frozen, play_round, publish, round_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(db):
    return make_club("avis", size=7)


@pytest.fixture
def open_(house):
    """Seven players and the draft of the first round, where one of them has no opponent."""
    swiss = frozen(house, 7, system="swiss", round_count=4)
    rounds.draw(round=round_of(swiss, 1), by=house.arbiter, at=house.at)
    return swiss


def page_of(open_, desk) -> str:
    address = f"/c/avis/gestion/tournois/{open_.slug}/ronde/1/conduite/"
    return " ".join(desk.get(address).content.decode().replace("\u00a0", " ").split())


def test_a_draft_names_who_was_noted_absent_since_and_says_what_to_do(house, open_, as_user):
    desk, gone = as_user(house.arbiter.user), house.members[2]
    assert "Annoncés absents" not in page_of(open_, desk)
    house.set_away(open_.entries.get(member=gone), 1)
    assert f"Annoncés absents : {gone.full_name}. Appariez de nouveau." in page_of(open_, desk)


def test_who_sits_elsewhere_and_has_no_opponent_does_not_stop_the_round(house, open_, as_user):
    desk, busy = as_user(house.arbiter.user), "la ronde ne peut pas être publiée avec eux"
    draft = round_of(open_, 1).draft
    alone = next(board["first"] for board in draft if board["second"] is None)
    by_number = {member.pk: member for member in house.members}
    house.match(by_number[alone], house.arbiter.member)
    assert busy not in page_of(open_, desk)
    round_publishing.publish(round=round_of(open_, 1), by=house.arbiter, at=house.at)
    assert round_of(open_, 1).is_public


def test_the_presences_of_a_round_are_where_its_button_leads(house, open_, as_user):
    desk = as_user(house.arbiter.user)
    there = f"/c/avis/gestion/tournois/{open_.slug}/inscrits/"
    assert f'href="{there}#inscrits"' in page_of(open_, desk)
    assert 'id="inscrits"' in desk.get(there).content.decode()


def test_a_round_that_is_played_already_is_not_to_be_prepared(house, as_user):
    swiss, desk = frozen(house, 6, system="swiss", round_count=4), as_user(house.arbiter.user)
    play_round(house, swiss, 1)
    assert "Préparer la ronde 2" in page_of(swiss, desk)
    publish(house, swiss, 2)
    page = page_of(swiss, desk)
    assert "Préparer la ronde 2" not in page and "Gérer la ronde 2" in page
