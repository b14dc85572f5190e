"""A federation's list by country and by club, of the players who show their name."""

from __future__ import annotations

import pytest

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons.models import Person
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
