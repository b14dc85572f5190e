"""The Romanian rating (001), named by article."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from django.utils.translation import override
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.lists.explanations import lines_of
from ratings.systems.protocol import Event, EventRefused, Placing, State, frozen
from ratings.systems.romania.kinds import COLLECTIVE, TYPES
from ratings.systems.romania.system import Romania, general
from ratings.systems.rounding import half_up
from ratings.systems.storage import reason_to_json

RULES = Romania()
DAY = date(2011, 3, 5)


def game(number, sheet, kind="duplicat_clasic"):
    placings = tuple(Placing(player, place) for player, place in sheet.items())
    return Event(f"T{number}", DAY, number, placings=placings, facts={"list_kind": kind})


def play(sheets, rules=RULES, kind="duplicat_clasic"):
    states: dict[str, State] = {}
    for number, sheet in enumerate(sheets, start=1):
        for change in rules.settle(states, game(number, sheet, kind)):
            states[change.player] = change.after
    return states


class TestArticle2:
    @pytest.mark.parametrize(
        ("kind", "n"),
        [
            ("duplicat_clasic", 20),
            ("duplicat_completiv", 18),
            ("duplicat_eliptic", 14),
            ("compunere", 18),
            ("anticipatie", 14),
            ("libere", 8),
        ],
    )
    def test_n_of_each_kind(self, kind, n):
        assert RULES.window_of(kind) == n

    @pytest.mark.parametrize("games_after", [13, 14, 15])
    def test_a_game_leaves_with_the_calendar_not_with_ones_own_games(self, games_after):
        sheets = [{"old": 1, "x": 2}] + [{"x": 1, "y": 2}] * games_after
        held = play(sheets, kind="anticipatie")["old"]
        assert (held.rating is None) is (games_after >= 14)

    def test_thirty_one_games_would_give_a_weight_of_nothing(self):
        assert Romania(window_clasic=30).weights(30)[-1] == 5
        with pytest.raises(ValueError, match="30"):
            Romania(window_clasic=31)
        with pytest.raises(ValueError, match="30"):
            RULES.weights(31)


class TestArticle3:
    @pytest.mark.parametrize(("n", "least"), [(20, 3), (18, 3), (14, 3), (8, 2)])
    def test_fifteen_percent_rounded_up(self, n, least):
        assert RULES.active_least(n) == least

    @pytest.mark.parametrize(
        ("games", "status"), [(1, "provisional"), (2, "provisional"), (3, "active"), (4, "active")]
    )
    def test_the_third_game_makes_a_rating_active(self, games, status):
        assert play([{"a": 1, "b": 2}] * games)["a"].status == status

    def test_a_share_of_the_committee_makes_a_rating_active(self):
        assert Romania(active_percent=20).active_least(20) == 4

    @pytest.mark.parametrize(("kind", "least"), [("duplicat_clasic", 3), ("libere", 2)])
    def test_a_change_of_status_says_the_least_of_its_kind(self, kind, least):
        for change in RULES.settle({}, game(1, {"a": 1, "b": 2}, kind)):
            line = next(line for line in change.because if line.kind == "status")
            assert line.values == {"from": "none", "to": "provisional", "least": least}

    def test_absence_takes_an_active_rating_down_then_away(self):
        sheets = [{"a": 1, "b": 2}] * 3 + [{"b": 1, "c": 2}] * 11
        assert play(sheets, kind="anticipatie")["a"].status == "active"
        sheets += [{"b": 1, "c": 2}]
        assert play(sheets, kind="anticipatie")["a"].status == "provisional"
        sheets += [{"b": 1, "c": 2}] * 2
        assert play(sheets, kind="anticipatie")["a"].status == "none"


class TestArticle5:
    def test_a_player_without_rating_counts_150(self):
        changes = RULES.settle({"a": State(Fraction(200))}, game(1, {"a": 1, "new": 2}))
        line = next(line for line in changes[0].because if line.kind == "points")
        assert line.values["V"] == 175

    def test_a_value_of_the_committee_counts_for_a_player_without_rating(self):
        assert Romania(unrated_value=120).value([None, Fraction(200)]) == 160

    def test_a_comeback_counts_150_again(self):
        sheets = [{"a": 1, "b": 2}] + [{"b": 1, "c": 2}] * 20 + [{"a": 1, "d": 2}]
        assert play(sheets)["a"].rating == 200


class TestArticle6:
    @pytest.mark.parametrize(("place", "points"), [(1, 200), (2, 175), (3, 150), (5, 100)])
    def test_points_from_first_to_last(self, place, points):
        assert RULES.points(Fraction(150), 5, Fraction(place)) == points

    @pytest.mark.parametrize(("place", "points"), [(1, 210), (3, 150), (5, 90)])
    def test_points_with_a_spread_of_the_committee(self, place, points):
        assert Romania(spread=60).points(Fraction(150), 5, Fraction(place)) == points

    def test_one_player_alone_gets_the_value(self):
        assert RULES.points(Fraction(120), 1, Fraction(1)) == 120
        for players, warned in ((1, {1}), (2, set())):
            sheet = {number: number for number in range(1, players + 1)}
            changes = RULES.settle({}, game(1, sheet))
            kinds = {c.player: {reason.kind for reason in c.because} for c in changes}
            assert {player for player in kinds if set(RULES.oddities) & kinds[player]} == warned

    @given(st.lists(st.integers(1, 60), min_size=1, max_size=30), st.integers(50, 250))
    def test_the_mean_of_the_points_is_the_value_exactly(self, ranks, value):
        order = sorted(ranks)
        published = {n: order.index(rank) + 1 for n, rank in enumerate(ranks)}
        places = RULES.places(published)
        points = [RULES.points(Fraction(value), len(ranks), places[n]) for n in published]
        assert sum(points) / len(points) == value
        assert all(value - 50 <= p <= value + 50 for p in points)

    def test_ties_share_the_mean_place_or_keep_the_published_one(self):
        published = {"a": 1, "b": 2, "c": 2}
        assert RULES.places(published)["b"] == Fraction(5, 2)
        assert Romania(ties="best").places(published)["b"] == 2


class TestArticle7:
    def test_weights_as_printed(self):
        assert RULES.weights(18)[:2] == [235, 225]
        assert RULES.weights(18)[-2:] == [75, 65]
        assert RULES.weights(14)[0] == 215
        assert RULES.weights(14)[-1] == 85

    def test_a_weight_of_nothing_is_refused(self):
        """The oldest of N = 20 games weighs the base, plus 100, less 200."""
        assert Romania(weight_base=101).weights(20)[-1] == 1
        with pytest.raises(ValueError, match="ne pèserait rien"):
            Romania(weight_base=100)

    def test_an_absent_player_moves_when_the_weights_shift(self):
        before = play([{"a": 1, "b": 2}, {"a": 2, "b": 1}])
        changes = RULES.settle(before, game(3, {"b": 1, "c": 2}))
        absent = next(change for change in changes if change.player == "a")
        assert absent.after.rating != absent.before.rating
        assert [line.kind for line in absent.because] == ["ageing"]
        assert (absent.after.games, absent.after.events) == (2, 2)

    @pytest.mark.parametrize("step", [10, 5])
    def test_what_leaves_what_ages_and_what_comes_in(self, step):
        """Games 1 to 3 before game 21 of N = 20: each weight is 255 less a step a game."""
        rules = Romania(weight_step=step)
        old = [(1, Fraction(100)), (2, Fraction(200)), (3, Fraction(150))]
        window = frozen({"window": [list(one) for one in old]})
        before = State(rules.mean_of(old, 20, 20), 3, 3, "active", window)
        (change,) = rules.settle({"a": before}, game(21, {"a": 1}))
        left, aged, came, alone = change.because

        def mean(now):
            two, three = (255 - step * (now - number + 1) for number in (2, 3))
            return Fraction(200 * two + 150 * three, two + three), two + three

        (stood, _), (older, weight) = mean(20), mean(21)
        near = Fraction(1, 10**30)
        assert abs(left.effect - (stood - before.rating)) < near
        assert abs(aged.effect - (older - stood)) < near
        assert aged.values == {"games": 2, "step": step}
        newest, everything = 255 - step, weight + 255 - step
        assert abs(came.effect - (before.rating - older) * newest / everything) < near
        assert (came.values["weight"], came.values["sum_of_weights"]) == (newest, everything)
        assert alone.kind == "alone"

    @pytest.mark.parametrize(("missing", "shown"), [(19, 149), (21, 150), (36, 150)])
    def test_a_half_is_read_from_the_first_twenty_decimals(self, missing, shown):
        assert RULES.shown(State(Fraction(299, 2) - Fraction(1, 10**missing))) == shown

    @settings(max_examples=40)
    @given(st.randoms(use_true_random=False))
    def test_the_kept_numbers_print_as_the_endless_fractions_do(self, source):
        """The grid of 10⁻⁴⁰ against fractions that are never cut."""
        names = list("abcdefgh")
        n = 14
        exact: dict[str, list[tuple[int, Fraction]]] = {name: [] for name in names}
        ratings: dict[str, Fraction | None] = dict.fromkeys(names)
        states: dict[str, State] = {}
        for number in range(1, 31):
            players = source.sample(names, source.randrange(2, 7))
            sheet = {player: place for place, player in enumerate(players, start=1)}
            for change in RULES.settle(states, game(number, sheet, "anticipatie")):
                states[change.player] = change.after
            v = RULES.value([ratings[player] for player in players])
            for player, place in sheet.items():
                exact[player].append((number, RULES.points(v, len(sheet), Fraction(place))))
            for name in names:
                exact[name] = [(k, p) for k, p in exact[name] if number - k < n]
                ratings[name] = RULES.mean_of(exact[name], number, n)
            for name, state in states.items():
                true = ratings[name]
                assert RULES.shown(state) == (None if true is None else half_up(true))
                if true is not None:
                    assert abs(Fraction(state.rating) - true) < Fraction(1, 10**36)


class TestArticle8:
    def rated(self, **values):
        return {kind: values.get(kind) for kind in COLLECTIVE}

    def test_the_mean_of_five_with_150_for_the_missing(self):
        ratings = self.rated(compunere=Fraction(200))
        statuses = dict.fromkeys(COLLECTIVE, "none") | {"compunere": "active"}
        assert general(ratings, statuses) == 160

    def test_nobody_without_an_active_type(self):
        ratings = self.rated(compunere=Fraction(200))
        statuses = dict.fromkeys(COLLECTIVE, "none") | {"compunere": "provisional"}
        assert general(ratings, statuses) is None

    def test_a_value_of_the_committee_counts_for_a_missing_type(self):
        ratings = self.rated(compunere=Fraction(200))
        assert Romania(unrated_value=100).combined(ratings, {"compunere": "active"}) == 120

    def test_who_has_no_general_rating_sits_after_the_others_by_name(self):
        people = [(None, "b", 1), (Fraction(140), "z", 2), (None, "a", 3), (Fraction(160), "y", 4)]
        assert RULES.seating([*people, (Fraction(140), "c", 5)]) == [4, 5, 2, 3, 1]

    def test_libere_are_no_part_of_it(self):
        ratings = self.rated(compunere=Fraction(200)) | {"libere": Fraction(300)}
        statuses = {"compunere": "active", "libere": "active"}
        assert general(ratings, statuses) == 160
        assert general(ratings, {"libere": "active"}) is None

    def test_a_provisional_value_counts_beside_an_active_one(self):
        ratings = self.rated(compunere=Fraction(200), anticipatie=Fraction(100))
        statuses = {"compunere": "active", "anticipatie": "provisional"}
        assert general(ratings, statuses) == 150


class TestLedger:
    def test_the_points_of_a_game_are_printed_with_their_weight_in_the_window(self):
        before = play([{"a": 1, "b": 2}])
        change = RULES.settle(before, game(2, {"a": 1, "b": 2}))[0]
        with override("fr"):
            lines = lines_of([reason_to_json(line) for line in change.because], names={})
        assert (lines[-1].head, lines[-1].formula) == (
            "Place 1 sur 2, valeur de la partie 150,00",
            "P = 200,00, de poids 245 sur 480",
        )

    def test_the_lines_add_up_to_the_change(self):
        sheets = [{"a": 1, "b": 2, "c": 3}, {"b": 1, "a": 2}, {"c": 1, "b": 2, "d": 3}] * 8
        states: dict[str, State] = {}
        seen = 0
        for number, sheet in enumerate(sheets, start=1):
            for change in RULES.settle(states, game(number, sheet, "anticipatie")):
                states[change.player] = change.after
                if change.delta is not None:
                    seen += 1
                    assert sum(line.effect or 0 for line in change.because) == change.delta
        assert seen > 40

    @pytest.mark.parametrize(
        ("sheet", "words"),
        [
            ({}, "vide"),
            ({"a": 1, "b": 3}, "manque"),
            ({"a": 2, "b": 3}, "manque"),
            ({"a": 1, "b": 2, "c": 2, "d": 3}, "manque"),
        ],
    )
    def test_a_sheet_with_a_hole_is_refused(self, sheet, words):
        with pytest.raises(EventRefused, match=words):
            RULES.settle({}, game(1, sheet))

    def test_a_player_twice_in_a_sheet_is_refused(self):
        event = Event(
            "T1", DAY, 1, placings=(Placing("a", 1), Placing("a", 2)), facts={"list_kind": "libere"}
        )
        with pytest.raises(EventRefused, match="deux fois"):
            RULES.settle({}, event)

    def test_an_unknown_kind_is_refused(self):
        with pytest.raises(EventRefused, match="type"):
            RULES.settle({}, game(1, {"a": 1}, kind="belote"))

    def test_every_kind_has_its_own_setting(self):
        assert {name for _label, name in TYPES.values()} <= set(Romania.__dataclass_fields__)
