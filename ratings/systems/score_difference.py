"""The DS of one match (002 II.B.2), shared by the ladder's tie-break and by its cote."""

from __future__ import annotations

from fractions import Fraction


def ds_of_match(winner_score: int, loser_score: int) -> Fraction:
    """Return min(100, ΔS / S_perdant × 100), exact, never rounded before comparison.

    A draw is 0. The document divides by the loser's score: when that is 0 or negative (after
    penalties) and somebody won, the win counts 100.
    """
    margin = winner_score - loser_score
    if margin < 0:
        raise ValueError("the winner's score comes first")
    if margin == 0:
        return Fraction(0)
    if loser_score <= 0:
        return Fraction(100)
    return min(Fraction(100), Fraction(100 * margin, loser_score))
