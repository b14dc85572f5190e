"""The Elo of one FESA table (003 §1–§10): each game's change, categories and final ratings."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ratings.systems.elo import win_probability
from ratings.systems.fesa import table as fesa_table
from ratings.systems.fesa.grades import (
    ESTABLISHED,
    GRADES,
    PROVISIONAL,
    UNRATED,
    Promotion,
    Row,
    promotion,
    row_of,
)
from ratings.systems.fesa.settings import PER_GAME, SEQUENTIAL, FesaSettings
from ratings.systems.fesa.table import FixedPoint, performance
from ratings.systems.protocol import PlayerId
from ratings.systems.rounding import half_up

WON, LOST, DREW = "w", "l", "d"
D, D_PRIME = "d", "d'"


class GameChange(NamedTuple):
    """What one game adds before rounding: by which formula, and the bonus in it."""

    change: float
    formula: str
    bonus: float
    k: int


@dataclass(frozen=True, slots=True)
class TablePlayer:
    """A player before a table. `outcomes`: which of w, l, d occurred before ("" for none).

    `earlier`: (opponent's counted rating, half points) of an unrated player's past games.
    """

    rating: float | None = None
    games: int = 0
    outcomes: str = ""
    bonus_used: int = 0
    accepted_grade: str | None = None
    earlier: tuple[tuple[float, int], ...] = ()


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """A player after a table. `category`: how the player was rated (None: no rated game)."""

    category: str | None
    after: str
    final: int | None
    change: int | None
    games: int
    bonus_used: int
    outcomes: str
    zero: bool = False


@dataclass(frozen=True, slots=True)
class TableResult:
    """Everybody after the table, and how the fixed point was found.

    `counted`: what each is worth as an opponent; `faced`: the same as the table was computed with.
    `circular`: several newcomers at 100 %. The draw lifts each above the best of the others, which
    is another of them, so that only the rounding stops them.
    """

    players: Mapping[PlayerId, PlayerResult]
    fixed_point: FixedPoint
    counted: Mapping[PlayerId, int] = field(default_factory=dict)
    faced: Mapping[PlayerId, float] = field(default_factory=dict)
    circular: frozenset[PlayerId] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class FesaElo(FesaSettings):
    """d = k·(res − 1/(1+10^((or−tr)/400))), d′ = k·(or−tr)/160 on a win, bonus (1800−tr)/200."""

    def grades(self) -> tuple[Row, ...]:
        """Return the grade table, weakest first; five more kyu below by the committee's choice."""
        if not self.below_15_kyu:
            return GRADES
        more = [
            (f"{n} Kyu", 1600 - 80 * n, 1640 - 80 * n, 1680 - 80 * n, 6, 3)
            for n in range(20, 15, -1)
        ]
        return (*more, *GRADES)

    def k_of(self, tr: float) -> int:
        """Return k(tr): the edges of the table belong to the higher row (003 §1)."""
        return next(k for limit, k in reversed(self.k_steps()) if tr >= limit)

    def bonus_of(self, tr: float) -> float:
        """Return (1800 − tr) / 200, never negative (003 §10)."""
        return max(0.0, (self.bonus_below - tr) / self.bonus_divisor)

    def game_change(
        self, tr: float, opponent: float, halves: int, *, upset: bool, bonus: bool
    ) -> GameChange:
        """Return one game's change, unrounded."""
        other = max(opponent, self.counted_floor)
        k = self.k_of(tr)
        change, formula = k * (halves / 2 - win_probability(tr, other, self.divisor)), D
        if upset and halves == 2:
            better = k * (other - tr) / self.upset_divisor
            if better > change:
                change, formula = better, D_PRIME
        extra = self.bonus_of(tr) if bonus else 0.0
        return GameChange(change + extra, formula, extra, k)

    def category_before(self, player: TablePlayer, played: int) -> str:
        """Return how the table rates a player (003 §4): past mix, this table's games counted."""
        games = player.games + played
        if player.rating is None or one_sided(player.outcomes) or games < self.rated_games:
            return UNRATED
        return PROVISIONAL if games < self.established_games else ESTABLISHED

    def category_after(self, games: int, outcomes: str) -> str:
        """Return a player's category for promotions and from now on: this table's results included."""
        if one_sided(outcomes) or games < self.rated_games:
            return UNRATED
        return PROVISIONAL if games < self.established_games else ESTABLISHED

    def player_change(
        self,
        rating: float,
        games: Sequence[tuple[float, int]],
        *,
        bonus_left: int,
        category: str = ESTABLISHED,
    ) -> tuple[list[GameChange], float]:
        """Return each game's change against the opponents' final ratings, and the unrounded total."""
        bonus_open, upset = self._has_bonus(category), self._has_upset(category)
        changes: list[GameChange] = []
        total, used = 0.0, 0
        for opponent, halves in games:
            tr = rating + total if self.order == SEQUENTIAL else rating
            one = self.game_change(
                tr, opponent, halves, upset=upset, bonus=bonus_open and used < bonus_left
            )
            used += one.bonus > 0
            change = float(half_up(one.change)) if self.rounding == PER_GAME else one.change
            changes.append(one._replace(change=change))
            total += change
        return changes, total

    def _has_bonus(self, category: str) -> bool:
        return category == ESTABLISHED or (category == PROVISIONAL and self.bonus_for_provisional)

    def _has_upset(self, category: str) -> bool:
        return category == ESTABLISHED or (category == PROVISIONAL and self.upset_for_provisional)

    def unrated_results(
        self, player: TablePlayer, games: Sequence[tuple[float, int]]
    ) -> list[tuple[float, float]]:
        """Return all results that rate an unrated player: earlier ones, virtual ones, this table's."""
        known = [(float(opponent), halves / 2) for opponent, halves in player.earlier]
        if player.accepted_grade is not None:
            middle = float(row_of(player.accepted_grade, self.grades())[2])
            known += [(middle, 1.0), (middle, 0.0)]
        return known + [(max(o, self.counted_floor), halves / 2) for o, halves in games]

    def rate_table(
        self,
        players: Mapping[PlayerId, TablePlayer],
        games: Sequence[tuple[PlayerId, PlayerId, int]],
    ) -> TableResult:
        """Find the table's fixed point. `games`: (first, second, first's half points), in order."""
        played: dict[PlayerId, list[tuple[PlayerId, int]]] = {}
        for first, second, halves in games:
            played.setdefault(first, []).append((second, halves))
            played.setdefault(second, []).append((first, 2 - halves))
        order = [player for player in players if player in played]
        order += [player for player in played if player not in players]
        index = {player: n for n, player in enumerate(order)}
        known = [players.get(player) or TablePlayer() for player in order]
        lists = [[(index[o], halves) for o, halves in played[player]] for player in order]
        categories = [
            self.category_before(player, len(scores))
            for player, scores in zip(known, lists, strict=True)
        ]
        perfect = frozenset(
            n
            for n, player in enumerate(known)
            if categories[n] == UNRATED and self._is_perfect(player, lists[n])
        )
        passing = self._passing(known, lists, categories, perfect)
        start = self._start(known)
        fixed_point = (
            fesa_table.settle(start, passing, half_up)
            if order
            else FixedPoint((), fesa_table.INTEGER, 0)
        )
        results = {
            player: self._untouched(players[player]) for player in players if player not in index
        }
        counted = {
            player: max(fixed_point.finals[n], self.counted_floor) for player, n in index.items()
        }
        values = fixed_point.values or fixed_point.finals
        faced = {player: float(max(values[n], self.counted_floor)) for player, n in index.items()}
        for n, player in enumerate(order):
            scores = [(float(fixed_point.finals[o]), halves) for o, halves in lists[n]]
            results[player] = self._result(known[n], categories[n], scores, fixed_point.finals[n])
        lifted = len(perfect) > 1 and self.perfect_meets_perfect
        circular = frozenset(order[n] for n in perfect) if lifted else frozenset()
        return TableResult(results, fixed_point, counted, faced, circular)

    def _is_perfect(self, player: TablePlayer, own: Sequence[tuple[int, int]]) -> bool:
        """Return whether all results are victories: then the virtual draw is added (003 §7)."""
        results = self.unrated_results(player, [(float(o), halves) for o, halves in own])
        return all(score == 1 for _opponent, score in results)

    def _start(self, known: Sequence[TablePlayer]) -> list[int]:
        """Return where the iteration begins: rating held, MP of an accepted grade, or floor.

        Unrated players start from the floor, so that where halves leave two fixed points (two
        newcomers between one rated player) the lower one is found, whatever the order.
        """
        return [
            half_up(p.rating)
            if p.rating is not None
            else row_of(p.accepted_grade, self.grades())[2]
            if p.accepted_grade is not None
            else self.counted_floor
            for p in known
        ]

    def _passing(
        self,
        known: Sequence[TablePlayer],
        lists: Sequence[Sequence[tuple[int, int]]],
        categories: Sequence[str],
        perfect: frozenset[int],
    ) -> Callable[[Sequence[float]], Sequence[float]]:
        """Make one pass: compute everybody from the others' current final ratings."""
        rated = self.rated_in_turn if self.order == SEQUENTIAL else self.rated_at_once
        out = frozenset() if self.perfect_meets_perfect else perfect

        def passing(finals: Sequence[float]) -> list[float]:
            return [
                self._unrated(known[n], [(finals[o], h) for o, h in scores], finals, out | {n})
                if categories[n] == UNRATED
                else rated(known[n], [(finals[o], h) for o, h in scores], categories[n])
                for n, scores in enumerate(lists)
            ]

        return passing

    def rated_at_once(
        self, player: TablePlayer, own: Sequence[tuple[float, int]], category: str
    ) -> float:
        """Compute `rated_in_turn` without the reasons, where k and bonus are those of the start.

        A pass is made some fifteen times a table; a property test compares the result with
        `rated_in_turn`.
        """
        tr = player.rating
        assert tr is not None
        k, floor, divisor, total = self.k_of(tr), self.counted_floor, self.divisor, 0.0
        bonus = self.bonus_of(tr) if self._has_bonus(category) else 0.0
        left = self.bonus_most - player.bonus_used
        per_game, upset = self.rounding == PER_GAME, self._has_upset(category)
        for opponent, halves in own:
            other = opponent if opponent > floor else floor
            change = k * (halves / 2 - win_probability(tr, other, divisor))
            if upset and halves == 2:
                change = max(change, k * (other - tr) / self.upset_divisor)
            if bonus and left > 0:
                change += bonus
                left -= 1
            total += half_up(change) if per_game else change
        return tr + total

    def rated_in_turn(
        self, player: TablePlayer, own: Sequence[tuple[float, int]], category: str
    ) -> float:
        """Return the final rating, the games one after the other."""
        assert player.rating is not None
        left = self.bonus_most - player.bonus_used
        _games, total = self.player_change(player.rating, own, bonus_left=left, category=category)
        return player.rating + total

    def _unrated(
        self,
        player: TablePlayer,
        own: Sequence[tuple[float, int]],
        finals: Sequence[float],
        out: frozenset[int],
    ) -> float:
        """Return a player's performance.

        `out`: who cannot be the best of the others, that player first.
        """
        results = self.unrated_results(player, own)
        scored = math.fsum(score for _o, score in results)
        if scored == 0:
            return float(self.counted_floor)
        if scored == len(results):
            best = max(
                (v for n, v in enumerate(finals) if n not in out), default=self.counted_floor
            )
            results = [*results, (max(float(best), self.counted_floor), 0.5)]
        estimate = performance(results, self.divisor)
        assert estimate is not None
        return estimate

    def _result(
        self, player: TablePlayer, category: str, own: Sequence[tuple[float, int]], final: int
    ) -> PlayerResult:
        games = player.games + len(own)
        outcomes = outcomes_after(player.outcomes, [halves for _o, halves in own])
        after = self.category_after(games, outcomes)
        if category == UNRATED:
            scores = [score for _o, score in self.unrated_results(player, own)]
            zero = not any(scores)
            listed = self.zero_listed if zero else final
            return PlayerResult(
                category, after, listed, None, games, player.bonus_used, outcomes, zero
            )
        assert player.rating is not None
        left = self.bonus_most - player.bonus_used
        changes, _total = self.player_change(player.rating, own, bonus_left=left, category=category)
        used = player.bonus_used + sum(one.bonus > 0 for one in changes)
        return PlayerResult(
            category, after, final, final - half_up(player.rating), games, used, outcomes
        )

    def _untouched(self, player: TablePlayer) -> PlayerResult:
        final = None if player.rating is None else half_up(player.rating)
        after = self.category_after(player.games, player.outcomes)
        return PlayerResult(
            None, after, final, None, player.games, player.bonus_used, player.outcomes
        )

    def promote(
        self,
        *,
        category: str,
        rating: float,
        grade: str | None,
        trail: Sequence[float],
        approved: Collection[str] = (),
    ) -> Promotion:
        """Return which grade this rating and these games give (003 §11)."""
        return promotion(
            category=category,
            rating=rating,
            grade=grade,
            trail=trail,
            approved=approved,
            k_of=self.k_of,
            table=self.grades(),
            strictly_above=self.strictly_above,
        )

    def split(self, rounds: int) -> list[int]:
        """Propose tables for a tournament of so many rounds: one table, or two equal halves."""
        if rounds <= self.split_above:
            return [rounds]
        return [rounds - rounds // 2, rounds // 2]


def one_sided(outcomes: str) -> bool:
    """Return whether there are only victories, only defeats, or no results yet (003 §4)."""
    return outcomes in ("", WON, LOST)


def outcomes_after(before: str, halves: Sequence[int]) -> str:
    seen = set(before) | {(LOST, DREW, WON)[half] for half in halves}
    return "".join(sign for sign in (WON, DREW, LOST) if sign in seen)
