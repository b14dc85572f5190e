"""What a Romanian list shows: rating, status, and how full the window is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.columns import SHARE, TAG, ListColumn, ListSection
from ratings.systems.protocol import RatingSystem, Reason, State, frozen
from ratings.systems.romania.kinds import ACTIVE, NONE, PROVISIONAL, TYPES


class RomaniaColumns(RatingSystem):
    __slots__ = ()

    statuses: ClassVar[Mapping[str, str]] = MappingProxyType(
        {ACTIVE: _("actif"), PROVISIONAL: _("provisoire"), NONE: _("sans cote")}
    )

    @abstractmethod
    def window_of(self, kind: str) -> int:
        """Return N of a kind of game."""

    @abstractmethod
    def active_least(self, n: int) -> int:
        """Return how many games in the window make a rating active."""

    def start_doubt(self, state: State, facts: Mapping[str, object], on: date) -> str:
        """Ask about any rating: everybody starts without one (001 §2)."""
        return _("tout le monde commence sans rating (Roumanie §2) : il ne serait pas gardé")

    def columns(self) -> tuple[ListColumn, ...]:
        """Return the columns: rating, status, and how full the window is."""
        return (
            ListColumn("cote", _("Rating"), lead=True),
            ListColumn("window", _("Parties comptées"), SHARE),
            ListColumn("status", _("Statut"), TAG),
        )

    def cells(self, state: State, on: date, kind: str = "") -> Mapping[str, Any]:
        return {
            "cote": self.shown(state),
            "window": (
                len(state.extra.get("window", ())),
                self.window_of(kind) if kind in TYPES else None,
            ),
            "status": self.status_on(state, on),
        }

    def ahead(self, state: State, on: date, kind: str = "") -> list[Reason]:
        """Return how full the window of N official games is, and what an active rating asks (001 §3)."""
        if kind not in TYPES:
            return []
        filled, n = len(state.extra.get("window", ())), self.window_of(kind)
        least = self.active_least(n)
        lines = [Reason("filled", "001 §2", values=frozen({"have": filled, "need": n}))]
        if filled < least:
            counts = {"have": filled, "need": least, "N": n}
            lines.insert(0, Reason("to_active", "001 §3", values=frozen(counts)))
        else:
            lines.append(Reason("stays_active", "001 §3", values=frozen({"least": least})))
        return lines

    def sections(self, on: date) -> tuple[ListSection, ...]:
        """Return the ranking of active players only, and the provisional ones apart (001 §3)."""
        return (
            ListSection("active", _("Classement"), (ACTIVE,)),
            ListSection("provisional", _("Ratings provisoires"), (PROVISIONAL,)),
        )
