"""Rankings by named criteria in a given order, with the criterion that parted each two neighbours.

A criterion is a function from a group of players to their values. Most give each player an
independent value (PR, DS, matches played); some depend on the tied group itself (PDI of 002 II.B.1,
PPM of 004 §4.1), and are computed again for every group that the criteria before them left tied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from pairings.rules.scoring import plain
from ratings.systems.protocol import PlayerId

Values = Mapping[PlayerId, Any]
Group = Sequence[PlayerId]
Duels = Mapping[PlayerId, Mapping[PlayerId, Sequence[int | Fraction]]]
"""Each player's points of every meeting with each opponent, in the order played."""

MEAN, SUM, LAST = "mean", "sum", "last"


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One line of the rules' list of tie-breaks.

    `values`: a group → the value of each of its players; a player left out has none, and comes
    after those who have one. `of_group`: the value depends on who is tied; it is then called for
    groups of two or more only, and an empty answer means "does not apply to this group". `runs`:
    for a group to which it does not apply, the neighbours (in the order that the later criteria
    give) to which it does (002 VI.2). `orders=False` only shows the value.
    """

    name: str
    label: str
    article: str
    values: Callable[[Group], Values]
    descending: bool = True
    of_group: bool = False
    orders: bool = True
    runs: Callable[[Group], Iterable[Group]] | None = None


@dataclass(frozen=True, slots=True)
class RankedPlayer:
    """One player's line. `values` by criterion name, None where there is none.

    `parted_by`: the first criterion on which this player differs from the one above; None on the
    first line and when nothing parts them: then `ex_aequo` is true and the rank shared.
    """

    rank: int
    player: PlayerId
    values: Mapping[str, Any]
    parted_by: str | None
    ex_aequo: bool


def rank(players: Iterable[PlayerId], criteria: Sequence[Criterion]) -> list[RankedPlayer]:
    """Order the players by the criteria, first to last.

    Players whom no criterion parts share a rank (1, 1, 3) and keep the order of the input: end the
    criteria with a unique one, or pass the players in a fixed order.
    """
    return _Ranking(tuple(players), criteria).lines()


class _Ranking:
    """A ranking in progress.

    Holds the values read so far and, for group criteria, the players compared.
    """

    def __init__(self, players: Group, criteria: Sequence[Criterion]) -> None:
        self.players = players
        self.criteria = criteria
        self.ordering = [criterion for criterion in criteria if criterion.orders]
        self.values: dict[str, dict[PlayerId, Any]] = {}
        self.compared: dict[str, dict[PlayerId, int]] = {}
        for criterion in criteria:
            if criterion.of_group:
                self.values[criterion.name] = {}
                self.compared[criterion.name] = {}
            else:
                self.values[criterion.name] = dict(criterion.values(players))

    def lines(self) -> list[RankedPlayer]:
        lines: list[RankedPlayer] = []
        above: PlayerId | None = None
        read = [(criterion.name, self.values[criterion.name]) for criterion in self.criteria]
        for place, player in enumerate(self._part(self.players, 0), start=1):
            parted_by = self._parted_by(above, player) if lines else None
            ex_aequo = bool(lines) and parted_by is None
            lines.append(
                RankedPlayer(
                    lines[-1].rank if ex_aequo else place,
                    player,
                    {name: values.get(player) for name, values in read},
                    parted_by,
                    ex_aequo,
                )
            )
            above = player
        return lines

    def _part(self, group: Group, depth: int) -> Group:
        """Return the group in order, by the criteria from `depth` on."""
        if len(group) < 2 or depth == len(self.ordering):
            return group
        criterion = self.ordering[depth]
        values: Mapping[PlayerId, Any] = self.values[criterion.name]
        if criterion.of_group:
            values = criterion.values(group)
            if not values:
                return self._runs(criterion, self._part(group, depth + 1))
            self._note(criterion, group, values)
        parted: list[PlayerId] = []
        for tied in _tied_groups(group, values, descending=criterion.descending):
            parted.extend(self._part(tied, depth + 1))
        return parted

    def _runs(self, criterion: Criterion, ordered: Group) -> Group:
        """Apply the criterion to the neighbours it holds for; keep everybody else in place."""
        if criterion.runs is None:
            return ordered
        places = {player: place for place, player in enumerate(ordered)}
        result = list(ordered)
        for run in criterion.runs(ordered):
            values = criterion.values(run)
            self._note(criterion, run, values)
            start = places[run[0]]
            tied_groups = _tied_groups(run, values, descending=criterion.descending)
            result[start : start + len(run)] = [player for tied in tied_groups for player in tied]
        return result

    def _note(self, criterion: Criterion, group: Group, values: Values) -> None:
        token = len(self.compared[criterion.name])
        for player in group:
            self.values[criterion.name][player] = values.get(player)
            self.compared[criterion.name][player] = token

    def _parted_by(self, above: PlayerId | None, player: PlayerId) -> str | None:
        for criterion in self.ordering:
            if criterion.of_group:
                groups = self.compared[criterion.name]
                if player not in groups or groups.get(above) != groups[player]:
                    continue
            values = self.values[criterion.name]
            if values.get(above) != values.get(player):
                return criterion.name
        return None


def _tied_groups(group: Group, values: Values, *, descending: bool) -> Iterator[Group]:
    """Split the group into players of equal value, best first, those without a value last."""
    valued = [player for player in group if values.get(player) is not None]
    valued.sort(key=values.__getitem__, reverse=descending)
    for _value, tied in groupby(valued, key=values.__getitem__):
        yield list(tied)
    if len(valued) < len(group):
        yield [player for player in group if values.get(player) is None]


def of_each(
    name: str,
    label: str,
    article: str,
    table: Values,
    *,
    descending: bool = True,
    orders: bool = True,
) -> Criterion:
    """Return a criterion read from a table of each player's value."""
    return Criterion(
        name=name,
        label=label,
        article=article,
        values=lambda group: {p: table[p] for p in group if table.get(p) is not None},
        descending=descending,
        orders=orders,
    )


def of_meetings(name: str, label: str, article: str, duels: Duels, *, several: str) -> Criterion:
    """Return a criterion of the points between tied players, where all of them have met."""

    def values(group: Group) -> Values:
        if not have_all_met(group, duels):
            return {}
        return points_between(group, duels, several=several)

    return Criterion(name=name, label=label, article=article, values=values, of_group=True)


def have_all_met(group: Group, duels: Duels) -> bool:
    """Return whether each player of the group has met every other one (002 II.B.1, 004 §4.1)."""
    for place, player in enumerate(group):
        met = duels.get(player, {})
        if len(met) < len(group) - 1:
            return False
        if not all(other in met for other in group[place + 1 :]):
            return False
    return True


def first_not_met(group: Group, duels: Duels) -> tuple[PlayerId, PlayerId] | None:
    """Return the best placed two of the group who have not met, for the explanation.

    None if all have.
    """
    for place, player in enumerate(group):
        for other in group[place + 1 :]:
            if other not in duels.get(player, {}):
                return player, other
    return None


def points_between(group: Group, duels: Duels, *, several: str = MEAN) -> dict[PlayerId, Any]:
    """Return each player's points against the others of the group, over the pairs that exist.

    A pair met several times counts by the mean of its meetings, their sum or the last.
    Players who met nobody of the group are left out.
    """
    points: dict[PlayerId, Any] = {}
    for player in group:
        met = duels.get(player, {})
        pairs = [_of_pair(met[other], several) for other in group if other in met]
        if pairs:
            points[player] = plain(sum(pairs))
    return points


def mean_between(group: Group, duels: Duels, *, several: str = MEAN) -> dict[PlayerId, object]:
    """Return the same as a mean over the opponents met, for an incomplete group."""
    met = {player: duels.get(player, {}) for player in group}
    return {
        player: plain(Fraction(total) / sum(1 for other in group if other in met[player]))
        for player, total in points_between(group, duels, several=several).items()
    }


def complete_runs(ordered: Group, duels: Duels) -> Iterator[Group]:
    """Return the sub-groups of neighbours who have all met (002 VI.2).

    A sub-group is everybody linked by meetings, A met B met C; it counts when all of them have met
    (A met C too) and have consecutive places. A chain does not determine the order of its ends, and
    players apart would make cycles: A before B by PDI, B before C and C before A by DS.
    """
    places = {player: place for place, player in enumerate(ordered)}
    seen: set[PlayerId] = set()
    for player in ordered:
        if player in seen:
            continue
        linked = _linked(player, places, duels)
        seen |= linked
        first = places[player]
        run = ordered[first : first + len(linked)]
        if len(run) > 1 and have_all_met(run, duels):  # so they are the linked ones
            yield run


def _linked(player: PlayerId, among: Mapping[PlayerId, int], duels: Duels) -> set[PlayerId]:
    """Return everybody of the group linked to this player by a chain of meetings."""
    linked, fresh = {player}, [player]
    while fresh:
        met = duels.get(fresh.pop(), {})
        new = [other for other in met if other in among and other not in linked]
        linked.update(new)
        fresh.extend(new)
    return linked


def _of_pair(points: Sequence[int | Fraction], several: str) -> int | Fraction:
    if len(points) == 1 or several == LAST:
        return points[-1]
    total = sum(points)
    return total if several == SUM else Fraction(total) / len(points)
