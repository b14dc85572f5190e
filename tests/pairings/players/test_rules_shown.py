"""Badges and cotes of pages go by the rules of the last evening: a version counts from its first."""

from __future__ import annotations

import pytest

from pairings.ranking import live as live_ranking

pytestmark = pytest.mark.django_db

LOW_BANDS = {"cote": {"amethyste_from": 1010, "topaze_from": 1100, "divisor": 800, "initial": 1200}}


@pytest.fixture
def winner(club):
    """The winner of an evening by the document's bands, before the committee adopts lower ones."""
    one, other = club.members[:2]
    club.played(one, other)
    club.close()
    club.rule_book(LOW_BANDS)
    return one


def evening_of_others(club):
    club.next_evening()
    club.played(*club.members[2:4])
    club.close()


def badges(club, as_user, root, member):
    """What the ranking, the list of players, the profile and the API say of one member's badge."""
    reader = as_user(None)
    ranking = live_ranking.ranking(club.organisation, at=club.at, live=False)
    players = reader.get(f"{root}/joueurs/")
    listed = next(row for row in players.context["rows"] if row["member"].pk == member.pk)
    profile = reader.get(f"{root}/joueurs/{member.address}/")
    answer = reader.get(f"{root}/api/v1/players/{member.public_id}").json()
    return {
        next(row.category for row in ranking.rows if row.member.pk == member.pk),
        listed["category"],
        profile.context["category"],
        answer["category"],
    }


def test_a_badge_is_the_same_on_every_page_before_the_first_evening_of_a_version(
    club, winner, as_user, root
):
    assert badges(club, as_user, root, winner) == {"onyx"}


def test_a_badge_is_the_same_on_every_page_after_an_evening_without_its_holder(
    club, winner, as_user, root
):
    evening_of_others(club)
    assert badges(club, as_user, root, winner) == {"amethyste"}
    page = as_user(None).get(f"{root}/joueurs/{winner.address}/").content.decode()
    assert "Topaze à partir de 1100" in page


def test_the_profile_of_somebody_never_rated_starts_at_the_cote_of_the_club(
    club, winner, as_user, root
):
    evening_of_others(club)
    profile = as_user(None).get(f"{root}/joueurs/{club.members[7].address}/")
    assert profile.context["cote"] == 1200


def test_the_chance_between_two_players_goes_by_the_divisor_of_the_club(
    club, winner, as_user, root
):
    evening_of_others(club)
    other = club.members[7]
    page = as_user(None).get(f"{root}/joueurs/{winner.address}/contre/{other.address}/")
    assert page.context["cotes"] == (1015, 1200)
    assert page.context["chance"] == pytest.approx(1 / (1 + 10 ** (185 / 800)))
