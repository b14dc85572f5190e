"""Small lists for replay: systems of each reach, and a slow way to rate a list from nothing.

The slow way works on plain values kept beside the database and shares nothing with the site's own
replay but the systems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any, ClassVar

from clubs.accounts.actor import Actor
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from ratings.ledger import settlement
from ratings.ledger.models import LedgerEntry, Period, RatingList, StandingCote
from ratings.ledger.posting import Placement
from ratings.systems.faizers.system import Faizers
from ratings.systems.fisf.system import Fisf
from ratings.systems.glicko2.system import Glicko2
from ratings.systems.protocol import (
    NOTHING,
    Change,
    Event,
    Game,
    RatingSystem,
    Reason,
    State,
    frozen,
)
from ratings.systems.storage import state_to_json

AT = datetime(2026, 11, 20, 19, 0, tzinfo=UTC)
BY = Actor.system("test")
DAY = date(2026, 1, 5)
_numbers = count(1)


class Fake(RatingSystem):
    """What the fakes share: a whole number, moved by more than one thing so that errors show."""

    document: ClassVar[str] = "test"

    def newcomer(self, facts: Mapping[str, Any] = NOTHING) -> State:
        return State(rating=int(facts.get("rating", 100)))

    def shown(self, state: State) -> int | None:
        return None if state.rating is None else int(state.rating)

    def labels_of(self, state: State, on: date) -> Mapping[str, Any]:
        return {"band": int(state.rating or 0) // 20}

    def held(self, states: Mapping[Any, State], player: Any) -> State:
        return states.get(player) or self.newcomer()


def changed(player: Any, before: State, rating: int, games: int, **values: Any) -> Change:
    after = State(rating, before.games + games, before.events + 1, "", before.extra)
    return Change(player, before, after, (Reason("sum", "test", values=frozen(values)),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Meetings(Fake):
    """Own games and opponents' numbers before. Who does not move has no change at all."""

    code: ClassVar[str] = "fake_meetings"
    label: ClassVar[str] = "Rencontres"
    reach: ClassVar[str] = "opponents"

    def settle(self, states: Mapping[Any, State], event: Event) -> list[Change]:
        found = []
        for player, games in event.by_player().items():
            before = self.held(states, player)
            own, gain = int(before.rating or 0), 0
            for game in games:
                other, halves, _own, _other = game.seen_by(player)
                gain += (halves - 1) * 3 + (int(self.held(states, other).rating or 0) - own) // 7
            if gain:
                found.append(changed(player, before, own + gain, len(games), gain=gain))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables(Fake):
    """Everybody at a table by the whole table's numbers, as a fixed point is."""

    code: ClassVar[str] = "fake_tables"
    label: ClassVar[str] = "Tables"
    reach: ClassVar[str] = "event"

    def settle(self, states: Mapping[Any, State], event: Event) -> list[Change]:
        players = event.by_player()
        held = {player: self.held(states, player) for player in players}
        total = sum(int(state.rating or 0) for state in held.values())
        return [
            changed(
                player,
                state,
                (3 * int(state.rating or 0) + total) // (3 + len(held))
                + sum(game.seen_by(player)[1] for game in players[player]),
                len(players[player]),
                total=total,
            )
            for player, state in held.items()
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows(Fake):
    """Placing sheets over the calendar: those absent move too, and the event's number counts."""

    code: ClassVar[str] = "fake_windows"
    label: ClassVar[str] = "Fenêtres"
    takes: ClassVar[str] = "placings"
    reach: ClassVar[str] = "everybody"

    def settle(self, states: Mapping[Any, State], event: Event) -> list[Change]:
        placed = {placing.player: placing.place for placing in event.placings}
        total = sum(int(self.held(states, player).rating or 0) for player in placed)
        found = []
        for player in sorted(set(states) | set(placed)):
            before = self.held(states, player)
            window = list(before.extra.get("window", []))
            if player in placed:
                window.append([event.sequence, total // len(placed) - placed[player]])
            window = [item for item in window if item[0] > event.sequence - 3]
            rating = sum(value for _number, value in window) // max(1, len(window))
            after = State(
                rating, before.games + (player in placed), 0, "", frozen({"window": window})
            )
            if after != before:
                found.append(Change(player, before, after, (Reason("window", "test"),)))
        return found


FAKES = (Meetings, Tables, Windows)
SYSTEMS: dict[str, Any] = {known.code: known for known in (Faizers, Fisf, Glicko2, *FAKES)}


@dataclass
class Event_:
    """One event as the test knows it: its inputs, and whether it counts."""

    period: Period
    held_on: date
    position: int
    games: dict[str, Game] = field(default_factory=dict)
    sheet: tuple[Placement, ...] = ()
    counts: bool = True

    @property
    def key(self) -> tuple[date, int, int]:
        return self.held_on, self.position, self.period.pk


@dataclass
class Book:
    """A list in the database and the same list as plain values."""

    rating_list: RatingList
    members: list[Member]
    events: list[Event_] = field(default_factory=list)
    merged: dict[int, int] = field(default_factory=dict)
    first_day: date = DAY

    @property
    def system(self) -> Any:
        return SYSTEMS[self.rating_list.system]()

    @property
    def takes_games(self) -> bool:
        return bool(self.system.takes == "games")

    def event(self, day: int, position: int = 0) -> Event_:
        """Open a period on the n-th day; nothing is posted, nothing settled."""
        held_on = self.first_day + timedelta(days=day)
        number = next(_numbers)
        period = settlement.open_period(
            rating_list=self.rating_list,
            key=f"event:{number}",
            label=f"Épreuve {number}",
            held_on=held_on,
            position=position,
        )
        return Event_(period, held_on, position)

    def post(self, event: Event_) -> None:
        for posting in event.games.values():
            settlement.record_game(period=event.period, posting=posting, at=AT)
        if event.sheet:
            settlement.record_placings(period=event.period, placings=event.sheet, at=AT)

    def add(self, event: Event_) -> Event_:
        """Post and settle; it must be the newest."""
        self.post(event)
        settlement.settle(period=event.period, by=BY, at=AT)
        self.events.append(event)
        return event

    def game(self, one: int, other: int, halves: int, source: str = "") -> Game:
        number = next(_numbers)
        return Game(
            key=source or f"game:{number}",
            first=self.members[one].pk,
            second=self.members[other].pk,
            first_halves=halves,
            position=number,
        )

    def slowly(self) -> tuple[dict[tuple[int, int], tuple[Any, Any]], dict[int, State]]:
        """From nothing, every event in order: {(period, member): (before, after)}, last states."""
        from ratings.systems.protocol import Game, Placing

        states: dict[int, State] = {}
        found = {}
        standing = sorted((e for e in self.events if e.counts), key=lambda e: e.key)
        for sequence, event in enumerate(standing, start=1):
            who = self.merged
            games = sorted(event.games.values(), key=lambda p: (p.position, p.key))
            value = Event(
                key=event.period.key,
                held_on=event.held_on,
                sequence=sequence,
                games=tuple(
                    Game(
                        p.key,
                        who.get(p.first, p.first),
                        who.get(p.second, p.second),
                        p.first_halves,
                        p.first_score,
                        p.second_score,
                    )
                    for p in games
                ),
                placings=tuple(
                    Placing(who.get(line.member_id, line.member_id), line.place)
                    for line in sorted(event.sheet, key=lambda x: (x.place, x.member_id))
                ),
            )
            for change in self.system.settle(states, value):
                states[change.player] = change.after
                found[event.period.pk, change.player] = (
                    state_to_json(change.before),
                    state_to_json(change.after),
                )
        return found, states

    def stored(self) -> dict[tuple[int, int], tuple[Any, Any]]:
        rows = LedgerEntry.objects.filter(rating_list=self.rating_list).in_force()
        return {
            (period, member): (before, after)
            for period, member, before, after in rows.values_list(
                "period_id", "member_id", "before", "after"
            )
        }

    def cotes(self) -> dict[int, Any]:
        rows = StandingCote.objects.filter(rating_list=self.rating_list)
        return dict(rows.values_list("member_id", "state"))


def make_book(system: str, size: int = 8) -> Book:
    number = next(_numbers)
    organisation = Organisation.objects.create(
        slug=f"liste-{number}", name=f"Liste {number}", created_at=AT
    )
    members = Member.objects.bulk_create(
        [
            Member(
                organisation=organisation,
                first_name=f"Prénom{n}",
                search_name=f"prenom{n}",
                sort_name=f"prenom{n}",
                slug=f"p{n}",
                number=n + 1,
                joined_on=DAY,
            )
            for n in range(size)
        ]
    )
    rating_list = RatingList.objects.create(
        organisation=organisation, slug=system, name=system, system=system
    )
    return Book(rating_list, list(members))
