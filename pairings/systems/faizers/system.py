"""Ranking and pairing of the FAIZERS continuous ladder (002 II, III, VI)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Self

from clubs.rulebooks.fields import gettext_noop as _
from pairings.rules import scoring, tiebreaks
from pairings.rules.scoring import MatchRecord, Met, Records, Scale, Tally
from pairings.rules.tiebreaks import Criterion, RankedPlayer
from pairings.systems.base import PairingSystem
from pairings.systems.faizers.settings import (
    DUMMY_LAST,
    IGNORE,
    OPTIMAL,
    PARTIAL,
    STRICT,
    SUBGROUP,
    FaizersSettings,
)
from pairings.systems.matching.repairing import Pairs, Repeats, pair_ahead, pair_literally
from pairings.systems.protocol import (
    AVOIDABLE_REPEAT,
    EARLY_REPEAT,
    FEWEST_BYES,
    LEFT_UNPAIRED,
    LIMIT_EXCEEDED,
    LITERAL_BYE,
    NEEDS_ARBITER,
    Available,
    Bye,
    Entrants,
    Pairing,
    Warned,
)
from pairings.systems.wins_and_spread.ranking import WinsAndSpread
from ratings.systems.protocol import PlayerId

CRITERIA: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "pr": (_("PR"), "002 III.A.1"),
        "pdi": (_("PDI"), "002 II.B.1"),
        "ds": (_("DS"), "002 II.B.2"),
        "played": (_("matchs joués"), "002 II.C.1"),
        "form": (_("forme des six derniers mois"), "002 II.C.2"),
        "seniority": (_("date d’inscription"), "002 II.C.3"),
        "initial": (_("classement initial"), "002 II.C.3"),
        "id": (_("numéro de membre"), "002 II.C"),
    }
)
"""The ranking's criteria in order, with their page labels and articles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaizersPairing(FaizersSettings, PairingSystem):
    """Ranking by PR, PDI, DS and history; pairing of best against lowest, without repeats."""

    code: ClassVar[str] = "faizers"
    label: ClassVar[str] = _("Échelle FAIZERS")
    document: ClassVar[str] = "002"
    ranks_by: ClassVar[str] = _("par PR, PDI et DS")
    unit: ClassVar[str] = "PR"

    # A tournament may rank by wins and spread; the club's season never does.
    wins_and_spread: WinsAndSpread | None = None

    def looking_ahead(self) -> Self:
        """Return the same ladder with the other strategy (III.B)."""
        return replace(self, strategy=OPTIMAL)

    def scale(self) -> Scale:
        """Return the numbers of one match (II.A, II.B.2, II.B.3)."""
        weights = dict(self.ds_weights)
        return Scale(
            win=self.pr_win,
            draw=self.pr_draw,
            loss=self.pr_loss,
            absent=self.pr_absent,
            forfeit_win=self.pr_forfeit_win,
            bye=self.pr_bye,
            ds_signed=self.ds_signed,
            forfeit_ds=self.forfeit_ds,
            bye_ds=self.bye_ds,
            played_weight=weights[scoring.PLAYED],
            forfeit_weight=weights[scoring.FORFEIT],
            bye_weight=weights[scoring.BYE],
        )

    def rank(
        self, entrants: Entrants, records: Records, *, today: int, for_pairing: bool = False
    ) -> list[RankedPlayer]:
        """Return everybody in order (II.C), or in the pairing order, without form (III.A.4)."""
        if self.wins_and_spread is not None:
            return self.wins_and_spread.standing(entrants, records)
        criteria = self.criteria(entrants, records, today=today, for_pairing=for_pairing)
        return tiebreaks.rank([entrant.player for entrant in entrants], criteria)

    def criteria(
        self, entrants: Entrants, records: Records, *, today: int, for_pairing: bool = False
    ) -> list[Criterion]:
        """Return PR, PDI, DS, matches played, form, seniority, initial rank, id (II.B, II.C)."""
        scale = self.scale()
        tallies = scoring.tallies(
            records, scale, forfeits_count_in_duels=self.forfeit_counts_as_met_pdi
        )
        nothing = Tally()
        by_player = {entrant.player: tallies.get(entrant.player, nothing) for entrant in entrants}
        each = _own_value
        return [
            each("pr", {player: tally.pr for player, tally in by_player.items()}),
            self._pdi({player: tally.duels for player, tally in by_player.items()}),
            each("ds", {player: tally.ds(self.ds_mode) for player, tally in by_player.items()}),
            each("played", {player: tally.played for player, tally in by_player.items()}),
            each(
                "form",
                {
                    player: scoring.form(tally.scores, today=today, window=self.form_window_days)
                    for player, tally in by_player.items()
                },
                orders=not for_pairing,
            ),
            each("seniority", {e.player: e.joined for e in entrants}, descending=False),
            each("initial", {e.player: e.initial for e in entrants}, descending=False),
            each("id", {e.player: e.player for e in entrants}, descending=False),
        ]

    def _pdi(self, duels: tiebreaks.Duels) -> Criterion:
        """Return the points of direct meetings among players level on PR (II.B.1, VI.2)."""
        ignored = {frozenset(group) for group in self.pdi_ignore_groups}

        def values(group: tiebreaks.Group) -> tiebreaks.Values:
            if self.pdi_policy == IGNORE or (ignored and frozenset(group) in ignored):
                return {}
            if tiebreaks.have_all_met(group, duels):
                return tiebreaks.points_between(group, duels, several=self.pdi_multi)
            if self.pdi_policy == PARTIAL:
                return tiebreaks.mean_between(group, duels, several=self.pdi_multi)
            return {}

        def runs(ordered: tiebreaks.Group) -> list[tiebreaks.Group]:
            if self.pdi_policy != SUBGROUP or frozenset(ordered) in ignored:
                return []
            complete_runs = tiebreaks.complete_runs(ordered, duels)
            return [run for run in complete_runs if frozenset(run) not in ignored]

        return Criterion(
            name="pdi",
            label=CRITERIA["pdi"][0],
            article=CRITERIA["pdi"][1],
            values=values,
            of_group=True,
            runs=runs,
        )

    def pdi_groups(
        self, entrants: Entrants, records: Records, *, today: int
    ) -> list[tuple[tuple[PlayerId, ...], bool]]:
        """Return the tied groups in which the PDI parts somebody: (players, is it the whole tie?).

        A whole tie is listed too when the PDI only orders a sub-group of it: ignoring the PDI of
        the whole ignores it in each part (II.B.1).
        """
        criteria = self.criteria(entrants, records, today=today)
        pdi = next(criterion for criterion in criteria if criterion.name == "pdi")
        asked: list[tuple[PlayerId, ...]] = []
        parts: dict[tuple[PlayerId, ...], list[tuple[PlayerId, ...]]] = {}

        def values(group: tiebreaks.Group) -> tiebreaks.Values:
            asked.append(tuple(group))
            return pdi.values(group)

        def runs(ordered: tiebreaks.Group) -> list[tiebreaks.Group]:
            assert pdi.runs is not None
            subgroups = list(pdi.runs(ordered))
            parts[tuple(sorted(ordered, key=str))] = [tuple(run) for run in subgroups]
            return subgroups

        watched = [
            replace(criterion, values=values, runs=runs) if criterion is pdi else criterion
            for criterion in criteria
        ]
        tiebreaks.rank([entrant.player for entrant in entrants], watched)
        inside = {run for subgroups in parts.values() for run in subgroups}
        groups = []
        for group in asked:
            pdi_values = set(pdi.values(group).values())
            part = [
                run
                for run in parts.get(tuple(sorted(group, key=str)), [])
                if len(set(pdi.values(run).values())) > 1
            ]
            if part or (len(pdi_values) > 1 and group not in inside):
                groups.append((group, True))
            groups += [(run, False) for run in part if len(run) < len(group)]
        return groups

    def pair_round(
        self, entrants: Entrants, records: Records, *, available: Available = None, today: int = 0
    ) -> Pairing:
        """Pair one round: rank, keep the available players, choose the bye, pair (III).

        `available` None means everybody. `records` are the season's final matches in the order they
        were assigned.
        """
        lines = self.rank(entrants, records, today=today, for_pairing=True)
        here = None if available is None else frozenset(available)
        order = [line.player for line in lines if here is None or line.player in here]
        bye = self.choose_bye(order, records) if len(order) % 2 else None
        paired_over = [player for player in order if bye is None or player != bye.player]
        return _with_bye(self.pair_ranked(paired_over, self.met(records)), tuple(order), bye)

    def met(self, records: Records) -> Met:
        """Return who met whom, for pairing."""
        return scoring.meetings(records, forfeits_count=self.forfeit_counts_as_met_pairing)

    def choose_bye(self, order: Sequence[PlayerId], records: Records) -> Bye:
        """Return who meets the fictive player (II.B.3, VI.5).

        Among those below the limit of consecutive byes: the lowest of those with the fewest byes,
        or literally the best ranked. If nobody is below it: the shortest run first.
        """
        runs, byes = bye_counts(records)
        below = [p for p in order if runs.get(p, 0) < self.max_consecutive_byes]
        reason = LITERAL_BYE if self.bye_policy == DUMMY_LAST else FEWEST_BYES
        if not below:
            shortest = min(runs.get(player, 0) for player in order)
            below = [player for player in order if runs.get(player, 0) == shortest]
            reason = LIMIT_EXCEEDED
        if self.bye_policy == DUMMY_LAST:
            chosen = below[0]
        else:
            fewest = min(byes.get(player, 0) for player in below)
            chosen = [player for player in below if byes.get(player, 0) == fewest][-1]
        return Bye(chosen, reason, runs.get(chosen, 0), byes.get(chosen, 0))

    def pair_ranked(self, order: Sequence[PlayerId], met: Met) -> Pairing:
        """Pair players already in order (III.B). An odd one stays unpaired.

        Under the literal rule, a pairing with fewer repeats is computed whenever it repeats a
        match, and is returned as `alternative`.
        """
        repeats = Repeats(self.repeat_after, self.allow_early_repeat)
        if self.strategy == OPTIMAL:
            return _pairing(order, pair_ahead(order, met, repeats), OPTIMAL)
        literal = pair_literally(order, met, repeats)
        alternative = None
        if _not_new(literal):
            ahead = pair_ahead(order, met, repeats)
            if _not_new(ahead) < _not_new(literal):
                alternative = _pairing(order, ahead, OPTIMAL)
        return _pairing(order, literal, STRICT, alternative)


def _not_new(matched: Pairs) -> int:
    """Return how many pairs repeat a match, or are missing for lack of a new opponent."""
    pairs, unpaired = matched
    return sum(pair.is_repeat for pair in pairs) + len(unpaired) // 2


def _own_value(
    name: str, table: tiebreaks.Values, *, descending: bool = True, orders: bool = True
) -> Criterion:
    return tiebreaks.of_each(name, *CRITERIA[name], table, descending=descending, orders=orders)


def _pairing(
    order: Sequence[PlayerId], matched: Pairs, strategy: str, alternative: Pairing | None = None
) -> Pairing:
    pairs, unpaired = matched
    warnings = [
        Warned(NEEDS_ARBITER, (pair.first, pair.second))
        for pair in pairs
        if pair.reason == EARLY_REPEAT
    ]
    if unpaired:
        warnings.append(Warned(LEFT_UNPAIRED, tuple(unpaired)))
    if alternative is not None:
        warnings.append(Warned(AVOIDABLE_REPEAT))
    return Pairing(
        order=tuple(order),
        pairs=tuple(pairs),
        unpaired=tuple(unpaired),
        warnings=tuple(warnings),
        strategy=strategy,
        alternative=alternative,
    )


def _with_bye(pairing: Pairing, order: tuple[PlayerId, ...], bye: Bye | None) -> Pairing:
    """Return the pairing of everybody else with the bye added, in the alternative too."""
    byes = () if bye is None else (bye,)
    warnings = pairing.warnings
    if bye is not None and not bye.within_limit:
        warnings = (*warnings, Warned(LIMIT_EXCEEDED, (bye.player,)))
    alternative = pairing.alternative
    if alternative is not None:
        alternative = _with_bye(alternative, order, bye)
    return replace(pairing, order=order, byes=byes, warnings=warnings, alternative=alternative)


def bye_counts(
    records: Iterable[MatchRecord],
) -> tuple[dict[PlayerId, int], dict[PlayerId, int]]:
    """Return each player's byes in a row up to now, and in all (VI.5).

    In a row on the player's own assigned matches: a match played or missed ends the run, an
    annulled one does not, nor does a day on which the player was absent.
    """
    runs: dict[PlayerId, int] = {}
    byes: dict[PlayerId, int] = {}
    for record in records:
        if record.kind == scoring.BYE:
            runs[record.first] = runs.get(record.first, 0) + 1
            byes[record.first] = byes.get(record.first, 0) + 1
        elif record.kind != scoring.CANCELLED:
            for player in record.players():
                runs[player] = 0
    return runs, byes
