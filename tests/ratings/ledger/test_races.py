"""One list, several hands: corrections, settlements and merges at once leave a list that replays."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from clubs.members.models import Member
from ratings.ledger import corrections, posting, replay, settlement
from ratings.ledger.models import LedgerEntry, RatingList
from tests.pairings.matches.test_races import together
from tests.replay.lists import AT, BY, make_book

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 2


@pytest.fixture
def book(transactional_db):
    """Four evenings in which the same eight people play on."""
    book = make_book("faizers")
    for day in range(4):
        event = book.event(day)
        for one in range(0, 8, 2):
            posting = book.game(one, (one + 1 + 2 * day) % 8, 2)
            event.games[posting.key] = posting
        book.add(event)
    return book


def other_way(book, day: int) -> tuple[Any, corrections.Correction]:
    """The first game of that evening lost instead of won, on the plain values too."""
    event = book.events[day]
    source, held = next(iter(event.games.items()))
    event.games[source] = replace(held, first_halves=0)
    return event, corrections.change_game(event.period, event.games[source])


def apply(book, correction, seen=None):
    return lambda: settlement.apply(
        rating_list=RatingList.objects.get(pk=book.rating_list.pk),
        correction=correction,
        by=BY,
        at=AT,
        reason="erreur de saisie",
        seen=seen,
    )


def holds(book) -> None:
    assert book.stored() == book.slowly()[0]
    assert list(replay.check(book.rating_list)) == []


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_two_corrections_at_once_are_made_one_after_the_other(book, _round):
    _event, first = other_way(book, 0)
    _event, second = other_way(book, 1)
    assert together(apply(book, first), apply(book, second)) == ["ok", "ok"]
    holds(book)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_of_two_corrections_read_on_the_same_list_one_is_to_be_read_again(book, _round):
    _event, first = other_way(book, 0)
    _event, second = other_way(book, 1)
    seen = replay.preview(book.rating_list, first, on=AT.date()).version
    answers = together(apply(book, first, seen), apply(book, second, seen))
    assert sorted(answers) == ["ok", "stale"]
    assert list(replay.check(book.rating_list)) == []


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_settlement_against_a_correction_loses_neither(book, _round):
    event = book.event(9)
    posting = book.game(0, 1, 2)
    event.games[posting.key] = posting
    book.post(event)
    book.events.append(event)
    _event, correction = other_way(book, 0)
    answers = together(
        lambda: settlement.settle(period=event.period, by=BY, at=AT), apply(book, correction)
    )
    assert answers == ["ok", "ok"]
    holds(book)


def test_one_period_settled_by_three_hands_is_rated_once(book):
    event = book.event(9)
    posting = book.game(0, 1, 2)
    event.games[posting.key] = posting
    book.post(event)
    answers = together(*[lambda: settlement.settle(period=event.period, by=BY, at=AT)] * 3)
    assert answers == ["ok"] * 3
    assert LedgerEntry.objects.filter(period=event.period).count() == 2


def test_one_event_removed_by_two_hands_is_removed_once(book):
    gone = corrections.remove_event(book.events[1].period)
    book.events[1].counts = False
    answers = together(apply(book, gone), apply(book, gone))
    assert sorted(answers) == ["already_removed", "ok"]
    holds(book)


def test_two_people_made_one_by_two_hands_are_so_once(book):
    kept, gone = book.members[0], book.members[4]
    answers = together(
        *[
            lambda: settlement.merge_member(member=gone, into=kept, by=BY, at=AT, reason="la même")
            for _hand in range(2)
        ]
    )
    assert sorted(answers) == ["already_merged", "ok"]
    book.merged[gone.pk] = kept.pk
    holds(book)


@pytest.mark.only_on("postgres")
def test_without_the_lock_two_corrections_meet_the_tables_own_wall(book, monkeypatch):
    """Negative control: the collisions above do happen, and then one entry has two successors."""
    _event, first = other_way(book, 0)
    meet = threading.Barrier(2)
    written = settlement.entries.write_lines

    def late(*args, **named):
        meet.wait(timeout=20)
        written(*args, **named)

    monkeypatch.setattr(
        settlement, "lock_to_write", lambda found: RatingList.objects.get(pk=found.pk)
    )
    monkeypatch.setattr(settlement.entries, "write_lines", late)
    monkeypatch.setattr(settlement.entries, "post_correction", lambda *args: None)
    answers = together(apply(book, first), apply(book, first))
    assert sorted(answer.partition(":")[0] for answer in answers) == ["IntegrityError", "ok"]


@pytest.mark.only_on("postgres")
def test_an_adoption_locks_the_lists_of_its_system_in_the_order_of_a_merge(book):
    """One UPDATE of several rows locks them as they lie on the disk: a merge met it the other way."""
    organisation, lists = book.rating_list.organisation, CaptureQueriesContext(connection)
    with transaction.atomic(), lists:
        posting.outdate_previews(organisation, "faizers")
    first = next(one["sql"] for one in lists if "ratings_ratinglist" in one["sql"])
    with transaction.atomic(), CaptureQueriesContext(connection) as of_merge:
        settlement.lock_lists(organisation)
    order = of_merge[0]["sql"].partition(" ORDER BY ")[2]
    assert "FOR NO KEY UPDATE" in order and first.endswith(order)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_two_rows_each_merged_into_the_other_at_once_keep_one_of_them(book, _round):
    one, other = (book.members[place].pk for place in (0, 4))
    rows = Member.objects.in_bulk([one, other])
    copies = Member.objects.in_bulk([one, other])
    how = {"by": BY, "at": AT, "reason": "la même"}
    answers = together(
        lambda: settlement.merge_member(member=rows[one], into=rows[other], **how),
        lambda: settlement.merge_member(member=copies[other], into=copies[one], **how),
    )
    assert sorted(answers) == ["already_merged", "ok"]
    gone, kept = (one, other) if answers[0] == "ok" else (other, one)
    merged = dict(Member.objects.filter(pk__in=(one, other)).values_list("pk", "merged_into_id"))
    assert merged == {gone: kept, kept: None}
    book.merged[gone] = kept
    holds(book)
