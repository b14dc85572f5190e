"""A Glicko-2 list from end to end: settled, shown with its deviations, explained, replayed."""

from __future__ import annotations

from datetime import date

import pytest
from django.utils.translation import override

from ratings.ledger import replay
from ratings.ledger.models import LedgerEntry, StandingCote
from ratings.lists import calculator
from ratings.lists.explanations import lines_of
from ratings.systems.glicko2.system import Glicko2
from tests.ratings.lists.test_views import held_list, plain, rated

pytestmark = pytest.mark.django_db
HEAD = ["ronde", "joueur 1", "joueur 2", "résultat"]


@pytest.fixture
def periods(club):
    """Two periods; the third player rests in the second one."""
    held = held_list(club, "glicko2")
    first = [["1", "Joueur A", "Joueur B", "1"], ["2", "Joueur C", "Joueur A", "½"]]
    rated(club, held, [HEAD, *first], day=date(2026, 9, 1))
    second = rated(club, held, [HEAD, ["1", "Joueur A", "Joueur B", "0"]], day=date(2026, 10, 1))
    held.refresh_from_db()
    return held, second


def test_who_rests_in_a_period_keeps_a_rating_that_is_less_certain(periods):
    _held, second = periods
    entry = LedgerEntry.objects.get(period=second, member__last_name="C")
    assert entry.before["rating"] == entry.after["rating"]
    assert entry.after["extra"]["rd"] > entry.before["extra"]["rd"]
    assert entry.after["games"] == 1


def test_its_numbers_are_replayed_bit_for_bit(periods):
    held, _second = periods
    assert StandingCote.objects.filter(rating_list=held).count() == 3
    assert list(replay.check(held)) == []


def test_the_list_prints_the_deviation(periods, client):
    held, _second = periods
    page = plain(client.get(f"/cotes/{held.slug}/"))
    state = StandingCote.objects.get(rating_list=held, member__last_name="C").state
    assert "RD" in page and "Volatilité" in page
    assert f"{state['extra']['rd']:.1f}".replace(".", ",") in page


def test_a_move_is_explained_with_both_deviations(periods):
    _held, second = periods
    entry = LedgerEntry.objects.get(period=second, member__last_name="A")
    with override("fr"):
        game, deviation = lines_of(
            entry.because, names={game["opponent"]: "B" for game in entry.because}
        )
    assert game.head == "B" and "RD" in game.formula and game.chance is not None
    assert "→" in deviation.head and "→" in deviation.formula


def test_two_invented_players_can_be_calculated():
    sides = [calculator.Side(1500, 50), calculator.Side(None, 0)]
    own, other = calculator.compute(Glicko2(), *sides, 2, on=date(2026, 9, 1))
    assert 0 < own.delta < -other.delta
