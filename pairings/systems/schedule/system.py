"""A schedule: one pairing system for each range of rounds of a tournament.

"Rounds 1–3 groups of four, 4–12 Swiss, 13–15 king of the hill."
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting
from pairings.rules.scoring import Records
from pairings.systems.king_of_the_hill.system import KingOfTheHill
from pairings.systems.matching.by_standings import PrizesAndByes, next_number
from pairings.systems.points.ranking import PointRanking
from pairings.systems.protocol import (
    REASONS,
    REPEAT,
    TABLE,
    Available,
    Entrants,
    EntriesRefused,
    Pairing,
    RoundRefused,
    SettingRefused,
)
from pairings.systems.quads.system import ROUNDS as QUAD_ROUNDS
from pairings.systems.quads.system import InitialQuads
from pairings.systems.round_robin.system import RoundRobin
from pairings.systems.swiss.system import Swiss
from pairings.systems.wins_and_spread.ranking import WinsAndSpread

METHODS: Mapping[str, str] = MappingProxyType(
    {
        InitialQuads.code: _("groupes de quatre"),
        Swiss.code: _("suisse"),
        KingOfTheHill.code: _("king of the hill"),
        RoundRobin.code: _("toutes rondes"),
    }
)
"""The systems that a range of rounds may have, with their names in the table."""
WITH_LAG = (Swiss.code, KingOfTheHill.code)
MOST_ROUNDS = 40

HOLE, OVERLAP, BACKWARDS, UNKNOWN = "hole", "overlap", "backwards", "unknown"
LATE_QUADS, TOO_LONG, NO_LAG = "late_quads", "too_long", "no_lag"
PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        HOLE: _("Aucun système pour la ronde %(number)s : chaque ronde doit en avoir un."),
        OVERLAP: _("La ronde %(number)s a deux systèmes."),
        BACKWARDS: _("De la ronde %(first)s à la ronde %(last)s : la dernière vient d’abord."),
        UNKNOWN: _("Choisissez un système pour la ronde %(number)s."),
        LATE_QUADS: _("Les groupes de quatre occupent au plus les rondes 1 à 3."),
        TOO_LONG: _("Un tournoi a 40 rondes au plus."),
        NO_LAG: _("Ronde %(number)s : ce système ne dépend pas d’un classement."),
    }
)


class ScheduleRefused(SettingRefused):
    """A table of systems that does not give each round exactly one; a key of `PROBLEMS`."""

    def __init__(self, code: str, **values: int) -> None:
        super().__init__(PROBLEMS[code], values)
        self.code = code


class Range(NamedTuple):
    """Rounds `first` to `last` by one system; `lag`: see `StandingsPairing`."""

    first: int
    last: int
    system: str
    lag: int = 0


def checked(rows: Sequence[Any]) -> tuple[Range, ...]:
    """Return the rows in the order of their rounds. Raises ScheduleRefused."""
    ranges = sorted(Range(*row) for row in rows)
    expected = 1
    for row in ranges:
        if row.last < row.first or row.first < 1:
            raise ScheduleRefused(BACKWARDS, first=row.first, last=row.last)
        if row.system not in METHODS:
            raise ScheduleRefused(UNKNOWN, number=row.first)
        if row.first > expected:
            raise ScheduleRefused(HOLE, number=expected)
        if row.first < expected:
            raise ScheduleRefused(OVERLAP, number=row.first)
        if row.system == InitialQuads.code and row.last > QUAD_ROUNDS:
            raise ScheduleRefused(LATE_QUADS)
        if row.last > MOST_ROUNDS:
            raise ScheduleRefused(TOO_LONG)
        if row.lag not in (0, 1) or (row.lag and row.system not in WITH_LAG):
            raise ScheduleRefused(NO_LAG, number=row.first)
        expected = row.last + 1
    return tuple(ranges)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(PrizesAndByes):
    """Each round by the system that the organiser's table gives it."""

    code: ClassVar[str] = "schedule"
    label: ClassVar[str] = _("Plusieurs systèmes, selon les rondes")
    document: ClassVar[str] = "usage"
    reasons: ClassVar[Mapping[str, str]] = MappingProxyType(
        {**REASONS, REPEAT: Swiss.reasons[REPEAT], TABLE: RoundRobin.reasons[TABLE]}
    )
    balances_firsts: ClassVar[bool] = True
    counts_rounds: ClassVar[bool] = True
    edited_apart: ClassVar[tuple[str, ...]] = (*PrizesAndByes.edited_apart, "schedule")

    wins_and_spread: WinsAndSpread | None = WinsAndSpread()
    schedule: tuple[Range, ...] = setting(
        (),
        _("Système de chaque ronde"),
        article=_("usage international"),
        group="pairing",
    )

    def __post_init__(self) -> None:
        """Convert the rows from JSON and check that they give each round one system."""
        object.__setattr__(self, "schedule", checked(self.schedule))

    def rounds_of(self, entries: int) -> int:
        """Return the last round of the table. Raises EntriesRefused without one."""
        if not self.schedule:
            raise EntriesRefused(_("Remplissez le tableau des systèmes, ronde par ronde."))
        return self.schedule[-1].last

    def range_of(self, number: int) -> Range:
        """Return the row of a round. Raises RoundRefused where there is none."""
        for row in self.schedule:
            if row.first <= number <= row.last:
                return row
        raise RoundRefused(_("Le tableau des systèmes ne prévoit rien pour cette ronde."))

    def lag_of(self, number: int) -> int:
        """Return by how many rounds the standings that pair this round are late."""
        return next((row.lag for row in self.schedule if row.first <= number <= row.last), 0)

    def way_of(self, number: int) -> tuple[str, int]:
        """Return the system and the lag of the round's range. Raises RoundRefused without one."""
        row = self.range_of(number)
        return row.system, row.lag

    def pair_round(
        self, entrants: Entrants, records: Records, *, available: Available = None, today: int = 0
    ) -> Pairing:
        """Pair the round `today` by the system of its range."""
        number = next_number(records, today)
        row = self.range_of(number)
        system = self._system(row, sum(each.joined <= row.first for each in entrants))
        if row.system == RoundRobin.code:  # its table begins with its range
            before = row.first - 1
            entrants = [e._replace(joined=max(0, e.joined - before)) for e in entrants]
            number -= before
        return system.pair_round(entrants, records, available=available, today=number)

    def _system(self, row: Range, entries: int) -> PointRanking:
        """Return the system of a range, with this tournament's own numbers."""
        settings = {field.name: getattr(self, field.name) for field in fields(PointRanking)}
        if row.system == InitialQuads.code:
            return InitialQuads(**settings)
        if row.system == RoundRobin.code:
            length = row.last - row.first + 1
            return RoundRobin(**settings, cycles=length // max(1, entries - 1) + 1)
        settings |= {
            "lag": row.lag,
            "prize_places": self.prize_places,
            "bye_goes_to": self.bye_goes_to,
            "rounds": self.rounds_of(entries),
        }
        return Swiss(**settings) if row.system == Swiss.code else KingOfTheHill(**settings)
