"""What a Glicko-2 list shows: rating, deviation, volatility and games."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.columns import DECIMAL, ListColumn
from ratings.systems.protocol import RatingSystem, State


class Glicko2Columns(RatingSystem):
    __slots__ = ()

    facts: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"rd": _("RD"), "volatility": _("volatilité")}
    )

    def columns(self) -> tuple[ListColumn, ...]:
        return (
            ListColumn("cote", _("Cote"), lead=True),
            ListColumn("rd", _("RD"), DECIMAL, places=1),
            ListColumn("volatility", _("Volatilité"), DECIMAL, places=4),
            ListColumn("games", _("Parties")),
        )

    def cells(self, state: State, on: date, kind: str = "") -> Mapping[str, object]:
        return {
            "cote": self.shown(state),
            "rd": state.extra["rd"],
            "volatility": state.extra["volatility"],
            "games": state.games,
        }
