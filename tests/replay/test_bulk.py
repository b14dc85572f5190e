"""Rating a whole history at once writes what settling its periods one by one writes."""

from __future__ import annotations

import random

import pytest
from django.db import connection

from ratings import bulk, ledger, replay
from ratings.models import LedgerEntry, RatedGame, RatedPlacing, StandingCote
from ratings.postings import LedgerRefused, Placement
from tests.replay.lists import AT, BY, SYSTEMS, make_book

pytestmark = pytest.mark.django_db
COLUMNS = (
    "kind",
    "before",
    "after",
    "shown_before",
    "shown_after",
    "because",
    "rule_book_id",
    "held_on",
    "written_at",
    "written_by_id",
    "reason",
    "voided",
    "supersedes_id",
)


def posted(system: str, periods: int = 7):
    """A history of the same chances in a club of its own: posted, not settled."""
    chance = random.Random(7)
    book = make_book(system)
    for day in range(periods):
        event = book.event(day)
        for _game in range(5):
            one, other = chance.sample(range(8), 2)
            posting = book.game(one, other, chance.choice((0, 1, 2)))
            event.games[posting.source] = posting
        if not book.takes_games:
            order = chance.sample(range(8), 5)
            event.games.clear()
            event.sheet = tuple(
                Placement(book.members[n].pk, place) for place, n in enumerate(order, start=1)
            )
        book.post(event)
        book.events.append(event)
    return book


def written(book) -> list:
    """Entries without what differs between two clubs: ids and the names of games."""
    first = book.members[0].pk
    rows = LedgerEntry.objects.filter(rating_list=book.rating_list).order_by("period__held_on")
    found = []
    for day, member, *row in rows.values_list("period__held_on", "member_id", *COLUMNS):
        for reason in row[5]:
            reason["game"] = ""
            if reason["opponent"] is not None:
                reason["opponent"] -= first
        found.append((day, member - first, row))
    return sorted(found, key=lambda item: item[:2])


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_at_once_or_one_by_one_is_the_same(fakes, monkeypatch, system):
    monkeypatch.setattr(bulk, "AT_ONCE", 3)
    slow, fast = posted(system), posted(system)
    for event in slow.events:
        ledger.settle(period=event.period, by=BY, at=AT)
    seen: list = []
    number = bulk.settle_pending(
        rating_list=fast.rating_list, by=BY, at=AT, progress=lambda *n: seen.append(n)
    )
    assert written(fast) == written(slow)
    assert number == len(written(fast))
    assert fast.stored() == fast.slowly()[0]
    assert list(replay.check(fast.rating_list)) == []
    assert seen == [(3, 7), (6, 7), (7, 7)]
    newest = StandingCote.objects.filter(rating_list=fast.rating_list).select_related("last_entry")
    assert all(cote.last_entry.after == cote.state for cote in newest)


def test_a_history_stopped_half_way_goes_on_where_it_was(fakes, monkeypatch):
    monkeypatch.setattr(bulk, "AT_ONCE", 2)
    book = posted("faizers")

    class Stop(Exception):
        pass

    def stop(done: int, _total: int) -> None:
        if done == 4:
            raise Stop

    with pytest.raises(Stop):
        bulk.settle_pending(rating_list=book.rating_list, by=BY, at=AT, progress=stop)
    assert book.rating_list.periods.filter(settled_at__isnull=False).count() == 4
    assert list(replay.check(book.rating_list)) == []
    bulk.settle_pending(rating_list=book.rating_list, by=BY, at=AT)
    assert book.stored() == book.slowly()[0]


def test_a_history_before_what_is_settled_is_a_correction(fakes):
    book = posted("faizers", 2)
    ledger.settle(period=book.events[1].period, by=BY, at=AT)
    with pytest.raises(LedgerRefused) as refused:
        bulk.settle_pending(rating_list=book.rating_list, by=BY, at=AT)
    assert refused.value.code == "out_of_order"
    assert book.rating_list.periods.filter(settled_at__isnull=False).count() == 1


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        (LedgerEntry, {("period_id",), ("rating_list_id", "member_id", "held_on")}),
        (RatedGame, {("first_id",), ("second_id",)}),
        (RatedPlacing, {("member_id",)}),
    ],
)
def test_the_largest_tables_keep_only_the_indexes_that_are_read_by(model, wanted):
    with connection.cursor() as cursor:
        known = connection.introspection.get_constraints(cursor, model._meta.db_table)
    assert wanted == {
        tuple(told["columns"]) for told in known.values() if told["index"] and not told["unique"]
    }
