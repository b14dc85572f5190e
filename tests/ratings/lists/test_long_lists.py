"""A list of many years: its pages read what they show, not every competition before."""

from __future__ import annotations

from datetime import date

import pytest
from django.db import connection

from ratings.ledger import settlement
from ratings.lists import views_competitions
from ratings.lists.views import latest_of
from ratings.systems.protocol import Game
from tests.ratings.lists.test_views import example
from tests.rows_read import rows_read

pytestmark = pytest.mark.django_db


def test_the_calendar_counts_who_moved_in_the_competitions_of_its_page_only(
    club, client, monkeypatch
):
    monkeypatch.setattr(views_competitions, "PAGE", 1)
    held, period = example(club)
    every = set(held.periods.values_list("pk", flat=True))
    counted = []

    def note(execute, sql, params, *rest):
        if "ratings_ledgerentry" in sql:
            counted.append(every & set(params or ()))
        return execute(sql, params, *rest)

    with connection.execute_wrapper(note):
        answer = client.get(f"/c/faizers/cotes/{held.slug}/competitions/")
    assert answer.context["rows"] == [(period, 6)]
    assert len(every) == 2 and counted == [{period.pk}]


@pytest.mark.parametrize("page", ["cotes/", "api/v1/lists", "gestion/cotes/"])
def test_lists_are_shown_with_their_last_competition_however_many_came_before(club, as_user, page):
    held, _period = example(club)
    reader = as_user(club.committee.user if page.startswith("gestion") else None)

    def read():
        reader.get(f"/c/faizers/{page}")
        with rows_read() as rows:
            answer = reader.get(f"/c/faizers/{page}")
        assert answer.status_code == 200
        return len(rows)

    few = read()
    one, other = club.members[:2]
    for day in (2, 3, 4):
        last = settlement.open_period(
            rating_list=held, key=f"{day}", label="Autre", held_on=date(2026, 9, day)
        )
        game = Game("g", one.pk, other.pk, 2, 400, 300)
        settlement.record_game(period=last, posting=game, at=club.at)
        settlement.settle(period=last, by=club.committee, at=club.at)
    assert read() == few
    assert latest_of(club.organisation)[0][held.pk] == last
