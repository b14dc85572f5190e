"""Ranking by wins, then spread: how most Scrabble tournaments of the world rank (WESPA, tsh).

A win is 1, a tie ½; the spread adds own minus opponent's score. Any tournament may use it instead of
the ranking of its pairing system; the system then pairs by groups of wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting
from pairings.rules import scoring, tiebreaks
from pairings.rules.firsts import Firsts
from pairings.rules.scoring import MatchRecord, RecordRefused, Records
from pairings.rules.tiebreaks import Criterion, RankedPlayer
from pairings.systems.points.match_points import games_of, games_won
from pairings.systems.protocol import Entrants
from ratings.systems.protocol import PlayerId

HALF = Fraction(1, 2)
USAGE = _("usage international")

CRITERIA: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "wins": (_("victoires"), USAGE),
        "spread": (_("écart"), USAGE),
        "direct_wins": (_("victoires entre ex æquo"), USAGE),
        "direct_spread": (_("écart entre ex æquo"), USAGE),
        "played": (_("matchs joués"), USAGE),
        "firsts": (_("débuts"), USAGE),
        "initial": (_("classement initial"), USAGE),
    }
)
"""The ranking's criteria in order, with their page labels and articles."""


class GamePoints(NamedTuple):
    """Wins and spread of one match for one of its players; `played`: a game took place."""

    wins: int | Fraction
    spread: int
    played: bool = False


NOTHING = GamePoints(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WinsAndSpread:
    """Wins, then spread; level on both share a place."""

    code = "wins_and_spread"

    spread_cap: int | None = setting(
        None,
        _("Limite de l’écart par manche"),
        article=USAGE,
        effect=_("La différence de score ne compte pas au-delà. Vide : pas de limite."),
        unit=_("points"),
        group="match",
        minimum=1,
        maximum=1000,
        nullable=True,
    )
    bye_spread: int = setting(
        50,
        _("Écart d’une exemption"),
        article=USAGE,
        effect=_("Une exemption est une victoire par cet écart."),
        unit=_("points"),
        group="match",
        minimum=0,
        maximum=500,
    )
    forfeit_spread: int = setting(
        50,
        _("Écart d’un forfait"),
        article=USAGE,
        effect=_("Gagné par le joueur présent, perdu par chaque absent."),
        unit=_("points"),
        group="match",
        minimum=0,
        maximum=500,
    )
    direct_games: bool = setting(
        False,
        _("Ex æquo départagés par leurs propres matchs"),
        article=USAGE,
        effect=_("S’ils se sont tous rencontrés : victoires, puis écart, entre eux."),
        group="match",
    )

    def points_of(self, record: MatchRecord) -> tuple[GamePoints, GamePoints | None]:
        """Return both players' wins and spread; None for the fictive player.

        A match of two winning games is one win; its spread adds its games, each limited.
        """
        if record.kind == scoring.BYE:
            return GamePoints(1, self.bye_spread), None
        if record.kind in (scoring.CANCELLED, scoring.PENDING):
            return NOTHING, None if record.second is None else NOTHING
        if record.second is None:
            raise RecordRefused(f"match {record.key or record!r}: no opponent")
        if record.kind == scoring.PLAYED:
            return self._played(record)
        if record.kind == scoring.ABSENT and record.absent in scoring.ABSENCES:
            there = GamePoints(1, self.forfeit_spread)
            missing = GamePoints(0, -self.forfeit_spread)
            away = record.absentees()
            return (
                missing if record.first in away else there,
                missing if record.second in away else there,
            )
        raise RecordRefused(f"match {record.key or record!r}: no result that can be ranked")

    def _played(self, record: MatchRecord) -> tuple[GamePoints, GamePoints]:
        games = games_of(record)
        won, lost = games_won(games)
        spread = sum(self._limited(score - other) for score, other in games)
        wins = HALF if won == lost else int(won > lost)
        return (
            GamePoints(wins, spread, played=True),
            GamePoints(1 - wins, -spread, played=True),
        )

    def _limited(self, difference: int) -> int:
        cap = self.spread_cap
        return difference if cap is None else max(-cap, min(cap, difference))

    def swing(self, winning_games: int) -> int | None:
        """Return how much a round can move two spreads against each other; None without a limit.

        The limit is of each game. What a forfeit and an exemption give is not limited by it.
        """
        if self.spread_cap is None:
            return None
        lost = max(self.spread_cap * winning_games, self.forfeit_spread)
        return max(lost, self.bye_spread) + lost

    def standing(
        self, entrants: Entrants, records: Records, *, with_initial: bool = False
    ) -> list[RankedPlayer]:
        """Return everybody in order; level players share a place unless the initial place orders."""
        ordered = sorted(entrants, key=lambda entrant: entrant.initial)
        criteria = self.criteria(ordered, records, with_initial=with_initial)
        return tiebreaks.rank([entrant.player for entrant in ordered], criteria)

    def criteria(
        self, entrants: Entrants, records: Records, *, with_initial: bool = False
    ) -> list[Criterion]:
        """Return wins, spread, direct games where chosen; matches played and firsts are only shown."""
        wins, spread, played = self.totals(entrants, records)
        begun = Firsts(records).begun
        firsts = {entrant.player: begun.get(entrant.player, 0) for entrant in entrants}
        initial = {entrant.player: entrant.initial for entrant in entrants}
        direct = self._direct(records) if self.direct_games else []
        return [
            _each("wins", wins),
            _each("spread", spread),
            *direct,
            _each("played", played, orders=False),
            _each("firsts", firsts, orders=False),
            _each("initial", initial, descending=False, orders=with_initial),
        ]

    def totals(
        self, entrants: Entrants, records: Records
    ) -> tuple[dict[PlayerId, int | Fraction], dict[PlayerId, int], dict[PlayerId, int]]:
        """Return everybody's wins, spread and matches played so far."""
        wins: dict[PlayerId, int | Fraction] = {entrant.player: 0 for entrant in entrants}
        spread = {entrant.player: 0 for entrant in entrants}
        played = dict(spread)
        for record in records:
            sides = (record.first, record.second)
            for player, points in zip(sides, self.points_of(record), strict=True):
                if points is not None and player in wins:
                    wins[player] = scoring.plain(wins[player] + points.wins)
                    spread[player] += points.spread
                    played[player] += points.played
        return wins, spread, played

    def _direct(self, records: Records) -> list[Criterion]:
        """Return the games of tied players with each other, where all of them have met."""
        wins: dict[PlayerId, dict[PlayerId, list[int | Fraction]]] = {}
        spread: dict[PlayerId, dict[PlayerId, list[int | Fraction]]] = {}
        for record in records:
            if record.kind != scoring.PLAYED or record.second is None:
                continue
            one, two = self._played(record)
            for player, other, points in (
                (record.first, record.second, one),
                (record.second, record.first, two),
            ):
                wins.setdefault(player, {}).setdefault(other, []).append(points.wins)
                spread.setdefault(player, {}).setdefault(other, []).append(points.spread)
        return [_between("direct_wins", wins), _between("direct_spread", spread)]


def _each(
    name: str, table: tiebreaks.Values, *, descending: bool = True, orders: bool = True
) -> Criterion:
    return tiebreaks.of_each(name, *CRITERIA[name], table, descending=descending, orders=orders)


def _between(name: str, duels: tiebreaks.Duels) -> Criterion:
    return tiebreaks.of_meetings(name, *CRITERIA[name], duels, several=tiebreaks.SUM)
