"""What every rating system takes and returns: plain values, no Django, no clock, no database.

A system is a frozen dataclass: its fields are the numbers a committee may change, with the
document's values as defaults; its methods are the formula. It is called once an event (a session, a
tournament, a table, an official game) with everybody's state before, and returns one `Change` for
each player whose state moves, each with the reasons that a page prints.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.columns import COLUMNS, LABELS, WHOLE_LIST, ListColumn, ListSection, cells_of
from ratings.systems.rounding import half_up

PlayerId = Any
"""Any hashable value: a member's id on the site, a name in the vectors."""
Number = int | float | Fraction
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Game:
    """One rated game between two players.

    `first_halves` is the first player's result in half points: 2 won, 1 drawn, 0 lost, so that W is
    exact. Scores are set where the game has them (the DS of FAIZERS), else None. `facts`: what else
    the document looks at (time allowed, handicap, played order), JSON values. `position` orders the
    games of an event.

    The same value goes all the way: posted by the match or file that it comes from, whose permanent
    name is `key` ("match:42"), stored as a row with `COLUMNS`, and given to the system.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "source",
        "first_id",
        "second_id",
        "first_halves",
        "first_score",
        "second_score",
        "facts",
        "position",
    )
    """Columns of a stored game, in the order of the fields."""

    key: str
    first: PlayerId
    second: PlayerId
    first_halves: int
    first_score: int | None = None
    second_score: int | None = None
    facts: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    position: int = 0

    @classmethod
    def from_row(cls, row: Iterable[Any]) -> Game:
        """Return the game of a stored row, its `COLUMNS` in order."""
        return cls(*row)

    def to_row(self) -> dict[str, object]:
        """Return the columns of the stored row."""
        values = (getattr(self, part.name) for part in fields(self))
        return {**dict(zip(self.COLUMNS, values, strict=True)), "facts": dict(self.facts)}

    def seen_by(self, player: PlayerId) -> tuple[PlayerId, int, int | None, int | None]:
        """Return (opponent, own half points, own score, opponent's score) from that player's side."""
        if player == self.first:
            return self.second, self.first_halves, self.first_score, self.second_score
        if player == self.second:
            return self.first, 2 - self.first_halves, self.second_score, self.first_score
        raise KeyError(player)


@dataclass(frozen=True, slots=True)
class Placing:
    """One player's place in a collective game (Romanian system); ties share the same place."""

    player: PlayerId
    place: int
    facts: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Event:
    """What is settled at once: a session, a tournament, a table or one official game.

    `sequence` is its number in the rating list's calendar, from 1 (the Romanian T_k). `facts`: what
    the organiser declared for the event or, under "players", for each player; JSON values.
    """

    key: str
    held_on: date
    sequence: int = 0
    kind: str = ""
    games: tuple[Game, ...] = ()
    placings: tuple[Placing, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    def by_player(self) -> dict[PlayerId, list[Game]]:
        """Return each player's games that were played, in order; players as they first appear."""
        games_by_player: dict[PlayerId, list[Game]] = {}
        for game in self.games:
            if not game.facts.get("played", True):
                continue
            games_by_player.setdefault(game.first, []).append(game)
            games_by_player.setdefault(game.second, []).append(game)
        return games_by_player


@dataclass(frozen=True, slots=True)
class FactAsked:
    """Something an organiser must declare of an event before a system can rate it.

    `kind`: number, text, yes (a box to tick) or lines (one a line, parts apart by semicolons, the
    first part a player). `parts` names the parts after the player, which become their facts.
    """

    name: str
    label: str
    kind: str = "text"
    hint: str = ""
    required: bool = False
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TriedNumber:
    """A number of the rules whose other values a committee may have tried on what was played.

    `values` of the only field, or `factors` that multiply all the fields (every K at once).
    """

    label: str
    fields: tuple[str, ...]
    values: tuple[float, ...] = ()
    factors: tuple[float, ...] = ()


DIVISORS = (150.0, 200.0, 250.0, 300.0, 350.0, 400.0, 500.0, 600.0, 800.0, 1200.0)
EVERY_K = (0.25, 0.5, 0.75, 1.25, 1.5, 2.0, 3.0)
"""Factors of every K of a system at once."""


@dataclass(frozen=True, slots=True)
class State:
    """What a system stores of one player between two events.

    `rating` is exact: an int where the rules round, a Fraction where they do not, None for "no
    rating". `games` and `events` count rated games and events. `extra` holds whatever else the
    system needs (grade, window of past games, bonus used, last event), made of JSON values and
    Fractions only, so that it can be stored and replayed bit for bit.
    """

    rating: Number | None
    games: int = 0
    events: int = 0
    status: str = ""
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Reason:
    """One printed line of an explanation.

    `effect` is what this line adds to the rating (None for a line that only informs); the
    effects of a change's lines add up to after − before. `values` are the numbers of the filled
    in formula by the document's own symbols (K, W, We, P, V, d …); `opponent` names the other
    player where there is one; `article` is the rule ("002 IV.A").
    """

    kind: str
    article: str
    effect: Number | None = None
    opponent: PlayerId | None = None
    game: str = ""
    values: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Change:
    """One player's move: states before and after, and why."""

    player: PlayerId
    before: State
    after: State
    because: tuple[Reason, ...] = ()

    @property
    def delta(self) -> Number | None:
        """Return after − before where both are numbers."""
        if self.before.rating is None or self.after.rating is None:
            return None
        return self.after.rating - self.before.rating


class EventRefused(ValueError):
    """Input that the rules cannot rate: a French sentence and its values (`refusal_in_words`)."""

    def __init__(self, sentence: str, **values: object) -> None:
        super().__init__(sentence % values)
        self.sentence, self.values = sentence, values


def frozen(values: Mapping[str, object]) -> Mapping[str, Any]:
    """Return a read-only copy for `extra` and `facts`."""
    return MappingProxyType(dict(values))


@dataclass(frozen=True, slots=True)
class Examples:
    """A system's own example values: `facts` of an event it rates, `start` of a player it takes.

    `start` has keys of `start_columns`.
    """

    facts: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    start: Mapping[str, Any] = field(default_factory=lambda: frozen({"rating": 1500, "games": 20}))


GAMES, PLACINGS = "games", "placings"
OPPONENTS, EVENT, EVERYBODY = "opponents", "event", "everybody"


class RatingSystem(ABC):
    """What the rest of the site may ask of a system; `ratings.systems.SYSTEMS` lists them.

    A system overrides what its document says otherwise. Nothing else is ever asked of it.
    """

    __slots__ = ()

    code: ClassVar[str]
    label: ClassVar[str]
    document: ClassVar[str]
    """First word of its articles: the number or the name of the document."""
    takes: ClassVar[str] = GAMES
    """GAMES, or PLACINGS for a collective game's sheet of places."""
    has_scores: ClassVar[bool] = True
    """Whether two players score points; else a file's example has results alone."""
    reach: ClassVar[str] = EVERYBODY
    """Whom another state or another result in an event can reach.

    OPPONENTS: the member and those they met there; EVENT: everybody who was there; EVERYBODY: the
    whole list, because an event also moves players who are absent.
    """
    kinds: ClassVar[Mapping[str, tuple[str, str]]] = NOTHING
    """Kind of game → (label, setting that belongs to it), for a system with one list a kind."""
    combined_kinds: ClassVar[tuple[str, ...]] = ()
    """Kinds that `combined` takes together; empty for a system without a general rating."""
    asks: ClassVar[tuple[FactAsked, ...]] = ()
    """What an organiser declares of an event."""
    official_when: ClassVar[str] = ""
    """The document's condition of a rated competition, as help where it is asked."""
    statuses: ClassVar[Mapping[str, str]] = NOTHING
    """Code of a status → the document's word for it."""
    proposes_settings: ClassVar[bool] = False
    """Whether `proposed_settings` computes numbers from a list, for the committee to adopt."""
    tried: ClassVar[tuple[TriedNumber, ...]] = ()
    """Numbers of which a trial of a draft says which value would have predicted best."""
    splits_tables: ClassVar[bool] = False
    """Whether a tournament decided to be split is rated as two events."""
    settles_tournaments: ClassVar[bool] = False
    """Whether a club's tournament counts once it is posted, without an officer who settles it."""
    grade_acts: ClassVar[Mapping[str, str]] = NOTHING
    """Acts about a grade that an officer notes (`grade_act`), each with its words."""
    oddities: ClassVar[Mapping[str, str]] = NOTHING
    """Kind of reason to check before publishing → its sentence about the player `%(name)s`."""
    examples: ClassVar[Examples] = Examples()
    start_columns: ClassVar[tuple[str, ...]] = ("rating", "games")
    start_texts: ClassVar[frozenset[str]] = frozenset()
    """Columns of a file of starts beside the player, the usual ones first; which of them are texts."""
    facts: ClassVar[Mapping[str, str]] = NOTHING
    """Its own facts of a start or a state → their words, beside those of every system."""

    def is_official(self, facts: Mapping[str, object]) -> bool:
        """Return whether what an organiser declared meets `official_when`, as far as facts say it."""
        return True

    @abstractmethod
    def newcomer(self, facts: Mapping[str, object] = NOTHING) -> State:
        """Return the state of a player never seen before (starting cote, grade accepted …)."""

    def start_doubt(self, state: State, facts: Mapping[str, object], on: date) -> str:
        """Return why a start that `newcomer` takes is hardly right; empty where nothing is odd."""
        return ""

    @abstractmethod
    def settle(self, states: Mapping[PlayerId, State], event: Event) -> list[Change]:
        """Return a change for everybody who moves, in a deterministic order.

        Players absent from `states` are newcomers. Raises `EventRefused` with a sentence for input
        the rules cannot rate.
        """

    def adjust_percent(
        self, player: PlayerId, state: State, percent: str, *, cut_floor: int | None = None
    ) -> Change:
        """Apply a cut decided by the committee, for a system whose document has cuts."""
        raise EventRefused(_("Ce système de cote n’a pas de réduction."))

    def grade_act(self, player: PlayerId, state: State, facts: Mapping[str, object]) -> Change:
        """Apply an approval or a promotion request, for a system whose document has grades."""
        raise EventRefused(_("Ce système de cote n’a pas de grades."))

    def check_grade_act(self, state: State, facts: Mapping[str, object]) -> None:
        """Refuse such an act that cannot be, with a sentence."""
        raise EventRefused(_("Ce système de cote n’a pas de grades."))

    def waiting_grade(self, state: State) -> str:
        """Return a grade reached that waits for an approval; empty for none."""
        return ""

    def shown(self, state: State) -> int | None:
        """Return the integer that pages print (half-up), None when there is no rating."""
        return None if state.rating is None else half_up(state.rating)

    def shown_value(self, value: Number) -> int:
        """Return any value of this system as it is printed."""
        return half_up(value)

    def status_on(self, state: State, on: date) -> str:
        """Return the player's status on a day (classé, provisoire, active …), a stable code."""
        return state.status

    def columns(self) -> tuple[ListColumn, ...]:
        """Return what the list shows beside rank and name."""
        return COLUMNS

    def cells(self, state: State, on: date, kind: str = "") -> Mapping[str, Any]:
        """Return one player's cells by the code of their column, in a list of that kind of game."""
        status = self.status_on(state, on)
        return {"cote": self.shown(state), "games": state.games, "status": status}

    def ahead(self, state: State, on: date, kind: str = "") -> list[Reason]:
        """Return what separates a player from their next grade, series or status, a line each.

        Their words are in `wording.py`. A line whose values have "have" and "need" is a count, drawn
        as a bar.
        """
        return []

    def sections(self, on: date) -> tuple[ListSection, ...]:
        """Return the sections of the list; the first is the ranking itself."""
        return WHOLE_LIST

    def labels_of(self, state: State, on: date) -> Mapping[str, object]:
        """Return series, grade, category or status: what a difference shows beside the number.

        What is still to come (the series of the next season) is none of them.
        """
        cells = cells_of(self, state, on, asides=False)
        labels = [column.code for column in self.columns() if column.kind in LABELS]
        return {code: cells[code] for code in labels if code in cells}

    def sample(self, rating: int, games: int) -> State:
        """Return the state of a calculator's player with that rating and number of games."""
        return replace(self.newcomer(frozen({"rating": rating, "games": games})), games=games)

    def calendar(self, on: date) -> tuple[tuple[date, str], ...]:
        """Return the days to come that the document gives to every player, each with its words."""
        return ()

    def by_place(
        self, player: PlayerId, state: State, others: Number, players: int, event: Event
    ) -> list[tuple[Number, Change]]:
        """Return each place's points and change, the first one first, for a system of PLACINGS.

        `others` is the mean rating of the other players; `event` gives day, number and kind of game.
        """
        return []

    def proposed_settings(self, states: Sequence[State], on: date) -> Mapping[str, int | None]:
        """Return numbers computed from a list, by name of setting (see `proposes_settings`)."""
        return NOTHING

    def proposed_split(self, games: Sequence[Game]) -> int | None:
        """Return the last round of the first of two tables, None to rate the games as one."""
        return None

    def seating(self, people: Sequence[tuple[Fraction | None, str, object]]) -> list[Any]:
        """Return who sits first in a collective game, for a system with a general rating."""
        return [person for _rating, _name, person in people]

    def combined(
        self, ratings: Mapping[str, Fraction | None], statuses: Mapping[str, str]
    ) -> Fraction | None:
        """Return the general rating over `combined_kinds`, None for a player without one."""
        return None
