"""Corrections of every kind, several at once: followed in numbers as they are in the ledger."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ratings import corrections, differences, ledger, quick, replay
from ratings.calendar import Calendar
from ratings.corrections import Correction
from ratings.differences import Difference
from ratings.postings import LedgerRefused
from tests.replay.lists import AT, BY, Book, make_book

pytestmark = pytest.mark.django_db
PLAYERS = 9
EXAMPLES = settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a list takes minutes to shrink
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
pairs = st.lists(st.integers(0, PLAYERS - 1), min_size=2, max_size=2, unique=True)
results = st.sampled_from([0, 1, 2])


def a_book(system: str, data) -> Book:
    """Some start with a cote, some in their first event; here and there a cut."""
    book = make_book(system, PLAYERS)
    if data.draw(st.booleans()):
        known = data.draw(st.lists(st.integers(0, PLAYERS - 1), min_size=1, unique=True))
        period = ledger.open_period(
            rating_list=book.rating_list,
            key="start",
            label="Départ",
            held_on=book.first_day,
            kind=ledger.START,
            facts={
                "players": {
                    str(book.members[n].pk): {"rating": data.draw(st.integers(1000, 1900))}
                    for n in known
                }
            },
        )
        ledger.settle(period=period, by=BY, at=AT)
    step = data.draw(st.sampled_from([1, 120]))
    for day in range(1, data.draw(st.integers(3, 9))):
        event = book.event(step * day)
        fill(book, event, data, 6)
        book.add(event)
        if system == "faizers" and data.draw(st.integers(0, 5)) == 0:
            ledger.adjust(
                rating_list=book.rating_list,
                member=book.members[data.draw(st.integers(0, PLAYERS - 1))],
                percent="5",
                key=f"cut:{event.period.pk}",
                label="Sanction",
                held_on=event.held_on,
                reason="absences",
                by=BY,
                at=AT,
            )
    return book


def fill(book: Book, event, data, most: int = 3) -> None:
    for _number in range(data.draw(st.integers(1, most))):
        one, other = data.draw(pairs)
        posting = book.game(one, other, data.draw(results))
        event.games[posting.source] = posting


def a_part(book: Book, data) -> Correction:
    event = data.draw(st.sampled_from(book.events))
    kind = data.draw(
        st.sampled_from(["game", "game", "add", "out", "remove", "date", "late", "one"])
    )
    if kind == "remove":
        return corrections.remove_event(event.period)
    if kind == "date":
        moved = timedelta(days=data.draw(st.integers(-200, 200)))
        return corrections.change_event(event.period, held_on=event.held_on + moved)
    if kind == "late":
        late = book.event(data.draw(st.integers(0, 600)), 1)
        fill(book, late, data)
        book.post(late)
        return corrections.insert_event(late.period)
    if kind == "one":
        old, kept = data.draw(pairs)
        return corrections.merge_member(book.members[old], book.members[kept])
    if kind == "out":
        return corrections.withdraw_game(
            event.period, data.draw(st.sampled_from(sorted(event.games)))
        )
    one, other = data.draw(pairs)
    posting = book.game(one, other, data.draw(results))
    if kind == "game":
        held = event.games[data.draw(st.sampled_from(sorted(event.games)))]
        posting = replace(held, first_halves=2 - held.first_halves if held.first_halves != 1 else 0)
    return corrections.change_game(event.period, posting)


def told(found: Difference, whole: bool) -> tuple:
    finals = {member: pair for member, pair in found.finals.items() if whole or pair[0] != pair[1]}
    ranks = {member: found.ranks[member] for member in finals}
    return finals, ranks, dict(found.labels), found.editions, found.periods if whole else ()


@pytest.mark.parametrize("system", ["faizers", "fisf"])
@EXAMPLES
@given(data=st.data())
def test_any_correction_in_numbers_is_that_of_the_ledger(system, data):
    with transaction.atomic():
        book = a_book(system, data)
        for _turn in range(2):
            wish = a_part(book, data)
            for _part in range(data.draw(st.integers(0, 2))):
                wish |= a_part(book, data)
            try:
                with transaction.atomic():
                    corrections.check(book.rating_list, wish)
                    book.rating_list.refresh_from_db()
                    slowly = differences.of_walk(Calendar(book.rating_list, wish))
            except LedgerRefused:
                continue
            quickly = quick.difference(Calendar(book.rating_list, wish))
            whole = system == "faizers"  # elsewhere a state is more than its numbers
            assert quickly is None or told(quickly, whole) == told(slowly, whole)
            ledger.apply(
                rating_list=book.rating_list, correction=wish, by=BY, at=AT, reason="erreur"
            )
            book.rating_list.refresh_from_db()
            assert list(replay.check(book.rating_list)) == []
        transaction.set_rollback(True)
