"""What a Romanian list shows: rating, status, and how full the window is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.columns import TAG, ListColumn, ListSection
from ratings.systems.protocol import RatingSystem, State
from ratings.systems.romania.kinds import ACTIVE, PROVISIONAL


class RomaniaColumns(RatingSystem):
    __slots__ = ()

    def columns(self) -> tuple[ListColumn, ...]:
        """Return the columns: rating, status, and how full the window is."""
        return (
            ListColumn("cote", _("Rating"), lead=True),
            ListColumn("window", _("Parties de la fenêtre")),
            ListColumn("status", _("Statut"), TAG),
        )

    def cells(self, state: State, on: date) -> Mapping[str, Any]:
        return {
            "cote": self.shown(state),
            "window": len(state.extra.get("window", ())),
            "status": self.status_on(state, on),
        }

    def sections(self, on: date) -> tuple[ListSection, ...]:
        """Return the ranking of active players only, and the provisional ones apart (001 §3)."""
        return (
            ListSection("active", _("Classement"), (ACTIVE,)),
            ListSection("provisional", _("Ratings provisoires"), (PROVISIONAL,)),
        )
