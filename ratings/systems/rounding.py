"""The rounding that every rule uses: half-up, exact at the half."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

HALF_TOLERANCE = 1e-9


def half_up(value: int | float | Fraction | Decimal) -> int:
    """Round to the nearest integer, a half going up (towards plus infinity).

    Fractions and Decimals are exact. A float within 1e-9 of a half is decided in Decimal on its
    repr rounded to 9 places, so that float error (0.1 + 0.2) cannot round 1902.5 to 1902. Raises
    ValueError for infinities and NaN.
    """
    if isinstance(value, int):
        return value
    if isinstance(value, Fraction):
        return math.floor(value + Fraction(1, 2))
    if isinstance(value, Decimal):
        return math.floor(Fraction(value) + Fraction(1, 2))
    if not math.isfinite(value):
        raise ValueError(f"cannot round {value!r}")
    floor = math.floor(value)
    if abs(value - floor - 0.5) <= HALF_TOLERANCE:
        near = Decimal(repr(value)).quantize(Decimal("1e-9"), rounding=ROUND_HALF_UP)
        return math.floor(Fraction(near) + Fraction(1, 2))
    return math.floor(value + 0.5)
