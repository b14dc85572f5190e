"""One value from the match to the rules: what is posted is stored and given to the system."""

from __future__ import annotations

from dataclasses import fields
from datetime import date
from pathlib import Path

import pytest

from ratings.ledger import corrections, origins, replay, settlement
from ratings.ledger.models import RatedGame
from ratings.ledger.origins import OriginKind
from ratings.ledger.timeline import Calendar
from ratings.systems.protocol import Game
from tests.refusals import refused

APP = Path(__file__).parents[3] / "ratings"


@pytest.mark.django_db
def test_the_game_posted_is_the_game_stored_and_the_game_rated(club):
    one, other = club.members[:2]
    held = settlement.list_of(club.organisation, "fisf")
    period = settlement.open_period(
        rating_list=held, origin=origins.file(1), label="x", held_on=date(2026, 1, 1)
    )
    game = Game("match:1", one.pk, other.pk, 1, 400, 400, {"round": 3}, 7)
    row = settlement.record_game(period=period, posting=game, at=club.at)
    row.refresh_from_db()
    assert row.game == game
    assert Calendar(held).games([period.pk])[period.pk] == [game]
    assert settlement.record_game(period=period, posting=row.game, at=club.at) == row
    assert RatedGame.objects.count() == 1


@pytest.mark.django_db
def test_an_earlier_period_is_rated_before_a_later_one_by_a_correction_alone(club):
    one, other = club.members[:2]
    held = settlement.list_of(club.organisation, "faizers")
    by = {"by": club.committee, "at": club.at}
    for day in (2, 1):
        period = settlement.open_period(
            rating_list=held, key=str(day), label="x", held_on=date(2026, 1, day)
        )
        game = Game(str(day), one.pk, other.pk, 2, 400, 300)
        settlement.record_game(period=period, posting=game, at=club.at)
        if day == 2:
            settlement.settle(period=period, **by)
    with refused("out_of_order"):
        settlement.settle(period=period, **by)
    assert not period.entries.exists()
    assert settlement.settle(period=period, late="oubliée", **by)
    assert list(replay.check(held)) == []


@pytest.mark.django_db
def test_a_cut_does_not_follow_a_competition_that_was_taken_out_for_its_date(club):
    one, other = club.members[:2]
    held = settlement.list_of(club.organisation, "faizers")
    by, today = {"by": club.committee, "at": club.at}, club.at.date()
    for key, day in (("right", today), ("wrong", date(2062, 11, 20))):
        period = settlement.open_period(rating_list=held, key=key, label=key, held_on=day)
        game = Game(key, one.pk, other.pk, 2, 400, 300)
        settlement.record_game(period=period, posting=game, at=club.at)
        settlement.settle(period=period, **by)
    gone = corrections.remove_event(period)
    settlement.apply(rating_list=held, correction=gone, reason="date fausse", **by)
    cut = settlement.adjust(
        rating_list=held,
        member=one,
        percent="10",
        origin=origins.Origin(OriginKind.SANCTION, 1),
        label="Sanction",
        held_on=today,
        reason="Trois absences",
        **by,
    )
    assert [entry.held_on for entry in cut] == [today]
    assert list(replay.check(held)) == []


def test_each_field_of_a_game_has_a_column_of_its_own():
    columns = {field.attname for field in RatedGame._meta.concrete_fields}
    assert set(Game.COLUMNS) <= columns
    assert len(Game.COLUMNS) == len(fields(Game))
    game = Game("g", 1, 2, 2, 400, 300, {"round": 1}, 5)
    assert Game.from_row(game.to_row().values()) == game


def test_the_ledger_copies_no_field_of_a_game():
    """A new field of a rated game is added to the value, to its column, and to nothing between."""
    copies = {
        path.name
        for path in (APP / "ledger").glob("*.py")
        if "first_score" in path.read_text("utf-8")
    }
    assert copies == {"models.py", "corrections.py"}  # the column; what the journal prints
