"""A list of many years: its pages read what they show, not every competition before."""

from __future__ import annotations

import pytest
from django.db import connection

from ratings.lists import views_competitions
from tests.ratings.lists.test_views import example

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
