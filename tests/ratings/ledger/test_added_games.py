"""A game that an officer added is known by its column, in all its versions; its name says nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from ratings.ledger import corrections, posting, settlement
from ratings.systems.protocol import Game

DAY = date(2026, 11, 20)


def open_period(club):
    held = settlement.list_of(club.organisation, "fisf")
    return settlement.open_period(rating_list=held, key="open", label="Open", held_on=DAY)


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
