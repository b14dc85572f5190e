"""Placing sheets: posted in versions like games, refused with the number of the line."""

from __future__ import annotations

import pytest

from ratings.ledger import corrections, replay, settlement
from ratings.ledger.models import RatedPlacing
from ratings.ledger.posting import LedgerRefused, Placement
from tests.refusals import refused
from tests.replay.lists import AT, make_book

pytestmark = pytest.mark.django_db


@pytest.fixture
def sheet(fakes):
    """(the book, its period, a maker of sheets from places)"""
    book = make_book("fake_windows")
    period = book.event(1).period

    def of(*places: int) -> list[Placement]:
        return [Placement(m.pk, place) for m, place in zip(book.members, places, strict=False)]

    return book, period, of


def record(period, placings):
    return settlement.record_placings(period=period, placings=placings, at=AT)


def test_the_same_sheet_twice_is_one_sheet(sheet):
    _book, period, of = sheet
    record(period, of(1, 2, 3))
    record(period, of(1, 2, 3))
    assert RatedPlacing.objects.count() == 3


def test_another_sheet_supersedes_only_the_lines_that_change(sheet):
    book, period, of = sheet
    record(period, of(1, 2, 3))
    record(period, [*of(1), Placement(book.members[2].pk, 2)])
    held = RatedPlacing.objects.filter(period=period).in_force().order_by("place")
    assert [(line.member_id, line.place) for line in held] == [
        (book.members[0].pk, 1),
        (book.members[2].pk, 2),
    ]
    assert RatedPlacing.objects.filter(withdrawn=True).get().member_id == book.members[1].pk
    record(period, of(1, 2, 3))
    assert RatedPlacing.objects.filter(period=period).in_force().count() == 3


@pytest.mark.parametrize("places", [(1, 2, 2, 4), (1, 1), (1, 1, 1), (1, 2, 3, 3)])
def test_ties_share_a_place_and_skip_those_they_occupy(sheet, places):
    _book, period, of = sheet
    assert [line.place for line in record(period, of(*places))] == sorted(places)


@pytest.mark.parametrize(
    ("places", "code", "words"),
    [
        ((2, 3), "place_missing", "Ligne 1 : place 2, mais la place 1 manque."),
        ((1, 2, 4), "place_missing", "Ligne 3 : place 4, mais la place 3 manque."),
        ((0, 1), "place_missing", "Ligne 1 : place 0, mais la place 1 manque."),
        ((1, 2, 2, 3), "place_doubled", "Ligne 4 : la place 3 est en double"),
        ((4, 1, 2), "place_missing", "Ligne 1 : place 4, mais la place 3 manque."),
        ((), "empty_sheet", "vide"),
    ],
)
def test_a_place_missing_or_doubled_is_refused_with_its_line(sheet, places, code, words):
    _book, period, of = sheet
    with pytest.raises(LedgerRefused) as refusal:
        record(period, of(*places))
    assert refusal.value.code == code
    assert words in str(refusal.value).replace("\N{NO-BREAK SPACE}", " ")
    assert not RatedPlacing.objects.exists()


def test_a_player_on_two_lines_is_refused_with_both(sheet):
    book, period, _of = sheet
    twice = [Placement(book.members[0].pk, 1, line=7), Placement(book.members[0].pk, 2, line=9)]
    with pytest.raises(LedgerRefused, match=r"Ligne 9.*ligne 7"):
        record(period, twice)


def test_two_people_of_one_sheet_are_never_made_one(sheet):
    book, period, of = sheet
    record(period, of(1, 2, 3))
    one, other = book.members[:2]
    with refused("same_sheet"):
        replay.preview(book.rating_list, corrections.merge_member(one, other), on=AT.date())
