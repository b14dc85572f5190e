"""The home page of a federation: lists and their leaders, last competitions, movers, next dates."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.utils import timezone

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from pairings.tournaments.models import Tournament
from ratings.competitions.files.import_files import GAMES, STARTS
from ratings.handovers.models import FeedRight
from tests.ratings.lists.test_views import held_list, plain, rated

pytestmark = pytest.mark.django_db


@pytest.fixture
def federation(club):
    Organisation.objects.filter(pk=club.organisation.pk).update(kind=Organisation.FEDERATION)
    club.organisation.refresh_from_db()
    people = [str(member) for member in club.members[:4]]
    for system, best in (("absp", 150), ("fesa", 1500)):
        held = held_list(club, system)
        rows = [[name, str(best - n), "40"] for n, name in enumerate(people)]
        rated(club, held, [["joueur", "cote", "parties"], *rows], STARTS, date(2026, 1, 1))
        games = [["joueur 1", "joueur 2", "résultat"], [people[3], people[0], "1"]]
        facts = {"minutes": 30, "byoyomi": 30, "arbiter": "X"} if system == "fesa" else None
        rated(club, held, games, GAMES, date(2026, 2, 1), facts)
    return club


def test_it_shows_leaders_last_competitions_and_who_moved(
    federation, client, django_assert_max_num_queries
):
    client.get("/c/faizers/")
    with django_assert_max_num_queries(8):
        answer = client.get("/c/faizers/")
    news, lists = (
        next(part for part in answer.context["parts"] if part["template"].endswith(name))
        for name in ("_home_news.html", "_home_lists.html")
    )
    assert [period.label for period in news["competitions"]] == ["Épreuve games"] * 2
    assert {row["name"] for row in news["movers"]} == {str(federation.members[n]) for n in (0, 3)}
    moves = [abs(row["delta"]) for row in news["movers"]]
    assert moves == sorted(moves, reverse=True) and 0 not in moves
    assert [row["list"].system for row in lists["rows"]] == ["absp", "fesa"]
    assert all(len(row["best"]) == 3 for row in lists["rows"])


def test_who_leads_is_said_of_the_ranking_not_of_those_who_left_it(federation, client):
    held = held_list(federation, "fisf")
    people = [str(member) for member in federation.members[:3]]
    rows = [[name, str(1700 - n), "0"] for n, name in enumerate(people)]
    rated(federation, held, [["joueur", "cote", "parties"], *rows], STARTS, date(2026, 1, 1))
    parts = client.get("/c/faizers/").context["parts"]
    lists = next(part for part in parts if part["template"].endswith("_home_lists.html"))
    best = {row["list"].system: row["best"] for row in lists["rows"]}
    assert best["fisf"] == []
    assert (lists["dates"][0][0].month, lists["dates"][0][0].day) == (9, 1)
    assert lists["dates"][0][0] > timezone.localdate()


def test_a_player_moves_under_the_name_they_chose(federation, client):
    Member.objects.filter(pk=federation.members[3].pk).update(visibility=Member.INITIALS)
    words = plain(client.get("/c/faizers/"))
    assert federation.members[3].full_name not in words and "P.N." in words


def test_the_next_tournaments_of_the_clubs_that_feed_it_are_named(federation, neighbours, client):
    day = timezone.localdate() + timedelta(days=9)
    for club, name in ((neighbours, "Open du voisin"), (federation, "Coupe fédérale")):
        Tournament.objects.create(
            organisation=club.organisation,
            slug="open",
            name=name,
            held_on=day,
            starts_at=timezone.now() + timedelta(days=9),
            system="swiss",
            created_at=federation.at,
        )
    assert "Open du voisin" not in plain(client.get("/c/faizers/"))
    FeedRight.objects.create(
        rating_list=federation.organisation.rating_lists.get(system="absp"),
        club=neighbours.organisation,
        granted_at=federation.at,
        granted_by=federation.committee.user,
    )
    answer = client.get("/c/faizers/")
    assert "Open du voisin" in plain(answer) and "Coupe fédérale" in plain(answer)
    assert 'href="/c/voisins/tournois/open/"' in answer.content.decode()
