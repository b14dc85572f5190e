"""How well rating rules predicted what was played: log loss, ten bins of chance, bootstrap intervals.

Plain Python. The bootstrap draws whole blocks of periods, not games, because the games of one evening
share their ratings; its seed is fixed, so that the same past always gives the same interval.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

from ratings.systems.protocol import Change, RatingSystem, TriedNumber
from ratings.systems.rounding import half_up

LEAST_CHANCE = 1e-6
BINS = 10
DRAWS = 1000
SEED = 2026
MOST_BLOCKS = 100
LEAST_GAMES, LEAST_PERIODS = 100, 10
"""With fewer games or periods than that an interval means nothing: the past is too short to tell."""

Draws = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Forecast:
    """One game from the favourite's side: the chance the rules gave (½ to 1), and W (0, ½ or 1)."""

    chance: float
    scored: float

    @property
    def loss(self) -> float:
        """Return −ln of the chance given to what happened."""
        p = min(1 - LEAST_CHANCE, max(LEAST_CHANCE, self.chance))
        return -self.scored * math.log(p) - (1 - self.scored) * math.log(1 - p)


def forecasts(changes: Iterable[Change]) -> list[Forecast]:
    """Return one forecast a game that has an expectation We and a result W in the reasons.

    Where the two players' expectations do not sum to 1 (Glicko-2), their mean is taken.
    """
    sides: dict[str, list[tuple[float, float]]] = {}
    for change in changes:
        for line in change.because:
            chance = line.values.get("We")
            scored = line.values.get("W", line.values.get("res"))
            if line.kind == "game" and chance is not None and scored is not None:
                sides.setdefault(line.game, []).append((float(chance), float(scored)))
    return [_favourite(seen) for seen in sides.values()]


def _favourite(sides: Sequence[tuple[float, float]]) -> Forecast:
    (expected, scored), *others = sides
    chance = math.fsum([expected, *(1 - other for other, _scored in others)]) / len(sides)
    if chance == 0.5:
        return Forecast(0.5, 0.5)  # no favourite: half a point whoever won, the same loss
    return Forecast(chance, scored) if chance > 0.5 else Forecast(1 - chance, 1 - scored)


@dataclass(slots=True)
class Bin:
    """The games whose favourite had a chance from `low`: how many, expected and scored points."""

    low: float
    games: int = 0
    expected: float = 0.0
    scored: float = 0.0

    def as_row(self) -> list[object]:
        """Return [low, games, mean chance, mean result], the means None without games."""
        means = [
            value / self.games if self.games else None for value in (self.expected, self.scored)
        ]
        return [self.low, self.games, *means]


@dataclass(slots=True)
class Predictions:
    """What one set of rules predicted: loss and games of each period, and ten bins of chance."""

    losses: list[float] = field(default_factory=list)
    games: list[int] = field(default_factory=list)
    bins: list[Bin] = field(
        default_factory=lambda: [Bin(50.0 + 50 * number / BINS) for number in range(BINS)]
    )

    def add(self, changes: Iterable[Change]) -> None:
        """Add one period."""
        new_forecasts = forecasts(changes)
        self.losses.append(math.fsum(one.loss for one in new_forecasts))
        self.games.append(len(new_forecasts))
        for one in new_forecasts:
            place = min(BINS - 1, int(round((one.chance - 0.5) * 2 * BINS, 9)))
            into = self.bins[place]
            into.games += 1
            into.expected += one.chance
            into.scored += one.scored

    @property
    def loss(self) -> float | None:
        """Return the mean log loss a game."""
        games = sum(self.games)
        return math.fsum(self.losses) / games if games else None

    def drawn(self, draws: Draws) -> list[float]:
        """Return the mean log loss of each draw of the blocks of periods."""
        edges = edges_of(len(self.games))
        losses = [math.fsum(self.losses[a:b]) for a, b in pairwise(edges)]
        games = [sum(self.games[a:b]) for a, b in pairwise(edges)]
        return [
            math.fsum(losses[block] for block in draw) / (sum(games[block] for block in draw) or 1)
            for draw in draws
        ]


def edges_of(periods: int) -> list[int]:
    """Return the limits of at most `MOST_BLOCKS` blocks of consecutive periods."""
    blocks = min(periods, MOST_BLOCKS)
    return [number * periods // blocks for number in range(blocks + 1)] if blocks else [0]


def draws_of(periods: int) -> Draws:
    """Return the draws of the bootstrap: as many blocks as there are, with replacement."""
    blocks = range(len(edges_of(periods)) - 1)
    dice = random.Random(SEED)
    return [dice.choices(blocks, k=len(blocks)) for _draw in range(DRAWS)] if blocks else []


def interval(values: Iterable[float]) -> tuple[float, float]:
    """Return the limits between which 95 % of the values lie."""
    ordered = sorted(values)
    cut = len(ordered) * 25 // 1000
    return ordered[cut], ordered[-1 - cut]


@dataclass(slots=True)
class Candidates:
    """The values of one number: each with its own rules, states and record; `own` is the draft's."""

    number: TriedNumber
    rules: list[Any]
    own: int
    records: list[Predictions] = field(default_factory=list)
    states: list[dict[Any, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.records = [Predictions() for _rules in self.rules]
        self.states = [{} for _rules in self.rules]


def candidates_of(draft: RatingSystem) -> list[Candidates]:
    """Return the numbers of a system that are tried, each beside the draft's other numbers."""
    return [
        candidates
        for number in draft.tried
        if len((candidates := _candidates(draft, number)).rules) > 1
    ]


def _candidates(draft: Any, number: TriedNumber) -> Candidates:
    known = {_values(draft, number): draft}
    rows = [[value] for value in number.values] + [
        [max(1, half_up(getattr(draft, name) * factor)) for name in number.fields]
        for factor in number.factors
    ]
    for row in rows:
        values = tuple(row)
        if values not in known:
            known[values] = replace(draft, **dict(zip(number.fields, row, strict=True)))
    ordered = sorted(known)
    draft_index = ordered.index(_values(draft, number))
    return Candidates(number, [known[values] for values in ordered], draft_index)


def _values(rules: Any, number: TriedNumber) -> tuple[object, ...]:
    values = asdict(rules)
    return tuple(values[name] for name in number.fields)


def report(present: Predictions, draft: Predictions, tried: Sequence[Candidates]) -> dict[str, Any]:
    """Return the whole comparison as JSON values; without a game, only their number."""
    periods, games = sum(1 for count in draft.games if count), sum(draft.games)
    short = games < LEAST_GAMES or periods < LEAST_PERIODS
    figures: dict[str, object] = {"games": games, "periods": periods, "short": short}
    if not games:
        return figures
    draws = draws_of(len(draft.games))
    before, after = present.drawn(draws), draft.drawn(draws)
    return figures | {
        "present": _side(present, before),
        "draft": _side(draft, after),
        "gain": interval(a - b for a, b in zip(before, after, strict=True)),
        "numbers": [] if short else [_number(candidates, draws) for candidates in tried],
    }


def _side(record: Predictions, drawn: Sequence[float]) -> dict[str, Any]:
    return {
        "loss": record.loss,
        "interval": interval(drawn),
        "bins": [one.as_row() for one in record.bins],
    }


def _number(candidates: Candidates, draws: Draws) -> dict[str, object]:
    """Return the best value of one number, and between which values 95 % of the draws put it."""
    drawn = [record.drawn(draws) for record in candidates.records]
    best_of = sorted(min(range(len(drawn)), key=lambda n: drawn[n][d]) for d in range(len(draws)))
    losses = [record.loss or 0.0 for record in candidates.records]
    low, high = interval(best_of)
    return {
        "label": candidates.number.label,
        "rows": [
            [list(_values(rules, candidates.number)), loss]
            for rules, loss in zip(candidates.rules, losses, strict=True)
        ],
        "own": candidates.own,
        "best": min(range(len(losses)), key=losses.__getitem__),
        "low": low,
        "high": high,
    }
