"""FISF seasons and days: 1 September to 31 August, years before a publication, dated cotes (000)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.protocol import EventRefused

SEASON_STARTS = (9, 1)


def season_of(day: date) -> int:
    """Return the year in which the season of that day began, on 1 September (000 2)."""
    return day.year if (day.month, day.day) >= SEASON_STARTS else day.year - 1


def season_start(year: int) -> date:
    """Return the first day of the season that begins in that year."""
    return date(year, *SEASON_STARTS)


def years_before(day: date, years: int) -> date:
    """Return the same day some years earlier; 29 February becomes 28 February."""
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return day.replace(year=day.year - years, day=28)


def last_day_after(day: date, years: int) -> date:
    """Return the last day that is no more than some years after another one, by `years_before`."""
    same_day = years_before(day, -years)
    next_day = same_day + timedelta(days=1)  # 29 February counts from the 28th of other years
    return next_day if years_before(next_day, years) <= day else same_day


def dated(history: Sequence[Sequence[Any]], on: date, cote: int) -> list[list[Any]]:
    """Return the dated cotes with one more: the last of an earlier season, and the new one.

    No freeze of this season or a later one reads another. Older cotes are in older states: stored
    here, a corrected one would never let the player's state become equal to the stored one again.
    """
    season = season_of(on)
    earlier = [line for line in history if season_of(date.fromisoformat(line[0])) < season]
    return [*(list(line) for line in earlier[-1:]), [on.isoformat(), cote]]


def typed_day(typed: object) -> date | None:
    """Return a declared day. Raises EventRefused for an invalid one."""
    if not typed:
        return None
    try:
        return date.fromisoformat(str(typed))
    except ValueError as bad:
        raise EventRefused(
            _("La date « %(day)s » n’est pas écrite AAAA-MM-JJ."), day=str(typed)[:20]
        ) from bad
