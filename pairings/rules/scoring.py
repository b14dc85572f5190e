"""Points of one match: PR (002 II.A) and DS (002 II.B.2), exact, for any two-player game.

Plain values in, plain values out. Rankings, pairing and the pages all take their points from
`points_of`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ratings.systems.protocol import PlayerId
from ratings.systems.score_difference import ds_of_match

Number = int | Fraction

PLAYED = "played"
ABSENT = "absent"
BYE = "bye"
CANCELLED = "cancelled"
PENDING = "pending"
"""A board without a result yet: who plays whom is known, when a round is paired during another."""

FIRST_ABSENT = "a"
SECOND_ABSENT = "b"
BOTH_ABSENT = "both"
ABSENCES = (FIRST_ABSENT, SECOND_ABSENT, BOTH_ABSENT)

PDI_WIN, PDI_DRAW, PDI_LOSS, PDI_ABSENT = 3, 2, 1, 0
"""The document's own table of a direct match (002 II.B.1): the committee's PR do not change it."""

FORFEIT = "forfeit"
"""The kind under which a win against an absent player is weighted."""


class MatchRecord(NamedTuple):
    """One final match as the rules read it.

    `second` is None for a bye. `absent` is "a", "b" or "both" when `kind` is "absent"; `justified`
    says that the committee excused it. `day` is `date.toordinal()` of the play date (any whole day
    count will do; a tournament counts its rounds). `key` names the match on a page (its id, its
    round). `games`: the scores game by game where a match has several (004). `scale`: the points of
    the rule version that the match was played under, if it is another one.
    """

    first: PlayerId
    second: PlayerId | None
    kind: str = PLAYED
    first_score: int | None = None
    second_score: int | None = None
    absent: str = ""
    justified: bool = False
    day: int = 0
    key: str = ""
    games: tuple[tuple[int, int], ...] = ()
    scale: Scale | None = None

    def absentees(self) -> tuple[PlayerId, ...]:
        """Return the absent players, first seat first; nobody unless the match ended by absence."""
        if self.kind != ABSENT:
            return ()
        if self.absent == FIRST_ABSENT:
            return (self.first,)
        if self.absent == SECOND_ABSENT:
            return (self.second,)
        return (self.first, self.second)

    def players(self) -> tuple[PlayerId, ...]:
        """Return the players at the table, first seat first."""
        return (self.first,) if self.second is None else (self.first, self.second)


Records = Sequence[MatchRecord]


class Points(NamedTuple):
    """Points of a match for one of its players.

    `ds` is None where the match gives no DS (absent, annulled); `weight` is its weight in the
    cumulated DS; `counted`: the match was actually played (II.C.1).
    """

    pr: Number
    ds: Number | None
    weight: Number
    counted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The committee's numbers for one match: PR 3/2/1/0, DS of byes and forfeits, weights."""

    win: Number = 3
    draw: Number = 2
    loss: Number = 1
    absent: Number = 0
    forfeit_win: Number = 3
    bye: Number = 3
    ds_signed: bool = True
    forfeit_ds: Number | None = 50
    bye_ds: Number | None = 50
    played_weight: Number = 1
    forfeit_weight: Number = 1
    bye_weight: Number = 1


class RecordRefused(ValueError):
    """An invalid match record. The text names the match and what is wrong."""


def points_of(record: MatchRecord, scale: Scale) -> tuple[Points, Points | None]:
    """Return PR and DS of both players (002 II.A, II.B.2, II.B.3); None for the fictive player."""
    if record.kind == PLAYED:
        return _played(record, scale)
    if record.kind == BYE:
        weight = scale.bye_weight if scale.bye_ds is not None else 0
        return Points(scale.bye, scale.bye_ds, weight, counted=False), None
    if record.kind == CANCELLED:
        nothing = Points(0, None, 0, counted=False)
        return nothing, nothing if record.second is not None else None
    if record.kind == ABSENT and record.absent in ABSENCES and record.second is not None:
        return _absent(record, scale)
    raise RecordRefused(
        f"match {record.key or record!r}: neither played, absent, bye nor cancelled"
    )


def _played(record: MatchRecord, scale: Scale) -> tuple[Points, Points]:
    first, second = record.first_score, record.second_score
    if first is None or second is None or record.second is None:
        raise RecordRefused(f"match {record.key or record!r}: played, but a score is missing")
    weight = scale.played_weight
    if first == second:
        drawn = Points(scale.draw, 0, weight, counted=True)
        return drawn, drawn
    ds = ds_of_match(max(first, second), min(first, second))
    winner = Points(scale.win, ds, weight, counted=True)
    # The loser's DS is −DS (IV.C "pénaliser les défaites sévères"), or 0 by the committee.
    loser = Points(scale.loss, -ds if scale.ds_signed else 0, weight, counted=True)
    return (winner, loser) if first > second else (loser, winner)


def _absent(record: MatchRecord, scale: Scale) -> tuple[Points, Points]:
    missing = Points(scale.absent, None, 0, counted=False)
    if record.absent == BOTH_ABSENT:
        void = Points(0, None, 0, counted=False)  # II.A.2: annulled, 0 PR each
        return void, void
    weight = scale.forfeit_weight if scale.forfeit_ds is not None else 0
    there = Points(scale.forfeit_win, scale.forfeit_ds, weight, counted=False)
    return (missing, there) if record.absent == FIRST_ABSENT else (there, missing)


class Meeting(NamedTuple):
    """The last time two players met, and how long ago for the pair.

    `since` is the smaller number of matches either has had since then; `times` how often they met;
    `day` and `key` are those of the last meeting, for the explanation.
    """

    since: int
    times: int
    day: int
    key: str


Met = Mapping[PlayerId, Mapping[PlayerId, Meeting]]


def meetings(records: Iterable[MatchRecord], *, forfeits_count: bool = True) -> Met:
    """Return who met whom, both ways, from the matches in the order they were assigned.

    A forfeit is a meeting for pairing unless the committee says otherwise; a double absence, a
    bye and an annulled match never are. The same matches, and no others, are counted in `since`: a
    match that did not take place does not shorten the delay before a second meeting.
    """
    had: dict[PlayerId, int] = {}
    last: dict[PlayerId, dict[PlayerId, tuple[int, int, int, int, str]]] = {}
    for record in records:
        first, second = record.first, record.second
        if second is None or not is_meeting(record, forfeits_count):
            continue
        count_first = had[first] = had.get(first, 0) + 1
        count_second = had[second] = had.get(second, 0) + 1
        others = last.setdefault(first, {})
        times = others[second][2] + 1 if second in others else 1
        others[second] = (count_first, count_second, times, record.day, record.key)
        last.setdefault(second, {})[first] = (
            count_second,
            count_first,
            times,
            record.day,
            record.key,
        )
    return {
        player: {
            other: Meeting(min(had[player] - mine, had[other] - theirs), times, day, key)
            for other, (mine, theirs, times, day, key) in others.items()
        }
        for player, others in last.items()
    }


def is_meeting(record: MatchRecord, forfeits_count: bool) -> bool:
    """Return whether the two met: they play or played, or a forfeit counts as a meeting."""
    if record.kind in (PLAYED, PENDING):
        return True
    return forfeits_count and record.kind == ABSENT and record.absent != BOTH_ABSENT


SUM, MEAN = "sum", "mean"


class _Part:
    """Contribution of a player's matches under one scale to the DS."""

    __slots__ = ("byes", "ds_by_loser", "forfeits", "played", "scale", "whole")

    def __init__(self, scale: Scale) -> None:
        self.scale = scale
        self.played = 0
        self.forfeits = 0
        self.byes = 0
        self.whole = 0
        self.ds_by_loser: dict[int, int] = {}

    def total_and_weight(self) -> tuple[Number, Number]:
        """Return the weighted DS of these matches and their weight."""
        scale = self.scale
        total: Number = (self.whole + self._fractions()) * scale.played_weight
        weight: Number = self.played * scale.played_weight
        if scale.forfeit_ds is not None:
            total += self.forfeits * scale.forfeit_ds * scale.forfeit_weight
            weight += self.forfeits * scale.forfeit_weight
        if scale.bye_ds is not None:
            total += self.byes * scale.bye_ds * scale.bye_weight
            weight += self.byes * scale.bye_weight
        return total, weight

    def _fractions(self) -> Number:
        above, below = 0, 1
        for loser, hundreds in self.ds_by_loser.items():
            above = above * loser + hundreds * below
            below *= loser
        return Fraction(above, below)


class Tally:
    """One player's season: PR, DS, matches, own scores, and points of each direct meeting.

    DS stays exact. `whole` adds the wins and defeats of 100 %; `ds_by_loser` adds ΔS×100 by the
    loser's score, the divisor, so that a season costs one Fraction instead of one a match. Forfeits
    won and byes are counted, and weighted when the DS is read. Each rule version has a part of
    its own: its matches keep its DS and weights.
    """

    __slots__ = ("_parts", "duels", "played", "pr", "scores")

    def __init__(self) -> None:
        self.pr: Number = 0
        self.played = 0
        self.scores: list[tuple[int, int]] = []
        self.duels: dict[PlayerId, list[Number]] = {}
        self._parts: dict[int, _Part] = {}

    def part(self, scale: Scale) -> _Part:
        """Return the matches under this scale, by identity: a scale is created once per version."""
        tally_part = self._parts.get(id(scale))
        if tally_part is None:
            tally_part = self._parts[id(scale)] = _Part(scale)
        return tally_part

    def ds(self, mode: str) -> Number:
        """Return the cumulated DS (002 II.B.2): sum, or mean weighted by kind of match.

        Without a match that gives a DS: 0 in both modes.
        """
        total: Number = 0
        weight: Number = 0
        for part in self._parts.values():
            added, own_weight = part.total_and_weight()
            total += added
            weight += own_weight
        if mode == MEAN:
            total = Fraction(total) / weight if weight else 0
        return plain(total)


def plain(value: Number) -> Number:
    """Return a whole Fraction as an int, so that a page never prints 4/1."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def tallies(
    records: Iterable[MatchRecord], scale: Scale, *, forfeits_count_in_duels: bool = False
) -> dict[PlayerId, Tally]:
    """Return everybody's season, in one pass.

    Equal to adding `points_of` match by match (tested).
    """
    by_player: dict[PlayerId, Tally] = {}
    for record in records:
        match_scale = record.scale or scale
        tally = by_player.get(record.first)
        if tally is None:
            tally = by_player[record.first] = Tally()
        if record.second is None:
            if record.kind == BYE:
                tally.part(match_scale).byes += 1
                tally.pr += match_scale.bye
            continue
        other = by_player.get(record.second)
        if other is None:
            other = by_player[record.second] = Tally()
        if record.kind == PLAYED:
            _add_played(record, tally, other, match_scale)
        elif record.kind == ABSENT:
            _add_absent(record, tally, other, match_scale, duel=forfeits_count_in_duels)
    return by_player


def _add_played(record: MatchRecord, own: Tally, other: Tally, scale: Scale) -> None:
    first, second, _, own_score, other_score, _, _, day, _, _, _ = record
    if own_score is None or other_score is None:
        raise RecordRefused(f"match {record.key or record!r}: played, but a score is missing")
    own.scores.append((day, own_score))
    other.scores.append((day, other_score))
    own.played += 1
    other.played += 1
    own_part, other_part = own.part(scale), other.part(scale)
    own_part.played += 1
    other_part.played += 1
    if own_score == other_score:
        own_pr = other_pr = scale.draw
        own_pdi = other_pdi = PDI_DRAW
    elif own_score > other_score:
        own_pr, other_pr = scale.win, scale.loss
        own_pdi, other_pdi = PDI_WIN, PDI_LOSS
        _add_ds(own_part, other_part, own_score - other_score, other_score, signed=scale.ds_signed)
    else:
        own_pr, other_pr = scale.loss, scale.win
        own_pdi, other_pdi = PDI_LOSS, PDI_WIN
        _add_ds(other_part, own_part, other_score - own_score, own_score, signed=scale.ds_signed)
    own.pr += own_pr
    other.pr += other_pr
    own.duels.setdefault(second, []).append(own_pdi)
    other.duels.setdefault(first, []).append(other_pdi)


def _add_ds(winner: _Part, loser: _Part, margin: int, score: int, *, signed: bool) -> None:
    """Add min(100, ΔS/S×100), kept as ΔS×100 over S while it is a fraction (002 II.B.2)."""
    if margin >= score:  # also when the loser's score is 0 or less
        winner.whole += 100
        if signed:
            loser.whole -= 100
        return
    hundreds = 100 * margin
    winner.ds_by_loser[score] = winner.ds_by_loser.get(score, 0) + hundreds
    if signed:
        loser.ds_by_loser[score] = loser.ds_by_loser.get(score, 0) - hundreds


def _add_absent(record: MatchRecord, own: Tally, other: Tally, scale: Scale, *, duel: bool) -> None:
    pair = points_of(record, scale)
    own_points, other_points = pair[0], pair[1]
    if other_points is None or record.absent == BOTH_ABSENT or record.second is None:
        return
    own.pr += own_points.pr
    other.pr += other_points.pr
    there = other if record.absent == FIRST_ABSENT else own
    there.part(scale).forfeits += 1
    if duel:
        first, second = record.first, record.second
        own.duels.setdefault(second, []).append(PDI_WIN if there is own else PDI_ABSENT)
        other.duels.setdefault(first, []).append(PDI_WIN if there is other else PDI_ABSENT)


def form(scores: Iterable[tuple[int, int]], *, today: int, window: int) -> Number | None:
    """Return the mean of a player's own scores over the last `window` days (II.C.2).

    Six equal slices, the newest weighted most (6…1). `scores` are (day, own score); days after
    `today` and matches `window` days old or older are excluded. None without a match in the
    window.
    """
    total = weight = 0
    for day, score in scores:
        age = today - day
        if 0 <= age < window:
            worth = 6 - age * 6 // window
            total += worth * score
            weight += worth
    return plain(Fraction(total, weight)) if weight else None
