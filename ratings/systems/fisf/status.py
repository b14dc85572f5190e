"""Status and series of a FISF player on a day (000 2, 3 and 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.categories import Band, category_of
from ratings.systems.fisf.seasons import season_of, season_start, years_before
from ratings.systems.fisf.settings import FisfSettings
from ratings.systems.protocol import RatingSystem, State

ESTIMATED, PROVISIONAL, RANKED, INACTIVE = "estimated", "provisional", "ranked", "inactive"


class FisfStatus(FisfSettings, RatingSystem):
    __slots__ = ()

    @staticmethod
    def _fresh(games: int) -> str:
        return PROVISIONAL if games else ESTIMATED

    def status(self, tournaments: int, games: int, last: date | None, on: date) -> str:
        """Return estimée, provisoire, classé or inactif on a publication day (000 3 and 6)."""
        if not games or last is None:
            return self._fresh(games)
        if tournaments < self.listed_tournaments or games < self.listed_games:
            return PROVISIONAL
        return RANKED if years_before(on, self.listed_years) <= last <= on else INACTIVE

    def status_on(self, state: State, on: date) -> str:
        """Return the code of `status` for a stored state."""
        return self.status(state.events, state.games, last_of(state), on)

    def start_doubt(self, state: State, facts: Mapping[str, object], on: date) -> str:
        """Ask about games without tournaments or last competition, and about impossible ones."""
        last = last_of(state)
        if state.games >= self.listed_games and not (state.events and last):
            return _("sans tournois et dernière compétition, ce joueur resterait provisoire")
        if state.events > state.games or (last is not None and not state.games):
            return _("des tournois sans assez de parties")
        if last is not None and last > on:
            return _("la dernière compétition est après la date de ces départs")
        if self.floor is not None and cote_of(state) < self.floor:
            return _("cette cote est sous le plancher")
        return ""

    def bands(self) -> tuple[Band, ...]:
        """Return the four series by their bars, lowest first (000 2)."""
        return _bands(self.floor or 0, self.bar_b, self.bar_a, self.bar_joker)

    def serie(self, cote: int) -> Band:
        """Return the series of a cote, bars inclusive (000 2)."""
        return category_of(cote, self.bands())

    def frozen_serie(self, history: Sequence[tuple[date, int]], on: date) -> Band | None:
        """Return the series for the season of `on`: from the last cote dated up to 31/08 (000 2)."""
        first_day = season_start(season_of(on))
        dated_cotes = [
            (day, place, cote) for place, (day, cote) in enumerate(history) if day < first_day
        ]
        return self.serie(max(dated_cotes)[2]) if dated_cotes else None

    def serie_on(self, state: State, on: date) -> Band | None:
        """Return the player's frozen series on a day; None is shown as a dash (000 2, setting)."""
        history = [(date.fromisoformat(day), cote) for day, cote in state.extra.get("cotes", [])]
        serie = self.frozen_serie(history, on)
        if serie is None and self.entry_series and state.rating is not None:
            return self.serie(cote_of(state))
        return serie


@lru_cache(maxsize=16)
def _bands(c: int, b: int, a: int, joker: int) -> tuple[Band, ...]:
    return (
        Band("c", _("C"), c),
        Band("b", _("B"), b),
        Band("a", _("A"), a),
        Band("joker", _("Joker"), joker),
    )


def last_of(state: State) -> date | None:
    """Return the day of the player's last rated event."""
    last = state.extra.get("last")
    return date.fromisoformat(last) if last else None


def cote_of(state: State) -> int:
    assert isinstance(state.rating, int)
    return state.rating
