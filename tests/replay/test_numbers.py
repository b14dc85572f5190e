"""Packed numbers: what a row holds, when there is none, and that a preview does use them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clubs.models import RuleBook
from ratings import corrections, differences, ledger, numbers, quick, replay
from ratings.calendar import Calendar
from ratings.models import PeriodNumbers
from tests.replay.lists import AT, BY, make_book

pytestmark = pytest.mark.django_db


def played(system: str, evenings: int = 6):
    book = make_book(system)
    for day in range(evenings):
        event = book.event(day)
        for one in range(0, 8, 2):
            posting = book.game(one, (one + 1 + 2 * day) % 8, 2)
            event.games[posting.source] = posting
        book.add(event)
    return book


def lost(book, day: int = 0) -> corrections.Correction:
    event = book.events[day]
    game = next(iter(event.games.values()))
    return corrections.change_game(event.period, replace(game, first_halves=0))


@pytest.mark.parametrize("system", ["faizers", "fisf"])
def test_a_period_settled_is_packed_and_a_preview_reads_no_entry_after_it(system):
    book = played(system)
    assert PeriodNumbers.objects.count() == 6
    calendar = Calendar(book.rating_list, lost(book))
    with CaptureQueriesContext(
        connection,
    ) as asked:
        found = quick.difference(calendar)
    assert found is not None
    assert found.finals
    read = [query["sql"] for query in asked if "ratings_ledgerentry" in query["sql"]]
    later = [str(event.period.pk) for event in book.events[1:]]
    assert not any(f'period_id" = {pk}' in sql for sql in read for pk in later)
    assert len(read) <= 2


def test_a_row_says_who_met_whom_from_which_cote_to_which():
    book = played("faizers", 1)
    packed = numbers.unpack(PeriodNumbers.objects.get().data)
    entries = book.stored()
    for at, member in enumerate(packed.members):
        before, after = entries[book.events[0].period.pk, member]
        assert (packed.before[at], packed.after[at]) == (before["rating"], after["rating"])
        assert packed.starts[at + 1] - packed.starts[at] == 1
    first = packed.place_of(book.members[0].pk)
    assert packed.members[packed.opponents[packed.starts[first]]] == book.members[1].pk
    assert packed.halves[packed.starts[first]] == 2
    assert packed.place_of(10**9) == -1


@pytest.mark.parametrize("system", ["faizers", "fisf"])
@pytest.mark.parametrize("kind", ["two games", "removed", "late", "moved", "merged"])
def test_a_correction_of_any_kind_is_followed_in_numbers(system, kind):
    book = played(system)
    first = book.events[1].period  # a first event of newcomers to FISF is walked
    wish = {
        "two games": lambda: lost(book) | lost(book, 2),
        "removed": lambda: corrections.remove_event(first) | lost(book, 3),
        "late": lambda: corrections.insert_event(late(book)),
        "moved": lambda: corrections.change_event(first, held_on=late(book).held_on),
        "merged": lambda: corrections.merge_member(book.members[0], book.members[4]),
    }[kind]()
    found = quick.difference(Calendar(book.rating_list, wish))
    assert found is not None
    walked = differences.of_walk(Calendar(book.rating_list, wish))
    assert found.ranks == walked.ranks
    assert found.finals == walked.finals
    assert found.labels == walked.labels


def late(book):
    """An event between the second evening and the third, not settled."""
    event = book.event(1, 1)
    posting = book.game(0, 2, 2)
    event.games[posting.source] = posting
    book.post(event)
    return event.period


def test_a_cut_on_the_way_of_a_correction_is_walked_in_the_ledger():
    book = played("faizers", 2)
    for day, who in ((2, 7), (3, 0)):
        ledger.adjust(
            rating_list=book.rating_list,
            member=book.members[who],
            percent="5",
            key=f"cut:{who}",
            label="Sanction",
            held_on=book.events[-1].held_on,
            reason="absences",
            by=BY,
            at=AT,
        )
        calendar = Calendar(book.rating_list, lost(book, 1))
        concerned = day == 3  # the first cut is of somebody whose cote stays
        assert (quick.difference(calendar) is None) is concerned


def test_rules_that_look_at_scores_are_not_in_numbers():
    book = make_book("faizers")
    rules = RuleBook.objects.create(
        organisation=book.rating_list.organisation,
        scope="faizers",
        number=1,
        values={"cote": {"alpha": 0.2}},
        created_at=AT,
        effective_from=AT.replace(year=2020),
        adopted_at=AT,
    )
    for day in range(2):
        event = book.event(day)
        posting = book.game(0, 1, 2)
        event.games[posting.source] = posting
        book.add(event)
        event.period.refresh_from_db()
        assert event.period.rule_book == rules
    assert numbers.unpack(PeriodNumbers.objects.first().data).opaque
    assert quick.difference(Calendar(book.rating_list, lost(book))) is None
    assert replay.preview(book.rating_list, lost(book)).finals


def test_a_game_posted_to_a_settled_period_forgets_its_numbers_until_it_is_replayed():
    book = played("faizers", 2)
    event = book.events[0]
    game = next(iter(event.games.values()))
    ledger.record_game(period=refreshed(event), posting=replace(game, first_halves=0), at=AT)
    assert not PeriodNumbers.objects.filter(period=event.period).exists()
    ledger.correct(period=event.period, by=BY, at=AT, reason="erreur")
    assert PeriodNumbers.objects.filter(period=event.period).exists()
    assert list(replay.check(book.rating_list)) == []


def test_a_row_that_lies_is_found_and_packed_anew():
    book = played("faizers", 2)
    row = PeriodNumbers.objects.get(period=book.events[1].period)
    packed = numbers.unpack(bytearray(row.data))
    packed.before[0] += 1
    PeriodNumbers.objects.filter(pk=row.pk).update(data=bytes(packed.members.obj))
    (found,) = replay.check(book.rating_list)
    assert (found.period, found.stored) == (book.events[1].period.key, "numbers")
    numbers.rebuild(numbers.as_stored(book.rating_list))
    assert list(replay.check(book.rating_list)) == []


def refreshed(event):
    event.period.refresh_from_db()
    return event.period
