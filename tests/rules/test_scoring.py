"""PR and DS of one match, and of a season (002 II.A, II.B.2, II.B.3, II.C.2)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairings.rules.scoring import (
    MEAN,
    SUM,
    MatchRecord,
    Points,
    RecordRefused,
    Scale,
    Tally,
    form,
    meetings,
    points_of,
    tallies,
)

PLAYERS = "ABCDE"
BYE = MatchRecord("A", None, "bye")


def played(first_score: int, second_score: int, first: str = "A", second: str = "B") -> MatchRecord:
    return MatchRecord(first, second, first_score=first_score, second_score=second_score)


def absent(who: str, *, justified: bool = False) -> MatchRecord:
    return MatchRecord("A", "B", "absent", absent=who, justified=justified)


def prs(record: MatchRecord, scale: Scale | None = None) -> tuple[object, ...]:
    return tuple(side and side.pr for side in points_of(record, scale or Scale()))


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (played(400, 300), (3, 1)),
        (played(300, 400), (1, 3)),
        (played(333, 333), (2, 2)),
        (absent("a"), (0, 3)),
        (absent("b"), (3, 0)),
        (absent("both"), (0, 0)),
        (absent("a", justified=True), (0, 3)),
        (BYE, (3, None)),
        (MatchRecord("A", "B", "cancelled"), (0, 0)),
    ],
)
def test_a_win_is_3_a_draw_2_a_defeat_1_and_an_absence_0(record, expected):  # II.A
    assert prs(record) == expected


def test_the_committee_may_change_every_pr():
    scale = Scale(win=5, draw=3, loss=2, absent=-1, forfeit_win=4, bye=1)
    assert prs(played(2, 1), scale) == (5, 2)
    assert prs(played(1, 1), scale) == (3, 3)
    assert prs(absent("a"), scale) == (-1, 4)
    assert prs(BYE, scale) == (1, None)


def test_the_ds_is_the_margin_over_the_losers_score_and_the_loser_gets_it_negative():  # II.B.2
    winner, loser = points_of(played(451, 407), Scale())
    assert winner.ds == Fraction(4400, 407)
    assert loser is not None and loser.ds == -Fraction(4400, 407)


@pytest.mark.parametrize(("loser", "ds"), [(201, Fraction(19900, 201)), (200, 100), (199, 100)])
def test_the_ds_stops_at_100_percent(loser, ds):
    assert points_of(played(400, loser), Scale())[0].ds == ds


@pytest.mark.parametrize(("winner", "loser"), [(10, 0), (1, 0), (5, -3), (0, -3)])
def test_a_win_over_a_score_of_zero_or_less_is_100_percent(winner, loser):
    assert points_of(played(winner, loser), Scale())[0].ds == 100


def test_a_draw_at_zero_is_no_difference():
    assert points_of(played(0, 0), Scale()) == (Points(2, 0, 1, True), Points(2, 0, 1, True))


def test_an_unsigned_ds_costs_the_loser_nothing():
    assert points_of(played(400, 300), Scale(ds_signed=False))[1] == Points(1, 0, 1, True)


@pytest.mark.parametrize(("fixed", "weight"), [(50, 1), (Fraction(25, 2), 1), (None, 0)])
def test_a_bye_and_a_forfeit_win_give_the_fixed_ds_and_are_no_match_played(fixed, weight):
    scale = Scale(bye_ds=fixed, forfeit_ds=fixed)
    expected = Points(3, fixed, weight, False)
    assert points_of(BYE, scale)[0] == expected
    assert points_of(absent("a"), scale)[1] == expected


def test_the_absent_player_gets_no_ds():
    assert points_of(absent("a"), Scale())[0] == Points(0, None, 0, False)


@pytest.mark.parametrize(
    "record",
    [
        MatchRecord("A", "B"),
        MatchRecord("A", "B", first_score=300),
        MatchRecord("A", "B", "absent"),
        MatchRecord("A", None, "absent", absent="a"),
        MatchRecord("A", "B", "forgotten"),
    ],
)
def test_a_record_that_no_article_covers_is_refused(record):
    with pytest.raises(RecordRefused):
        points_of(record, Scale())


@st.composite
def records(draw):
    first, second = draw(st.permutations(PLAYERS))[:2]
    kind = draw(st.sampled_from(["played", "played", "played", "absent", "bye", "cancelled"]))
    if kind == "played":
        scores = st.integers(-20, 600)
        return MatchRecord(
            first, second, kind, draw(scores), draw(scores), day=draw(st.integers(0, 400))
        )
    if kind == "absent":
        return MatchRecord(first, second, kind, absent=draw(st.sampled_from(["a", "b", "both"])))
    return MatchRecord(first, None if kind == "bye" else second, kind)


numbers = st.sampled_from([0, 1, 2, Fraction(1, 2), Fraction(7, 3)])
scales = st.builds(
    Scale,
    ds_signed=st.booleans(),
    bye_ds=st.sampled_from([None, 0, 50, Fraction(100, 3)]),
    forfeit_ds=st.sampled_from([None, 0, 50, Fraction(100, 3)]),
    played_weight=numbers,
    forfeit_weight=numbers,
    bye_weight=numbers,
    draw=st.sampled_from([2, Fraction(3, 2)]),
)


@given(st.lists(records(), max_size=40), scales, st.sampled_from([SUM, MEAN]))
def test_a_season_is_the_sum_of_its_matches(season, scale, mode):
    """The one-pass totals, against adding `points_of` match by match."""
    found = tallies(season, scale)
    for player in PLAYERS:
        own = []
        for record in season:
            for seat, points in zip(
                (record.first, record.second), points_of(record, scale), strict=True
            ):
                if seat == player and points is not None:
                    own.append(points)
        tally = found.get(player, Tally())
        total = sum((p.ds * p.weight for p in own if p.ds is not None), Fraction(0))
        weight = sum(p.weight for p in own)
        assert tally.pr == sum(p.pr for p in own)
        assert tally.played == sum(p.counted for p in own)
        expected = total if mode == SUM else (total / weight if weight else 0)
        assert tally.ds(mode) == expected


@given(st.lists(st.tuples(records(), st.integers(0, 2)), max_size=30), scales, scales)
def test_each_match_keeps_the_points_of_its_own_version(season, old, new):
    """A match that carries a scale is counted by it, every other one by the scale given."""
    marked = [record._replace(scale=old if which else None) for record, which in season]
    found = tallies(marked, new)
    for player in PLAYERS:
        own = []
        for record in marked:
            for seat, points in zip(
                (record.first, record.second), points_of(record, record.scale or new), strict=True
            ):
                if seat == player and points is not None:
                    own.append(points)
        tally = found.get(player, Tally())
        total = sum((p.ds * p.weight for p in own if p.ds is not None), Fraction(0))
        weight = sum(p.weight for p in own)
        assert tally.pr == sum(p.pr for p in own)
        assert tally.ds(SUM) == total
        assert tally.ds(MEAN) == (total / weight if weight else 0)


def test_a_sum_of_ds_is_exact_where_floats_are_not():
    season = [played(440, 400), played(400, 440), played(331, 330), played(330, 331)]
    assert tallies(season, Scale())["A"].ds(SUM) == 0


def test_the_mean_of_no_match_is_zero():
    assert Tally().ds(MEAN) == 0


@pytest.mark.parametrize(
    ("age", "value"),
    [(-1, None), (0, 300), (182, 300), (183, None)],
)
def test_the_form_looks_at_183_days_and_never_at_the_future(age, value):
    assert form([(1000 - age, 300)], today=1000, window=183) == value


def test_the_newest_of_six_equal_slices_weighs_six_times_the_oldest():  # II.C.2
    newest, oldest = (1000, 400), (1000 - 182, 330)
    assert form([newest, oldest], today=1000, window=183) == Fraction(6 * 400 + 330, 7)


@pytest.mark.parametrize(("age", "weight"), [(30, 6), (31, 5), (61, 4), (152, 2), (153, 1)])
def test_a_slice_is_a_sixth_of_the_window(age, weight):
    mean = form([(1000 - age, 0), (1000, 700)], today=1000, window=183)
    assert mean == Fraction(6 * 700, 6 + weight)


def test_a_forfeit_is_a_meeting_and_a_double_absence_is_none():
    assert meetings([absent("a")])["A"]["B"].times == 1
    assert meetings([absent("both"), BYE, MatchRecord("A", "B", "cancelled")]) == {}
    assert meetings([absent("a")], forfeits_count=False) == {}


def test_since_is_the_smaller_count_of_the_two_players():
    season = [
        played(3, 2, "A", "B"),
        played(3, 2, "A", "C"),
        played(3, 2, "A", "D"),
        played(3, 2, "B", "D"),
        MatchRecord("B", None, "bye"),
        MatchRecord("B", "C", "absent", absent="both"),
    ]
    met = meetings(season)
    assert met["A"]["B"].since == met["B"]["A"].since == 1
    assert met["A"]["D"].since == 0


@given(st.lists(records(), max_size=30))
def test_meetings_are_the_same_from_both_sides(season):
    met = meetings(season)
    assert all(met[two][one] == last for one, others in met.items() for two, last in others.items())
