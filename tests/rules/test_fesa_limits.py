"""The FESA Elo at its limits and in its records, worked by hand (003 §1–§12)."""

from __future__ import annotations

from datetime import date

import pytest

from clubs.rulebooks.fields import with_values
from ratings.systems.fesa.elo import TablePlayer
from ratings.systems.fesa.settings import PROFILES
from ratings.systems.fesa.system import Fesa, is_official
from ratings.systems.fesa.table import settle
from ratings.systems.protocol import Event, EventRefused, Game, State
from ratings.systems.rounding import half_up

TEXT = Fesa()
TODAY: Fesa = with_values(Fesa, dict(PROFILES["current"]))
OFFICIAL = {"arbiter": "A. Olufsen", "minutes": 30, "byoyomi": 30}


def veteran(rating, **more):
    return TablePlayer(
        **{"rating": rating, "games": 100, "outcomes": "wl", "bonus_used": 100} | more
    )


def state(rating, games=100, **extra):
    values = {"grade": "2 Kyu", "outcomes": "wl", "bonus_used": 100} | extra
    return State(rating, games, 3, "established" if games >= 18 else "provisional", values)


def settled(before, *results, rules=TEXT, **facts):
    games = tuple(Game(f"g{n}", *result) for n, result in enumerate(results))
    event = Event("t1", date(2026, 5, 2), 1, "", games, (), {**OFFICIAL, **facts})
    return {change.player: change for change in rules.settle(before, event)}


def kinds(change):
    return [line.kind for line in change.because]


# Categories (§4)


@pytest.mark.parametrize(
    ("games", "category"),
    [
        (8, "unrated"),
        (9, "provisional"),
        (10, "provisional"),
        (17, "provisional"),
        (18, "established"),
        (19, "established"),
    ],
)
def test_the_category_after_a_table(games, category):
    assert TEXT.category_after(games, "wl") == category
    assert TEXT.category_after(games, "w") == "unrated"


# The bonus (§10): (1800 − 1700) / 200 = 0.5


@pytest.mark.parametrize(("left", "changes"), [(0, [0, 0]), (1, [0.5, 0]), (2, [0.5, 0.5])])
def test_a_bonus_below_one_point_uses_one_of_the_hundred(left, changes):
    found, total = TEXT.player_change(1700, [(1700.0, 1), (1700.0, 1)], bonus_left=left)
    assert ([one.change for one in found], total) == (changes, sum(changes))


def test_a_game_above_1800_uses_none_of_the_hundred():
    """In order: 1804 loses 12 against an equal, and at 1792 has a bonus of 8 / 200."""
    found, _total = TODAY.player_change(1804, [(1804.0, 0), (1792.0, 1)], bonus_left=1)
    assert [one.bonus for one in found] == [0, pytest.approx(0.04)]


@pytest.mark.parametrize(("rating", "used"), [(1799, 11), (1800, 10), (1801, 10)])
def test_what_was_used_of_the_hundred_is_kept(rating, used):
    players = {"p": veteran(rating, bonus_used=10), "o": veteran(rating)}
    assert TEXT.rate_table(players, [("p", "o", 1)]).players["p"].bonus_used == used


@pytest.mark.parametrize(
    ("used", "games", "final"),
    [(98, 1, 1004), (99, 1, 1004), (100, 1, 1000), (98, 2, 1008), (99, 2, 1004)],
)
def test_the_hundredth_bonus_is_given(used, games, final):
    """A draw of equals at 1000 moves by the bonus alone: 800 / 200 = 4."""
    players = {"p": veteran(1000, bonus_used=used), "o": veteran(1000)}
    assert TEXT.rate_table(players, [("p", "o", 1)] * games).players["p"].final == final


# Newcomers (§6–§8)


def test_earlier_results_count_as_they_were():
    seat = TablePlayer(earlier=((1000.0, 2), (1200.0, 1), (900.0, 0)))
    assert TEXT.unrated_results(seat, [(700.0, 2)]) == [(1000, 1), (1200, 0.5), (900, 0), (700, 1)]


def test_a_newcomer_who_lost_everything_fixes_the_level_of_the_other():
    """400 for the loser; 1.5 of 2 against 400 is 400 + 400·log10(3) = 590.85."""
    for results in ([("m", "n", 2)], [("n", "m", 0)]):
        after = settled({}, *results)
        assert (after["n"].after.rating, after["m"].after.rating) == (400, 591)
        assert [after[name].after.events for name in "mn"] == [1, 1]


@pytest.mark.parametrize(
    ("grade", "known"), [("16 Kyu", False), ("15 Kyu", True), ("14 Kyu", True)]
)
def test_the_weakest_grade_of_the_table_is_a_grade(grade, known):
    if known:
        assert TEXT.newcomer({"grade": grade}).extra["grade"] == grade
    else:
        with pytest.raises(EventRefused, match="grade"):
            TEXT.newcomer({"grade": grade})


def test_a_newcomer_has_no_past():
    held = TEXT.newcomer()
    assert (held.rating, held.games, held.events, held.status) == (None, 0, 0, "unrated")
    assert held.extra["bonus_used"] == 0


def test_a_player_without_an_elo_is_unrated_whatever_they_played():
    """A sheet of starts may say games and no Elo."""
    before = {"n": TEXT.newcomer({"games": 40}), "b": state(1500)}
    change = settled(before, ("n", "b", 1))["n"]
    assert change.after.rating == 1500
    assert "performance" in kinds(change)


@pytest.mark.parametrize(
    ("before", "facts"),
    [
        ({}, {"players": {"n": {"accepted_grade": "1 Dan", "authority": "NSR"}}}),
        ({"n": State(1500, 1, 1, "unrated", {"earlier": [[1500.0, 1]], "outcomes": "d"})}, {}),
    ],
    ids=["a grade", "an earlier result"],
)
def test_what_is_known_of_one_newcomer_fixes_the_level_of_two(before, facts):
    won_and_lost = ("n", "m", 2), ("m", "n", 2)
    assert set(settled(before, *won_and_lost, **facts)) == {"n", "m"}
    with pytest.raises(EventRefused, match="niveau"):
        settled({}, *won_and_lost)


# What a table leaves as it is


def test_a_player_without_a_game_stays_as_before():
    players = {"a": veteran(1500), "b": veteran(1500), "x": veteran(1500.5), "n": TablePlayer()}
    for games in ([], [("a", "b", 1)]):
        found = TEXT.rate_table(players, games)
        assert (found.players["x"].category, found.players["x"].final) == (None, 1501)
        assert (found.players["x"].games, found.players["n"].final) == (100, None)
    assert TEXT.rate_table(players, []).fixed_point.passes == 0


def test_a_draw_of_equals_changes_nothing_but_the_count():
    change = settled({"a": state(1500), "b": state(1500)}, ("a", "b", 1))["a"]
    assert (change.after.rating, change.after.games, change.after.events) == (1500, 101, 4)
    assert kinds(change) == ["game", "rounding"]


# Grades (§11)


def test_a_grade_gained_has_its_line():
    """1500 has reached the 1440 of a 3 Kyu and not the 1520 of a 2 Kyu."""
    change = settled({"a": state(1500, grade="15 Kyu"), "b": state(1500)}, ("a", "b", 1))["a"]
    (line,) = (one for one in change.because if one.kind == "grade")
    assert (line.values["from"], line.values["to"]) == ("15 Kyu", change.after.extra["grade"])
    assert line.values["to"] == "3 Kyu"


def test_a_grade_that_waits_for_its_approval_has_its_line_too():
    before = {"a": state(2440, grade="4 Dan"), "b": state(2440, grade="4 Dan")}
    change = settled(before, ("a", "b", 1))["a"]
    (line,) = (one for one in change.because if one.kind == "grade")
    assert (line.values["to"], line.values["waiting"]) == (None, "5 Dan")
    assert change.after.extra["grade"] == "4 Dan"


@pytest.mark.parametrize(("games", "trail"), [(17, None), (18, [1500]), (19, [1500])])
def test_games_count_for_a_grade_once_established(games, trail):
    before = {"a": state(1500, games=games), "b": state(1500)}
    assert settled(before, ("a", "b", 1))["a"].after.extra.get("trail") == trail
    early = Fesa(trail_before_established=True)
    assert settled(before, ("a", "b", 1), rules=early)["a"].after.extra["trail"] == [1500]
    new = settled({"b": state(1500)}, ("n", "b", 1), rules=early)["n"]
    assert "trail" not in new.after.extra


@pytest.mark.parametrize(("held", "kept"), [(14, 15), (15, 16), (16, 16)])
def test_the_last_sixteen_ratings_are_kept_for_the_longest_streak(held, kept):
    before = {"a": state(1500, trail=[float(n) for n in range(held)]), "b": state(1500)}
    trail = settled(before, ("a", "b", 1))["a"].after.extra["trail"]
    assert trail == [*map(float, range(held)), 1500][-kept:]


@pytest.mark.parametrize(("held", "grade"), [(3, "5 Kyu"), (4, "4 Kyu")])
def test_a_streak_completed_inside_a_table_counts_though_its_end_is_lower(held, grade):
    """The MP of 4 Kyu is 1320: the first two of these games are the fifth and sixth, or not."""
    before = {"a": state(1334, grade="5 Kyu", trail=[1334.0] * held), "b": state(1334)}
    found = settled(before, *(("a", "b", won) for won in (0, 0, 2, 0)))["a"].after
    assert [value >= 1320 for value in found.extra["trail"][held:]] == [True, True, False, False]
    assert found.extra["grade"] == grade


def test_a_streak_is_counted_before_the_trail_is_cut():
    """The eighth game at 2000, the MP of 3 Dan, is the first of ten, of which sixteen are kept."""
    others = {f"o{n}": state(1800) for n in range(10)}
    held = [1900.0] * 9 + [2017.0] * 7
    before = {"a": state(2017, grade="2 Dan", trail=held), **others}
    found = settled(before, *(("a", other, 0) for other in others))["a"].after
    assert found.extra["grade"] == "3 Dan" and len(found.extra["trail"]) == 16


def test_a_grade_that_waits_for_its_approval_is_given_when_that_comes():
    """Ten games at 2340, the MP of 5 Dan, end with the first of ten, of which sixteen are kept."""
    others = {f"o{n}": state(1800) for n in range(10)}
    before = {"a": state(2358, grade="4 Dan", trail=[2345.0] * 9), **others}
    found = settled(before, *(("a", other, 0) for other in others))["a"]
    [line] = [line for line in found.because if line.kind == "grade"]
    assert line.values["waiting"] == "5 Dan"
    again = settled({"a": found.after, "b": state(1800)}, ("a", "b", 0))["a"].after
    for waits in (found.after, again):
        facts = {"act": "approval", "grade": "5 Dan"}
        assert Fesa().grade_act("a", waits, facts).after.extra["grade"] == "5 Dan"


@pytest.mark.parametrize(
    ("asked", "grade"), [("3 Kyu", "3 Kyu"), ("2 Kyu", "5 Kyu"), ("6 Kyu", "5 Kyu")]
)
def test_a_request_that_is_no_longer_reached_gives_nothing(asked, grade):
    """1500 reaches 3 Kyu: after a correction a request for 2 Kyu gives neither of the two.

    Nor does one for less than the player has by then.
    """
    facts = {"act": "request", "grade": asked}
    after = TEXT.grade_act("a", state(1500, grade="5 Kyu"), facts).after
    assert (after.extra["grade"], after.extra["requested"]) == (grade, [asked])


# Events (§5, §12)


@pytest.mark.parametrize(("games", "ok"), [(15, True), (16, True), (17, False)])
def test_sixteen_games_of_a_player_are_one_table(games, ok):
    before = {"a": state(1500), "b": state(1500), "c": state(1500)}
    results = [("a", "bc"[n % 2], 1) for n in range(games)]
    if ok:
        assert settled(before, *results)["a"].after.games == 100 + games
    else:
        with pytest.raises(EventRefused, match="16"):
            settled(before, *results)


@pytest.mark.parametrize("said", [True, False])
def test_a_declaration_comes_before_the_conditions(said):
    assert is_official({"official": said, **({} if said else OFFICIAL)}) is said


# The fixed point of a table (§7, §9)


def test_a_table_rated_with_decimals_is_explained_with_them():
    """In integers a is 1333 and 1332 by turns, b 1348 and 1349."""
    before = {"a": state(1378), "b": state(1303)}
    for change in settled(before, *[("b", "a", 2)] * 3).values():
        rounding = next(line for line in change.because if line.kind == "rounding")
        assert half_up(rounding.values["raw"]) == change.after.rating
        assert "decimals" in kinds(change)
    assert "decimals" not in kinds(settled(before, ("b", "a", 2))["a"])


def test_a_table_that_never_settles_ends_after_its_passes():
    """One more each time: 999 integer passes, then 400 of real numbers; the smaller of the last two."""
    found = settle([0], lambda finals: [value + 1 for value in finals], half_up)
    assert (found.finals, found.mode, found.passes) == ((998,), "cycle", 1400)
    assert not found.converged


def test_two_numbers_that_swap_are_left_on_the_smaller():
    found = settle([2], lambda finals: [3 - value for value in finals], half_up)
    assert (found.finals, found.mode, found.passes) == ((1,), "cycle", 402)


def test_of_two_states_the_one_that_moves_less_is_left():
    """From 3 a pass goes to 0.4, from 0 to 3.4: 2.6 against 3.4, though 0 is smaller."""
    found = settle([0], lambda finals: [3.4 - finals[0]], half_up)
    assert (found.finals, found.mode) == ((3,), "cycle")


@pytest.mark.parametrize("order", ["mna", "anm"])
def test_of_two_fixed_points_the_lower_one_is_found_in_any_order(order):
    """Both score 1.5 of 3 beside a player of 1000: 999 each is as stable as 1001."""
    seats = {"m": TablePlayer(), "n": TablePlayer(), "a": veteran(1000)}
    games = [("m", "a", 0), ("n", "a", 2), ("m", "n", 1), ("n", "m", 0)]
    found = TEXT.rate_table({name: seats[name] for name in order}, games).players
    assert [found[name].final for name in "mna"] == [999, 999, 1000]


def test_an_accepted_grade_is_where_its_player_starts_from():
    """Two of 1 Kyu, MP 1620, lose to one of 1000: from the floor of 400 they would end at 1302."""
    graded = TablePlayer(accepted_grade="1 Kyu")
    games = [("m", "a", 0), ("n", "a", 0), ("m", "n", 0), ("n", "m", 0)]
    found = TEXT.rate_table({"m": graded, "n": graded, "a": veteran(1000)}, games).players
    assert [found[name].final for name in "mna"] == [1304, 1304, 1137]


def test_of_a_table_that_does_not_settle_every_player_is_named():
    """Newcomers at 100 %, by way of another one: each raises the next."""
    changes = settled({"d": state(1544)}, ("c", "d", 2), ("c", "b", 0), ("b", "a", 1))
    assert {name for name, change in changes.items() if "unsettled" in kinds(change)} == set("abcd")
    assert "unsettled" in TEXT.oddities


@pytest.mark.parametrize(
    ("far", "finals", "mode"),
    [(9_999, 9_999, "integer"), (10_000, 10_000, "integer"), (10_001, 0, "cycle")],
)
def test_a_rating_above_ten_thousand_has_no_level(far, finals, mode):
    found = settle([0], lambda _finals: [float(far)], half_up)
    assert (found.finals, found.mode) == ((finals,), mode)
    assert found.passes == (2 if mode == "integer" else 1)
