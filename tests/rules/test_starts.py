"""Starts that can be right, and the commission's yearly table of starting cotes (000 §5)."""

from __future__ import annotations

from datetime import date

import pytest

from clubs.persons.matching import People
from ratings import systems
from ratings.competitions.files.headings import STARTS
from ratings.competitions.files.import_files import columns_of, lines_of
from ratings.systems.fesa.system import Fesa
from ratings.systems.fisf.system import Fisf
from ratings.systems.protocol import Event, EventRefused, Game, frozen

DAY = date(2026, 9, 1)
RANKED = {"rating": 1500, "games": 200, "tournaments": 20, "last": "2026-06-14"}
TABLE = (("1-50", 1950), ("51 - 200", 1800), ("4A", 1480))


@pytest.mark.parametrize(
    ("code", "facts", "doubted"),
    [
        ("fisf", RANKED, False),
        ("fisf", {"rating": 1500, "games": 200}, True),
        ("fisf", {"rating": 1500, "games": 15}, True),
        ("fisf", {"rating": 1500, "games": 14}, False),
        ("fisf", {**RANKED, "last": "2026-09-02"}, True),
        ("fisf", {**RANKED, "last": "2026-09-01"}, False),
        ("fisf", {**RANKED, "tournaments": 201}, True),
        ("fisf", {**RANKED, "rating": 999}, True),
        ("fisf", {**RANKED, "rating": 1000}, False),
        ("fisf", {"rank": 3, "players": 900}, False),
        ("fesa", {"rating": 1500, "games": 40, "grade": "3 Kyu"}, False),
        ("fesa", {"rating": 1500, "games": 40, "grade": "9 Kyu"}, True),
        ("fesa", {"rating": 1500}, True),
        ("fesa", {"games": 12}, True),
        ("fesa", {"rating": 1500, "games": 7}, True),
        ("fesa", {"rating": 1500, "games": 8}, False),
        ("fesa", {"rating": 1500, "games": 9}, False),
        ("fesa", {"grade": "3 Kyu"}, True),
        ("fesa", {"rating": 1500, "games": 40, "bonus_used": 40}, False),
        ("fesa", {"rating": 1500, "games": 40, "bonus_used": 41}, True),
        ("fesa", {"rating": 1500, "games": 400, "bonus_used": 101}, True),
        ("absp", {"rating": 110, "games": 40}, False),
        ("absp", {"rating": 110}, True),
        ("romania", {"rating": 160}, True),
        ("glicko2", {"rating": 1500, "games": 20}, False),
    ],
)
def test_a_start_that_can_hardly_be_right_is_questioned(code, facts, doubted):
    system = systems.system(code)()
    state = system.newcomer(frozen(facts))
    assert bool(system.start_doubt(state, facts, DAY)) is doubted


@pytest.mark.parametrize(("games", "forgotten"), [(6, True), (7, True), (8, False)])
def test_003_7_a_table_forgets_an_elo_whose_games_nobody_knows(games, forgotten):
    """Why the sheet is questioned: one game later the Elo is the performance of that game alone."""
    rules = Fesa()
    start = rules.newcomer(frozen({"rating": 1500, "games": games}))
    other = rules.newcomer(frozen({"rating": 1000, "games": 40}))
    table = Event("T", DAY, games=(Game("1", 1, 2, 1),), facts={"official": True})
    after = {c.player: c.after.rating for c in rules.settle({1: start, 2: other}, table)}[1]
    unknown = {c.player: c.after.rating for c in rules.settle({2: other}, table)}[1]
    assert (after == unknown) is forgotten
    assert bool(rules.start_doubt(start, {}, DAY)) is forgotten


@pytest.mark.parametrize(
    ("facts", "cote"),
    [
        ({"rank": 1}, 1950),
        ({"rank": 50}, 1950),
        ({"rank": 51}, 1800),
        ({"rank": 200}, 1800),
        ({"duplicate": "4a"}, 1480),
        ({"rating": 1600, "rank": 1}, 1600),
    ],
)
def test_the_yearly_table_gives_the_starting_cote_by_rank_or_series(facts, cote):
    assert Fisf(start_table=TABLE).newcomer(frozen(facts)).rating == cote


def test_what_the_table_does_not_have_is_computed_or_refused():
    rank = frozen({"rank": 201, "players": 1000})
    assert Fisf(start_table=TABLE).newcomer(rank) == Fisf().newcomer(rank)
    with pytest.raises(EventRefused, match="série Duplicate"):
        Fisf(start_table=TABLE).newcomer(frozen({"duplicate": "6D"}))


def test_000_5_a_sheet_of_duplicate_series_alone_gives_the_starts_of_the_table():
    rows = [["joueur", "série Duplicate"], ["Ana Pop", "4A"]]
    (line,) = lines_of(rows, STARTS, People({}, {}), columns_of(rows[0], STARTS))
    assert line.problems == []
    assert Fisf(start_table=TABLE).newcomer(frozen(line.facts)).rating == 1480


def test_ranks_of_the_table_go_from_the_best():
    with pytest.raises(ValueError, match="table des départs"):
        Fisf(start_table=(("50-1", 1950),))
