"""Replay forward from what a correction changes, computing only members whose state differs.

`overlay` holds, at each moment of the walk, the members whose state is no longer the one that the
ledger's chain of entries gives them. A period is computed again only for those it can reach: see
`RatingSystem.reach`. The result equals a whole replay; a property test checks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from clubs.ui.french import written
from clubs.ui.punctuation import labelled
from ratings import systems
from ratings.ledger.entry_chain import EntryChange, Head, heads_of, line_of, stored_states
from ratings.ledger.models import Period, RatedGame
from ratings.ledger.posting import LedgerRefused
from ratings.ledger.timeline import (
    ADJUSTMENT,
    START,
    Calendar,
    Place,
    named_in,
    periods_of,
    system_of,
)
from ratings.systems.protocol import (
    EVENT,
    EVERYBODY,
    OPPONENTS,
    Change,
    Event,
    EventRefused,
    Game,
    RatingSystem,
    Reason,
    State,
    frozen,
)
from ratings.systems.storage import state_from_json, state_to_json
from ratings.systems.words import refusal_in_words

MANY = 200


def changes_of(
    system: RatingSystem, states: Mapping[int, State], event: Event, kind: str
) -> list[Change]:
    """Return the changes of a period of any kind: an event, a member's cut, players who start.

    Raises LedgerRefused, in the reader's language, for what the rules cannot rate.
    """
    try:
        return _changes_of(system, states, event, kind)
    except EventRefused as refusal:
        raise LedgerRefused(refusal_in_words(refusal), code="event_refused") from refusal


def changes_in(
    period: Period, system: RatingSystem, states: Mapping[int, State], event: Event
) -> list[Change]:
    """Return the changes of a stored period; what the rules cannot rate is said with its name."""
    try:
        return changes_of(system, states, event, period.kind)
    except LedgerRefused as refused:
        where = f"{period.title} ({written(period.held_on, 'j F Y')})"
        raise LedgerRefused(labelled(where, refused), code=refused.code) from refused


def _changes_of(
    system: RatingSystem, states: Mapping[int, State], event: Event, kind: str
) -> list[Change]:
    if kind == ADJUSTMENT:
        member = event.facts["member"]
        before = states.get(member) or system.newcomer()
        facts = event.facts
        if "act" in facts:
            return [system.grade_act(member, before, facts)]
        return [
            system.adjust_percent(
                member, before, facts["percent"], cut_floor=facts.get("cut_floor")
            )
        ]
    if kind == START:
        players = sorted(event.facts["players"].items(), key=lambda item: int(item[0]))
        return [
            change
            for pid, facts in players
            if (change := _start(system, states.get(int(pid)), int(pid), event, facts)) is not None
        ]
    return system.settle(states, event)


def _start(
    system: RatingSystem,
    state: State | None,
    member: int,
    event: Event,
    facts: Mapping[str, object],
) -> Change | None:
    """Apply a starting state; a yearly table skips those who have played (000 5)."""
    if state is not None and state.games:
        return None
    after = system.newcomer(frozen({"on": event.held_on.isoformat(), **facts}))
    change = Change(player=member, before=state or State(rating=None), after=after)
    reason = Reason("start", system.document, change.delta, values=frozen(facts))
    return replace(change, because=(reason,))


def players_of(event: Event) -> set[int]:
    """Return the members who play or are placed in an event."""
    players = {player for game in event.games for player in (game.first, game.second)}
    return players | {placing.player for placing in event.placings}


@dataclass
class Forward:
    """One walk. After it, `overlay` holds the final states that differ."""

    calendar: Calendar
    overlay: dict[int, State | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._reach = systems.system(self.calendar.rating_list.system).reach
        self._where: dict[int, set[int]] = {}
        self._everybody: dict[int, State | None] | None = None

    def lines(self) -> Iterator[EntryChange]:
        """Return every entry to supersede, add or void, in the order of the calendar."""
        places = self.calendar.places
        first = next((n for n, place in enumerate(places) if place.touched), None)
        if first is None:
            return
        left = sum(place.touched for place in places)
        shifted = False
        for place in places[first:]:
            if not (left or self.overlay or shifted):
                return
            left -= place.touched
            shifted = shifted or place.stored != place.wanted
            if place.touched:
                yield from self._touched(place)
            elif self._reach == EVERYBODY:
                yield from self._whole(place)
            elif bumped := self._bumped(place):
                if self._reach == EVENT:
                    yield from self._whole(place)
                else:
                    yield from self._part(place, bumped)
            if self._reach != EVERYBODY:
                shifted = False

    def _bumped(self, place: Place) -> set[int]:
        """Return those whose state differs and who take part here."""
        new = [member for member in self.overlay if member not in self._where]
        if new:
            self._where.update(self._periods_of(new))
        return {member for member in self.overlay if place.pk in self._where[member]}

    def _periods_of(self, members: list[int]) -> dict[int, set[int]]:
        others = self.calendar.others
        wanted = [pk for member in members for pk in (member, *others.get(member, ()))]
        _all, periods_by_member = periods_of(self.calendar.rating_list, wanted)
        for period, named in self.calendar.named.items():
            for pk in named.intersection(wanted):
                periods_by_member[pk].add(period)
        return {
            member: periods_by_member[member].union(
                *(periods_by_member[pk] for pk in others.get(member, ()))
            )
            for member in members
        }

    def _touched(self, place: Place) -> Iterator[EntryChange]:
        """Return the players of a corrected game where only opponents are reached; else everybody."""
        edits = self.calendar.only_games(place)
        if self._reach == OPPONENTS and place.pk not in self.calendar.correction.periods:
            period = self.calendar.periods([place.pk])[place.pk]
            if period.kind in (ADJUSTMENT, START):  # somebody in it was merged with another member
                merged = self.calendar.correction.merged
                people = {*merged, *(self.calendar.aliases[old] for old in merged)}
                yield from self._named(place, period, self._bumped(place) | people)
                return
        if self._reach != OPPONENTS or edits is None:
            yield from self._whole(place)
            return
        alias = self.calendar.aliases
        played = {
            member
            for row in RatedGame.objects.filter(period=place.pk, source__in=edits).in_force()
            for member in (row.first_id, row.second_id)
        }
        played |= {
            member
            for posting in edits.values()
            if posting is not None
            for member in (posting.first, posting.second)
        }
        mine = {alias.get(member, member) for member in played}
        yield from self._part(place, self._bumped(place), mine)

    def _part(
        self, place: Place, bumped: set[int], touched: set[int] | None = None
    ) -> Iterator[EntryChange]:
        """Settle again those whose state differs and whom they met; others keep their entries."""
        period = self.calendar.periods([place.pk])[place.pk]
        if period.kind in (ADJUSTMENT, START):
            yield from self._named(place, period, bumped)
            return
        touched = bumped | (touched or set())
        for one, other, _row in self._pairs(place, touched):
            if one in bumped or other in bumped:
                touched |= {one, other}
        mine = [
            row
            for one, other, row in self._pairs(place, touched)
            if one in touched or other in touched
        ]
        event = self.calendar.event(period, place.sequence, mine)
        heads = heads_of(place.pk, members=players_of(event) | touched)
        yield from self._settle(place, period, event, heads, touched)

    def _named(self, place: Place, period: Period, members: set[int]) -> Iterator[EntryChange]:
        """Settle a cut or a start, which moves each member by their own state alone."""
        event = self.calendar.event(period, place.sequence, ())
        if period.kind == START:
            players = {
                pid: player_facts
                for pid, player_facts in event.facts["players"].items()
                if int(pid) in members
            }
            event = replace(event, facts=frozen({**event.facts, "players": players}))
        yield from self._settle(place, period, event, heads_of(place.pk, members), members)

    def _pairs(self, place: Place, members: set[int]) -> list[tuple[int, int, Game]]:
        """Return who met whom there, in the games of these members; merged members are one person."""
        few = members if len(members) < MANY else None
        alias = self.calendar.aliases
        return [
            (alias.get(game.first, game.first), alias.get(game.second, game.second), game)
            for game in self.calendar.games([place.pk], few)[place.pk]
        ]

    def _whole(self, place: Place, period: Period | None = None) -> Iterator[EntryChange]:
        """Settle the whole period again, or take it out of the chain."""
        period = period or self.calendar.periods([place.pk])[place.pk]
        heads = heads_of(place.pk)
        if not place.wanted:
            yield from self._vanish(place, period, heads)
            return
        event = self.calendar.event(
            period,
            place.sequence,
            self.calendar.games([place.pk])[place.pk],
            self.calendar.placings([place.pk])[place.pk],
        )
        considered = players_of(event) | set(heads) | named_in(period, event.facts)
        if self._reach == EVERYBODY:
            considered |= set(self._states(place)) | set(self.overlay)
        yield from self._settle(place, period, event, heads, considered)

    def _settle(
        self,
        place: Place,
        period: Period,
        event: Event,
        heads: Mapping[int, Head],
        touched: set[int],
    ) -> Iterator[EntryChange]:
        system = system_of(period)
        stored = self._stored_before(place, players_of(event) | touched, heads)
        now = {member: self.overlay.get(member, state) for member, state in stored.items()}
        states = {member: state for member, state in now.items() if state is not None}
        moved = {
            int(str(change.player)): change
            for change in changes_in(period, system, states, event)
            if change.player in touched
        }
        for member in sorted(touched):
            head = heads.get(member)
            change = moved.get(member)
            after = change.after if change is not None else now[member]
            stored_state = stored[member]
            if place.stored and head is not None and not head.voided:
                stored_state = state_from_json(head.after)
            self._lay(member, after, stored_state)
            line = line_of(period, system, member, change, head)
            if line is not None:
                yield line

    def _vanish(
        self, place: Place, period: Period, heads: Mapping[int, Head]
    ) -> Iterator[EntryChange]:
        """Remove a place in which the ledger was settled and is not to be any more: nobody moves.

        Its entries are voided here, unless it has another place: there they are superseded.
        """
        elsewhere = any(other.pk == place.pk and other.wanted for other in self.calendar.places)
        moved = {member: head for member, head in heads.items() if not head.voided}
        stored = self._stored_before(place, set(moved), moved)
        for member, head in sorted(moved.items()):
            now = self.overlay.get(member, stored[member])
            self._lay(member, now, state_from_json(head.after))
            if not elsewhere:
                line = line_of(period, system_of(period), member, None, head)
                if line is not None:
                    yield line

    def _lay(self, member: int, now: State | None, stored: State | None) -> None:
        if self._everybody is not None:
            self._everybody[member] = stored
        if same_state(now, stored):
            self.overlay.pop(member, None)
        else:
            self.overlay[member] = now

    def _stored_before(
        self, place: Place, members: set[int], heads: Mapping[int, Head]
    ) -> dict[int, State | None]:
        """Return what the ledger's chain gives these members just before a place."""
        if self._reach == EVERYBODY:
            known = self._states(place)
            return {member: known.get(member) for member in members | set(known)}
        states: dict[int, State | None] = {}
        for member in members:
            head = heads.get(member)
            if place.stored and head is not None and not head.voided:
                before = state_from_json(head.before)
                if before.games or before.events:  # else possibly a newcomer: without a state yet
                    states[member] = before
        missing = members - set(states)
        states.update(dict.fromkeys(missing))
        states.update(stored_states(self.calendar, place.key, missing))
        return states

    def _states(self, place: Place) -> dict[int, State | None]:
        """Return everybody's stored state, read once and carried along."""
        if self._everybody is None:
            self._everybody = dict(stored_states(self.calendar, place.key, None))
        return self._everybody


def same_state(one: State | None, other: State | None) -> bool:
    return one == other and (one is None or state_to_json(one) == state_to_json(other))  # type: ignore[arg-type]
