"""The preview of a correction in numbers: the walk of `ratings.forward` over packed periods.

For lists in which whole cotes and results decide. Where the correction itself changes something,
the event is settled as ever (`Corner`); everywhere else only cotes and numbers of games are
followed, a row a period. Where that cannot be, the answer is None and the ledger is walked.
Property tests prove both equal.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import Any

from clubs import rulebook
from clubs.models import RuleBook
from ratings import differences
from ratings.calendar import Calendar, Key, Place
from ratings.differences import Difference, NotInNumbers, Renumbered, TouchedPeriod
from ratings.forward import Forward
from ratings.models import LedgerEntry, RatingList
from ratings.numbers import (
    BITS,
    Packed,
    Row,
    bit,
    join,
    mask_of,
    packs,
    read_rows,
    system_code,
    unpack,
)
from ratings.systems.base import State

MANY = 24


def difference(calendar: Calendar) -> Difference | None:
    """The difference without its lines; None where the ledger must be walked."""
    if not packs(system_code(calendar)):
        return None
    first = next((n for n, place in enumerate(calendar.places) if place.touched), None)
    if first is None:
        return None
    walk = Walk(calendar)
    try:
        walk.follow(calendar.places[first:])
        return walk.told()
    except NotInNumbers:
        return None


class Corner(Forward):
    """Settles the places that the correction touches. Its `overlay` holds states of those who have
    not played since; of the others the walk knows the numbers."""

    walk: Walk
    here: set[int]

    def held(self, member: int, stored: State | None) -> State | None:
        if member in self.overlay:
            return self.overlay[member]
        return self.walk.state(member, stored)

    def _bumped(self, place: Place) -> set[int]:
        return self.here


@dataclass
class Walk:
    """Who differs from the ledger, at each moment of the walk.

    `ratings`: whose cote differs. `counts`: whose numbers of games and events do, and by how much;
    where the rules no longer look at them nobody else feels that. `days`: what becomes of each
    one's dated cotes, None where an event no longer counts for him. `moved`: whose entries change.
    """

    calendar: Calendar
    ratings: dict[int, int | None] = field(default_factory=dict)
    counts: dict[int, tuple[int, int]] = field(default_factory=dict)
    days: dict[int, dict[date, int | None]] = field(default_factory=lambda: defaultdict(dict))
    moved: set[int] = field(default_factory=set)
    periods: dict[int, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.mask = 0
        self.holders: dict[int, set[int]] = defaultdict(set)
        self.who: set[int] = set()
        self.systems: dict[int | None, Any] = {}
        self.histories: dict[int, list[tuple[Key, Any, int]]] = {}
        self.corner = Corner(self.calendar)
        self.corner.walk = self

    def follow(self, places: Sequence[Place]) -> None:
        """Through every place, until nobody differs any more and nothing is left to correct."""
        left = sum(place.touched for place in places)
        for place, row in self._rows(places):
            if place.touched:
                left -= 1
                self._turn(place, row)
            elif not self.mask:
                if not left:
                    return
            elif row is None:
                raise NotInNumbers
            else:
                hit = mask_of(row[0]) & self.mask
                if hit:
                    packed = unpack(row[0])
                    if found := self._found(hit, packed.members):
                        self._settle(place, packed, found, row)

    def _rows(self, places: Sequence[Place]) -> Iterator[tuple[Place, Row | None]]:
        """The rows of these places in order, more and more at once."""
        bounds = [0, 8]
        while bounds[-1] < len(places):
            bounds.append(bounds[-1] + min(bounds[-1], 256))
        parts = [places[start:end] for start, end in pairwise(bounds)]
        rows = read_rows([place.pk for place in part] for part in parts)
        for part, held in zip(parts, rows, strict=True):
            for place in part:
                yield place, held.get(place.pk)

    def _found(self, hit: int, members: Any) -> list[int]:
        """The places among `members` of those who differ, from the bits that both masks share."""
        if hit.bit_count() > MANY:
            both = self.who.intersection(members.tolist())
            return [bisect_left(members, member) for member in both]
        found, many, holders = [], len(members), self.holders
        while hit:
            top = hit.bit_length() - 1
            hit ^= 1 << top
            for member in holders[top]:
                at = bisect_left(members, member)
                if at < many and members[at] == member:
                    found.append(at)
        return found

    def _turn(self, place: Place, row: Row | None) -> None:
        """Settle a place that the correction touches, as the ledger's walk does."""
        named = place.pk in self.calendar.correction.periods
        if not named and row is not None and not (packed := unpack(row[0])).opaque:
            self._join(place, packed, row)
            return
        if row is None and (not named or self.calendar.only_games(place) is not None):
            raise NotInNumbers
        members = unpack(row[0]).members.tolist() if row is not None else []
        self.corner.here = self.who.intersection(members)
        lines = {}
        for line in self.corner.at(place):
            lines[line.member_id] = line
            if line.moved:
                self._count(place.pk, line.period_label, line.held_on, 1)
                self.moved.add(line.member_id)
        day = place.key[0]
        for member in self.corner.laid:
            now, stored = self.corner.overlay.get(member), self.corner.stored[member]
            if not place.wanted or (member in lines and lines[member].voided):
                self.days[member][day] = None
            elif now is not None:
                self.days[member][day] = now.rating  # type: ignore[assignment]
            else:
                self.days[member].pop(day, None)
            if member in self.corner.overlay and member not in self.calendar.correction.merged:
                self._carry(member, now, stored)
            else:
                self._lay(member, None, (0, 0), differs=False)

    def _carry(self, member: int, now: State | None, stored: State | None) -> None:
        """The numbers in which a state differs from the ledger's."""
        rating = None if now is None else now.rating
        if now is not None and type(rating) is not int:
            raise NotInNumbers
        games, events = (0, 0) if now is None else (now.games, now.events)
        if stored is not None:
            games, events = games - stored.games, events - stored.events
        differs = stored is None or rating != stored.rating
        self._lay(member, rating, (games, events), differs=differs, keep=True)  # type: ignore[arg-type]

    def _settle(
        self,
        place: Place,
        packed: Packed,
        found: list[int],
        row: Row,
        joined: Collection[int] = (),
    ) -> None:
        """Those whose numbers matter and whom they met; how many entries change. `joined` are in
        any case settled again."""
        if packed.opaque:
            raise NotInNumbers
        system = self._system(row[1])
        bumped = self._mattering(packed, found, system) if self.counts else found
        entries = 0
        if bumped or joined:
            starts, opponents = packed.starts, packed.opponents
            touched = {*bumped, *joined}
            for at in tuple(touched):
                touched.update(opponents[starts[at] : starts[at + 1]])
            entries = self._again(place, packed, touched, system)
            found = [at for at in found if at not in touched] if self.counts else []
        for at in found:
            member = packed.members[at]
            self.days[member].pop(place.key[0], None)
            self._played(member)
        if entries or found:
            self._count(place.pk, row[2], place.key[0], entries + len(found))

    def _played(self, member: int) -> None:
        """He has played with the cote of the ledger: only his numbers of games still differ."""
        self.moved.add(member)
        self.corner.overlay.pop(member, None)
        self._lay(member, None, self.counts[member], differs=False)

    def _mattering(self, packed: Packed, found: list[int], system: Any) -> list[int]:
        """Those found whose cote differs, or whose number of games still decides something."""
        below, ratings, members = system.games_decide_below, self.ratings, packed.members
        return [
            at
            for at in found
            if members[at] in ratings
            or packed.played[at] < below
            or packed.played[at] + self.counts[members[at]][0] < below
        ]

    def _again(self, place: Place, packed: Packed, touched: set[int], system: Any) -> int:
        """Settle these again by what they and those they met now have; how many entries change."""
        starts, opponents, halves = packed.starts, packed.opponents, packed.halves
        members, before, after, played = packed.members, packed.before, packed.after, packed.played
        differs, counts = self.ratings, self.counts
        ratings: dict[int, int] = {}
        games: list[tuple[int, int, int]] = []
        now: dict[int, int] = {}
        for at in touched:
            for met in range(starts[at], starts[at + 1]):
                other = opponents[met]
                if other > at or other not in touched:
                    games.append((at, other, halves[met]))
                    ratings[other] = before[other]
                    now[other] = played[other]
            ratings[at] = before[at]
            now[at] = played[at]
        for at in ratings:
            member = members[at]
            if member in differs:
                held = differs[member]
                ratings[at] = self._newcomer(system) if held is None else held
            if member in counts:
                now[at] += counts[member][0]
        held_before = {at: (ratings[at], now[at]) for at in touched}
        moved = system.settle_numbers(ratings, games, now)
        entries, day = 0, place.key[0]
        for at in touched:
            rating, member = moved[at], members[at]
            as_stored = rating == after[at]
            if as_stored and held_before[at] == (before[at], played[at]) and member not in counts:
                if member in differs:  # a newcomer begins with what the ledger gave him too
                    self._lay(member, None, (0, 0), differs=False)
                continue
            entries += 1
            self.moved.add(member)
            if as_stored:
                self.days[member].pop(day, None)
            else:
                self.days[member][day] = rating
            self.corner.overlay.pop(member, None)
            self._lay(member, rating, counts.get(member, (0, 0)), differs=not as_stored)
        return entries

    def _join(self, place: Place, packed: Packed, row: Row) -> None:
        """A period in which somebody played who is now one with another: his games are the other's."""
        alias, day = self.calendar.aliases, place.key[0]
        joined, olds = join(packed, alias)
        more: dict[int, int] = defaultdict(int)
        for old in olds:
            at = packed.place_of(old)
            more[alias[old]] += packed.starts[at + 1] - packed.starts[at]
        kept = {member: joined.place_of(member) for member in more}
        new = [member for member in kept if packed.place_of(member) < 0]
        for member in new:
            at, (rating, games) = kept[member], self._held(member, place)
            joined.after[at], joined.played[at] = rating, games
            joined.before[at] = self._newcomer(self._system(row[1])) if rating is None else rating
        for member in kept:
            self.counts.setdefault(member, (0, 0))
        found = [joined.place_of(member) for member in self.who.intersection(joined.members)]
        self._settle(place, joined, found, row, kept.values())
        for member, at in kept.items():
            games, events = self.counts.get(member, (0, 0))
            counts = games + more[member], events + (member in new)
            rating = self.ratings.get(member, joined.after[at])
            self._lay(member, rating, counts, differs=member in self.ratings, keep=True)
            if member in new:
                self.days[member][day] = rating
        self.moved.update(olds)
        self._count(place.pk, row[2], day, len(olds))

    def _held(self, member: int, place: Place) -> tuple[int | None, int]:
        """The cote and the number of games that the ledger gives a member before a place."""
        if member not in self.histories:
            self.histories[member] = history_of(self.calendar.rating_list, member)
        history = self.histories[member]
        at = bisect_left(history, place.key, key=lambda held: held[0])
        if not at:
            return None, 0
        rating, games = history[at - 1][1:]
        if type(rating) is not int:
            raise NotInNumbers
        return rating, games

    def _newcomer(self, system: Any) -> int:
        """What somebody begins with whose first event no longer counts."""
        if not getattr(system, "newcomers_alike", False):
            raise NotInNumbers
        return int(system.newcomer().rating)

    def _count(self, period: int, label: str, on: date, entries: int) -> None:
        self.periods.setdefault(period, [label, on, 0])[2] += entries

    def _lay(
        self,
        member: int,
        rating: int | None,
        counts: tuple[int, int],
        *,
        differs: bool,
        keep: bool = False,
    ) -> None:
        """From here on these are the numbers in which he differs from the ledger. `keep`: until he
        plays again he is followed for more than his numbers."""
        if differs:
            self.ratings[member] = rating
        else:
            self.ratings.pop(member, None)
        if keep or counts != (0, 0):
            self.counts[member] = counts
        else:
            self.counts.pop(member, None)
        holders = self.holders[member % BITS]
        if member in self.ratings or member in self.counts:
            self.who.add(member)
            self.mask |= bit(member)
            holders.add(member)
        else:
            self.who.discard(member)
            holders.discard(member)
            if not holders:
                self.mask &= ~bit(member)

    def state(self, member: int, stored: State | None) -> State | None:
        """The stored state of somebody with the numbers that he has now."""
        if member not in self.ratings and member not in self.counts:
            return stored
        rating = self.ratings.get(member)
        if stored is None or (member in self.ratings and rating is None):
            raise NotInNumbers
        numbers = Renumbered(rating, *self.counts.get(member, (0, 0)), self.days[member])
        return numbers.on(system_code(self.calendar)(), stored)

    def _system(self, rule_book: int | None) -> Any:
        if rule_book not in self.systems:
            book = None if rule_book is None else RuleBook.objects.get(pk=rule_book)
            code = self.calendar.rating_list.system
            self.systems[rule_book] = rulebook.rules(book, code, "cote")
        return self.systems[rule_book]

    def told(self) -> Difference:
        """The whole difference. Who has not played since holds the state that was settled."""
        finals = {pk: state for pk, state in self.corner.overlay.items() if pk in self.moved}
        finals |= dict.fromkeys(self.moved.intersection(self.calendar.correction.merged))
        renumbered = {
            member: Renumbered(
                self.ratings.get(member), *self.counts.get(member, (0, 0)), self.days[member]
            )
            for member in self.moved - finals.keys()
        }
        periods = [TouchedPeriod(pk, *values) for pk, values in self.periods.items() if values[2]]
        return differences.told(
            self.calendar.rating_list, self.moved, finals, periods, renumbered=renumbered
        )


def history_of(rating_list: RatingList, member: int) -> list[tuple[Key, Any, int]]:
    """A member's entries in force in order: where, and the cote and the games they lead to."""
    rows = LedgerEntry.objects.filter(rating_list=rating_list, member=member).in_force()
    return sorted(
        (
            ((held_on, position, pk), after["rating"], after["games"])
            for held_on, position, pk, after in rows.values_list(
                "period__held_on", "period__position", "period_id", "after"
            )
        ),
        key=lambda held: held[0],
    )
