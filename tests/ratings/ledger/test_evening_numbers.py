"""A club's evening is named by its date and its number, which are columns; no label is parsed."""

from __future__ import annotations

from datetime import date

import pytest

from ratings.ledger import corrections, settlement
from ratings.ledger.models import Period

DAY = date(2026, 11, 20)


@pytest.mark.django_db
def test_an_evening_that_an_officer_renames_is_called_so_and_a_moved_one_by_its_new_day(club):
    club.played()
    club.close()
    period = Period.objects.get(origin="evening")
    assert (period.evening_number, period.title) == (1, "Soirée du 20 novembre")
    for change, title in (
        ({"held_on": DAY.replace(day=21), "label": period.label}, "Soirée du 21 novembre"),
        ({"label": "Soirée de gala"}, "Soirée de gala"),
    ):
        settlement.apply(
            rating_list=period.rating_list,
            correction=corrections.change_event(period, **change),
            by=club.committee,
            at=club.at,
            reason="relu",
        )
        period.refresh_from_db()
        assert period.title == title
