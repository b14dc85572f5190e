"""What a FESA list shows: Elo, grade, category, games, bonus used, and the way to the next grade."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.columns import SHARE, TAG, TEXT, ListColumn, ListSection
from ratings.systems.fesa.elo import FesaElo
from ratings.systems.fesa.grades import (
    ESTABLISHED,
    NEEDS_APPROVAL,
    PROVISIONAL,
    UNRATED,
    Distance,
    Promotion,
    next_grade,
)
from ratings.systems.protocol import RatingSystem, Reason, State, frozen


class FesaColumns(FesaElo, RatingSystem):
    __slots__ = ()

    statuses: ClassVar[Mapping[str, str]] = MappingProxyType(
        {ESTABLISHED: _("classé"), PROVISIONAL: _("provisoire"), UNRATED: _("non classé")}
    )

    def status_on(self, state: State, on: date) -> str:
        """Return unrated, provisional or established: it does not depend on the day."""
        return state.status or UNRATED

    def columns(self) -> tuple[ListColumn, ...]:
        """Return the columns; the last ones are the next grade by its UB, its MP and its LB (003 §11)."""
        grades = tuple(row[0] for row in reversed(self.grades()))
        return (
            ListColumn("cote", _("Elo"), lead=True),
            ListColumn("grade", _("Grade"), TEXT, choices=grades),
            ListColumn("waiting", _("Grade en attente d’accord"), TEXT),
            ListColumn("games", _("Parties")),
            ListColumn("bonus", _("Bonus utilisés")),
            ListColumn("status", _("Statut"), TAG),
            ListColumn("next", _("Prochain grade"), TEXT, aside=True),
            ListColumn("ub", _("UB"), aside=True),
            ListColumn("mp", _("Parties au MP"), SHARE, aside=True),
            ListColumn("lb", _("Parties au LB"), SHARE, aside=True),
        )

    def cells(self, state: State, on: date, kind: str = "") -> Mapping[str, Any]:
        return {
            "cote": self.shown(state),
            "grade": self.label_of(state),
            "waiting": self.waiting_grade(state),
            "games": state.games,
            "bonus": int(state.extra.get("bonus_used", 0)),
            "status": self.status_on(state, on),
            **self._way_cells(self.next_of(state)),
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

    def labels_of(self, state: State, on: date) -> Mapping[str, object]:
        return {"grade": self.label_of(state), **super().labels_of(state, on)}

    def reached(self, state: State) -> Promotion:
        """Return the grade that a stored state reaches above its own, and one that waits."""
        if state.rating is None:
            return Promotion()
        return self.promote(
            category=state.status,
            rating=float(state.rating),
            grade=state.extra.get("grade"),
            trail=state.extra.get("trail", ()),
            approved=state.extra.get("approved", ()),
        )

    def waiting_grade(self, state: State) -> str:
        """Return the grade reached that awaits an approval; empty for none (003 §11)."""
        return self.reached(state).waiting or ""

    def next_of(self, state: State) -> Distance | None:
        """Return the next grade of a player and how far it is."""
        if state.rating is None:
            return None
        return next_grade(
            category=self.status_on(state, date.min),
            rating=float(state.rating),
            grade=state.extra.get("grade"),
            trail=state.extra.get("trail", ()),
            k_of=self.k_of,
            table=self.grades(),
            strictly_above=self.strictly_above,
        )

    @staticmethod
    def _way_cells(distance: Distance | None) -> Mapping[str, object]:
        if distance is None:
            return {}
        name, _lower, _middle, upper, games_lower, games_middle = distance.row
        return {
            "next": name,
            "ub": upper,
            "mp": (min(distance.at_middle, games_middle), games_middle) if games_middle else None,
            "lb": (min(distance.at_lower, games_lower), games_lower) if games_lower else None,
        }

    def ahead(self, state: State, on: date, kind: str = "") -> list[Reason]:
        """Return the games to a settled Elo, then each way to the next grade (003 §4 and §11)."""
        status, lines = self.status_on(state, on), []
        if status != ESTABLISHED:
            need = self.rated_games if status == UNRATED else self.established_games
            games = {"have": min(state.games, need), "need": need, "status": status}
            lines.append(Reason("to_status", "003 §4", values=frozen(games)))
        distance = self.next_of(state)
        if distance is None:
            return lines
        name, lower, middle, upper, games_lower, games_middle = distance.row
        assert state.rating is not None
        details = {"grade": name, "approval": name in NEEDS_APPROVAL}
        told_upper = {**details, "limit": upper, "left": upper - state.rating, "status": status}
        lines.append(Reason("to_upper", "003 §11", values=frozen(told_upper)))
        if games_middle:
            games = {
                "have": min(distance.at_middle, games_middle),
                "need": games_middle,
                "limit": middle,
            }
            lines.append(Reason("to_middle", "003 §11", values=frozen({**details, **games})))
        if games_lower:
            games = {
                "have": min(distance.at_lower, games_lower),
                "need": games_lower,
                "limit": lower,
            }
            seen = {"middle": middle, "has_middle": distance.has_middle}
            lines.append(Reason("to_lower", "003 §11", values=frozen({**details, **games, **seen})))
        return lines
