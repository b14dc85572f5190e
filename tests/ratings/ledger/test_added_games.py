"""A game that an officer added is known by its column, in all its versions; its name says nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from ratings.ledger import corrections, posting, settlement
from ratings.ledger.models import RatedGame
from ratings.systems.protocol import Game
from tests.clubhouse import make_club
from tests.migrated import to_the_newest

DAY = date(2026, 11, 20)
BEFORE = ("ratings", "0016_evening_numbers")


def open_period(club):
    held = settlement.list_of(club.organisation, "fisf")
    return settlement.open_period(rating_list=held, key="open", label="Open", held_on=DAY)


def edited_by_hand() -> bool:
    """Whether the database lets anybody change a stored game."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("UPDATE ratings_ratedgame SET first_halves = 0")
    except DatabaseError:
        return False
    return True


@pytest.mark.django_db(transaction=True)
def test_the_keys_of_before_fill_the_column_and_the_rows_stay_protected():
    club = make_club("avant", size=2)
    period = open_period(club)
    first, second = club.members[:2]
    columns = {"first_id": first.pk, "second_id": second.pk, "first_halves": 2}
    columns |= {"period_id": period.pk, "posted_at": club.at}
    try:
        executor = MigrationExecutor(connection)
        executor.migrate([BEFORE])
        older = executor.loader.project_state([BEFORE]).apps.get_model("ratings", "RatedGame")
        for source in ("match:1", "tournament:5:added:0"):
            older.objects.create(source=source, **columns)
        assert not edited_by_hand()
    finally:
        to_the_newest()
    added = dict(RatedGame.objects.values_list("source", "added"))
    assert added == {"match:1": False, "tournament:5:added:0": True}
    assert not edited_by_hand()


@pytest.mark.django_db
def test_every_version_of_an_added_game_says_that_it_was_added(club):
    period = open_period(club)
    first, second = (member.pk for member in club.members[:2])
    wish = corrections.add_game(period, Game("", first, second, 2))
    settlement.post_unrated(periods=[period], correction=wish, at=club.at)
    row = period.games.get()
    other = replace(row.game, first_halves=0)
    posting.record_game(period=period, posting=other, at=club.at)
    posting.withdraw_game(period=period, source=row.source, at=club.at)
    named_so = Game("x:added:0", first, second, 2)
    posting.record_game(period=period, posting=named_so, at=club.at)
    rows = period.games.order_by("pk").values_list("revision", "withdrawn", "added")
    assert list(rows) == [(0, False, True), (1, False, True), (2, True, True), (0, False, False)]
