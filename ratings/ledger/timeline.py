"""A list's calendar as stored and as a correction would make it, and its events as values."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from django.db.models import Case, IntegerField, Q, When
from django.utils.translation import gettext as _

from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from ratings.ledger.corrections import Correction, aliases_of
from ratings.ledger.models import LedgerEntry, Period, RatedGame, RatedPlacing, RatingList
from ratings.ledger.posting import LedgerRefused, Placement
from ratings.systems.protocol import Event, Game, Placing, RatingSystem, frozen

T = TypeVar("T")
Key = tuple[date, int, int]
GAMES = ""
ADJUSTMENT = "adjustment"
START = "start"
CHUNK = 400


def key_of(period: Period) -> Key:
    """Return the sort key of a period in its list: the order of settlement and of replay."""
    return period.held_on, period.position, period.pk


def system_of(period: Period) -> RatingSystem:
    """Return the list's system with the numbers of the period's rule version."""
    code = period.rating_list.system
    chosen: RatingSystem = rulebooks.rules(period.rule_book, code, "cote")
    return chosen


def rule_book_on(rating_list: RatingList, on: date) -> RuleBook | None:
    """Return the version in force at the end of a day."""
    organisation = rating_list.organisation
    midnight = datetime.combine(on, datetime.max.time(), tzinfo=organisation.zone)
    return rulebooks.in_force(organisation, rating_list.system, midnight)


def rule_book_of(period: Period) -> RuleBook | None:
    """Return the version that rates a period: its own where it is fixed, else that of its day."""
    if period.rule_fixed:
        return period.rule_book
    return rule_book_on(period.rating_list, period.held_on)


def last_rated(rating_list: RatingList, since: date) -> Period | None:
    """Return the last rated event from a day on, which an act of that day comes after.

    One that was taken out, perhaps for its date, does not count.
    """
    rated = rating_list.periods.rated().filter(held_on__gte=since)
    last: Period | None = rated.in_order().last()
    return last


class Place(NamedTuple):
    """A period at one place of the stored and the corrected calendar.

    `stored`: the ledger was settled with it here. `wanted`: it is to be rated here. An event whose
    date changes has two places. `touched`: the correction changes what is rated here. `sequence` is
    its number among the wanted periods of official games (001 §2); a cut or a sheet of starts has
    that of the last game before it. 0 where it is not wanted.
    """

    pk: int
    key: Key
    sequence: int
    stored: bool
    wanted: bool
    touched: bool


@dataclass
class Calendar:
    """Reads a list with a correction applied over it. Without one: the list as it is."""

    rating_list: RatingList
    correction: Correction = field(default_factory=Correction)

    @cached_property
    def aliases(self) -> Mapping[int, int]:
        return aliases_of(self.rating_list, self.correction.merged)

    @cached_property
    def others(self) -> Mapping[int, set[int]]:
        """Return the inverse of `aliases`: whose games count for that member, besides their own."""
        merged_by_kept: dict[int, set[int]] = defaultdict(set)
        for old, kept in self.aliases.items():
            merged_by_kept[kept].add(old)
        return merged_by_kept

    @cached_property
    def places(self) -> list[Place]:
        """Return both calendars in order, whole."""
        rows = self.rating_list.periods.values_list(
            "pk", "kind", "held_on", "position", _has("settled_at"), _has("removed_at")
        )
        wish, candidates = self.correction, []
        touched = wish.periods | self._met_by_the_merged()
        for pk, kind, held_on, position, settled, removed in rows:
            is_rated = settled or pk in wish.inserted or pk in wish.replayed
            is_out = pk in wish.removed or (removed and pk not in wish.restored)
            stored, wanted = bool(settled and not removed), bool(is_rated and not is_out)
            if not (stored or wanted):
                continue
            old = new = (held_on, position, pk)
            change = wish.changed.get(pk)
            if change is not None:
                new = (change.held_on or held_on, position, pk)
            if stored and wanted and old != new:  # it leaves one day and comes to another
                candidates.append((old, pk, kind, True, False, True))
                candidates.append((new, pk, kind, False, True, True))
            else:
                key = new if wanted else old
                candidates.append((key, pk, kind, stored, wanted, pk in touched))
        sequence, places = 0, []
        for key, pk, kind, was, will, changed in sorted(candidates):
            sequence += will and kind == GAMES
            places.append(Place(pk, key, sequence if will else 0, was, will, changed))
        return places

    def _met_by_the_merged(self) -> set[int]:
        merged = list(self.correction.merged)
        if not merged:
            return set()
        period_ids = set(periods_of(self.rating_list, merged)[0])
        return period_ids | {pk for pk, named in self.named.items() if named & set(merged)}

    @cached_property
    def named(self) -> dict[int, set[int]]:
        """Return whom each cut and each start names, whether or not it moves them today."""
        kinds = self.rating_list.periods.filter(kind__in=(ADJUSTMENT, START))
        return {period.pk: named_in(period, period.facts) for period in kinds}

    def only_games(self, place: Place) -> Mapping[str, Game | None] | None:
        """Return the games corrected there, where nothing else is; None where something else is."""
        wish, pk = self.correction, place.pk
        named = wish.inserted | wish.removed | wish.restored | wish.replayed
        if not (place.stored and place.wanted) or wish.merged or pk in named:
            return None
        if pk in wish.sheets or pk in wish.changed:
            return None
        return wish.games.get(pk)

    def periods(self, pks: Iterable[int]) -> dict[int, Period]:
        """Return these rows as they are to be: dates, facts and rules changed."""
        periods_by_id = {}
        for chunk in chunks(sorted(set(pks))):
            for period in Period.objects.filter(pk__in=chunk).select_related("rule_book"):
                periods_by_id[period.pk] = self._as_wanted(period)
        return periods_by_id

    def _as_wanted(self, period: Period) -> Period:
        period.rating_list = self.rating_list
        change = self.correction.changed.get(period.pk)
        if change is None and period.rule_fixed:
            return period
        period = copy.copy(period)
        if change is not None:
            if change.label not in (None, period.label):
                period.label, period.evening_number = change.label, None
            period.facts = period.facts if change.facts is None else dict(change.facts)
            if change.held_on not in (None, period.held_on):
                assert change.held_on is not None
                period.held_on, period.rule_fixed = change.held_on, False
        if not period.rule_fixed:
            period.rule_book = rule_book_on(self.rating_list, period.held_on)
            period.rule_fixed = True
        return period

    def games(
        self, pks: Sequence[int], members: Iterable[int] | None = None
    ) -> dict[int, list[Game]]:
        """Return the games in force of these periods, corrected, in the order played.

        `members`: only their games are read (and the corrected ones).
        """
        games_by_period: dict[int, list[Game]] = {pk: [] for pk in pks}
        rated_games = RatedGame.objects.in_force()
        if members is not None:
            player_ids = {pk for member in members for pk in (member, *self.others.get(member, ()))}
            rated_games = rated_games.filter(Q(first__in=player_ids) | Q(second__in=player_ids))
        for chunk in chunks(pks):
            rows = (
                rated_games.filter(period__in=chunk)
                .order_by("period_id", "position", "source", "pk")
                .values_list("period_id", *Game.COLUMNS)
            )
            for pk, *row in rows.iterator(chunk_size=2000):
                games_by_period[pk].append(Game.from_row(row))
        for pk, edits in self.correction.games.items():
            if pk in games_by_period:
                kept = [game for game in games_by_period[pk] if game.key not in edits]
                kept += [game for game in edits.values() if game is not None]
                games_by_period[pk] = sorted(kept, key=lambda game: (game.position, game.key))
        return games_by_period

    def placings(self, pks: Sequence[int]) -> dict[int, list[Placement]]:
        """Return the placing sheets in force of these periods, corrected, best first."""
        sheets: dict[int, list[Placement]] = {pk: [] for pk in pks}
        for chunk in chunks(pks):
            rows = (
                RatedPlacing.objects.filter(period__in=chunk)
                .in_force()
                .order_by("period_id", "place", "member_id")
                .values_list("period_id", "member_id", "place", "facts")
            )
            for pk, member_id, place, facts in rows:
                sheets[pk].append(Placement(member_id, place, facts))
        for pk, sheet in self.correction.sheets.items():
            if pk in sheets:
                sheets[pk] = sorted(sheet, key=lambda line: (line.place, line.member_id))
        return sheets

    def events(self, places: Sequence[Place]) -> Iterator[tuple[Place, Period, Event]]:
        """Yield each wanted place with its period and its event, read in chunks."""
        for chunk in chunks(places, 64):
            pks = [place.pk for place in chunk]
            periods, games, placings = self.periods(pks), self.games(pks), self.placings(pks)
            for place in chunk:
                period = periods[place.pk]
                yield (
                    place,
                    period,
                    self.event(period, place.sequence, games[place.pk], placings[place.pk]),
                )

    def event(
        self,
        period: Period,
        sequence: int,
        games: Iterable[Game],
        placings: Iterable[Placement] = (),
    ) -> Event:
        """Return the plain value that a system takes. Merged members are already one person in it."""
        alias = self.aliases
        return Event(
            key=period.key,
            held_on=period.held_on,
            sequence=sequence,
            kind=period.kind,
            games=tuple(self._merged(game) for game in games),
            placings=tuple(
                Placing(
                    alias.get(line.member_id, line.member_id), line.place, frozen(line.facts or {})
                )
                for line in placings
            ),
            facts=frozen(self.facts_of(period)),
        )

    def _merged(self, game: Game) -> Game:
        """Return a game between the members that count now."""
        alias = self.aliases
        first, second = alias.get(game.first, game.first), alias.get(game.second, game.second)
        if first == second:
            raise LedgerRefused(
                _("Partie %(name)s : les deux joueurs sont la même personne.") % {"name": game.key},
                code="against_oneself",
            )
        return replace(game, first=first, second=second) if alias else game

    def facts_of(self, period: Period) -> Mapping[str, object]:
        """Return the declared facts, those about a merged member given to the kept one."""
        facts: Mapping[str, Any] = period.facts
        if not self.aliases:
            return facts
        players = facts.get("players")
        if isinstance(players, Mapping):
            kept: dict[str, Any] = {}
            for pid, player_facts in players.items():
                one = self.aliases.get(int(pid), int(pid))
                if one == int(pid) or str(one) not in players:
                    kept[str(one)] = player_facts
            facts = {**facts, "players": kept}
        if "member" in facts:
            facts = {**facts, "member": self.aliases.get(facts["member"], facts["member"])}
        return facts


def _has(name: str) -> Case:
    """Return 1 where the column is not null: a number costs less to read than a timestamp."""
    return Case(When(**{f"{name}__isnull": True}, then=0), default=1, output_field=IntegerField())


def named_in(period: Period, facts: Mapping[str, Any]) -> set[int]:
    """Return whom a period moves without a game: the member cut, the players who start.

    `facts`: its own, or those of its event, where who was merged is the person that they are now.
    """
    if period.kind == ADJUSTMENT:
        return {int(facts["member"])}
    if period.kind == START:
        return {int(pid) for pid in facts.get("players", {})}
    return set()


def periods_of(
    rating_list: RatingList, members: Sequence[int]
) -> tuple[set[int], dict[int, set[int]]]:
    """Return where these members have a game, a place or an entry in force: all, and by member."""
    by_member: dict[int, set[int]] = {member: set() for member in members}
    games = RatedGame.objects.filter(period__rating_list=rating_list).in_force()
    placings = RatedPlacing.objects.filter(period__rating_list=rating_list).in_force()
    entries = LedgerEntry.objects.filter(rating_list=rating_list).in_force()
    for chunk in chunks(list(members)):
        for rows in (
            games.filter(first__in=chunk).values_list("first_id", "period_id"),
            games.filter(second__in=chunk).values_list("second_id", "period_id"),
            placings.filter(member__in=chunk).values_list("member_id", "period_id"),
            entries.filter(member__in=chunk).values_list("member_id", "period_id"),
        ):
            for member, period in rows:
                by_member[member].add(period)
    return set().union(*by_member.values()), by_member


def chunks(items: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
