"""What an officer notes about a grade: an approval (5 and 6 Dan) or a promotion request (003 §3, §11).

Both are events of their own. A replay may find that a request is no longer reached: the act then
stays noted and gives nothing, so nothing here refuses but `check_grade_act`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.fesa.columns import FesaColumns
from ratings.systems.fesa.grades import NEEDS_APPROVAL, rank_of
from ratings.systems.protocol import Change, EventRefused, PlayerId, Reason, State, frozen

APPROVAL, REQUEST = "approval", "request"


class FesaDecisions(FesaColumns):
    __slots__ = ()
    grade_acts: ClassVar[Mapping[str, str]] = {
        APPROVAL: _("accord de la Nihon Shogi Renmei (5 et 6 Dan)"),
        REQUEST: _("demande de promotion"),
    }

    def grade_act(self, player: PlayerId, state: State, facts: Mapping[str, object]) -> Change:
        """Return the state after an approval or a request: the grade at once where it is reached."""
        grade, old_grade = str(facts["grade"]), state.extra.get("grade")
        noted = "approved" if facts["act"] == APPROVAL else "requested"
        extra = {**state.extra, noted: sorted({*state.extra.get(noted, ()), grade})}
        gained = self.reached(State(state.rating, state.games, state.events, state.status, extra))
        details = {name: facts.get(name) for name in ("act", "grade", "reference", "dated_on")}
        lines = [Reason("grade_act", "003 §3", values=frozen(details))]
        new = gained.grade
        if new is not None and facts["act"] == REQUEST:
            old_rank, rank, best = (rank_of(one, self.grades()) for one in (old_grade, grade, new))
            new = grade if old_rank < rank <= best else None
        if new is not None or gained.waiting is not None:
            values = {"from": old_grade, "to": new, "route": None, "waiting": gained.waiting}
            lines.append(Reason("grade", "003 §11", values=frozen(values)))
        extra["grade"] = new or old_grade
        after = State(state.rating, state.games, state.events, state.status, frozen(extra))
        return Change(player, state, after, tuple(lines))

    def start_doubt(self, state: State, facts: Mapping[str, object], on: date) -> str:
        """Ask about an Elo without games or soon forgotten, too many bonuses, and a grade that is not
        counted or below what the Elo reaches.

        A player below the games of 003 §4 is rated by performance, with all earlier results (§7). A
        sheet does not have these: unless the first table brings enough games, it alone gives the
        Elo. What the document knows of a graded newcomer without an Elo is two virtual games at the
        MP of the grade (§8), where the grade is declared with its authority.
        """
        if (state.rating is None) != (state.games == 0):
            return _("un Elo demande des parties, et des parties un Elo")
        if state.rating is not None and state.games + 1 < self.rated_games:
            return _(
                "avec si peu de parties, cet Elo peut être oublié au premier tableau (FESA §7)"
            )
        if state.rating is None and facts.get("grade"):
            return _(
                "sans Elo, ce grade compte s’il est déclaré à la première compétition, avec "
                "l’autorité qui l’a reconnu (FESA §8)"
            )
        if int(state.extra.get("bonus_used", 0)) > min(state.games, self.bonus_most):
            return _("plus de bonus que de parties, ou que le règlement n’en donne")
        if facts.get("grade") and self.reached(state).grade is not None:
            return _("cet Elo atteint déjà un meilleur grade")
        return ""

    def check_grade_act(self, state: State, facts: Mapping[str, object]) -> None:
        """Refuse, with a sentence, an act that says nothing new or asks for what is not reached."""
        grade, table = str(facts["grade"]), self.grades()
        if rank_of(grade, table) < 0:
            raise EventRefused(_("Ce grade n’existe pas dans la table."))
        if rank_of(grade, table) <= rank_of(state.extra.get("grade"), table):
            raise EventRefused(_("Ce joueur a déjà ce grade, ou un meilleur."))
        if facts["act"] == APPROVAL and grade not in NEEDS_APPROVAL:
            raise EventRefused(_("Seuls les 5 et 6 Dan demandent un accord (FESA §11)."))
        if facts["act"] == REQUEST:
            gained = self.reached(state)
            best = max(rank_of(gained.grade, table), rank_of(gained.waiting, table))
            if best < rank_of(grade, table):
                raise EventRefused(_("L’Elo et les parties n’atteignent pas encore ce grade."))
