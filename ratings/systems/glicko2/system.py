"""Glicko-2 on the ledger: a competition is a rating period, and everybody's deviation moves in it.

The paper computes in floats and rounds nowhere; neither does this module on the way to storage. It
says nothing of a deviation that grows without end, so the ceiling is a setting, empty by default.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.glicko2 import formula
from ratings.systems.glicko2.columns import Glicko2Columns
from ratings.systems.glicko2.examples import EXAMPLES
from ratings.systems.glicko2.formula import CENTRE, SCALE, Scored
from ratings.systems.glicko2.settings import Glicko2Settings
from ratings.systems.protocol import (
    EVERYBODY,
    NOTHING,
    Change,
    Event,
    EventRefused,
    Examples,
    FactAsked,
    Game,
    PlayerId,
    Reason,
    State,
    frozen,
)
from ratings.systems.rated_games import declared, games_of_each, rated_games, whole_number

HIGHEST, MOST = 4000, 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Glicko2(Glicko2Settings, Glicko2Columns):
    """μ′ = μ + φ′² Σ g(φj)(sj − E), with a deviation and a volatility for each player."""

    code: ClassVar[str] = "glicko2"
    label: ClassVar[str] = _("Glicko-2")
    document: ClassVar[str] = "Glicko-2"
    reach: ClassVar[str] = EVERYBODY
    examples: ClassVar[Examples] = EXAMPLES
    asks: ClassVar[tuple[FactAsked, ...]] = (
        FactAsked(
            "starts",
            _("Nouveaux joueurs dont la cote est connue"),
            "lines",
            _("Une ligne par joueur : joueur ; cote ; RD."),
            parts=("rating", "rd"),
        ),
    )

    def newcomer(self, facts: Mapping[str, object] = NOTHING) -> State:
        """Return the starting rating, deviation and volatility (step 1), or those declared."""
        rating = whole_number(facts.get("rating", self.initial), 0, HIGHEST)
        return State(
            rating=float(rating),
            games=whole_number(facts.get("games", 0), 0, MOST),
            extra=_extra(_deviation(facts.get("rd", self.initial_rd)), self.initial_volatility),
        )

    def sample(self, rating: int, games: int) -> State:
        """Return a player whose deviation is what so many even games leave of the starting one."""
        phi = 1 / math.sqrt((SCALE / self.initial_rd) ** 2 + games / 4)
        return State(float(rating), games, 0, "", _extra(phi * SCALE, self.initial_volatility))

    def settle(self, states: Mapping[PlayerId, State], event: Event) -> list[Change]:
        """Rate one period: who played by their games, everybody else by a larger deviation."""
        played = games_of_each(rated_games(event))
        before = {
            player: states.get(player) or self.newcomer(declared(event, player))
            for player in dict.fromkeys([*states, *played])
        }
        return [
            self._rated(player, before, played[player])
            if player in played
            else self._idle(player, state)
            for player, state in before.items()
        ]

    def _rated(
        self, player: PlayerId, before: Mapping[PlayerId, State], games: Sequence[Game]
    ) -> Change:
        state = before[player]
        seen = [game.seen_by(player)[:2] for game in games]
        scored = [
            Scored(_mu(before[opponent]), _phi(before[opponent]), halves / 2)
            for opponent, halves in seen
        ]
        period = formula.rate(_mu(state), _phi(state), state.extra["volatility"], scored, self.tau)
        after = State(
            rating=float(state.rating or 0) + SCALE * math.fsum(period.gains),
            games=state.games + len(games),
            events=state.events + 1,
            extra=_extra(self._capped(period.phi * SCALE), period.sigma),
        )
        lines = [
            Reason(
                "game",
                "Glicko-2 §7",
                SCALE * gain,
                opponent,
                game.key,
                frozen(
                    {
                        "W": one.score,
                        "We": chance,
                        "g": formula.g(one.phi),
                        "E_opponent": before[opponent].rating,
                        "RD_opponent": before[opponent].extra["rd"],
                    }
                ),
            )
            for game, (opponent, _halves), one, chance, gain in zip(
                games, seen, scored, period.expected, period.gains, strict=True
            )
        ]
        return Change(player, state, after, (*lines, _deviation_line("deviation", state, after)))

    def _idle(self, player: PlayerId, before: State) -> Change:
        """Move a player without games: the rating and the volatility stay (step 6)."""
        sigma = before.extra["volatility"]
        rd = self._capped(SCALE * formula.grown(_phi(before), sigma))
        after = State(before.rating, before.games, before.events, extra=_extra(rd, sigma))
        return Change(player, before, after, (_deviation_line("idle", before, after),))

    def _capped(self, rd: float) -> float:
        return rd if self.rd_most is None else min(rd, self.rd_most)


def _deviation_line(kind: str, before: State, after: State) -> Reason:
    values = {
        "RD": before.extra["rd"],
        "RD_after": after.extra["rd"],
        "sigma": before.extra["volatility"],
        "sigma_after": after.extra["volatility"],
    }
    return Reason(kind, "Glicko-2 §6", values=frozen(values))


def _extra(rd: float, volatility: float) -> Mapping[str, Any]:
    return frozen({"rd": rd, "volatility": volatility})


def _mu(state: State) -> float:
    return (float(state.rating or 0) - CENTRE) / SCALE


def _phi(state: State) -> float:
    return float(state.extra["rd"]) / SCALE


def _deviation(typed: object) -> float:
    """Return a declared deviation. Raises EventRefused for one that is no number above 0."""
    try:
        rd = float(str(typed).strip().replace(",", "."))
    except ValueError:
        rd = 0.0
    if not 0 < rd <= HIGHEST:
        raise EventRefused(
            _("« %(typed)s » n’est pas une RD : donnez un nombre plus grand que 0."),
            typed=str(typed)[:20],
        )
    return rd
