"""What a FISF list shows: cote, frozen series, status, K and games (000 2, 3 and 6)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import ClassVar

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.categories import Band
from ratings.systems.columns import BADGE, DAY, TAG, Bounds, ListColumn, ListSection
from ratings.systems.fisf.seasons import last_day_after, season_of, season_start, years_before
from ratings.systems.fisf.status import (
    ESTIMATED,
    INACTIVE,
    PROVISIONAL,
    RANKED,
    FisfStatus,
    cote_of,
    last_of,
)
from ratings.systems.protocol import Reason, State, frozen


class FisfColumns(FisfStatus):
    __slots__ = ()

    statuses: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            RANKED: _("classé"),
            PROVISIONAL: _("provisoire"),
            ESTIMATED: _("estimée"),
            INACTIVE: _("inactif"),
        }
    )

    @abstractmethod
    def k_of(self, e0: int, games: int) -> int:
        """Return K, from cote and games."""

    def columns(self) -> tuple[ListColumn, ...]:
        """Return the columns: cote, frozen series, status, K and games (000 2, 3 and 6)."""
        series = tuple(band.label for band in reversed(self.bands()))
        return (
            ListColumn("cote", _("Cote"), lead=True),
            ListColumn("serie", _("Série"), BADGE, choices=series),
            ListColumn("games", _("Parties")),
            ListColumn("k", _("K")),
            ListColumn("last", _("Dernière compétition"), DAY),
            ListColumn("status", _("Statut"), TAG),
            ListColumn("coming", _("Série au 1er septembre"), BADGE, aside=True),
            ListColumn("to_bar", _("Points à la barre"), aside=True),
        )

    def cells(self, state: State, on: date, kind: str = "") -> Mapping[str, object]:
        serie = self.serie_on(state, on)
        has_cote = state.rating is not None and state.games > 0
        coming = self.serie(cote_of(state)) if has_cote else None
        bar = self.next_bar(cote_of(state)) if has_cote else None
        return {
            "cote": self.shown(state),
            "serie": serie.label if serie else None,
            "games": state.games,
            "k": self.k_of(cote_of(state), state.games) if state.rating is not None else None,
            "last": last_of(state),
            "status": self.status_on(state, on),
            "coming": coming.label if coming else None,
            "to_bar": bar.minimum - cote_of(state) if bar else None,
        }

    def next_bar(self, cote: int) -> Band | None:
        """Return the series above that of a cote; None in the first one."""
        return next((band for band in self.bands() if band.minimum > cote), None)

    def calendar(self, on: date) -> tuple[tuple[date, str], ...]:
        """Return the day from which the next season's series hold (000 2)."""
        return ((season_start(season_of(on) + 1), _("FISF : les séries de la saison suivante")),)

    def ahead(self, state: State, on: date, kind: str = "") -> list[Reason]:
        """Return what the ranking asks, until when it holds, and the series to come (000 2 and 6)."""
        lines, last, status = [], last_of(state), self.status_on(state, on)
        if status in (ESTIMATED, PROVISIONAL):
            for what, have, need in (
                ("tournaments", state.events, self.listed_tournaments),
                ("games", state.games, self.listed_games),
            ):
                details = {"what": what, "have": min(have, need), "need": need}
                lines.append(Reason("to_ranked", "000 6", values=frozen(details)))
        elif last is not None:
            until = last_day_after(last, self.listed_years)
            details = {"until": until.isoformat(), "inactive": status == INACTIVE}
            lines.append(Reason("ranked_until", "000 6", values=frozen(details)))
        if state.rating is None or not state.games:
            return lines
        cote, starts = cote_of(state), season_start(season_of(on) + 1).isoformat()
        serie, coming, bar = self.serie_on(state, on), self.serie(cote), self.next_bar(cote)
        details = {"held": serie.label if serie else "", "coming": coming.label, "from": starts}
        lines.append(Reason("coming_serie", "000 2", values=frozen(details)))
        if bar is not None:
            details = {"serie": bar.label, "bar": bar.minimum, "left": bar.minimum - cote}
            lines.append(Reason("to_bar", "000 2", values=frozen({**details, "from": starts})))
        return lines

    def sections(self, on: date) -> tuple[ListSection, ...]:
        """Return the published ranking, unranked players, and the organisers' file (000 6).

        The first three hold who has that `status` on the day; inactive players are in the file only.
        """
        tournaments, games = self.listed_tournaments, max(self.listed_games, 1)
        ranked = Bounds(
            games_from=games,
            events_from=tournaments,
            last_from=years_before(on, self.listed_years),
            last_until=on,
        )
        provisional = (
            Bounds(games_from=1, games_until=games - 1),
            Bounds(games_from=1, events_until=tournaments - 1),
            Bounds(games_from=1, without_last=True),
        )
        return (
            ListSection("ranked", _("Classement"), bounds=(ranked,)),
            ListSection("provisional", _("Cotes provisoires"), bounds=provisional),
            ListSection("estimated", _("Cotes estimées"), bounds=(Bounds(games_until=0),)),
            ListSection("everybody", _("Fichier des organisateurs")),
        )
