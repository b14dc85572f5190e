"""Tournaments by the Formule Classique: number of matches, rankings, pairings (004).

A tournament counts its rounds where a ladder counts its days: `MatchRecord.day` is the round in
which the match was played, `today` the round to pair, `Entrant.joined` the first round of a late
arrival (0 or 1: from the start), `Entrant.initial` the place in the frozen initial ranking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Self

from clubs.rulebooks.fields import gettext_noop as _
from pairings.rules.scoring import Met, Records
from pairings.rules.tiebreaks import RankedPlayer
from pairings.systems.formule_classique.draw import Points, pair_ahead, pair_literally, repeats_in
from pairings.systems.formule_classique.fixed_tables import table_for
from pairings.systems.formule_classique.opening import (
    FICTIVE_PM,
    LARGE_FROM,
    first_round_large,
    rounds_for,
)
from pairings.systems.formule_classique.settings import OPTIMAL, STRICT, FormuleClassiqueSettings
from pairings.systems.matching.by_standings import byes_of, next_number
from pairings.systems.points.ranking import PointRanking
from pairings.systems.points.seeding import FICTIVE, with_fictive
from pairings.systems.protocol import (
    AVOIDABLE_REPEAT,
    DIRECT,
    DOWN,
    FICTIVE_LAST,
    KEPT,
    ORPHAN,
    ORPHANS,
    REASONS,
    REPEAT,
    ROUND1,
    SECOND_BYE,
    TABLE,
    UP,
    Available,
    Bye,
    Entrants,
    FixedTable,
    Pair,
    Pairing,
    Warned,
)
from ratings.systems.protocol import PlayerId

_WORDS: Mapping[str, str] = {
    DIRECT: _("premier du groupe contre le dernier, ou le premier du groupe suivant"),
    UP: _("déjà rencontré : remontée dans le classement"),
    DOWN: _("déjà rencontré, remontée sans solution : descente dans le classement"),
    KEPT: _("tous les joueurs libres ont déjà été rencontrés : match maintenu"),
    REPEAT: _("revanche inévitable dans cette ronde"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormuleClassique(FormuleClassiqueSettings):
    """Ranking by PM, PPM, Pdep; first against last in each group of PM, with permutations."""

    code: ClassVar[str] = "formule_classique"
    label: ClassVar[str] = _("Formule Classique")
    document: ClassVar[str] = "004"
    reasons: ClassVar[Mapping[str, str]] = MappingProxyType({**REASONS, **_WORDS})
    rounds_note: ClassVar[str] = _(
        "Formule Classique : 5 matchs de 8 à 32 inscrits, 6 jusqu’à 64, 7 jusqu’à 128. Le nombre "
        "reste libre dans les réglages."
    )
    edited_apart: ClassVar[tuple[str, ...]] = (*PointRanking.edited_apart, "small_tables")
    own_ranking_fields: ClassVar[tuple[str, ...]] = (
        *PointRanking.own_ranking_fields,
        "fixed_phase_uses_ppm",
    )

    def rounds_of(self, entries: int) -> int:
        """Return the imposed number of matches, or the document's (§1)."""
        return rounds_for(entries) if self.rounds is None else self.rounds

    def with_rounds(self, count: int) -> Self:
        """Return the same with an imposed number of matches (§1)."""
        return replace(self, rounds=count)

    def looking_ahead(self) -> Self:
        """Return the same with the other strategy (§7)."""
        return replace(self, strategy=OPTIMAL)

    def rank(
        self, entrants: Entrants, records: Records, *, today: int = 0, for_pairing: bool = False
    ) -> list[RankedPlayer]:
        """Return the final ranking with its ex aequo (§9), or the intermediate one.

        The intermediate one ends with the initial place (§5) and leaves PPM out just after the
        fixed table (§6.2).
        """
        with_ppm = not for_pairing or self._uses_ppm(entrants, today)
        return self.standing(entrants, records, with_ppm=with_ppm, with_initial=for_pairing)

    def _uses_ppm(self, entrants: Entrants, number: int) -> bool:
        fixed = self.fixed_rounds(entrants)
        return self.fixed_phase_uses_ppm or not fixed or number != fixed + 1

    def table_of(self, entrants: Entrants) -> FixedTable | None:
        """Return the fixed table (§6.2) for the players entered from the start, X included."""
        return table_for(sum(e.joined <= 1 for e in entrants), self.replaced_tables())

    def fixed_rounds(self, entrants: Entrants) -> int:
        """Return how many rounds are predetermined."""
        table = self.table_of(entrants)
        return 0 if table is None else len(table.rounds)

    def pair_round(
        self, entrants: Entrants, records: Records, *, available: Available = None, today: int = 0
    ) -> Pairing:
        """Pair the round `today` over the players present (§6, §8); 0 is the round after the last.

        An absent player is left out of this round's ranking and pairing, and returns with the same
        points.
        """
        number = next_number(records, today)
        present = [
            entrant
            for entrant in entrants
            if (available is None or entrant.player in available) and entrant.joined <= number
        ]
        met = self.met(records)
        fixed = self.fixed_rounds(entrants)
        lines = self.standing(present, records, with_ppm=self._uses_ppm(entrants, number))
        order = [line.player for line in lines]
        points = {line.player: self.points_in_groups(line) for line in lines}
        if number <= fixed:
            return self._pair_table(entrants, order, points, met, number)
        if number == 1 and sum(e.joined <= 1 for e in entrants) >= LARGE_FROM:
            pairs = tuple(
                Pair(first, second, ROUND1, second) for first, second in first_round_large(order)
            )
            return _pairing(order, pairs, met, self.strategy)
        return self.pair_ranked(order, points, met)

    def pair_ranked(self, order: Sequence[PlayerId], pm: Points, met: Met) -> Pairing:
        """Pair players already in order (§6.1.2, §7); X is added last when they are odd.

        Under the literal rule, a pairing with fewer repeats is computed whenever it repeats a
        match, and is returned as `alternative`.
        """
        ranked = with_fictive(order)
        points = {**pm, FICTIVE: pm.get(FICTIVE, FICTIVE_PM)}
        if self.strategy == OPTIMAL:
            return _pairing(ranked, pair_ahead(ranked, points, met), met, OPTIMAL)
        literal = pair_literally(ranked, points, met)
        alternative = None
        if repeats_in(literal):
            ahead = pair_ahead(ranked, points, met)
            if repeats_in(ahead) < repeats_in(literal):
                alternative = _pairing(ranked, ahead, met, OPTIMAL)
        return _pairing(ranked, literal, met, STRICT, alternative)

    def _pair_table(
        self, entrants: Entrants, order: Sequence[PlayerId], pm: Points, met: Met, number: int
    ) -> Pairing:
        """Pair a predetermined round (§6.2).

        Its pairs are kept; players left without a partner are paired together by §7. X plays
        when the players present are odd.
        """
        table = self.table_of(entrants)
        assert table is not None
        founders = sorted(
            (entrant for entrant in entrants if entrant.joined <= 1), key=lambda e: e.initial
        )
        seats = with_fictive([entrant.player for entrant in founders])
        ranked = with_fictive(order)
        here = set(ranked)
        pairs: list[Pair] = []
        for one, two in table.rounds[number - 1]:
            first, second = seats[one - 1], seats[two - 1]
            if first in here and second in here:
                here -= {first, second}
                meeting = met.get(first, {}).get(second)
                pairs.append(Pair(first, second, TABLE, second, (), meeting))
        orphans = [player for player in ranked if player in here]
        points = {**pm, FICTIVE: FICTIVE_PM}
        walk = pair_ahead if self.strategy == OPTIMAL else pair_literally
        alone = walk(orphans, points, met)
        pairs += [pair._replace(reason=ORPHAN + pair.reason) for pair in alone]
        alternative = None
        if self.strategy != OPTIMAL and repeats_in(alone):
            ahead = pair_ahead(orphans, points, met)
            if repeats_in(ahead) < repeats_in(alone):
                kept = pairs[: len(pairs) - len(alone)]
                kept += [pair._replace(reason=ORPHAN + pair.reason) for pair in ahead]
                alternative = _pairing(ranked, kept, met, OPTIMAL, orphans=orphans)
        return _pairing(ranked, pairs, met, self.strategy, alternative, orphans)


def boards(pairing: Pairing) -> list[tuple[PlayerId, PlayerId, str]]:
    """Return every board (players, reason) in the order made, the fictive player's too."""
    rows = [(pair.first, pair.second, pair.reason) for pair in pairing.pairs]
    for bye in pairing.byes:
        rows.insert(bye.place, (bye.player, FICTIVE, bye.how))
    return rows


def _pairing(
    order: Sequence[PlayerId],
    pairs: Sequence[Pair],
    met: Met,
    strategy: str,
    alternative: Pairing | None = None,
    orphans: Sequence[PlayerId] = (),
) -> Pairing:
    """Return the pairing: boards with X become byes; what the arbiter must see becomes a warning."""
    real, byes = [], []
    warnings = []
    for place, pair in enumerate(pairs):
        if FICTIVE not in pair[:2]:
            real.append(pair)
            continue
        player = pair.second if pair.first == FICTIVE else pair.first
        times = byes_of(met, player)
        byes.append(Bye(player, FICTIVE_LAST, 0, times, pair.reason, place, pair.skipped))
        if times:
            warnings.append(Warned(SECOND_BYE, (player,)))
    if orphans:
        warnings.append(Warned(ORPHANS, tuple(p for p in orphans if p != FICTIVE)))
    if alternative is not None:
        repeated = [player for pair in pairs if pair.is_repeat for player in pair[:2]]
        warnings.append(Warned(AVOIDABLE_REPEAT, tuple(p for p in repeated if p != FICTIVE)))
    return Pairing(
        order=tuple(player for player in order if player != FICTIVE),
        pairs=tuple(real),
        byes=tuple(byes),
        warnings=tuple(warnings),
        strategy=strategy,
        alternative=alternative,
    )
