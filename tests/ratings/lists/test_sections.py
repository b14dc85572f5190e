"""Sections of a list on a day: by the player's own last competition and the rules in force."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from ratings import home_blocks
from ratings.competitions.files.headings import STARTS
from ratings.lists import queries
from ratings.systems.fisf.system import Fisf
from tests.ratings.lists.test_views import held_list, rated

pytestmark = pytest.mark.django_db
ON = date(2026, 11, 20)
PLAYERS = {
    "Ana Un": (1700, 40, 5, "2024-03-10"),
    "Bea Deux": (1690, 40, 5, "2025-11-19"),
    "Cat Trois": (1680, 40, 5, "2025-11-20"),
    "Dan Quatre": (1670, 40, 2, "2026-08-10"),
    "Eve Cinq": (1660, 12, 3, "2026-08-15"),
    "Flo Six": (1650, 5, 1, ""),
    "Guy Sept": (1640, 0, 0, ""),
}


@pytest.fixture
def held(club):
    """Starting cotes of 2026-09-01, with the games, tournaments and last day of each player."""
    rating_list = held_list(club, "fisf")
    rows = [[name, *map(str, numbers)] for name, numbers in PLAYERS.items()]
    heading = ["joueur", "cote", "parties", "tournois", "dernière compétition"]
    rated(club, rating_list, [heading, *rows], STARTS, date(2026, 9, 1))
    return rating_list


def names_by_section(rating_list):
    pages = {
        section.code: [
            row.name for row in queries.page(rating_list, on=ON, section=section.code).rows
        ]
        for section in Fisf().sections(ON)
    }
    table = queries.ranking_on(rating_list, ON)
    frozen = {
        code: [row.name for row in table.rows if row.section == code]
        for code in pages
        if code != "everybody"
    }
    assert frozen == {code: names for code, names in pages.items() if code != "everybody"}
    return {code: "".join(name[0] for name in names) for code, names in pages.items()}


def test_000_6_a_player_is_ranked_for_a_year_from_their_last_competition(held):
    """Not from the day their starting cote was brought."""
    assert names_by_section(held) == {
        "ranked": "CD",
        "provisional": "EF",
        "estimated": "G",
        "everybody": "ABCDEFG",
    }


def test_the_file_of_the_organisers_counts_no_movement(club, held, client):
    """It is in no edition: everybody would be new there."""
    club.publish_edition("Liste", rating_list=held)
    assert [row.move for row in queries.page(held, on=ON).rows] == [0, 0]
    assert queries.page(held, on=ON, section="everybody").since is None
    address = f"/c/faizers/cotes/{held.slug}/"
    assert "évolution depuis" in client.get(address).content.decode()
    words = client.get(f"{address}?partie=everybody").content.decode()
    assert "nouveau" not in words and "évolution depuis" not in words


@pytest.mark.parametrize(
    ("cote", "ranked", "provisional"),
    [
        ({"listed_tournaments": 3, "listed_games": 10}, "CE", "DF"),
        ({"listed_games": 10}, "CDE", "F"),
        ({"listed_games": 10, "listed_years": 3}, "ABCDE", "F"),
    ],
)
def test_000_6_the_numbers_in_force_decide_who_is_ranked(club, held, cote, ranked, provisional):
    on = datetime(2026, 9, 2, tzinfo=UTC)
    club.rule_book({"cote": cote}, scope="fisf", at=on)
    sections = names_by_section(held)
    assert (sections["ranked"], sections["provisional"]) == (ranked, provisional)


def test_000_6_the_home_page_names_leaders_of_the_ranking(held):
    leaders = home_blocks.leaders_of([held], {"fisf": Fisf()}, viewer_is_member=False)
    assert [cote.member.first_name for cote in leaders] == ["Cat", "Dan"]
