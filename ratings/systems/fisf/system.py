"""FISF Scrabble Classique rating (000): a table, one K an event, one rounding an event."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.fisf.columns import FisfColumns
from ratings.systems.fisf.examples import EXAMPLES
from ratings.systems.fisf.initial_ratings import MOST, start_of
from ratings.systems.fisf.seasons import dated, typed_day
from ratings.systems.fisf.status import cote_of
from ratings.systems.protocol import (
    EVERY_K,
    NOTHING,
    OPPONENTS,
    Change,
    Event,
    EventRefused,
    Examples,
    FactAsked,
    Game,
    PlayerId,
    Reason,
    State,
    TriedNumber,
    frozen,
)
from ratings.systems.rated_games import declared, games_of_each, rated_games, whole_number


@dataclass(frozen=True, slots=True)
class GameEffect:
    """One game of a player: the signed difference, the table's row and K(W − We), in hundredths."""

    difference: int
    row: int
    we: int
    hundredths: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """A player's whole event. `raw` and the sums are hundredths of a point."""

    k: int
    halves: int
    we: int
    games: tuple[GameEffect, ...]
    raw: int
    rounded: int
    rating: int

    @property
    def floored(self) -> bool:
        return self.rating != self.rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Fisf(FisfColumns):
    """E1 = E0 + K(W − We), We from the table, once an event, rounded, then the floor."""

    code: ClassVar[str] = "fisf"
    label: ClassVar[str] = _("Classement FISF")
    document: ClassVar[str] = "000"
    reach: ClassVar[str] = OPPONENTS
    proposes_settings: ClassVar[bool] = True
    examples: ClassVar[Examples] = EXAMPLES
    start_columns: ClassVar[tuple[str, ...]] = (
        *("rating", "games", "tournaments", "last"),
        *("rank", "players", "duplicate", "classique"),
    )
    start_texts: ClassVar[frozenset[str]] = frozenset({"duplicate", "classique"})
    facts: ClassVar[Mapping[str, str]] = {
        "tournaments": _("tournois"),
        "rank": _("rang"),
        "players": _("joueurs classés"),
        "duplicate": _("série Duplicate"),
        "classique": _("série classique"),
    }
    tried: ClassVar[tuple[TriedNumber, ...]] = (
        TriedNumber(
            _("K"), ("k_newest", "k_new", "k_common", "k_strong", "k_top"), factors=EVERY_K
        ),
    )
    official_when: ClassVar[str] = _(
        "Compétition sous l’égide de la FISF ou d’une fédération nationale, selon le cahier des "
        "charges et le règlement international (FISF §1)."
    )
    asks: ClassVar[tuple[FactAsked, ...]] = (
        FactAsked(
            "ranks",
            _("Nouveaux joueurs classés en Duplicate"),
            "lines",
            _("Une ligne par joueur : joueur ; rang ; nombre de joueurs du classement."),
            parts=("rank", "players"),
        ),
        FactAsked(
            "duplicates",
            _("Nouveaux joueurs par série Duplicate"),
            "lines",
            _("Une ligne par joueur : joueur ; série, cherchée dans la table annuelle des règles."),
            parts=("duplicate",),
        ),
        FactAsked(
            "classique",
            _("Nouveaux joueurs classés seulement en Classique"),
            "lines",
            _("Une ligne par joueur : joueur ; série Joker, A, B ou C."),
            parts=("classique",),
        ),
        FactAsked(
            "starts",
            _("Cotes de départ de la commission"),
            "lines",
            _("Une ligne par joueur : joueur ; cote."),
            parts=("rating",),
        ),
    )

    def newcomer(self, facts: Mapping[str, object] = NOTHING) -> State:
        """Return a starting cote by Duplicate rank or Classique series (000 5 and annexe 1).

        `rating` (yearly table, imported list) goes first; an imported player may bring `games`,
        `tournaments`, `last` and the date of the cote, `on`.
        """
        rating, _how = start_of(facts, self)
        games = whole_number(facts.get("games", 0), 0, MOST)
        tournaments = whole_number(facts.get("tournaments", 0), 0, MOST)
        last = typed_day(facts.get("last"))
        on = typed_day(facts.get("on")) or last
        return State(
            rating=rating,
            games=games,
            events=tournaments,
            status=self.status(tournaments, games, last, last) if last else self._fresh(games),
            extra=frozen(
                {
                    "last": last.isoformat() if last else None,
                    "cotes": [[on.isoformat(), rating]] if on else [],
                }
            ),
        )

    def k_of(self, e0: int, games: int) -> int:
        """Return K of annexe 2, from cote and games before the event; one K for the whole event."""
        if games < self.k_new_games and e0 < self.k_strong_from:
            return self.k_new if e0 >= self.k_new_from else self.k_newest
        if e0 >= self.k_top_from:
            return self.k_top
        return self.k_strong if e0 >= self.k_strong_from else self.k_common

    def we(self, difference: int) -> Fraction:
        """Return We of annexe 2 for own cote − opponent's: a step function of the |difference|."""
        return Fraction(self._row(difference)[1], 100)

    def _row(self, difference: int) -> tuple[int, int]:
        """Return (lower bound of the row used, We in hundredths seen from this side)."""
        step = bisect_right(self.thresholds, abs(difference))
        row = self.thresholds[step - 1] if step else 0
        return row, 50 + step if difference > 0 else 50 - step

    def outcome(self, e0: int, k: int, seen: Sequence[tuple[int, int]]) -> Outcome:
        """Return the event of one player; `seen` holds (opponent's cote before, own half points)."""
        effects = []
        for other, halves in seen:
            row, we = self._row(e0 - other)
            effects.append(GameEffect(e0 - other, row, we, k * (50 * halves - we)))
        raw = 100 * e0 + sum(effect.hundredths for effect in effects)
        rounded = self.rounded(raw)
        return Outcome(
            k=k,
            halves=sum(halves for _other, halves in seen),
            we=sum(effect.we for effect in effects),
            games=tuple(effects),
            raw=raw,
            rounded=rounded,
            rating=rounded if self.floor is None or not seen else max(self.floor, rounded),
        )

    def rounded(self, hundredths: int) -> int:
        """Round to the nearest whole point; the half goes up (000 7), or to the even number."""
        up = (hundredths + 50) // 100
        tie = hundredths % 100 == 50
        return up - 1 if tie and up % 2 and self.rounding == "half_even" else up

    def settle(self, states: Mapping[PlayerId, State], event: Event) -> list[Change]:
        """Move everybody who played, from the cotes held before the event (000 4)."""
        played = games_of_each(rated_games(event))
        before = {player: self._state_before(player, states, event) for player in played}
        return [self._move(player, before, event, games) for player, games in played.items()]

    def _state_before(
        self, player: PlayerId, states: Mapping[PlayerId, State], event: Event
    ) -> State:
        known = states.get(player)
        if known is None or known.rating is None:
            return self.newcomer(declared(event, player))
        last = known.extra.get("last")
        if last and date.fromisoformat(last) > event.held_on:
            raise EventRefused(
                _(
                    "La compétition est plus ancienne que la dernière comptée pour un "
                    "de ses joueurs : utilisez « Corriger » sur la page de la "
                    "compétition."
                )
            )
        return known

    def _move(
        self,
        player: PlayerId,
        before: Mapping[PlayerId, State],
        event: Event,
        games: Sequence[Game],
    ) -> Change:
        state = before[player]
        e0, k = cote_of(state), self.k_of(cote_of(state), state.games)
        seen = []
        for game in games:
            opponent, halves, _mine, _theirs = game.seen_by(player)
            seen.append((opponent, cote_of(before[opponent]), halves, game.key))
        result = self.outcome(e0, k, [(other, halves) for _who, other, halves, _key in seen])
        lines = [
            Reason("k", "000 annexe 2", values=frozen({"K": k, "E0": e0, "games": state.games}))
        ]
        for (opponent, other, halves, key), effect in zip(seen, result.games, strict=True):
            values = {
                "K": k,
                "W": Fraction(halves, 2),
                "We": Fraction(effect.we, 100),
                "E0": e0,
                "E_opponent": other,
                "diff": effect.difference,
                "row": effect.row,
            }
            exact = Fraction(effect.hundredths, 100)
            lines.append(Reason("game", "000 4", exact, opponent, key, frozen(values)))
        raw = Fraction(result.raw, 100)
        summed = {
            "raw": raw,
            "E0": e0,
            "K": k,
            "W": Fraction(result.halves, 2),
            "We": Fraction(result.we, 100),
        }
        lines.append(Reason("rounding", "000 7", result.rounded - raw, values=frozen(summed)))
        if result.floored:
            raised = result.rating - result.rounded
            lines.append(Reason("floor", "000 4", raised, values=frozen({"floor": self.floor})))
        after = State(
            rating=result.rating,
            games=state.games + len(games),
            events=state.events + 1,
            extra=frozen(
                {
                    "last": event.held_on.isoformat(),
                    "cotes": dated(state.extra.get("cotes", []), event.held_on, result.rating),
                }
            ),
        )
        status = self.status_on(after, event.held_on)
        after = State(after.rating, after.games, after.events, status, after.extra)
        return Change(player, state, after, tuple(lines))

    def proposed_settings(self, states: Sequence[State], on: date) -> dict[str, int | None]:
        """Return bars proposed from the percentages (000 2), by name of setting."""
        from ratings.systems.fisf.series_thresholds import proposed_bars

        bars = proposed_bars(states, on, self)
        return {"bar_joker": bars.joker, "bar_a": bars.a, "bar_b": bars.b}
