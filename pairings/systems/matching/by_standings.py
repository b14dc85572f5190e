"""What the systems that pair by the standings share: lag, prizes already won, the odd player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, NamedTuple, Self

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting
from pairings.rules.scoring import Met, Records
from pairings.systems.matching.prizes import Race
from pairings.systems.points.match_points import WIN
from pairings.systems.points.ranking import PointRanking
from pairings.systems.points.seeding import FICTIVE
from pairings.systems.protocol import (
    FEWEST_BYES,
    FICTIVE_LAST,
    PRIZE_WON,
    SPARES_REPEAT,
    Available,
    Bye,
    Entrants,
    EntriesRefused,
    Pair,
    Pairing,
)
from ratings.systems.protocol import PlayerId

FEWEST, LAST = "fewest", "last"


class Seating(NamedTuple):
    """The players present, best first, and what is left to pair once byes and prizes are settled.

    `points` are what groups are made of: wins, or PM.
    """

    order: list[PlayerId]
    free: list[PlayerId]
    points: dict[PlayerId, int | Fraction]
    met: Met
    settled: list[Pair]
    bye: PlayerId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrizesAndByes(PointRanking):
    """What a tournament says once, also where ranges of its rounds have systems of their own."""

    prize_places: int = setting(
        0,
        _("Places primées"),
        article=_("usage international"),
        effect=_(
            "Un joueur assuré d’une de ces places rencontre le mieux classé de ceux qui ne "
            "peuvent plus en obtenir. 0 : jamais."
        ),
        unit=_("places"),
        group="pairing",
        minimum=0,
        maximum=100,
    )
    bye_goes_to: str = setting(
        FEWEST,
        _("Qui rencontre le joueur fictif quand l’effectif est impair"),
        article=_("usage"),
        group="pairing",
        choices=(
            (FEWEST, _("le moins d’exemptions, puis le moins bien classé")),
            (LAST, _("toujours le dernier du classement")),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsPairing(PrizesAndByes):
    """A system that pairs each round by the standings: it says only who of those left meets whom."""

    way: ClassVar[str] = ""
    """How the pairs are found, for the line of who meets the fictive player: a key of `reasons`."""
    strategy: ClassVar[str] = ""
    """The same for programs, stored with each draw; a stable code."""

    rounds: int | None = setting(
        None,
        _("Nombre de rondes"),
        article=_("usage"),
        unit=_("rondes"),
        group="match",
        minimum=1,
        maximum=40,
        nullable=True,
    )
    lag: int = setting(
        0,
        _("Classement qui sert à apparier"),
        article=_("usage international"),
        effect=_("Un classement plus ancien permet d’apparier pendant que la ronde se joue."),
        group="pairing",
        choices=(
            (0, _("après la ronde précédente")),
            (1, _("une ronde plus tôt")),
        ),
    )

    def pairs_of(self, seating: Seating) -> list[Pair]:
        """Return the pairs of those who are left once the bye and the prizes won are settled."""
        raise NotImplementedError

    def pair_round(
        self, entrants: Entrants, records: Records, *, available: Available = None, today: int = 0
    ) -> Pairing:
        """Pair the round `today` over the players present."""
        seating = self.seating(
            entrants,
            records,
            available=available,
            number=next_number(records, today),
        )
        pairs = (*seating.settled, *self.pairs_of(seating))
        return Pairing(
            order=tuple(seating.order),
            pairs=pairs,
            byes=self.byes(seating, len(pairs)),
            strategy=self.strategy,
        )

    def rounds_of(self, entries: int) -> int:
        """Return the number that the organiser chose. Raises EntriesRefused without one."""
        if self.rounds is None:
            raise EntriesRefused(_("Choisissez le nombre de rondes."))
        return self.rounds

    def with_rounds(self, count: int) -> Self:
        """Return the same with so many rounds."""
        return replace(self, rounds=count)

    def lag_of(self, number: int) -> int:
        """Return by how many rounds the standings that pair this round are late."""
        return self.lag

    def seating(
        self, entrants: Entrants, records: Records, *, available: Available, number: int
    ) -> Seating:
        """Rank the players present, choose the bye, pair the players who are sure of a prize.

        With a lag, results of the last round are left out; its meetings still count.
        """
        here = present(entrants, available)
        known = [r for r in records if r.day < number - self.lag] if self.lag else list(records)
        everybody = self.standing(entrants, known)
        points = {line.player: self.points_in_groups(line) for line in everybody}
        met = self.met(records)
        order = [p for p in (line.player for line in everybody) if p in here]
        bye = None
        if len(order) % 2:
            bye = order[-1] if self.bye_goes_to == LAST else self.with_fewest_byes(order, met)
        free = [player for player in order if player != bye]
        settled = [
            Pair(safe, out, PRIZE_WON, out, (), met.get(safe, {}).get(out))
            for safe, out in self._prizes_won(entrants, known, order, free, met, number)
        ]
        seated = {player for pair in settled for player in pair[:2]}
        return Seating(order, [p for p in free if p not in seated], points, met, settled, bye)

    def byes(self, seating: Seating, place: int) -> tuple[Bye, ...]:
        """Return the bye as part of a pairing; `place`: the number of pairs above it."""
        if seating.bye is None:
            return ()
        reason = FICTIVE_LAST
        if self.bye_goes_to != LAST:
            is_lowest = seating.bye == fewest_byes(seating.order, seating.met)
            reason = FEWEST_BYES if is_lowest else SPARES_REPEAT
        return (Bye(seating.bye, reason, 0, byes_of(seating.met, seating.bye), self.way, place),)

    def with_fewest_byes(self, order: Sequence[PlayerId], met: Met) -> PlayerId:
        """Return which of those with the fewest byes gets the bye; players are best first."""
        return fewest_byes(order, met)

    def _prizes_won(
        self,
        entrants: Entrants,
        records: Records,
        order: Sequence[PlayerId],
        free: Sequence[PlayerId],
        met: Met,
        number: int,
    ) -> list[tuple[PlayerId, PlayerId]]:
        if not self.prize_places or self.rounds is None or number > self.rounds:
            return []
        spreads = self.wins_and_spread
        if spreads is None:
            points, spread = self.totals(entrants, records)
            race_points: dict[PlayerId, int | Fraction] = dict(points)
        else:
            race_points, spread, _played = spreads.totals(entrants, records)
        race = Race(
            points=race_points,
            spread=spread,
            places=self.prize_places,
            left=self.rounds - number + 1 + self.lag,
            win=WIN if spreads is None else 1,
            swing=None if spreads is None else spreads.swing(self.winning_games),
        )
        return race.pairs(order, free, met)


def present(entrants: Entrants, available: Available) -> set[PlayerId]:
    """Return who may be paired in a round: those available, everybody by default."""
    return {entrant.player for entrant in entrants} if available is None else set(available)


def next_number(records: Records, today: int) -> int:
    """Return the round to pair: `today`, or the one after the last played."""
    return today or 1 + max((record.day for record in records), default=0)


def fewest_byes(order: Sequence[PlayerId], met: Met) -> PlayerId:
    """Return the lowest of those with the fewest byes."""
    fewest = min(byes_of(met, player) for player in order)
    return next(player for player in reversed(order) if byes_of(met, player) == fewest)


def byes_of(met: Met, player: PlayerId) -> int:
    """Return how often this player has met the fictive player."""
    return times_met(met, player, FICTIVE)


def times_met(met: Met, first: PlayerId, second: PlayerId) -> int:
    """Return how often these two have met."""
    meeting = met.get(first, {}).get(second)
    return 0 if meeting is None else meeting.times
