"""A correction of a settled list as one value, used by preview and by application alike.

A correction has parts (games, placing sheets, events in or out, facts, dates, people), so that
several changes share one reason, one replay and one journal entry: `a | b` combines two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from clubs.members.merging import followed
from clubs.members.models import Member
from ratings.ledger.models import Period, RatedGame, RatedPlacing, RatingList
from ratings.ledger.origins import UNOFFICIAL
from ratings.ledger.posting import LedgerRefused, Placement, check_posting, check_sheet
from ratings.systems.protocol import Game

MERGED = "merged"


@dataclass(frozen=True, slots=True)
class EventChange:
    """Corrected facts or date of an event; None leaves what is stored."""

    held_on: date | None = None
    label: str | None = None
    facts: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """Keys are ids of periods; a game is named by its source, None withdraws it.

    `added`: the sources of games that an officer adds to a competition of the list.
    """

    games: Mapping[int, Mapping[str, Game | None]] = field(default_factory=dict)
    added: frozenset[str] = frozenset()
    sheets: Mapping[int, tuple[Placement, ...]] = field(default_factory=dict)
    inserted: frozenset[int] = frozenset()
    removed: frozenset[int] = frozenset()
    restored: frozenset[int] = frozenset()
    changed: Mapping[int, EventChange] = field(default_factory=dict)
    merged: Mapping[int, int] = field(default_factory=dict)
    replayed: frozenset[int] = frozenset()

    def __or__(self, other: Correction) -> Correction:
        """Combine both; where both change the same thing, the second wins."""
        games = {pk: dict(edits) for pk, edits in self.games.items()}
        for pk, edits in other.games.items():
            games.setdefault(pk, {}).update(edits)
        whole: dict[str, Any] = {"games": games}
        for part in fields(self):
            if part.name != "games":
                base, added = getattr(self, part.name), getattr(other, part.name)
                whole[part.name] = {**base, **added} if isinstance(base, Mapping) else base | added
        return Correction(**whole)

    @property
    def periods(self) -> set[int]:
        """Return every period that it names; a merge reaches others."""
        named = set(self.games) | set(self.sheets) | set(self.changed)
        return named | self.inserted | self.removed | self.restored | self.replayed

    def in_words(self) -> dict[str, object]:
        """Return what the journal stores of it."""
        return {
            "games": {
                str(pk): {
                    source: None if posting is None else _words_of(posting)
                    for source, posting in edits.items()
                }
                for pk, edits in self.games.items()
            },
            "sheets": {
                str(pk): [[placed.place, placed.member_id] for placed in sheet]
                for pk, sheet in self.sheets.items()
            },
            "inserted": sorted(self.inserted),
            "removed": sorted(self.removed),
            "restored": sorted(self.restored),
            "changed": {
                str(pk): {
                    part.name: getattr(change, part.name)
                    for part in fields(change)
                    if getattr(change, part.name) is not None
                }
                for pk, change in self.changed.items()
            },
            "merged": {str(old): kept for old, kept in self.merged.items()},
        }


def change_game(period: Period, posting: Game) -> Correction:
    """Return a correction with another result, other players, or a game that was never posted."""
    return Correction(games={period.pk: {posting.key: posting}})


def add_game(period: Period, posting: Game) -> Correction:
    """Return a correction with a game that an officer adds; it gets its name here."""
    source = f"{period.key}:added:{period.games.filter(added=True, revision=0).count()}"
    games = {period.pk: {source: replace(posting, key=source)}}
    return Correction(games=games, added=frozenset({source}))


def withdraw_game(period: Period, source: str) -> Correction:
    """Return a correction that withdraws a game never played, or not to be rated."""
    return Correction(games={period.pk: {source: None}})


def change_sheet(period: Period, sheet: Sequence[Placement]) -> Correction:
    """Return a correction that replaces a whole placing sheet."""
    return Correction(sheets={period.pk: tuple(sheet)})


def insert_event(period: Period) -> Correction:
    """Return a correction for a late event: a past period, games posted, not yet settled."""
    return Correction(inserted=frozenset({period.pk}))


def remove_event(period: Period) -> Correction:
    """Return a correction by which the event does not count; nothing of it is deleted."""
    return Correction(removed=frozenset({period.pk}))


def restore_event(period: Period) -> Correction:
    """Return a correction by which a removed event counts again."""
    return Correction(restored=frozenset({period.pk}))


def change_event(
    period: Period,
    *,
    facts: Mapping[str, object] | None = None,
    held_on: date | None = None,
    label: str | None = None,
) -> Correction:
    """Return other facts or another date; at another date the rules are those in force then."""
    return Correction(changed={period.pk: EventChange(held_on, label, facts)})


def merge_member(merged: Member, into: Member) -> Correction:
    """Return a correction for two rows of one person: the games of `merged` count for `into`."""
    return Correction(merged={merged.pk: into.pk})


def aliases_of(
    rating_list: RatingList, merged: Mapping[int, int] | None = None
) -> Mapping[int, int]:
    """Return {merged member: kept member} for this list, chains resolved."""
    stored = rating_list.facts.get(MERGED, {})
    direct = {int(old): int(kept) for old, kept in stored.items()} | dict(merged or {})
    return followed(direct)


def check(rating_list: RatingList, correction: Correction) -> None:
    """Refuse an impossible correction, with a sentence, before anything is computed."""
    named = correction.periods
    periods = {
        period.pk: period for period in rating_list.periods.filter(pk__in=named).order_by("pk")
    }
    if set(periods) != named:
        raise LedgerRefused(_("Cette compétition n’est pas dans cette liste."), code="other_list")
    for pk, edits in correction.games.items():
        _check_games(periods[pk], edits)
    for sheet in correction.sheets.values():
        check_sheet(sheet)
    _check_people(rating_list, correction)
    for pk in correction.inserted:
        _check_inserted(periods[pk])
    for pk in correction.removed:
        _check_removed(periods[pk])
    if any(periods[pk].removed_at is None for pk in correction.restored):
        raise LedgerRefused(_("Cette compétition n’est pas retirée."), code="not_removed")
    _check_merges(rating_list, correction.merged)


def _check_inserted(period: Period) -> None:
    if period.settled_at is not None:
        raise LedgerRefused(_("Cette compétition est déjà calculée."), code="already_settled")
    if period.kind == UNOFFICIAL:
        raise LedgerRefused(_("Cette compétition n’est pas officielle."), code="unofficial")
    if period.removed_at is not None:
        raise LedgerRefused(_("Cette compétition vient de changer."), code="stale")


def _check_removed(period: Period) -> None:
    if period.removed_at is not None:
        raise LedgerRefused(_("Cette compétition est déjà retirée."), code="already_removed")
    if period.settled_at is None:
        raise LedgerRefused(_("Cette compétition n’est pas calculée."), code="not_settled")


def _check_games(period: Period, edits: Mapping[str, Game | None]) -> None:
    sources = set(
        RatedGame.objects.filter(period=period, source__in=edits)
        .in_force()
        .values_list("source", flat=True)
    )
    for source, posting in edits.items():
        if posting is None:
            if source not in sources:
                raise LedgerRefused(
                    _("Partie %(name)s : elle n’est pas dans cette compétition.")
                    % {"name": source},
                    code="unknown_game",
                )
            continue
        check_posting(posting)


def _check_people(rating_list: RatingList, correction: Correction) -> None:
    wanted = {
        member_id
        for edits in correction.games.values()
        for posting in edits.values()
        if posting is not None
        for member_id in (posting.first, posting.second)
    }
    wanted |= {placed.member_id for sheet in correction.sheets.values() for placed in sheet}
    wanted |= set(correction.merged) | set(correction.merged.values())
    known = Member.objects.filter(organisation_id=rating_list.organisation_id, pk__in=wanted)
    if known.count() != len(wanted):
        raise LedgerRefused(_("Ce joueur est inconnu."), code="unknown_player")


def _check_merges(rating_list: RatingList, merged: Mapping[int, int]) -> None:
    already = aliases_of(rating_list)
    whole = aliases_of(rating_list, merged)
    for old, kept in merged.items():
        if old == kept:
            raise LedgerRefused(_("Choisissez un autre joueur."), code="same_player")
        if old in already or whole[old] == old or whole.get(kept, kept) == old:
            raise LedgerRefused(_("Ces fiches sont déjà fusionnées."), code="already_merged")
        one = {old} | {pk for pk, into in already.items() if into == old}
        final = whole[old]
        other = ({final, kept} | {pk for pk, into in whole.items() if into == final}) - one
        together = RatedGame.objects.filter(period__rating_list=rating_list).in_force()
        met = together.filter(
            Q(first__in=one, second__in=other) | Q(first__in=other, second__in=one)
        )
        if met.exists():
            raise LedgerRefused(
                _(
                    "Ces deux joueurs ont joué l’un contre l’autre : ils ne peuvent pas "
                    "être fusionnés."
                ),
                code="met_each_other",
            )
        sheets = RatedPlacing.objects.filter(period__rating_list=rating_list).in_force()
        shared = sheets.filter(
            member__in=one,
            period__in=sheets.filter(member__in=other).values("period"),
        )
        if shared.exists():
            raise LedgerRefused(
                _("Ces deux joueurs sont sur la même feuille de places."), code="same_sheet"
            )


def _words_of(posting: Game) -> list[object]:
    return [
        posting.first,
        posting.second,
        posting.first_halves,
        posting.first_score,
        posting.second_score,
    ]
