"""What an ABSP list shows: rating, all games, and how many of them count."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.absp.settings import AbspSettings
from ratings.systems.absp.window import window_of
from ratings.systems.columns import SHARE, TAG, ListColumn
from ratings.systems.protocol import RatingSystem, State

RATED, UNRATED = "rated", "unrated"


class AbspColumns(AbspSettings, RatingSystem):
    __slots__ = ()

    statuses: ClassVar[Mapping[str, str]] = MappingProxyType(
        {RATED: _("classé"), UNRATED: _("non classé")}
    )

    def start_doubt(self, state: State, facts: Mapping[str, object], on: date) -> str:
        """Ask about a rating that rests on no game: the first event would forget it."""
        if state.rating is not None and not state.games:
            return _("un rating sans parties serait oublié à la première compétition")
        return ""

    def columns(self) -> tuple[ListColumn, ...]:
        """Return the columns: rating, all games, and how many of them count."""
        return (
            ListColumn("cote", _("Cote"), lead=True),
            ListColumn("games", _("Parties"), on_phone=False),
            ListColumn("window", _("Parties comptées"), SHARE),
            ListColumn("status", _("Statut"), TAG),
        )

    def cells(self, state: State, on: date, kind: str = "") -> Mapping[str, object]:
        return {
            "cote": self.shown(state),
            "games": state.games,
            "window": (sum(one.kept for one in window_of(state)), self.window),
            "status": self.status_on(state, on),
        }
