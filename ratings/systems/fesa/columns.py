"""What a FESA list shows: Elo, grade, category, games and the bonus already used."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.columns import TAG, TEXT, ListColumn, ListSection
from ratings.systems.fesa.elo import FesaElo
from ratings.systems.fesa.grades import ESTABLISHED, PROVISIONAL, UNRATED
from ratings.systems.protocol import RatingSystem, State


class FesaColumns(FesaElo, RatingSystem):
    __slots__ = ()

    def status_on(self, state: State, on: date) -> str:
        """Return unrated, provisional or established: it does not depend on the day."""
        return state.status or UNRATED

    def columns(self) -> tuple[ListColumn, ...]:
        """Return the columns: Elo, grade, category, games and the bonus already used."""
        grades = tuple(row[0] for row in reversed(self.grades()))
        return (
            ListColumn("cote", _("Elo"), lead=True),
            ListColumn("grade", _("Grade"), TEXT, choices=grades),
            ListColumn("games", _("Parties")),
            ListColumn("bonus", _("Bonus utilisés")),
            ListColumn("status", _("Statut"), TAG),
        )

    def cells(self, state: State, on: date) -> Mapping[str, Any]:
        return {
            "cote": self.shown(state),
            "grade": self.label_of(state),
            "games": state.games,
            "bonus": int(state.extra.get("bonus_used", 0)),
            "status": self.status_on(state, on),
        }

    def sections(self, on: date) -> tuple[ListSection, ...]:
        """Return a section for settled and provisional Elos, and one for unrated players (003 §4)."""
        return (
            ListSection("rated", _("Classement"), (ESTABLISHED, PROVISIONAL)),
            ListSection("unrated", _("Non classés"), (UNRATED,)),
        )

    def label_of(self, state: State) -> str:
        """Return the grade, which pages and differences show beside the Elo."""
        return str(state.extra.get("grade") or "")
