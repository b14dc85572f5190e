"""What a correction changes is what a whole replay gives, for systems of every reach."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ratings.ledger import corrections, replay, settlement
from ratings.ledger.impact import Difference
from ratings.ledger.models import LedgerEntry, RatedGame, RatedPlacing, RatingList
from ratings.ledger.posting import Placement
from ratings.lists import queries
from tests.refusals import refused
from tests.replay.lists import AT, BY, SYSTEMS, Book, make_book

pytestmark = pytest.mark.django_db
PLAYERS = 7
EXAMPLES = settings(
    max_examples=settings.default.max_examples // 10,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a list takes minutes to shrink
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
pairs = st.lists(st.integers(0, PLAYERS - 1), min_size=2, max_size=2, unique=True)
results = st.sampled_from([0, 1, 2])
KINDS = (
    "change_game",
    "add_game",
    "withdraw_game",
    "insert_event",
    "remove_event",
    "restore_event",
    "change_date",
    "merge_member",
)


def sheet_of(book: Book, order: list[int]) -> tuple[Placement, ...]:
    return tuple(
        Placement(book.members[player].pk, place) for place, player in enumerate(order, start=1)
    )


def fill(book: Book, event, data) -> None:
    """Random games or a random sheet, as the system takes; two made one never meet."""

    def person(player: int) -> int:
        pk = book.members[player].pk
        return book.merged.get(pk, pk)

    if book.takes_games:
        for _number in range(data.draw(st.integers(1, 4))):
            one, other = data.draw(pairs.filter(lambda two: person(two[0]) != person(two[1])))
            posting = book.game(one, other, data.draw(results))
            event.games[posting.key] = posting
    else:
        order = data.draw(
            st.lists(st.integers(0, PLAYERS - 1), min_size=1, max_size=5, unique_by=person)
        )
        event.sheet = sheet_of(book, order)


def correction_for(book: Book, kind: str, data):
    """A random correction, made on the plain values too; None where there is nothing to correct."""
    standing = [event for event in book.events if event.counts]
    if kind == "restore_event":
        gone = [event for event in book.events if not event.counts]
        if not gone:
            return None
        event = data.draw(st.sampled_from(gone))
        event.counts = True
        return corrections.restore_event(event.period)
    if kind == "insert_event":
        event = book.event(data.draw(st.integers(0, 20)), data.draw(st.integers(0, 1)))
        fill(book, event, data)
        book.post(event)
        book.events.append(event)
        return corrections.insert_event(event.period)
    if kind == "merge_member":
        free = [member.pk for member in book.members if member.pk not in book.merged]
        old, kept = data.draw(st.lists(st.sampled_from(free), min_size=2, max_size=2, unique=True))
        one = {old} | {pk for pk, into in book.merged.items() if into == old}
        other = {kept} | {pk for pk, into in book.merged.items() if into == kept}
        for event in book.events:
            placed = {line.member_id for line in event.sheet}
            if (one & placed and other & placed) or any(
                {p.first, p.second} & one and {p.first, p.second} & other
                for p in event.games.values()
            ):
                return None
        book.merged = {pk: kept if into == old else into for pk, into in book.merged.items()}
        book.merged[old] = kept
        by_pk = {member.pk: member for member in book.members}
        return corrections.merge_member(by_pk[old], by_pk[kept])
    if not standing:
        return None
    event = data.draw(st.sampled_from(standing))
    if kind == "remove_event":
        event.counts = False
        return corrections.remove_event(event.period)
    if kind == "change_date":
        event.held_on = book.first_day + timedelta(days=data.draw(st.integers(0, 20)))
        return corrections.change_event(event.period, held_on=event.held_on)
    if not book.takes_games:
        fill(book, event, data)
        return corrections.change_sheet(event.period, event.sheet)
    if kind == "withdraw_game":
        if not event.games:
            return None
        source = data.draw(st.sampled_from(sorted(event.games)))
        del event.games[source]
        return corrections.withdraw_game(event.period, source)
    one, other = data.draw(pairs)
    posting = book.game(one, other, data.draw(results))
    if book.merged.get(posting.first, posting.first) == book.merged.get(
        posting.second, posting.second
    ):
        return None
    if kind == "change_game" and event.games:
        held = event.games[data.draw(st.sampled_from(sorted(event.games)))]
        posting = replace(posting, key=held.key, position=held.position)
    event.games[posting.key] = posting
    return corrections.change_game(event.period, posting)


def rows() -> tuple[int, int, int]:
    return (
        LedgerEntry.objects.count(),
        RatedGame.objects.count(),
        RatedPlacing.objects.count(),
    )


def said(found: Difference) -> tuple:
    """Who moves, from where to where."""
    finals = {member: pair for member, pair in found.finals.items() if pair[0] != pair[1]}
    return finals, {member: found.ranks[member] for member in finals}, dict(found.labels)


def read_ranks(rating_list: RatingList) -> dict[int, int]:
    """The rank of each on the public list: in the first of its parts that has them."""
    on = AT.date()
    ranks: dict[int, int] = {}
    cache.clear()  # the example before had a list of the same number and version
    for section in queries.page(rating_list, on=on).sections:
        page = queries.page(rating_list, on=on, section=section.code, size=None)
        ranks = {row.member: row.rank for row in page.rows} | ranks
    return ranks


@pytest.mark.parametrize("system", sorted(SYSTEMS))
@EXAMPLES
@given(data=st.data())
def test_a_correction_gives_what_a_whole_replay_gives(fakes, system, data):
    with transaction.atomic():
        book = make_book(system, PLAYERS)
        for day in range(data.draw(st.integers(1, 6))):
            event = book.event(2 * day + 1)
            fill(book, event, data)
            book.add(event)
        assert book.stored() == book.slowly()[0]
        for kind in data.draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4)):
            _before, was = book.slowly()
            correction = correction_for(book, kind, data)
            if correction is None:
                continue
            held = rows()
            foreseen = replay.preview(book.rating_list, correction, on=AT.date())
            assert rows() == held, "a preview writes nothing"
            made = settlement.apply(
                rating_list=book.rating_list, correction=correction, by=BY, at=AT, reason="erreur"
            )
            entries, states = book.slowly()
            assert book.stored() == entries
            assert said(foreseen) == said(made)
            shown = book.system.shown
            for member in set(was) | set(states) | set(made.finals):
                now = (
                    shown(was[member]) if member in was else None,
                    shown(states[member]) if member in states else None,
                )
                assert made.finals.get(member, (now[0], now[0])) == now
            assert {pk: rank for pk, (_old, rank) in made.ranks.items()} == {
                pk: read_ranks(book.rating_list).get(pk) for pk in made.ranks
            }
            assert list(replay.check(book.rating_list)) == []
        transaction.set_rollback(True)


def test_two_people_who_met_are_never_made_one(fakes, db):
    book = make_book("faizers")
    event = book.event(1)
    posting = book.game(0, 1, 2)
    event.games[posting.key] = posting
    book.add(event)
    with refused("met_each_other"):
        replay.preview(
            book.rating_list,
            corrections.merge_member(book.members[0], book.members[1]),
            on=AT.date(),
        )
