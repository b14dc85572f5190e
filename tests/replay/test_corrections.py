"""Corrections one by one: what is told before, what is kept after, what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from clubs.accounts.models import User
from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from clubs.rulebooks.models import RuleBook
from ratings.ledger import corrections, replay, settlement
from ratings.ledger.models import Edition, LedgerEntry, Period, RatedGame, RatingList
from ratings.ledger.posting import LedgerRefused, Placement
from tests.refusals import refused
from tests.replay.lists import AT, BY, DAY, make_book

pytestmark = pytest.mark.django_db


@pytest.fixture
def book(db):
    """Four evenings of one game each: 0 beats 1, then 1 beats 2, 2 beats 3, 3 beats 4."""
    book = make_book("faizers")
    for day in range(4):
        event = book.event(7 * day)
        posting = book.game(day, day + 1, 2)
        event.games[posting.key] = posting
        book.add(event)
    return book


def game_of(book, day):
    return next(iter(book.events[day].games.values()))


def apply(book, correction, reason="feuille mal lue", **named):
    return settlement.apply(
        rating_list=book.rating_list, correction=correction, by=BY, at=AT, reason=reason, **named
    )


def lost(book, day=0):
    return corrections.change_game(
        book.events[day].period, replace(game_of(book, day), first_halves=0)
    )


def edition(book, number: int, until) -> Edition:
    seq, head = journal.head_of(book.rating_list.organisation)
    return Edition.objects.create(
        organisation=book.rating_list.organisation,
        rating_list=book.rating_list,
        number=number,
        title="Classement",
        covers_until=until,
        published_at=AT,
        published_by=User.objects.create(email=f"e{number}@example.org"),
        columns=[],
        rows=[],
        journal_seq=seq,
        journal_hash=head,
        sha256="0" * 64,
    )


def test_a_preview_names_who_ranks_badges_periods_and_editions(book):
    before, touched = (edition(book, n, DAY + timedelta(days=d)) for n, d in ((1, 6), (2, 14)))
    found = replay.preview(book.rating_list, lost(book, 1), on=AT.date())
    one, two = (member.pk for member in book.members[1:3])
    assert found.finals[one] == (1015, 1000)
    assert found.finals[two][0] < found.finals[two][1]
    assert found.ranks[two][1] == 1
    assert found.periods[0].pk == book.events[1].period.pk
    assert [item.pk for item in found.editions] == [touched.pk]
    assert before.number == 1
    assert found.version == RatingList.objects.get().version


def test_a_category_that_changes_is_told_before_and_after(book):
    start = book.event(-7)
    period = settlement.open_period(
        rating_list=book.rating_list,
        key="start",
        label="Départ",
        held_on=start.held_on,
        kind=settlement.START,
        facts={"players": {str(book.members[0].pk): {"rating": 1390}}},
    )
    found = replay.preview(book.rating_list, corrections.insert_event(period), on=AT.date())
    assert found.labels == {} and found.finals[book.members[0].pk] == (1015, 1393)
    period.facts = {"players": {str(book.members[0].pk): {"rating": 1399}}}
    period.save()
    found = replay.preview(book.rating_list, corrections.insert_event(period), on=AT.date())
    assert found.labels == {book.members[0].pk: ({"category": "onyx"}, {"category": "amethyste"})}


def test_what_was_written_stays_and_the_reason_is_on_what_replaces_it(book):
    was = list(LedgerEntry.objects.order_by("pk").values())
    apply(book, lost(book))
    kept = list(
        LedgerEntry.objects.filter(pk__in=[row["id"] for row in was]).order_by("pk").values()
    )
    assert kept == was
    added = LedgerEntry.objects.exclude(pk__in=[row["id"] for row in was])
    assert {entry.reason for entry in added} == {"feuille mal lue"}
    assert all(entry.supersedes_id for entry in added)
    line = JournalEntry.objects.filter(verb="list_replayed").get()
    assert line.reason == "feuille mal lue"
    assert line.before[str(book.members[0].pk)] == 1015
    assert line.after["cotes"][str(book.members[0].pk)] == 1000
    assert line.after["correction"]["games"]


def test_a_removed_event_leaves_its_entries_voided_and_comes_back_whole(book):
    held = book.stored()
    apply(book, corrections.remove_event(book.events[0].period))
    assert book.events[0].period.pk not in {period for period, _member in book.stored()}
    assert book.members[0].pk not in book.cotes()
    apply(book, corrections.restore_event(book.events[0].period))
    assert book.stored() == held
    assert list(replay.check(book.rating_list)) == []


def test_an_event_moved_to_another_day_takes_the_rules_of_that_day(book):
    rules = RuleBook.objects.create(
        organisation=book.rating_list.organisation,
        scope="faizers",
        number=1,
        values={"cote": {"k_beginner": 40}},
        created_at=AT,
        effective_from=AT.replace(year=2027),
        adopted_at=AT,
    )
    event = book.events[0]
    apply(book, corrections.change_event(event.period, held_on=DAY.replace(year=2028)))
    event.period.refresh_from_db()
    assert event.period.rule_book == rules
    assert book.cotes()[book.members[0].pk]["rating"] == 1021  # K 40, against 1015
    entry = LedgerEntry.objects.filter(period=event.period).in_force().first()
    assert (entry.held_on.year, entry.rule_book) == (2028, rules)


def test_games_of_a_merged_player_count_for_the_one_kept_in_every_list(book):
    gone, kept = book.members[4], book.members[0]
    settlement.merge_member(member=gone, into=kept, by=BY, at=AT, reason="même personne")
    gone.refresh_from_db()
    assert gone.merged_into == kept
    assert gone.pk not in book.cotes()
    assert book.cotes()[kept.pk]["games"] == 2
    assert RatedGame.objects.filter(second=gone).exists(), "what was posted is not touched"
    assert list(replay.check(book.rating_list)) == []


def test_two_parts_are_one_correction(book):
    both = lost(book, 0) | corrections.remove_event(book.events[3].period)
    foreseen = replay.preview(book.rating_list, both, on=AT.date())
    assert apply(book, both).finals == foreseen.finals
    assert JournalEntry.objects.filter(verb="list_replayed").count() == 1
    assert list(replay.check(book.rating_list)) == []


def refusals(book) -> list[tuple[str, corrections.Correction]]:
    first = book.events[0].period
    other = make_book("faizers").event(1).period
    stranger = make_book("faizers").members[0]
    game = game_of(book, 0)
    two = [Placement(member.pk, 1) for member in book.members[:2]] * 2
    return [
        ("other_list", corrections.remove_event(other)),
        ("unknown_game", corrections.withdraw_game(first, "game:none")),
        ("against_oneself", corrections.change_game(first, replace(game, second=game.first))),
        ("no_result", corrections.change_game(first, replace(game, first_halves=3))),
        ("unknown_player", corrections.change_game(first, replace(game, second=stranger.pk))),
        ("already_settled", corrections.insert_event(first)),
        ("not_removed", corrections.restore_event(first)),
        ("not_settled", corrections.remove_event(book.event(99).period)),
        ("same_player", corrections.merge_member(book.members[0], book.members[0])),
        ("met_each_other", corrections.merge_member(book.members[0], book.members[1])),
        ("player_twice", corrections.change_sheet(first, two)),
    ]


def test_what_cannot_be_is_refused_in_words_and_nothing_is_written(book):
    for code, correction in refusals(book):
        held = (LedgerEntry.objects.count(), RatedGame.objects.count())
        for act in (
            lambda wish=correction: replay.preview(book.rating_list, wish, on=AT.date()),
            lambda wish=correction: apply(book, wish),
        ):
            with pytest.raises(LedgerRefused) as refusal:
                act()
            assert refusal.value.code == code, str(refusal.value)
        assert held == (LedgerEntry.objects.count(), RatedGame.objects.count())


@pytest.mark.parametrize(("reason", "code"), [("", "reason_required"), (" \n", "reason_required")])
def test_a_correction_without_a_reason_is_refused(book, reason, code):
    with refused(code):
        apply(book, lost(book), reason=reason)


def test_a_preview_that_is_no_longer_true_must_be_read_again(book):
    seen = replay.preview(book.rating_list, lost(book), on=AT.date()).version
    apply(book, lost(book, 2), seen=seen)
    with refused("stale"):
        apply(book, lost(book), seen=seen)
    assert Period.objects.count() == 4


def test_an_event_moved_before_the_start_and_back_gives_the_start_again():
    book = make_book("fisf", 2)
    start = settlement.open_period(
        rating_list=book.rating_list,
        key="start",
        label="Départ",
        held_on=book.first_day,
        kind=settlement.START,
        facts={"players": {str(member.pk): {"rating": 1300} for member in book.members}},
    )
    settlement.settle(period=start, by=BY, at=AT)
    event = book.event(3)
    posting = book.game(0, 1, 2)
    event.games[posting.key] = posting
    book.add(event)
    before = book.stored()
    for days in (-30, 3):
        moved = corrections.change_event(
            event.period, held_on=book.first_day + timedelta(days=days)
        )
        settlement.apply(
            rating_list=book.rating_list, correction=moved, by=BY, at=AT, reason="erreur"
        )
        book.rating_list.refresh_from_db()
        assert list(replay.check(book.rating_list)) == []
    assert book.stored() == before


def test_a_preview_reads_the_list_by_the_rules_of_the_day_it_is_read(book):
    """Rules adopted since the last competition: the list, its preview and what is applied agree."""
    RuleBook.objects.create(
        organisation=book.rating_list.organisation,
        scope="faizers",
        number=1,
        values={"cote": {"amethyste_from": 1010}},
        created_at=AT,
        effective_from=AT - timedelta(days=1),
        adopted_at=AT,
    )
    corrected = lost(book, 1)
    before, after = (
        replay.preview(book.rating_list, corrected, on=day) for day in (DAY, AT.date())
    )
    one = book.members[1].pk
    assert before.labels == {}
    assert after.labels == {one: ({"category": "amethyste"}, {"category": "onyx"})}
    assert apply(book, corrected).labels == after.labels
