"""The quota tool of 000 2: proposes bars of the series from percentages. The commission decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from ratings.systems.fisf.seasons import years_before
from ratings.systems.fisf.status import FisfStatus, last_of
from ratings.systems.protocol import State
from ratings.systems.rounding import half_up


@dataclass(frozen=True, slots=True)
class Bars:
    """Proposed bars; None where the percentage does not reach one player."""

    joker: int | None
    a: int | None
    b: int | None


def counted(states: Iterable[State], on: date, rules: FisfStatus) -> list[int]:
    """Return the cotes that percentages are taken of: active in two years, and ranked."""
    cotes = []
    for state in states:
        last, cote = last_of(state), rules.shown(state)
        if last is None or cote is None:
            continue
        ranked = state.events >= rules.listed_tournaments and state.games >= rules.listed_games
        if (ranked or rules.counted_unlisted) and (
            years_before(on, rules.counted_years) <= last <= on
        ):
            cotes.append(cote)
    return cotes


def thresholds_by_percent(cotes: Sequence[int], rules: FisfStatus) -> Bars:
    """Return the cote of the last player of each series: cumulated percentages of ranks, half-up.

    A bar is a cote and inclusive, so that players tied on it all go up; `bar_step` rounds it to the
    nearest multiple.
    """
    ranked = sorted(cotes, reverse=True)
    shares = (rules.percent_joker, rules.percent_a, rules.percent_b)
    bars: list[int | None] = []
    for upto in range(1, 4):
        players = half_up(Fraction(len(ranked) * sum(shares[:upto]), 100))
        steps = half_up(Fraction(ranked[players - 1], rules.bar_step)) if players else None
        bars.append(None if steps is None else steps * rules.bar_step)
    return Bars(*bars)


def proposed_bars(states: Iterable[State], on: date, rules: FisfStatus) -> Bars:
    """Return the bars that a season's standings propose, before the commission types its own."""
    return thresholds_by_percent(counted(states, on, rules), rules)
