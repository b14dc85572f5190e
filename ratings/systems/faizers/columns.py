"""What the club ladder's list shows: cote, category, games, and the points to the next category."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from datetime import date

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.categories import Band, category_of
from ratings.systems.columns import BADGE, ListColumn
from ratings.systems.protocol import RatingSystem, Reason, State, frozen


class FaizersColumns(RatingSystem):
    __slots__ = ()

    @abstractmethod
    def bands(self) -> tuple[Band, ...]:
        """Return the four categories, lowest first."""

    def columns(self) -> tuple[ListColumn, ...]:
        return (
            ListColumn("cote", _("Cote"), lead=True),
            ListColumn("category", _("Catégorie"), BADGE),
            ListColumn("games", _("Parties")),
            ListColumn("next", _("Catégorie suivante"), BADGE, aside=True),
            ListColumn("to_next", _("Points à gagner"), aside=True),
        )

    def cells(self, state: State, on: date, kind: str = "") -> Mapping[str, object]:
        """Return the category by the number that is shown, so that the badge agrees (002 VII)."""
        shown = self.shown(state)
        if shown is None:
            return {"games": state.games}
        upper = self.next_band(shown)
        return {
            "cote": shown,
            "category": category_of(shown, self.bands()).code,
            "games": state.games,
            "next": upper.code if upper else None,
            "to_next": upper.minimum - shown if upper else None,
        }

    def next_band(self, shown: int) -> Band | None:
        """Return the category above that of the number shown; None in the first one."""
        return next((band for band in self.bands()[1:] if band.minimum > shown), None)

    def labels_of(self, state: State, on: date) -> Mapping[str, object]:
        return {"category": self.cells(state, on).get("category")}

    def ahead(self, state: State, on: date, kind: str = "") -> list[Reason]:
        """Return the points to the next category (002 VII)."""
        shown = self.shown(state)
        upper = None if shown is None else self.next_band(shown)
        if shown is None or upper is None:
            return []
        details = {"category": upper.label, "from": upper.minimum, "left": upper.minimum - shown}
        return [Reason("to_category", "002 VII", values=frozen(details))]
