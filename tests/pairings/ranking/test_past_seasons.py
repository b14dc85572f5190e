"""The ranking of a season that is over: its own points, and the cotes of its last day."""

from __future__ import annotations

import pytest
from django.test import Client

from clubs.members.models import Member
from clubs.organisations.models import Season
from pairings.ranking import live as live_ranking
from ratings.ledger.models import LedgerEntry
from tests.clubhouse import make_club
from tests.pairings.ranking.test_next_season import change_season, correct_last_season

pytestmark = pytest.mark.django_db


@pytest.fixture
def over(club):
    """The season before; the winner of its only match won no point of the present one."""
    season = club.evening.season
    change_season(club)
    club.close()
    return season


def page_of(season, root: str, reader: Client | None = None, query: str = ""):
    return (reader or Client()).get(f"{root}/classement/saisons/{season.pk}/{query}")


def lines_of(page) -> dict[int, dict]:
    return {line["key"]: line for line in page.context["rows"]}


def test_each_season_that_was_played_in_is_listed_newest_first(club, root, over):
    club.season("2029", "2029-01-10", "2029-12-31")
    page = Client().get(f"{root}/classement/saisons/")
    assert [season.name for season in page.context["seasons"]] == ["2028", over.name]
    words = page.content.decode()
    assert f"{root}/classement/saisons/{over.pk}/" in words and "1 soirée clôturée" in words
    assert f"{root}/classement/saisons/" in Client().get(f"{root}/classement/").content.decode()


def test_a_season_that_is_over_keeps_its_points_and_the_cotes_of_its_last_day(club, root, over):
    winner, loser = club.members[:2]
    then = {
        entry.member_id: entry.shown_after
        for entry in LedgerEntry.objects.in_force().filter(held_on__lte=over.ends_on)
    }
    page = page_of(over, root)
    assert [url for _label, url in page.context["breadcrumb"]][-1] == f"{root}/classement/saisons/"
    lines = lines_of(page)
    assert {pk: lines[pk]["cote"] for pk in then} == then
    assert lines[winner.pk]["rank"] == 1 and lines[winner.pk]["points"] > lines[loser.pk]["points"]
    now = live_ranking.ranking(club.organisation, at=club.at, live=False)
    today = {row.member.pk: row for row in now.rows}
    # Who plays on has another cote and other points today.
    assert today[loser.pk].cote != lines[loser.pk]["cote"]
    assert today[loser.pk].values["pr"] != lines[loser.pk]["points"]
    assert lines[club.members[3].pk]["cote"] == 1000


def test_the_wall_of_a_past_evening_has_the_cotes_of_that_evening(club, root, over):
    evening = over.evenings.get()
    then = live_ranking.as_of(
        evening, live_ranking.of_season(club.organisation, over.pk, at=club.at)[1].rows
    )
    wall = Client().get(f"{root}/soirees/{evening.held_on}/ecran/")
    assert [row["cote"] for row in wall.context["wall_rows"]] == [row.cote for row in then]
    assert (
        then[0].cote
        == LedgerEntry.objects.in_force()
        .get(member=then[0].member, held_on=evening.held_on)
        .shown_after
    )


def test_a_result_that_is_corrected_later_counts_in_its_season(club, root, over):
    first, second = club.members[:2]
    correct_last_season(club)
    lines = lines_of(page_of(over, root))
    assert lines[second.pk]["rank"] < lines[first.pk]["rank"]


def test_a_season_of_another_club_or_without_a_closed_evening_is_not_there(club, root, over):
    other = make_club("autre", size=2)
    empty = club.season("2029", "2029-01-10", "2029-12-31")
    for season in (other.evening.season, empty, Season(pk=10**21)):
        assert page_of(season, root).status_code == 404
        api = Client().get(f"{root}/api/v1/seasons/{season.pk}/ranking")
        assert api.status_code == 404


def test_a_past_ranking_names_people_as_they_choose_today(club, root, over, as_user):
    winner = club.members[0]
    Member.objects.filter(pk=winner.pk).update(visibility=Member.MEMBERS)
    assert winner.full_name not in page_of(over, root).content.decode()
    member = page_of(over, root, as_user(club.committee.user)).content.decode()
    assert winner.full_name in member


def test_a_program_reads_the_ranking_of_a_season(club, root, over):
    lines = lines_of(page_of(over, root))
    answer = Client().get(f"{root}/api/v1/seasons/{over.pk}/ranking?limit=3").json()
    keys = {row.public_id: row.pk for row in Member.objects.all()}
    read = [(keys[row["player"]["id"]], row["rank"], row["rating"]) for row in answer["items"]]
    assert read == [(pk, line["rank"], line["cote"]) for pk, line in lines.items()][:3]
    assert answer["evening"] == f"{over.evenings.get().held_on}/1" and answer["next"]


def test_a_ranking_counts_the_disputes_of_its_own_season(club, root, over):
    club.next_evening()
    club.contested(*club.members[:2])
    path = f"{root}/api/v1/seasons/{{}}/ranking"
    of_now, of_then = (
        Client().get(path.format(season.pk)).json()["open_contests"]
        for season in (club.evening.season, over)
    )
    assert (of_now, of_then) == (1, 0)


def test_a_past_ranking_asks_as_many_queries_as_the_present_one(
    club, root, over, django_assert_max_num_queries
):
    page_of(over, root)
    with django_assert_max_num_queries(10):
        page_of(over, root)
