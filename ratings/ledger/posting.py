"""What is posted to a list: a game as its origin knows it (`Game`), a line of a placing sheet.

Posting is idempotent: the same source with the same content changes nothing, with other content it
adds a new version that supersedes the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs.accounts.actor import Refused
from clubs.organisations.models import Organisation
from ratings.ledger.models import Period, RatedGame, RatedPlacing, RatingList
from ratings.systems.protocol import Game

ANNOUNCED = "announced"
"""Among the facts of a period: those that what it comes from gave, as it gave them last."""


class LedgerRefused(Refused):
    """A posting, settlement or correction that may not happen."""


@dataclass(frozen=True, slots=True)
class Placement:
    """One line of a placing sheet; `line` is its number in the file it came from, if any."""

    member_id: int
    place: int
    facts: Mapping[str, Any] | None = None
    line: int = 0


def content_of_placement(placement: Placement) -> dict[str, object]:
    return {"place": placement.place, "facts": dict(placement.facts or {})}


def content_of_placing(placing: RatedPlacing) -> dict[str, object]:
    return {"place": placing.place, "facts": placing.facts}


def check_posting(posting: Game) -> None:
    """Refuse a game that is not between two people or does not end in 0, 1 or 2 half points."""
    if posting.first == posting.second:
        raise LedgerRefused(
            _("Partie %(name)s : les deux joueurs sont la même personne.") % {"name": posting.key},
            code="against_oneself",
        )
    if posting.first_halves not in (0, 1, 2):
        raise LedgerRefused(
            _("Partie %(name)s : le résultat n’est ni une victoire, ni un nul.")
            % {"name": posting.key},
            code="no_result",
        )


def check_sheet(sheet: Sequence[Placement]) -> None:
    """Refuse a sheet where a member is missing or doubled, or where places have a gap.

    Places start from 1. Equal places are ties, and the places that they occupy are skipped (1, 2,
    2, 4). Raises LedgerRefused with the number of the line.
    """
    lines = [(placed.line or number, placed) for number, placed in enumerate(sheet, start=1)]
    if not lines:
        raise LedgerRefused(_("La feuille de places est vide."), code="empty_sheet")
    seen: dict[int, int] = {}
    for number, placed in lines:
        if placed.member_id in seen:
            raise LedgerRefused(
                _("Ligne %(line)s : ce joueur est déjà à la ligne %(other)s.")
                % {"line": number, "other": seen[placed.member_id]},
                code="player_twice",
            )
        seen[placed.member_id] = number
    previous_place: int | None = None
    for better, (number, placed) in enumerate(sorted(lines, key=_by_place)):
        if placed.place in (previous_place, better + 1):
            previous_place = placed.place
            continue
        if previous_place is not None and better + 1 > placed.place > previous_place:
            sentence = _(
                "Ligne %(line)s : la place %(place)s est en double ; après des ex æquo, la place "
                "suivante est %(wanted)s."
            )
            code = "place_doubled"
        else:
            sentence = _("Ligne %(line)s : place %(place)s, mais la place %(wanted)s manque.")
            code = "place_missing"
        raise LedgerRefused(
            sentence % {"line": number, "place": placed.place, "wanted": better + 1}, code=code
        )


def _by_place(line: tuple[int, Placement]) -> tuple[int, int]:
    number, placed = line
    return placed.place, number


def same_sheet(stored: Iterable[RatedPlacing], sheet: Sequence[Placement]) -> bool:
    """Return whether the sheet in force says the same."""
    stored_contents = {placing.member_id: content_of_placing(placing) for placing in stored}
    return stored_contents == {placed.member_id: content_of_placement(placed) for placed in sheet}


@transaction.atomic(savepoint=False)
def record_game(
    *, period: Period, posting: Game, at: datetime, is_first: bool = False, added: bool = False
) -> RatedGame:
    """Post one game, or its next version. The same content twice changes nothing.

    `is_first`: the caller knows that nothing was posted under this source; if that is wrong, the
    unique key on (period, source, revision) refuses the row. `added`: an officer adds the game; its
    next versions say so too.
    """
    last = None if is_first else _last_version(period, posting.key)
    if last is not None and not last.withdrawn and last.game == posting:
        return last
    return RatedGame.objects.create(
        period=period,
        revision=0 if last is None else last.revision + 1,
        supersedes=last,
        posted_at=at,
        added=added if last is None else last.added,
        **posting.to_row(),
    )


@transaction.atomic(savepoint=False)
def withdraw_game(*, period: Period, source: str, at: datetime) -> None:
    """Withdraw a game (cancelled, void) by a last version that says so. Without a version: nothing."""
    last = _last_version(period, source)
    if last is None or last.withdrawn:
        return
    RatedGame.objects.create(
        period=period,
        revision=last.revision + 1,
        supersedes=last,
        posted_at=at,
        added=last.added,
        withdrawn=True,
        **last.game.to_row(),
    )


@transaction.atomic(savepoint=False)
def record_games(*, period: Period, games: Sequence[Game], at: datetime) -> bool:
    """Post all that a competition of the site says now; return whether that changed anything.

    What it says no longer is withdrawn; a game that an officer added stays. A change to what was
    posted before makes a dry run out of date.
    """
    before = _versions(period)
    own = RatedGame.objects.filter(period=period, added=False).in_force()
    for source in sorted(set(own.values_list("source", flat=True)) - {game.key for game in games}):
        withdraw_game(period=period, source=source, at=at)
    for game in games:
        record_game(period=period, posting=game, at=at)
    changed = _versions(period) != before
    if before and changed:
        RatingList.objects.filter(pk=period.rating_list_id).update(version=F("version") + 1)
    return changed


def announce_anew(
    *, period: Period, label: str, held_on: date, facts: Mapping[str, object]
) -> None:
    """Give a period that waits name, day and facts of what it comes from; one that is rated keeps its own.

    Of the facts those that are said for the first time or otherwise than the last time: what an officer
    has declared since stays. A dry run made before is out of date.
    """
    row = (
        Period.objects.select_for_update(no_key=True).filter(pk=period.pk, settled_at=None).first()
    )
    if row is None:
        return
    last: Mapping[str, object] | None = row.facts.get(ANNOUNCED)
    if last is None:  # 1.12 opened it and noted nothing: what an officer may have declared stays
        last = {name: fact for name, fact in facts.items() if row.facts.get(name)}
    changed = {name: fact for name, fact in facts.items() if name not in last or last[name] != fact}
    now = {
        "label": label,
        "held_on": held_on,
        "facts": {**row.facts, **changed, ANNOUNCED: dict(facts)},
    }
    if any(getattr(row, name) != value for name, value in now.items()):
        Period.objects.filter(pk=row.pk).update(**now)
        RatingList.objects.filter(pk=row.rating_list_id).update(version=F("version") + 1)


def outdate_previews(organisation: Organisation, system: str) -> None:
    """Give the lists of a system another version: rules adopted may change what a preview showed.

    Locked in the order of a merge, which locks every list: one update of many has an order of its own.
    """
    lists = RatingList.objects.filter(organisation=organisation, system=system).order_by("pk")
    locked = [one.pk for one in lists.select_for_update(no_key=True)]
    RatingList.objects.filter(pk__in=locked).update(version=F("version") + 1)


@transaction.atomic
def record_placings(
    *, period: Period, placings: Sequence[Placement], at: datetime
) -> list[RatedPlacing]:
    """Post a placing sheet, or its next version. The same sheet twice changes nothing.

    Raises LedgerRefused with the line's number for a player or a place doubled or missing.
    """
    check_sheet(placings)
    last = {
        placing.member_id: placing
        for placing in RatedPlacing.objects.filter(period=period).order_by("revision", "pk")
    }
    current_placings = [placing for placing in last.values() if not placing.withdrawn]
    if same_sheet(current_placings, placings):
        return current_placings
    wanted = {placed.member_id: content_of_placement(placed) for placed in placings}
    rows = []
    for member_id in sorted(set(wanted) | {placing.member_id for placing in current_placings}):
        before, content = last.get(member_id), wanted.get(member_id)
        if before is not None and not before.withdrawn and content == content_of_placing(before):
            continue
        rows.append(
            RatedPlacing(
                period=period,
                member_id=member_id,
                revision=0 if before is None else before.revision + 1,
                supersedes=before,
                withdrawn=content is None,
                posted_at=at,
                **(content or content_of_placing(last[member_id])),
            )
        )
    RatedPlacing.objects.bulk_create(rows, batch_size=500)
    return list(RatedPlacing.objects.filter(period=period).in_force().order_by("place", "pk"))


def _versions(period: Period) -> set[int]:
    return set(RatedGame.objects.filter(period=period).values_list("pk", flat=True))


def _last_version(period: Period, source: str) -> RatedGame | None:
    return (
        RatedGame.objects.filter(period=period, source=source).order_by("-revision", "-pk").first()
    )
