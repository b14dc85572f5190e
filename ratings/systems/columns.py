"""What a published list looks like: columns, sections and rows as plain values.

A rating system says what its list shows by its methods `columns`, `cells` and `sections`; without
them a list has rank, name, cote, games and status.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.rounding import half_up

if TYPE_CHECKING:
    from ratings.systems.protocol import RatingSystem, State

RANK, MOVE, NAME = "rank", "move", "name"
INTEGER, DECIMAL, PERCENT = "integer", "decimal", "percent"
POINTS = "points"
"""A decimal printed without its decimals where it is whole."""
SHARE = "share"
"""Two whole numbers, printed "14 sur 20": stored as "14/20", or "14" where the second is not known."""
TEXT, TAG, BADGE, DAY = "text", "tag", "badge", "day"
NUMBERS = (RANK, MOVE, INTEGER, DECIMAL, PERCENT, POINTS, SHARE)
LABELS = (BADGE, TAG)
"""Columns that name a series, a grade, a category or a status."""


@dataclass(frozen=True, slots=True)
class ListColumn:
    """`label` is French, marked for translation; `kind` says how a cell is written.

    integer, decimal and percent (with `places`) are numbers; text is written as it is; tag is a
    status code or a French phrase, translated; badge is one of the club's four stones, or another
    list's series or grade; day is a date. `lead`: the number that a phone prints at the end.
    share is a part of a whole. `choices`: the values that a reader may filter the list by, best first.
    `aside`: shown by a wide page only, neither on a phone nor in files and publications.
    `on_phone`: a phone's list leaves out what another column says with more words.
    """

    code: str
    label: str
    kind: str = INTEGER
    places: int = 0
    lead: bool = False
    choices: tuple[str, ...] = ()
    aside: bool = False
    on_phone: bool = True


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of the numbers that a state stores, all of them inclusive.

    `games_until` and `events_until` None: no limit. `last_from` and `last_until`: the day that the
    state keeps as `extra["last"]`; `without_last`: it keeps none.
    """

    games_from: int = 0
    games_until: int | None = None
    events_from: int = 0
    events_until: int | None = None
    last_from: date | None = None
    last_until: date | None = None
    without_last: bool = False

    def take(self, state: State) -> bool:
        last = state.extra.get("last") or ""
        return (
            self.games_from <= state.games
            and (self.games_until is None or state.games <= self.games_until)
            and self.events_from <= state.events
            and (self.events_until is None or state.events <= self.events_until)
            and (self.last_from is None or last >= self.last_from.isoformat())
            and (self.last_until is None or "" < last <= self.last_until.isoformat())
            and not (self.without_last and last)
        )


@dataclass(frozen=True, slots=True)
class ListSection:
    """Players listed apart, each section with its own ranks.

    Membership depends on stored values, so that a database can page it: the status of the last
    state (`statuses` empty: any), and its numbers within any of `bounds` (empty: any), for a status
    that depends on the day or on the rules in force.
    """

    code: str
    label: str
    statuses: tuple[str, ...] = ()
    bounds: tuple[Bounds, ...] = ()

    @property
    def is_for_everybody(self) -> bool:
        return not self.statuses and not self.bounds

    def takes(self, state: State) -> bool:
        if self.statuses and state.status not in self.statuses:
            return False
        return not self.bounds or any(one.take(state) for one in self.bounds)


def section_of(sections: Iterable[ListSection], state: State) -> str | None:
    """Return the code of the part of a list in which a player of this state stands, None in none."""
    return next((section.code for section in sections if section.takes(state)), None)


@dataclass(frozen=True, slots=True)
class ListRow:
    """One player's row. Equal ranks are ex æquo; `move` is None for a newcomer."""

    member: int
    name: str
    rank: int
    ex_aequo: bool = False
    move: int | None = None
    section: str = ""
    cells: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class ListTable:
    """`since`: number of the edition that movements are counted from, None before the first."""

    columns: tuple[ListColumn, ...]
    rows: tuple[ListRow, ...]
    sections: tuple[ListSection, ...] = ()
    since: int | None = None


WHOLE_LIST = (ListSection("", ""),)
COLUMNS = (
    ListColumn("cote", _("Cote"), lead=True),
    ListColumn("games", _("Parties")),
    ListColumn("status", _("Statut"), TAG),
)
RANK_COLUMN = ListColumn(RANK, _("Rang"), RANK)
MOVE_COLUMN = ListColumn(MOVE, _("Évolution"), MOVE)
NAME_COLUMN = ListColumn(NAME, _("Joueur"), NAME)


def cells_of(
    system: RatingSystem, state: State, on: date, kind: str = "", *, asides: bool = True
) -> Mapping[str, object]:
    """Return one player's cells by column code, ready to be stored (see `stored`).

    `kind`: the list's kind of game; `asides`: with the columns that only a wide page shows.
    """
    cells = system.cells(state, on, kind)
    return {
        column.code: stored(column, cells.get(column.code))
        for column in system.columns()
        if asides or not column.aside
    }


def stored(column: ListColumn, value: Any) -> Any:
    """Return a cell for JSON: decimals as text with all their places, so that no digit changes."""
    if value is None or value == "":
        return None
    if column.kind == INTEGER:
        return half_up(value)
    if column.kind in (DECIMAL, PERCENT):
        return fixed(value, column.places)
    if column.kind == POINTS:
        whole = Fraction(value).denominator == 1
        return fixed(value, 0 if whole else column.places)
    if column.kind == SHARE:
        return "/".join(str(part) for part in value if part is not None)
    if column.kind == DAY:
        return value.isoformat() if isinstance(value, date) else str(value)
    return str(value)


def sortable(column: ListColumn, value: object) -> object:
    """Return what a stored cell is sorted by: a number or a day; None where it has neither."""
    if value is None or value == "" or not can_sort(column):
        return None
    if column.kind == DAY:
        return str(value)
    return Fraction(str(value).partition("/")[0])


def can_sort(column: ListColumn) -> bool:
    """Return whether a list may be sorted by that column: numbers and days, not words."""
    return column.kind in NUMBERS or column.kind == DAY


def fixed(value: int | float | Fraction | Decimal | str, places: int) -> str:
    """Return a number with exactly `places` decimals, half away from zero, as printed: "-4.35"."""
    exact = Fraction(value) if not isinstance(value, float) else Fraction(repr(value))
    units = half_up(abs(exact) * 10**places)
    digits = str(units).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if exact < 0 and units else text
