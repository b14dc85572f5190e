"""What a correction changes, as its page tells it."""

from __future__ import annotations

from datetime import date

import pytest
from django.core.paginator import Paginator
from django.template.loader import render_to_string

from ratings.ledger import replay, settlement
from ratings.ledger.corrections import insert_event
from ratings.systems.protocol import Game


def test_each_publication_that_a_correction_touches_has_a_line_of_its_own():
    told = {"periods": [], "editions": [(1, 4, "Elo"), (2, 5, "Libere")]}
    page = Paginator([], 1).get_page(1)
    shown = render_to_string("ratings/competitions/_difference.html", {"told": told, "page": page})
    lines = shown.rpartition("<p>")[2].split("<br>")
    assert len(lines) == 3 and "Elo" in lines[1] and "Libere" in lines[2]


@pytest.mark.django_db
def test_the_series_of_the_next_season_is_no_change_of_the_one_held(club):
    """Who crosses a bar in September keeps their series until the next one (000 2)."""
    held = club.rating_list("fisf")
    told = {"games": 40, "tournaments": 5, "last": "2026-05-01"}
    low, high = (member.pk for member in club.members[:2])
    players = {str(low): {**told, "rating": 1540}, str(high): {**told, "rating": 1560}}
    start = settlement.open_period(
        rating_list=held,
        key="table",
        label="Table",
        held_on=date(2026, 6, 1),
        kind=settlement.START,
        facts={"players": players},
    )
    settlement.settle(period=start, by=club.committee, at=club.at)
    event = settlement.open_period(
        rating_list=held, key="open", label="Open", held_on=date(2026, 9, 20)
    )
    for number in range(4):
        game = Game(f"g{number}", low, high, 2, position=number)
        settlement.record_game(period=event, posting=game, at=club.at)
    difference = replay.preview(held, insert_event(event), on=club.at.date())
    assert difference.finals == {low: (1540, 1582), high: (1560, 1518)}
    assert difference.labels == {}
