"""What a FISF list shows: cote, frozen series, status, K and games (000 2, 3 and 6)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from datetime import date
from typing import Any

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.columns import BADGE, DAY, TAG, ListColumn, ListSection
from ratings.systems.fisf.seasons import years_before
from ratings.systems.fisf.status import (
    ESTIMATED,
    PROVISIONAL,
    RANKED,
    FisfStatus,
    cote_of,
    last_of,
)
from ratings.systems.protocol import State


class FisfColumns(FisfStatus):
    __slots__ = ()

    @abstractmethod
    def k_of(self, e0: int, games: int) -> int:
        """Return K, from cote and games."""

    def columns(self) -> tuple[ListColumn, ...]:
        """Return the columns: cote, frozen series, status, K and games (000 2, 3 and 6)."""
        series = tuple(band.label for band in reversed(self.bands()))
        return (
            ListColumn("cote", _("Cote"), lead=True),
            ListColumn("serie", _("Série"), BADGE, choices=series),
            ListColumn("games", _("Parties")),
            ListColumn("k", _("K")),
            ListColumn("last", _("Dernière compétition"), DAY),
            ListColumn("status", _("Statut"), TAG),
        )

    def cells(self, state: State, on: date) -> Mapping[str, Any]:
        serie = self.serie_on(state, on)
        return {
            "cote": self.shown(state),
            "serie": serie.label if serie else None,
            "games": state.games,
            "k": self.k_of(cote_of(state), state.games) if state.rating is not None else None,
            "last": last_of(state),
            "status": self.status_on(state, on),
        }

    def sections(self, on: date) -> tuple[ListSection, ...]:
        """Return the published ranking, unranked players, and the organisers' file (000 6)."""
        listed_since = years_before(on, self.listed_years)
        return (
            ListSection("ranked", _("Classement"), (RANKED,), listed_since),
            ListSection("provisional", _("Cotes provisoires"), (PROVISIONAL,)),
            ListSection("estimated", _("Cotes estimées"), (ESTIMATED,)),
            ListSection("everybody", _("Fichier des organisateurs")),
        )
