"""A club's evening is named by its date and its number, which are columns; no label is parsed."""

from __future__ import annotations

from datetime import date

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from ratings.ledger import corrections, settlement
from ratings.ledger.models import Period
from tests.clubhouse import make_club
from tests.migrated import to_the_newest

DAY = date(2026, 11, 20)
BEFORE = ("ratings", "0015_drop_runs")


@pytest.mark.django_db(transaction=True)
def test_the_labels_of_before_fill_the_column_and_the_way_back_keeps_them():
    held = settlement.list_of(make_club("avant", size=2).organisation, "faizers")
    wanted = {
        ("evening", "2026-11-20"): 1,
        ("evening", "2026-11-20/2"): 2,
        ("evening", "2026-11-13"): None,  # moved to another day
        ("evening", "Soirée de gala"): None,  # renamed
        ("file", "2026-11-20"): None,  # a competition that an officer named so
    }
    try:
        executor = MigrationExecutor(connection)
        executor.migrate([BEFORE])
        older = executor.loader.project_state([BEFORE]).apps.get_model("ratings", "Period")
        for number, (origin, label) in enumerate(wanted, 1):
            key, of = f"{origin}:{number}", {"origin": origin, "origin_id": number}
            older.objects.create(rating_list_id=held.pk, key=key, label=label, held_on=DAY, **of)
    finally:
        to_the_newest()
    rows = Period.objects.values_list("origin", "label", "evening_number")
    assert {(origin, label): number for origin, label, number in rows} == wanted


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
