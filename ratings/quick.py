"""The preview of a correction in numbers: the walk of `ratings.forward` over packed periods.

For lists in which whole cotes and results decide. The event corrected is settled as ever; from
there on only cotes and numbers of games are followed, a row a period. Where that cannot be, the
answer is None and the ledger is walked. Property tests prove both equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from clubs import rulebook
from clubs.models import RuleBook
from ratings import differences
from ratings.calendar import Calendar, Place
from ratings.differences import Difference, Renumbered, TouchedPeriod
from ratings.forward import Forward
from ratings.numbers import BITS, HEAD, MASK, Packed, bit, packs, read_rows, system_code, unpack


class NotInNumbers(Exception):
    """Something on the way that numbers alone do not decide."""


def difference(calendar: Calendar) -> Difference | None:
    """The difference without its lines; None where the ledger must be walked."""
    system = system_code(calendar)
    touched = [n for n, place in enumerate(calendar.places) if place.touched]
    if len(touched) != 1 or calendar.correction.merged or not packs(system):
        return None
    first = calendar.places[touched[0]]
    if hasattr(system, "restated") and calendar.only_games(first) is None:
        return None
    walk = Walk(calendar)
    try:
        walk.begin(first)
        walk.follow(calendar.places[touched[0] + 1 :])
    except NotInNumbers:
        return None
    return walk.told()


@dataclass
class Walk:
    """`overlay`: (cote, games) of those whose numbers differ from the ledger's, at each moment."""

    calendar: Calendar
    overlay: dict[int, tuple[int, int]] = field(default_factory=dict)
    moved: dict[int, dict[date, int]] = field(default_factory=dict)
    periods: list[TouchedPeriod] = field(default_factory=list)

    def begin(self, place: Place) -> None:
        """Settle the corrected event itself, as the ledger's walk does."""
        self.mask = 0
        self.holders: dict[int, set[int]] = {}
        self.systems: dict[int | None, Any] = {}
        self.more: dict[int, tuple[int, int]] = {}
        self.walk = Forward(self.calendar)
        lines = [line for line in self.walk.at(place) if line.moved]
        for line in lines:
            self.moved[line.member_id] = {}
        if lines:
            label, held_on = lines[0].period_label, lines[0].held_on
            self.periods.append(TouchedPeriod(place.pk, label, held_on, len(lines)))
        for member, state in self.walk.overlay.items():
            stored = self.walk.stored[member]
            if state is None or type(state.rating) is not int:
                raise NotInNumbers
            games, events = (stored.games, stored.events) if stored is not None else (0, 0)
            self.more[member] = state.games - games, state.events - events
            self.moved[member] = {place.key[0]: state.rating}
            self._lay(member, (state.rating, state.games))

    def follow(self, places: Sequence[Place]) -> None:
        """Through every later period, until nobody differs any more."""
        for place, data, rule_book, label in self._rows(places):
            if not self.overlay:
                return
            hit = int.from_bytes(data[HEAD : HEAD + MASK], "little") & self.mask
            if not hit:
                continue
            packed = unpack(data)
            bumped = self._bumped(hit, packed)
            if not bumped:
                continue
            if packed.opaque:
                raise NotInNumbers
            entries = self._settle(place, packed, bumped, self._system(rule_book))
            if entries:
                self.periods.append(TouchedPeriod(place.pk, label, place.key[0], entries))

    def _rows(self, places: Sequence[Place]) -> Iterator[tuple[Place, Any, int | None, str]]:
        """The rows of the wanted places in order, more and more at once."""
        wanted = [place for place in places if place.wanted]
        if len(wanted) < len(places):
            raise NotInNumbers
        at, size = 0, 8
        while at < len(wanted):
            part = wanted[at : at + size]
            rows = read_rows([place.pk for place in part])
            for place in part:
                if place.pk not in rows:
                    raise NotInNumbers
                data, rule_book, label = rows[place.pk]
                yield place, data, rule_book, label
            at, size = at + size, min(2 * size, 256)

    def _bumped(self, hit: int, packed: Packed) -> list[int]:
        """The places of those who differ and take part, from the bits that both masks share."""
        found = []
        while hit:
            lowest = hit & -hit
            hit ^= lowest
            for member in self.holders[lowest.bit_length() - 1]:
                at = packed.place_of(member)
                if at >= 0:
                    found.append(at)
        return found

    def _settle(self, place: Place, packed: Packed, bumped: list[int], system: Any) -> int:
        """Those bumped and whom they met; how many entries change."""
        starts, opponents, halves = packed.starts, packed.opponents, packed.halves
        members, overlay = packed.members, self.overlay
        touched = set(bumped)
        for at in bumped:
            touched.update(opponents[starts[at] : starts[at + 1]])
        ratings: dict[int, int] = {}
        played: dict[int, int] = {}
        games: list[tuple[int, int, int]] = []
        for at in touched:
            for met in range(starts[at], starts[at + 1]):
                other = opponents[met]
                if other > at or other not in touched:
                    games.append((at, other, halves[met]))
                    if other not in ratings:
                        self._now(other, packed, ratings, played)
            if at not in ratings:
                self._now(at, packed, ratings, played)
        before = dict(played)
        moved = system.settle_numbers(ratings, games, played)
        entries = 0
        for at in touched:
            rating = moved[at]
            own = starts[at + 1] - starts[at]
            same_before = ratings[at] == packed.before[at] and before[at] == packed.played[at]
            same_after = rating == packed.after[at] and before[at] == packed.played[at]
            if same_before and same_after:
                continue
            entries += 1
            member = members[at]
            self.moved.setdefault(member, {})[place.key[0]] = rating
            if same_after:
                self._drop(member)
            else:
                overlay[member] = rating, before[at] + own
                self._lay(member, overlay[member])
        return entries

    def _now(
        self, at: int, packed: Packed, ratings: dict[int, int], played: dict[int, int]
    ) -> None:
        held = self.overlay.get(packed.members[at])
        ratings[at], played[at] = (packed.before[at], packed.played[at]) if held is None else held

    def _lay(self, member: int, numbers: tuple[int, int]) -> None:
        self.overlay[member] = numbers
        self.mask |= bit(member)
        self.holders.setdefault(member % BITS, set()).add(member)

    def _drop(self, member: int) -> None:
        if self.overlay.pop(member, None) is None:
            return
        holders = self.holders[member % BITS]
        holders.discard(member)
        if not holders:
            self.mask &= ~bit(member)

    def _system(self, rule_book: int | None) -> Any:
        if rule_book not in self.systems:
            book = None if rule_book is None else RuleBook.objects.get(pk=rule_book)
            code = self.calendar.rating_list.system
            self.systems[rule_book] = rulebook.rules(book, code, "cote")
        return self.systems[rule_book]

    def told(self) -> Difference:
        """The whole difference. Who has not played since holds the state that was settled."""
        renumbered, finals = {}, {}
        for member, days in self.moved.items():
            rating, _games = self.overlay.get(member, (None, 0))
            games, events = self.more.get(member, (0, 0)) if member in self.overlay else (0, 0)
            renumbered[member] = Renumbered(rating, games, events, days)
            if member in self.overlay and member in self.walk.overlay:
                finals[member] = self.walk.overlay[member]
        return differences.told(
            self.calendar.rating_list, self.moved, finals, self.periods, renumbered=renumbered
        )
