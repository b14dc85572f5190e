"""The curve of a player's cote: a dot an evening, over the range that its reader chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clubs.members.models import Member
from clubs.organisations.models import Season
from clubs.rulebooks.models import RuleBook
from clubs.ui import charts
from clubs.ui.french import written
from pairings.ranking import projection
from ratings.ledger.models import LedgerEntry
from ratings.systems.protocol import Change

MONTHS, SEASON, WHOLE = "3mois", "saison", "tout"
LABELS = {
    MONTHS: gettext_lazy("3 mois"),
    SEASON: gettext_lazy("Saison"),
    WHOLE: gettext_lazy("Tout"),
}
Ranges = Mapping[str, date | None]
"""Code of a range → its first day; None: from the beginning."""


@dataclass(frozen=True, slots=True)
class Now:
    """Whose curve it is, the change that tonight would make, and the rules of the evening."""

    member: Member
    projected: Change | None
    book: RuleBook | None


def ranges_of(entries: Sequence[LedgerEntry], season: Season | None, *, today: date) -> Ranges:
    """Return the ranges to choose from: those shorter than the history, and the whole of it."""
    starts = {MONTHS: today - timedelta(days=91)}
    if season is not None:
        starts[SEASON] = season.starts_on
    begun = entries[0].held_on if entries else today
    return {**{code: day for code, day in starts.items() if begun < day}, WHOLE: None}


def chosen(ranges: Ranges, entries: Sequence[LedgerEntry], asked: str) -> str:
    """Return the range that was asked for; else the season, once it has two evenings."""
    if asked in ranges:
        return asked
    start = ranges.get(SEASON)
    held = sum(entry.held_on >= start for entry in entries) if start else 0
    return SEASON if held > 1 else WHOLE


def tabs_of(ranges: Ranges, current: str) -> list[dict[str, object]]:
    """Return the links to the ranges; none where there is only the whole."""
    if len(ranges) == 1:
        return []
    return [
        {"label": LABELS[code], "url": f"?periode={code}", "current": code == current}
        for code in ranges
    ]


def graph_of(
    entries: Sequence[LedgerEntry], now: Now, *, since: date | None = None
) -> charts.RatingGraph | None:
    """Return the curve drawn by `clubs.ui.charts`, its projected end dashed.

    It begins with the cote from which the first evening `since` that day started.
    """
    first = sum(entry.held_on < since for entry in entries) if since else 0
    begin = max(first - 1, 0)
    shown = entries[begin:]
    spans_years = bool(shown) and shown[-1].held_on - shown[0].held_on > timedelta(days=330)
    points = [
        charts.Point(
            label=written(entry.held_on, "SHORT_DATE_FORMAT" if spans_years else "j N"),
            value=entry.shown_after or 0,
            note=_note(entry, entries[at - 1] if at else None),
        )
        for at, entry in enumerate(shown, start=begin)
    ]
    if shown and not begin and shown[0].shown_before is not None:
        points.insert(0, charts.Point(label=_("début"), value=shown[0].shown_before))
    value = projection.cote_after(now.projected, now.book)
    if value is not None:
        points.append(charts.Point(label=_("ce soir"), value=value, projected=True))
    limits = [(band.code, band.minimum) for band in projection.cote_rules(now.book).bands()]
    return charts.graph_of(now.member.first_name_for(viewer_is_member=True), points, limits)


def _note(entry: LedgerEntry, before: LedgerEntry | None) -> str:
    """Return what a flag marks: a correction, or the first evening under other rules."""
    if entry.supersedes_id:
        return _("corrigé")
    book = entry.rule_book
    if book is None or before is None or before.rule_book_id in (None, book.pk):
        return ""
    return _("règles, version %(number)s") % {"number": book.number}
