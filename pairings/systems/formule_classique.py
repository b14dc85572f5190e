"""Tournaments by the Formule Classique: number of matches, rankings, pairings (004).

A tournament counts its rounds where a ladder counts its days: `MatchRecord.day` is the round in
which the match was played, `today` the round to pair, `Entrant.joined` the first round of a late
arrival (0 or 1: from the start), `Entrant.initial` the place in the frozen initial ranking.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from clubs.rule_fields import gettext_noop as _
from pairings import scoring, standings
from pairings.scoring import MatchRecord, Meeting, Met
from pairings.standings import Criterion, Line
from pairings.systems.base import (
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
    Bye,
    Entrant,
    Pair,
    Pairing,
    Warned,
)
from pairings.systems.formule_classique_points import MatchPoints, PointScale, points_of
from pairings.systems.formule_classique_settings import OPTIMAL, STRICT, FormuleClassiqueSettings
from pairings.systems.formule_classique_start import (
    FICTIVE,
    FICTIVE_PM,
    LARGE_FROM,
    first_round_large,
    rounds_for,
    with_fictive,
)
from pairings.systems.formule_classique_tables import FixedTable, table_for
from pairings.systems.formule_classique_walk import pair_ahead, pair_literally, repeats_in
from ratings.systems.base import PlayerId

CRITERIA: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "pm": (_("PM"), "004 §3"),
        "ppm": (_("PPM"), "004 §4.1"),
        "pdep": (_("Pdep"), "004 §4.2"),
        "initial": (_("classement initial"), "004 §5"),
    }
)
"""The ranking's criteria in order: what a page calls them, and their article."""

_WORDS: Mapping[str, str] = {
    DIRECT: _("premier du groupe contre le dernier, ou le premier du groupe suivant"),
    UP: _("déjà rencontré : remontée dans le classement"),
    DOWN: _("déjà rencontré, remontée sans solution : descente dans le classement"),
    KEPT: _("tous les joueurs libres ont déjà été rencontrés : match maintenu"),
    REPEAT: _("répétition inévitable dans cette ronde"),
}


class Tie(NamedTuple):
    """Players level on PM: whether §4.1 gave them PPM, or two of them who have not met."""

    players: tuple[PlayerId, ...]
    pm: int
    has_ppm: bool
    not_met: tuple[PlayerId, PlayerId] | None
    ex_aequo: tuple[tuple[PlayerId, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormuleClassique(FormuleClassiqueSettings):
    """Ranking by PM, PPM, Pdep; first against last in each group of PM, with permutations."""

    code: ClassVar[str] = "formule_classique"
    label: ClassVar[str] = _("Formule Classique")
    document: ClassVar[str] = "004"
    reasons: ClassVar[Mapping[str, str]] = MappingProxyType({**REASONS, **_WORDS})

    def rounds_of(self, entries: int) -> int:
        """The imposed number of matches (C2, C18), or the document's (§1)."""
        return rounds_for(entries) if self.rounds is None else self.rounds

    def points_of(self, record: MatchRecord) -> tuple[MatchPoints, MatchPoints | None]:
        """PM and Pdep of one match (§3, §4.2)."""
        return points_of(record, self._scale())

    def _scale(self) -> PointScale:
        return PointScale(self.pdep_cap, self.forfeit_win_pdep, self.forfeit_loss_pdep)

    def rank(
        self,
        entrants: Sequence[Entrant],
        records: Sequence[MatchRecord],
        *,
        today: int = 0,
        for_pairing: bool = False,
    ) -> list[Line]:
        """The final ranking with its ex aequo (§9), or the intermediate one, which the initial
        place ends (§5) and which leaves PPM out just after the fixed table (§6.2, C13)."""
        fixed = self.fixed_rounds(entrants)
        without_ppm = for_pairing and not self.fixed_phase_uses_ppm and fixed == today - 1 and fixed
        ordered = sorted(entrants, key=lambda entrant: entrant.initial)
        criteria = self.criteria(
            ordered, records, with_ppm=not without_ppm, with_initial=for_pairing
        )
        return standings.rank([entrant.player for entrant in ordered], criteria)

    def criteria(
        self,
        entrants: Sequence[Entrant],
        records: Sequence[MatchRecord],
        *,
        with_ppm: bool = True,
        with_initial: bool = True,
    ) -> list[Criterion]:
        """PM, PPM, Pdep and the initial place, which the final ranking only shows (§5, §9)."""
        pm, pdep = self.totals(entrants, records)
        initial = {entrant.player: entrant.initial for entrant in entrants}
        each = standings.of_each
        return [
            each("pm", *CRITERIA["pm"], pm),
            *([self._ppm(records)] if with_ppm else []),
            each("pdep", *CRITERIA["pdep"], pdep),
            each("initial", *CRITERIA["initial"], initial, descending=False, orders=with_initial),
        ]

    def totals(
        self, entrants: Sequence[Entrant], records: Sequence[MatchRecord]
    ) -> tuple[dict[PlayerId, int], dict[PlayerId, int]]:
        """Everybody's PM and Pdep so far. A round without a match brings nothing (C15, C16)."""
        pm = {entrant.player: 0 for entrant in entrants}
        pdep = dict.fromkeys(pm, 0)
        scale = self._scale()
        for record in records:
            sides = (record.first, record.second)
            for player, points in zip(sides, points_of(record, scale), strict=True):
                if points is not None and player in pm:
                    pm[player] += points.pm
                    pdep[player] += points.pdep
        return pm, pdep

    def duels(self, records: Sequence[MatchRecord]) -> standings.Duels:
        """Each player's PM in his meetings with each opponent; X is nobody (§4.1, C10)."""
        duels: dict[PlayerId, dict[PlayerId, list[int | Fraction]]] = {}
        scale = self._scale()
        for record in records:
            if record.second is None or not scoring.is_meeting(
                record, self.forfeit_counts_as_met_ppm
            ):
                continue
            first, second = points_of(record, scale)
            duels.setdefault(record.first, {}).setdefault(record.second, []).append(first.pm)
            if second is not None:
                duels.setdefault(record.second, {}).setdefault(record.first, []).append(second.pm)
        return duels

    def ppm_of(
        self, group: Sequence[PlayerId], records: Sequence[MatchRecord]
    ) -> standings.Values | None:
        """PPM of players level on PM if all of them have met, else None for all (§4.1)."""
        return dict(self._ppm(records).values(group)) or None

    def _ppm(self, records: Sequence[MatchRecord]) -> Criterion:
        """Those whom it leaves tied go to the Pdep, it is not asked again (C12)."""
        duels = self.duels(records)

        def values(group: standings.Group) -> standings.Values:
            if not standings.have_all_met(group, duels):
                return {}
            return standings.points_between(group, duels, several=self.ppm_multi)

        label, article = CRITERIA["ppm"]
        return Criterion(name="ppm", label=label, article=article, values=values, of_group=True)

    def ties(self, lines: Sequence[Line], records: Sequence[MatchRecord]) -> list[Tie]:
        """What decided, or could not, among players level on PM: for the page of a ranking."""
        duels = self.duels(records)
        groups: dict[int, list[Line]] = {}
        for line in lines:
            groups.setdefault(line.values["pm"], []).append(line)
        found = []
        for pm, tied in groups.items():
            if len(tied) > 1:
                players = tuple(line.player for line in tied)
                shared: dict[int, list[PlayerId]] = {}
                for line in tied:
                    shared.setdefault(line.rank, []).append(line.player)
                found.append(
                    Tie(
                        players,
                        pm,
                        any(line.values.get("ppm") is not None for line in tied),
                        standings.first_not_met(players, duels),
                        tuple(tuple(same) for same in shared.values() if len(same) > 1),
                    )
                )
        return found

    def table_of(self, entrants: Sequence[Entrant]) -> FixedTable | None:
        """The fixed table of this tournament (§6.2): by those there from the start, X included."""
        return table_for(sum(e.joined <= 1 for e in entrants), self.replaced_tables())

    def fixed_rounds(self, entrants: Sequence[Entrant]) -> int:
        """How many rounds are predetermined."""
        table = self.table_of(entrants)
        return 0 if table is None else len(table.rounds)

    def met(self, records: Sequence[MatchRecord]) -> Met:
        """Who met whom, for pairing (C10). X is met like another: a second time is a repeat (C9)."""
        known = scoring.meetings(records, forfeits_count=self.forfeit_counts_as_met_pairing)
        met = {player: dict(others) for player, others in known.items()}
        for record in records:
            if record.kind == scoring.BYE:
                own = met.setdefault(record.first, {})
                times = own[FICTIVE].times + 1 if FICTIVE in own else 1
                met.setdefault(FICTIVE, {})[record.first] = own[FICTIVE] = Meeting(
                    0, times, record.day, record.key
                )
        return met

    def pair_round(
        self,
        entrants: Sequence[Entrant],
        records: Sequence[MatchRecord],
        *,
        available: Collection[PlayerId] | None = None,
        suspended: Collection[PlayerId] = (),
        today: int = 0,
    ) -> Pairing:
        """The round `today` over the players present (§6, §8); 0 is the round after the last.

        Who is absent is out of this round's ranking and pairing, and comes back as he left (C16).
        """
        number = today or 1 + max((record.day for record in records), default=0)
        present = [
            entrant
            for entrant in entrants
            if (available is None or entrant.player in available)
            and entrant.player not in suspended
            and entrant.joined <= number
        ]
        met = self.met(records)
        fixed = self.fixed_rounds(entrants)
        after_table = number == fixed + 1 and fixed > 0
        ordered = sorted(present, key=lambda entrant: entrant.initial)
        criteria = self.criteria(
            ordered, records, with_ppm=not after_table or self.fixed_phase_uses_ppm
        )
        lines = standings.rank([entrant.player for entrant in ordered], criteria)
        order = [line.player for line in lines]
        pm = {line.player: line.values["pm"] for line in lines}
        if number <= fixed:
            return self._pair_table(entrants, order, pm, met, number)
        if number == 1 and sum(e.joined <= 1 for e in entrants) >= LARGE_FROM:
            pairs = tuple(
                Pair(first, second, ROUND1, second) for first, second in first_round_large(order)
            )
            return _pairing(order, pairs, met, self.strategy)
        return self.pair_ranked(order, pm, met)

    def pair_ranked(
        self, order: Sequence[PlayerId], pm: Mapping[PlayerId, int], met: Met
    ) -> Pairing:
        """Pair players already in order (§6.1.2, §7); X is added last when they are odd.

        Under the literal rule, a pairing with fewer repeats is looked for whenever it repeats
        a match, and is given as `alternative`.
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
        self,
        entrants: Sequence[Entrant],
        order: Sequence[PlayerId],
        pm: Mapping[PlayerId, int],
        met: Met,
        number: int,
    ) -> Pairing:
        """A predetermined round (§6.2). Its pairs stay; who is left without a partner is paired
        with the others in the same case by §7 (C14). X plays when the players present are odd."""
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
    """Every board in the order it was made, the fictive player's too: who, whom, the reason."""
    found = [(pair.first, pair.second, pair.reason) for pair in pairing.pairs]
    for bye in pairing.byes:
        found.insert(bye.place, (bye.player, FICTIVE, bye.how))
    return found


def _pairing(
    order: Sequence[PlayerId],
    pairs: Sequence[Pair],
    met: Met,
    strategy: str,
    alternative: Pairing | None = None,
    orphans: Sequence[PlayerId] = (),
) -> Pairing:
    """Boards with X become byes; what the arbiter must see becomes a warning."""
    real, byes = [], []
    warnings = []
    for place, pair in enumerate(pairs):
        if FICTIVE not in pair[:2]:
            real.append(pair)
            continue
        player = pair.second if pair.first == FICTIVE else pair.first
        before = met.get(player, {}).get(FICTIVE)
        times = 0 if before is None else before.times
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
