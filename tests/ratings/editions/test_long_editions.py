"""An edition of a federation holds megabytes: pages that only name editions read no rows of them."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings.editions import actions as editions
from tests.ratings.editions.test_views import begun, correct, evening  # noqa: F401
from tests.ratings.lists.test_views import example

pytestmark = pytest.mark.django_db


def read(client, page):
    """The statements that read the rows of an edition, of a page that is shown."""
    with CaptureQueriesContext(connection) as asked:
        assert client.get(page).status_code == 200
    asked_for = [query["sql"].partition(" FROM ") for query in asked]
    return [
        columns
        for columns, _from, tables in asked_for
        if '."rows"' in columns and "ratings_edition" in tables
    ]


def test_the_list_of_editions_names_what_was_mended_and_reads_no_rows(evening, client):  # noqa: F811
    by, at = evening.committee, evening.at
    first = editions.publish(organisation=evening.organisation, title="T", by=by, at=at)
    correct(evening, evening.matches[0], (300, 400))
    second = editions.publish_erratum(of=first, title="T", note="scores", by=by, at=at)
    page = f"{evening.base}/classement/publications/"
    assert read(client, page) == []
    rows = client.get(page).context["rows"]
    assert [(row["edition"], row["mended"]) for row in rows] == [(second, None), (first, second)]


def test_the_pages_of_a_competition_read_no_rows_of_what_is_published(club, desk):
    held, period = example(club)
    given = {"organisation": club.organisation, "rating_list": held}
    editions.publish(**given, title="T", by=club.committee, at=club.at)
    page = f"/c/faizers/gestion/cotes/{held.slug}"
    public = f"/c/faizers/cotes/{held.slug}/competitions/{period.pk}/"
    desk.get(f"{page}/")  # the day was computed again, and the answer is cached
    for shown in (f"{page}/", f"{page}/competitions/{period.pk}/", public):
        assert read(desk, shown) == []
