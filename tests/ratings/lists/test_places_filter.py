"""A federation's list by country and by club, of the players who show their name."""

from __future__ import annotations

import pytest
from django.core.cache import cache, caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons.models import Person
from ratings.lists import views
from ratings.systems.columns import BADGE, DECIMAL, INTEGER, SHARE, ListColumn, can_sort, sortable
from tests.ratings.lists.test_views import held_list, plain, rated

pytestmark = pytest.mark.django_db
PLACES = [("France", "Aix"), ("France", "Cannes"), ("România", "Cluj"), ("", "")]


@pytest.fixture
def page(club):
    Organisation.objects.filter(pk=club.organisation.pk).update(kind=Organisation.FEDERATION)
    club.organisation.refresh_from_db()
    held = held_list(club, "absp")
    people = club.members[:4]
    for n, (member, (country, town)) in enumerate(zip(people, PLACES, strict=True)):
        Person.objects.create(
            organisation=club.organisation,
            member=member,
            licence=str(100 + n),
            country=country,
            club=town,
        )
    starts = [["joueur", "cote", "parties"]]
    starts += [[str(member), str(120 - n), "20"] for n, member in enumerate(people)]
    rated(club, held, starts, "starts")
    return f"/c/faizers/cotes/{held.slug}/"


def names(answer):
    return [(row["rank"], row["name"]) for row in answer.context["rows"]]


def test_a_list_narrows_to_a_country_and_a_club_with_the_ranks_of_the_whole(club, client, page):
    first, second, third, _last = (member.full_name for member in club.members[:4])
    assert names(client.get(page + "?pays=France")) == [(1, first), (2, second)]
    assert names(client.get(page + "?pays=France&club=Cannes")) == [(2, second)]
    assert names(client.get(page + "?club=Cluj&q=Prénom")) == [(3, third)]
    assert len(names(client.get(page + "?pays=Narnia"))) == 4


def test_two_clubs_whose_names_begin_alike_are_two_pages(club, client, page):
    first, second = (member.full_name for member in club.members[:2])
    long = "Association des joueurs de la rive droite de "
    for member, town in zip(club.members, ("Bordeaux", "Cenon"), strict=False):
        Person.objects.filter(member=member).update(club=long + town)
    assert names(client.get(page, {"club": long + "Bordeaux"})) == [(1, first)]
    assert names(client.get(page, {"club": long + "Cenon"})) == [(2, second)]


def test_country_and_club_are_offered_and_stand_beside_the_name(
    client, page, django_assert_max_num_queries
):
    with django_assert_max_num_queries(12):
        words = plain(client.get(page + "?pays=România"))
    assert "<option selected>România</option>" in words and "<option>France</option>" in words
    assert "Cluj · România" in words and "Aix · France" not in words
    with django_assert_max_num_queries(8):
        client.get(page + "?pays=România")


def test_who_hides_their_name_is_not_found_by_their_club(club, client, page):
    Member.objects.filter(pk=club.members[2].pk).update(visibility=Member.MEMBERS)
    answer = client.get(page)
    words = plain(answer)
    assert "Cluj" not in words and "România" not in words
    assert len(names(client.get(page + "?club=Cluj"))) == 4
    client.force_login(club.members[0].user)
    assert [rank for rank, _name in names(client.get(page + "?club=Cluj"))] == [3]


def test_the_file_has_the_country_that_the_page_shows(club, client, page):
    answer = client.get(page + "?pays=France")
    address = page + "liste.csv?" + answer.context["file_query"]
    assert address.replace("&", "&amp;") in answer.content.decode()
    rows = client.get(address).content.decode().splitlines()[1:]
    assert len(rows) == len(names(answer)) == 2


# Sorted by a column


def ranks(answer):
    return [row["rank"] for row in answer.context["rows"]]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("", [1, 2, 3, 4]),
        ("rank", [1, 2, 3, 4]),
        ("-rank", [4, 3, 2, 1]),
        ("cote", [4, 3, 2, 1]),
        ("-name", [4, 3, 2, 1]),
        ("place", [4, 1, 2, 3]),
        ("member", [1, 2, 3, 4]),
        ("by_name", [1, 2, 3, 4]),
        ("--cote", [1, 2, 3, 4]),
        ("password,-cote", [1, 2, 3, 4]),
    ],
)
def test_a_list_is_sorted_by_a_column_of_its_table_and_by_nothing_else(
    client, page, order, expected
):
    assert ranks(client.get(page, {"tri": order})) == expected


def test_a_list_too_long_to_read_for_one_page_is_not_sorted(client, page, monkeypatch):
    assert "tri=name" in client.get(page).content.decode()
    caches["process"].clear()
    monkeypatch.setattr(views, "SORTED", 3)
    answer = client.get(page, {"tri": "-rank"})
    assert ranks(answer) == [1, 2, 3, 4]
    assert "tri=name" not in answer.content.decode() and "aria-sort" not in answer.content.decode()


def test_a_number_is_sorted_as_a_number_not_as_it_is_written():
    column = ListColumn("mean", "Moyenne", DECIMAL, places=1)
    assert sortable(column, "9.5") < sortable(column, "10.0")
    assert sortable(ListColumn("window", "Fenêtre", SHARE), "14/20") == 14
    assert sortable(ListColumn("games", "Parties", INTEGER), 7) == 7
    assert sortable(column, None) is None
    assert not can_sort(ListColumn("grade", "Grade", BADGE))


def test_a_sorted_list_says_so_and_keeps_narrowing_search_and_pages(client, page, monkeypatch):
    monkeypatch.setattr(views, "PAGE", 1)
    first = client.get(page, {"tri": "-rank", "pays": "France"})
    words = first.content.decode()
    assert ranks(first) == [2] and words.count('aria-sort="descending"') == 1
    assert 'name="tri" value="-rank"' in words
    assert "tri=rank" in words and "pays=France" in words
    second = client.get(page, {"tri": "-rank", "pays": "France", "page": "2"})
    assert ranks(second) == [1] and 'aria-sort="descending"' in second.content.decode()
    assert "aria-sort" not in client.get(page).content.decode()


def test_a_name_that_is_not_shown_is_not_sorted_by(club, client, page):
    Member.objects.filter(pk=club.members[3].pk).update(
        visibility=Member.INITIALS, first_name="Ada", last_name="Zzz", sort_name="zzz ada"
    )
    answer = client.get(page, {"tri": "name"})
    assert names(answer)[0] == (4, "A.Z.")


def test_sorting_asks_one_query_more_at_most(client, page):
    asked = []
    for order in ("", "-cote", "place"):
        client.get(page, {"tri": order})
        cache.clear()
        caches["process"].clear()
        with CaptureQueriesContext(connection) as queries:
            client.get(page, {"tri": order})
        asked.append(len(queries))
    assert max(asked) <= asked[0] + 1
