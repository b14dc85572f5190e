"""A list that grows is paged by its key: what is added meanwhile repeats and hides nothing."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from clubs.members.models import Member
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from ratings.ledger import settlement
from ratings.ledger.models import RatingList, StandingCote
from tests.api.keys import code_of
from tests.clubhouse import Clubhouse
from tests.pairings.evenings.test_sessions import first_of_two_closed
from tests.ratings.lists.test_queries import play
from tests.rows_read import rows_read

pytestmark = pytest.mark.django_db


def ended(club: Clubhouse, one: Member, other: Member) -> Match:
    """Return a match of these two that was played and confirmed."""
    match, _players = club.played(one, other)
    return match


def test_a_match_that_ends_between_two_pages_repeats_none(club):
    one, *others = club.members[:4]
    first, second = (ended(club, one, other) for other in others[:2])
    client = Client()
    page = client.get(f"/c/faizers/api/v1/players/{one.public_id}/matches?limit=1").json()
    ended(club, one, others[2])
    rest = client.get(page["next"]).json()
    assert [match["id"] for match in page["items"] + rest["items"]] == [second.pk, first.pk]
    assert rest["next"] is None


def test_changes_of_one_day_stay_in_the_order_of_their_evenings_after_a_correction(club):
    """The first evening's entry is written anew, later than that of the second, which stays."""
    match = first_of_two_closed(club)
    again = {"result": Result("played", 420, 300), "reason": "feuille relue"}
    match_actions.correct(match=match, by=club.committee, at=club.at, **again)
    client = Client()
    page = client.get(f"/c/faizers/api/v1/players/{match.first.public_id}/changes?limit=1").json()
    rest = client.get(page["next"]).json()
    told = [(change["before"], change["after"]) for change in page["items"] + rest["items"]]
    assert told == [(1015, 1029), (1000, 1015)] and rest["next"] is None


def test_a_list_that_moved_between_two_pages_is_begun_again(club, ask):
    """A row that rises over the page's end would be sent twice, the one it passed never."""
    one, other, third, fourth = club.members[:4]
    ended(club, one, other)
    first = ask("rankings/live?limit=1").json()
    second = first["next"].partition("/api/v1/")[2]
    assert ask(second).status_code == 200  # nothing has moved
    ended(club, third, fourth)
    answer = ask(second)
    assert code_of(answer) == (409, "moved")
    again = ask("rankings/live?limit=1").json()
    assert ask(again["next"].partition("/api/v1/")[2]).status_code == 200


def test_a_rating_list_that_moved_between_two_pages_is_begun_again(club, ask):
    rating_list = settlement.list_of(club.organisation, "faizers", kind="essai")
    play(club, rating_list, 0, 0, 1)
    second = ask("lists/faizers-essai?limit=1").json()["next"].partition("/api/v1/")[2]
    assert ask(second).json()["items"]
    play(club, rating_list, 1, 1, 0)
    assert code_of(ask(second)) == (409, "moved")


def test_a_name_that_moves_a_row_among_equal_numbers_is_noticed(club, ask):
    """The version of the list stays: only the order says it."""
    rating_list = settlement.list_of(club.organisation, "faizers", kind="essai")
    play(club, rating_list, 0, 0, 1)
    rating_list.cotes.update(shown=1000)
    second = ask("lists/faizers-essai?limit=1").json()["next"].partition("/api/v1/")[2]
    assert ask(second).status_code == 200
    first = ask("lists/faizers-essai").json()["items"][0]["player"]["id"]
    Member.objects.filter(public_id=first).update(sort_name="zzz")
    assert code_of(ask(second)) == (409, "moved")


def test_a_page_of_a_rating_list_reads_its_own_rows_however_long_the_list_is(club, ask):
    """Neither its statements nor the rows that they give to Python grow."""
    rating_list = settlement.list_of(club.organisation, "faizers", kind="essai")
    play(club, rating_list, 0, 0, 1)
    known = rating_list.cotes.first()

    def read():
        page = ask("lists/faizers-essai?limit=1").json()["next"].partition("/api/v1/")[2]
        with CaptureQueriesContext(connection) as statements:
            assert len(ask(page).json()["items"]) == 1
        with rows_read() as rows:
            ask(page)
        return len(statements), len(rows)

    short = read()
    state = {"state": known.state, "last_entry": known.last_entry}
    rating_list.cotes.bulk_create(
        StandingCote(rating_list=rating_list, member=member, shown=number, **state)
        for number, member in enumerate(club.members[2:])
    )
    RatingList.objects.filter(pk=rating_list.pk).update(version=F("version") + 1)
    assert ask("lists/faizers-essai").json()["total"] == len(club.members) > 5
    assert read() == short


def test_a_section_that_the_list_does_not_have_is_refused(club, ask):
    rating_list = settlement.list_of(club.organisation, "faizers", kind="essai")
    play(club, rating_list, 0, 0, 1)
    for section in ask("lists/faizers-essai").json()["sections"]:
        assert ask(f"lists/faizers-essai?section={section}").json()["section"] == section
    answer = ask("lists/faizers-essai?section=autre")
    assert code_of(answer) == (422, "invalid")
    (error,) = answer.json()["errors"]
    assert error["field"] == "query.section"
    assert error["message"] == "Cette valeur n’est pas acceptée."  # it has one part, without a name


@pytest.mark.parametrize(
    ("language", "name"),
    [("fr", "Soirée du 20 novembre"), ("en", "Club night of 20 November")],
)
def test_an_evening_that_was_rated_has_the_name_that_pages_print(club, ask, language, name):
    match = first_of_two_closed(club)
    player = f"players/{match.first.public_id}/changes"
    change = ask(player, language=language).json()["items"][-1]
    one = ask("lists/faizers/competitions", language=language).json()["items"][-1]
    whole = ask(f"lists/faizers/competitions/{one['id']}", language=language).json()
    assert [change["competition"], one["label"], whole["label"]] == [name] * 3
    assert ask(f"{player}/{change['id']}", language=language).json()["competition"] == name
