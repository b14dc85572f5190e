"""The steps of Glickman's "Example of the Glicko-2 system" (2022), on the scale of μ, φ and σ."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SCALE = 173.7178
CENTRE = 1500.0
TOLERANCE = 0.000001
"""ε of step 5: the paper calls this value sufficiently small."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One game on the Glicko-2 scale: opponent's μ and φ, own score s (1, 0.5 or 0)."""

    mu: float
    phi: float
    score: float


@dataclass(frozen=True, slots=True)
class Period:
    """A player's period: σ′, φ′, and what each game adds to μ, in the order of the games."""

    sigma: float
    phi: float
    gains: tuple[float, ...]
    expected: tuple[float, ...]


def g(phi: float) -> float:
    """Return how much an opponent's result counts: less, the less certain their rating (step 3)."""
    return 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)


def expected(mu: float, mu_opponent: float, phi_opponent: float) -> float:
    """Return E, the expected score against an opponent (step 3)."""
    return 1 / (1 + math.exp(-g(phi_opponent) * (mu - mu_opponent)))


def grown(phi: float, sigma: float) -> float:
    """Return φ*: the deviation after a period, before its games (step 6)."""
    return math.hypot(phi, sigma)


def rate(mu: float, phi: float, sigma: float, games: Sequence[Scored], tau: float) -> Period:
    """Return steps 3 to 7 for a player with games in the period."""
    weights = [g(game.phi) for game in games]
    chances = [expected(mu, game.mu, game.phi) for game in games]
    v = 1 / math.fsum(w**2 * e * (1 - e) for w, e in zip(weights, chances, strict=True))
    surprises = [w * (game.score - e) for w, game, e in zip(weights, games, chances, strict=True)]
    delta = v * math.fsum(surprises)
    new_sigma = volatility(phi, sigma, v, delta, tau)
    new_phi = 1 / math.sqrt(1 / grown(phi, new_sigma) ** 2 + 1 / v)
    return Period(
        new_sigma, new_phi, tuple(new_phi**2 * part for part in surprises), tuple(chances)
    )


def volatility(phi: float, sigma: float, v: float, delta: float, tau: float) -> float:
    """Return σ′: the zero of f, found by the Illinois algorithm (step 5)."""
    a = math.log(sigma**2)

    def f(x: float) -> float:
        surplus = delta**2 - phi**2 - v - math.exp(x)
        return math.exp(x) * surplus / (2 * (phi**2 + v + math.exp(x)) ** 2) - (x - a) / tau**2

    return math.exp(zero(f, a, _other_end(f, a, phi, v, delta, tau)) / 2)


def _other_end(
    f: Callable[[float], float], a: float, phi: float, v: float, delta: float, tau: float
) -> float:
    """Return B of step 5.2, so that f changes its sign between a and B."""
    if delta**2 > phi**2 + v:
        return math.log(delta**2 - phi**2 - v)
    k = 1
    while f(a - k * tau) < 0:
        k += 1
    return a - k * tau


def zero(f: Callable[[float], float], low: float, high: float) -> float:
    """Return a zero of f between two ends, to ε, by the Illinois algorithm (steps 5.3 and 5.4)."""
    f_low, f_high = f(low), f(high)
    while abs(high - low) > TOLERANCE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return low
