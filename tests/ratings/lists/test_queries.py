"""Reads of a rating list: the ranking on a day, one page of it, sections and columns."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import pytest

from clubs.accounts.actor import Actor
from ratings.ledger import settlement
from ratings.ledger.models import RatingList
from ratings.lists import queries as list_queries
from ratings.systems.columns import (
    DECIMAL,
    Bounds,
    ListColumn,
    ListSection,
    cells_of,
    fixed,
    stored,
)
from ratings.systems.protocol import NOTHING, Game, RatingSystem, State
from tests.clubhouse import NOW
from tests.rows_read import rows_read

DAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction(100, 3), 2, "33.33"),
        (Fraction(-1, 200), 2, "-0.01"),
        (Fraction(1, 200), 2, "0.01"),
        (Fraction(-1, 1000), 2, "0.00"),
        (1902.5, 0, "1903"),
        (Fraction(2675, 1000), 2, "2.68"),
        (-0.25, 1, "-0.3"),
        (7, 1, "7.0"),
    ],
)
def test_a_decimal_is_stored_with_all_its_places(value, places, text):
    assert fixed(value, places) == text


def test_an_empty_cell_is_nothing_rather_than_zero():
    assert stored(ListColumn("x", "X", DECIMAL, places=1), None) is None


@pytest.mark.parametrize(
    ("values", "ranks"),
    [
        ([], []),
        ([9], [(1, False)]),
        ([9, 8, 8, 7], [(1, False), (2, True), (2, True), (4, False)]),
        ([9, 9, 9], [(1, True)] * 3),
    ],
)
def test_equal_numbers_share_a_rank_and_the_next_one_counts_them(values, ranks):
    assert list_queries.ranks_of(values) == ranks


class Plain(RatingSystem):
    """A system that says nothing of its list."""

    def newcomer(self, facts=NOTHING):
        return State(rating=None)

    def settle(self, states, event):
        return []

    def shown(self, state):
        return int(state.rating)

    def status_on(self, state, on):
        return "active" if on <= DAY else "inactive"


class Own(Plain):
    """A system with a column, and a section apart."""

    def columns(self):
        return (ListColumn("exact", "Exacte", DECIMAL, places=2, lead=True),)

    def cells(self, state, on, kind=""):
        return {"exact": state.rating}

    def sections(self, on):
        year = on - timedelta(days=365)
        return (
            ListSection("", "", ("active",), (Bounds(last_from=year),)),
            ListSection("new", "Provisoires"),
        )


def test_a_system_may_say_what_its_list_shows():
    state = State(rating=Fraction(151, 3), games=4)
    assert [column.code for column in Plain().columns()] == ["cote", "games", "status"]
    assert cells_of(Plain(), state, DAY) == {"cote": 50, "games": 4, "status": "active"}
    assert cells_of(Own(), state, DAY) == {"exact": "50.33"}
    first, second = Own().sections(DAY)
    seen, long_ago, new = (
        State(1500, status=status, extra={"last": last.isoformat()})
        for status, last in (
            ("active", DAY),
            ("active", DAY - timedelta(days=366)),
            ("provisional", DAY),
        )
    )
    assert first.takes(seen) and not first.takes(long_ago)
    assert not first.takes(new) and second.takes(State(1500))


@pytest.fixture
def rating_list(club) -> RatingList:
    """Three periods a week apart: 0 beats 1, then 2 beats 3, then 0 beats 2."""
    found = settlement.list_of(club.organisation, "faizers", kind="essai")
    for week, (winner, loser) in enumerate([(0, 1), (2, 3), (0, 2)]):
        play(club, found, week, winner, loser)
    found.refresh_from_db()
    return found


def play(club, rating_list, week, winner, loser):
    on = DAY + timedelta(weeks=week)
    period = settlement.open_period(
        rating_list=rating_list, key=f"p{week}", label=f"{week}", held_on=on, position=week
    )
    people = club.members
    settlement.record_game(
        period=period,
        posting=Game(f"g{week}", people[winner].pk, people[loser].pk, 2, 400, 300),
        at=NOW,
    )
    settlement.settle(period=period, by=Actor.system("test"), at=NOW)


def test_a_ranking_on_a_past_day_knows_nothing_of_what_came_later(club, rating_list):
    numbers = {m.pk: n for n, m in enumerate(club.members)}
    tables = [
        list_queries.ranking_on(rating_list, DAY + timedelta(weeks=week)) for week in (0, 1, 2)
    ]
    read = [
        [(numbers[row.member], row.rank, row.ex_aequo, row.cells["cote"]) for row in table.rows]
        for table in tables
    ]
    assert read[0] == [(0, 1, False, 1015), (1, 2, False, 1000)]
    assert read[1] == [
        (0, 1, True, 1015),
        (2, 1, True, 1015),
        (1, 3, True, 1000),
        (3, 3, True, 1000),
    ]
    assert [line[:3] for line in read[2]] == [
        (0, 1, False), (1, 2, True), (2, 2, True), (3, 2, True)
    ]  # fmt: skip


def test_a_page_has_the_ranks_of_the_whole_list(club, rating_list, django_assert_max_num_queries):
    whole = list_queries.ranking_on(rating_list, DAY + timedelta(weeks=3))
    with django_assert_max_num_queries(8):
        second = list_queries.page(rating_list, on=DAY + timedelta(weeks=3), start=2, size=2)
    assert [(row.member, row.rank, row.ex_aequo) for row in second.rows] == [
        (row.member, row.rank, row.ex_aequo) for row in whole.rows[2:4]
    ]
    assert (second.total, second.matching, second.since) == (4, 4, None)
    found = list_queries.page(rating_list, on=DAY, words="prenom0")
    assert [row.rank for row in found.rows] == [1] and found.matching == 1 and found.total == 4


def test_a_page_is_counted_again_when_the_list_moves(club, rating_list):
    assert list_queries.page(rating_list, on=DAY).total == 4
    period = settlement.open_period(
        rating_list=rating_list, key="p9", label="9", held_on=DAY + timedelta(weeks=9)
    )
    settlement.record_game(
        period=period,
        posting=Game("g9", club.members[4].pk, club.members[5].pk, 2, 400, 300),
        at=NOW,
    )
    settlement.settle(period=period, by=Actor.system("test"), at=NOW)
    rating_list.refresh_from_db()
    assert list_queries.page(rating_list, on=DAY).total == 6


def test_a_past_day_reads_one_entry_a_player_however_many_they_have(club, rating_list):
    for week in (3, 4, 5):
        play(club, rating_list, week, 0, 2)

    def read(week):
        with rows_read() as rows:
            assert len(list_queries.states_on(rating_list, DAY + timedelta(weeks=week))) == 4
        return len(rows)

    read(1)
    assert read(1) == read(4)
