"""The window of a Romanian rating counts official games (001 §2), no sheet of starting cotes."""

from __future__ import annotations

import io
from datetime import date
from fractions import Fraction

import pytest
from django.core.management import call_command

from ratings.competitions.files.headings import PLACINGS, STARTS
from ratings.ledger import replay
from ratings.ledger.models import StandingCote
from tests.ratings.lists.test_views import held_list, rated

pytestmark = pytest.mark.django_db
NAMES = ["Ana Un", "Bea Deux", "Cat Trei"]


def sheet(names):
    return [["place", "joueur"], *([str(place), name] for place, name in enumerate(names, 1))]


def start(club, held):
    rated(club, held, [["joueur", "cote"], ["Dan Patru", "150"]], STARTS, date(2026, 9, 2))


@pytest.fixture
def games(club):
    """Ana, Bea and Cat, then in the opposite order; between the two games what a test says."""

    def play(between=lambda club, held: None):
        held = held_list(club, "romania", "duplicat_eliptic")
        rated(club, held, sheet(NAMES), PLACINGS, date(2026, 9, 1))
        between(club, held)
        rated(club, held, sheet(NAMES[::-1]), PLACINGS, date(2026, 9, 3))
        return held

    return play


def ratings(held):
    rows = StandingCote.objects.filter(rating_list=held).select_related("member").order_by("pk")
    return {
        row.member.first_name: round(float(Fraction(row.state["rating"]["fraction"])), 4)
        for row in rows
        if row.state["rating"]
    }


def test_001_2_a_sheet_of_starts_between_two_games_changes_no_rating(games):
    held = games(between=start)
    assert ratings(held) == {"Ana": 148.8095, "Bea": 150.0, "Cat": 151.1905}
    assert list(replay.check(held)) == []


def corrected(*arguments):
    out = io.StringIO()
    try:
        call_command("replay_ratings", *arguments, stdout=out)
    except SystemExit as end:
        return out.getvalue(), end.code
    return out.getvalue(), 0


def test_a_list_rated_with_the_sheet_counted_is_named_and_corrected(games, monkeypatch):
    """As the versions before 1.1 numbered the games."""
    with monkeypatch.context() as patch:
        patch.setattr(replay, "sequence_of", lambda held, one: one.rating_list.periods.count())
        held = games(between=start)
    assert ratings(held)["Ana"] != 148.8095
    name = f"faizers/{held.slug}"
    words, code = corrected("--check", name)
    assert code == 1 and "differ; first: period" in words
    words, code = corrected(name, "--correct", "001 §2")
    assert code == 0 and words.endswith(f"{name}: every number comes back\n")
    assert ratings(held) == {"Ana": 148.8095, "Bea": 150.0, "Cat": 151.1905}
