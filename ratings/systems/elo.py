"""The logistic expectation that FAIZERS and FESA share."""

from __future__ import annotations


def win_probability(own: float, other: float, divisor: float = 400.0) -> float:
    """Return 1 / (1 + 10^((other − own) / divisor)), between 0 and 1.

    Both sides sum to 1 within one float; a difference too large for a float gives 0 or 1.
    """
    exponent = (other - own) / divisor
    if exponent > 300:
        return 0.0
    if exponent < -300:
        return 1.0
    return float(1 / (1 + 10**exponent))
