"""When repeated absences call for a sanction (002 II.A.2, VI.1): a proposal, never a decision.

"3 absences sur 10 matchs": a sliding window over the player's last assigned matches, byes and
annulled matches left out. Justified absences stay in the window and do not count. A proposal is
made only by a new absence, and the count starts again after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Protocol

from pairings.rules.scoring import ABSENT, PLAYED, MatchRecord
from ratings.systems.protocol import PlayerId

Number = int | Fraction


class AbsenceSettings(Protocol):
    """The committee's numbers that this policy reads (`FaizersPairing` has them)."""

    @property
    def absence_limit(self) -> int: ...
    @property
    def absence_window(self) -> int: ...
    @property
    def suspension_rounds(self) -> int: ...
    @property
    def rating_cut_percent(self) -> Number: ...
    @property
    def rating_floor(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Dot:
    """One assigned match in the window: its place in the season and what the player did."""

    index: int
    key: str
    day: int
    absent: bool
    justified: bool

    @property
    def counts(self) -> bool:
        """Return whether it is an absence that counts."""
        return self.absent and not self.justified


@dataclass(frozen=True, slots=True)
class SanctionProposal:
    """A proposal to the committee, and the matches it is based on.

    `index` is the place among the season's records of the absence that caused it; `window` the
    assigned matches considered, oldest first (at most ten: the strip of dots).
    """

    player: PlayerId
    index: int
    window: tuple[Dot, ...]
    suspension_rounds: int
    rating_cut_percent: Number
    rating_floor: int | None

    @property
    def absences(self) -> tuple[Dot, ...]:
        """Return the absences that count."""
        return tuple(dot for dot in self.window if dot.counts)

    def to_json(self) -> dict[str, object]:
        """Return JSON values, to be stored with the proposal."""
        return {
            "player": self.player,
            "index": self.index,
            "window": [
                {
                    "index": dot.index,
                    "key": dot.key,
                    "day": dot.day,
                    "absent": dot.absent,
                    "justified": dot.justified,
                }
                for dot in self.window
            ],
            "absences": [dot.key for dot in self.absences],
            "suspension_rounds": self.suspension_rounds,
            "rating_cut_percent": str(self.rating_cut_percent),
            "rating_floor": self.rating_floor,
        }


@dataclass(frozen=True, slots=True)
class Absences:
    """Absences in the season's matches: the proposals, and each player's current strip."""

    proposals: tuple[SanctionProposal, ...]
    strips: dict[PlayerId, tuple[Dot, ...]]


def review(
    records: Iterable[MatchRecord],
    settings: AbsenceSettings,
    versions: Mapping[str, AbsenceSettings] = MappingProxyType({}),
    excused: Mapping[str, Collection[PlayerId]] | None = None,
) -> Absences:
    """Review the season's matches in the order they were assigned.

    In a double absence each player is counted, the first seat first, unless it was justified.
    `versions`: the numbers in force when an absence was noted, by the key of its match; the others
    are judged by `settings`. `excused`: who was excused, by the key of the match; None where the
    record says it, of all its absentees.
    """
    longest = max(one.absence_window for one in (settings, *versions.values()))
    windows: dict[PlayerId, deque[Dot]] = {}
    proposals: list[SanctionProposal] = []
    for index, record in enumerate(records):
        if record.kind not in (PLAYED, ABSENT) or record.second is None:
            continue
        missing = record.absentees()
        for player in record.players():
            window = windows.setdefault(player, deque(maxlen=longest))
            absent = player in missing
            is_excused = (
                record.justified if excused is None else player in excused.get(record.key, ())
            )
            dot = Dot(index, record.key, record.day, absent, absent and is_excused)
            window.append(dot)
            limits = versions.get(record.key, settings)
            flags = [window_dot.counts for window_dot in window]
            if dot.counts and due(flags, limits.absence_limit, limits.absence_window):
                proposals.append(
                    SanctionProposal(
                        player,
                        index,
                        tuple(window)[-limits.absence_window :],
                        limits.suspension_rounds,
                        limits.rating_cut_percent,
                        limits.rating_floor,
                    )
                )
                window.clear()
    shown = settings.absence_window
    strips = {player: tuple(window)[-shown:] for player, window in windows.items()}
    return Absences(tuple(proposals), strips)


def due(flags: Sequence[bool], limit: int = 3, window: int = 10) -> bool:
    """Return whether the last `window` matches have `limit` unexcused absences (002 II.A.2)."""
    return sum(flags[-window:]) >= limit
