"""The printed lines of one player's table: game by game, or the performance of an unrated player."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ratings.systems.elo import win_probability
from ratings.systems.fesa.elo import D_PRIME, FesaElo, PlayerResult, TablePlayer
from ratings.systems.fesa.grades import row_of
from ratings.systems.fesa.settings import SEQUENTIAL
from ratings.systems.protocol import PlayerId, Reason, State, frozen


class FesaReasons(FesaElo):
    __slots__ = ()

    def rated_lines(
        self,
        seat: TablePlayer,
        result: PlayerResult,
        own: Sequence[tuple[str, PlayerId, int]],
        faced: Sequence[tuple[float, int]],
    ) -> list[Reason]:
        assert seat.rating is not None and result.final is not None and result.category is not None
        left = self.bonus_most - seat.bonus_used
        changes, total = self.player_change(
            seat.rating, faced, bonus_left=left, category=result.category
        )
        lines = []
        tr = seat.rating
        for (key, opponent, halves), (other, _halves), one in zip(own, faced, changes, strict=True):
            values = {
                "k": one.k,
                "res": halves / 2,
                "or": other,
                "tr": tr,
                "We": win_probability(tr, other, self.divisor),
                "formula": one.formula,
                "bonus": one.bonus,
            }
            article = "003 §2" if one.formula == D_PRIME else "003 §1"
            lines.append(Reason("game", article, one.change, opponent, key, frozen(values)))
            if self.order == SEQUENTIAL:
                tr += one.change
        left_over = (result.final - seat.rating) - math.fsum(one.change for one in changes)
        lines.append(
            Reason("rounding", "003 §1", left_over, values=frozen({"raw": seat.rating + total}))
        )
        return lines

    def unrated_lines(
        self,
        before: State,
        seat: TablePlayer,
        result: PlayerResult,
        own: Sequence[tuple[str, PlayerId, int]],
        faced: Sequence[tuple[float, int]],
    ) -> list[Reason]:
        lines = []
        if seat.earlier:
            lines.append(Reason("earlier", "003 §7", values=frozen({"games": len(seat.earlier)})))
        if seat.accepted_grade is not None:
            middle = row_of(seat.accepted_grade, self.grades())[2]
            values: dict[str, object] = {"grade": seat.accepted_grade, "MP": middle}
            lines.append(Reason("virtual", "003 §8", values=frozen(values)))
        for (key, opponent, halves), (other, _halves) in zip(own, faced, strict=True):
            values = {"res": halves / 2, "or": other}
            lines.append(Reason("result", "003 §6", None, opponent, key, frozen(values)))
        scores = [score for _o, score in self.unrated_results(seat, faced)]
        share = "0" if not any(scores) else "100" if all(s == 1 for s in scores) else ""
        assert result.final is not None
        effect = None if before.rating is None else result.final - before.rating
        values = {
            "score": math.fsum(scores),
            "games": len(scores),
            "share": share,
            "Elo": result.final,
        }
        lines.append(Reason("performance", "003 §7", effect, values=frozen(values)))
        return lines
