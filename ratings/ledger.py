"""The only writer of cotes: post a game, settle a period, adjust, correct and replay forward.

A period is settled once. Posting is idempotent: the same source with the same content changes
nothing, with other content it adds a new version that supersedes the one before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs import journal, rulebook
from clubs.actor import Actor, Refused
from clubs.models import Member, Organisation, RuleBook
from ratings import replay, systems
from ratings.models import LedgerEntry, Period, RatedGame, RatingList, StandingCote
from ratings.replay import Difference, GameChange
from ratings.systems.base import Change, EventRefused
from ratings.systems.storage import reason_to_json, state_to_json

GAMES = ""
ADJUSTMENT = "adjustment"
START = "start"


class LedgerRefused(Refused):
    """A posting, settlement or correction that may not happen."""


@dataclass(frozen=True, slots=True)
class Posting:
    """One game as its origin knows it: `source` is its name for ever ("match:42")."""

    source: str
    first_id: int
    second_id: int
    first_halves: int
    first_score: int | None = None
    second_score: int | None = None
    position: int = 0
    facts: Mapping[str, Any] | None = None


def list_of(organisation: Organisation, system: str, *, kind: str = "") -> RatingList:
    """The organisation's list for a system, made when first asked for."""
    found, _created = RatingList.objects.get_or_create(
        organisation=organisation,
        slug=f"{system}-{kind}".strip("-"),
        defaults={"system": system, "kind": kind, "name": systems.system(system).label},
    )
    return found


def open_period(
    *,
    rating_list: RatingList,
    key: str,
    label: str,
    held_on: date,
    kind: str = GAMES,
    facts: Mapping[str, Any] | None = None,
    position: int = 0,
    rule_book: RuleBook | None = None,
    rule_fixed: bool = False,
) -> Period:
    """The period of that key; made when first asked for. Asking twice changes nothing.

    `rule_fixed`: the caller already fixed the rule version (an evening does when it opens).
    """
    found, _created = Period.objects.get_or_create(
        rating_list=rating_list,
        key=key,
        defaults={
            "label": label,
            "held_on": held_on,
            "kind": kind,
            "facts": dict(facts or {}),
            "position": position,
            "rule_book": rule_book,
            "rule_fixed": rule_fixed,
        },
    )
    return found


@transaction.atomic(savepoint=False)
def record_game(
    *, period: Period, posting: Posting, at: datetime, is_first: bool = False
) -> RatedGame:
    """Post one game, or its next version. The same content twice changes nothing.

    `is_first`: the caller knows that nothing was posted under this source; the unique key on
    (period, source, revision) refuses him if he is wrong.
    """
    last = None if is_first else _last_version(period, posting.source)
    content = _content(posting)
    if last is not None and not last.withdrawn and _content_of(last) == content:
        return last
    return RatedGame.objects.create(
        period=period,
        source=posting.source,
        revision=0 if last is None else last.revision + 1,
        supersedes=last,
        posted_at=at,
        **content,
    )


@transaction.atomic(savepoint=False)
def withdraw_game(*, period: Period, source: str, at: datetime) -> None:
    """Take a game out (cancelled, void): a last version that says so. No version: nothing."""
    last = _last_version(period, source)
    if last is None or last.withdrawn:
        return
    RatedGame.objects.create(
        period=period,
        source=source,
        revision=last.revision + 1,
        supersedes=last,
        posted_at=at,
        withdrawn=True,
        **_content_of(last),
    )


@transaction.atomic
def settle(*, period: Period, by: Actor, at: datetime) -> list[LedgerEntry]:
    """Rate a period once: everybody from the cotes held before it. A second call adds nothing.

    A period earlier than one already settled is inserted by replay (see `correct`). Raises
    LedgerRefused with the system's own sentence when the rules cannot rate the event.
    """
    rating_list = _lock(period.rating_list)
    period.refresh_from_db()
    if period.settled_at is not None or period.removed_at is not None:
        return []
    if rating_list.periods.after(period).filter(settled_at__isnull=False).exists():
        raise LedgerRefused(
            _("Une période plus récente est déjà calculée : passez par la correction."),
            code="out_of_order",
        )
    rule_book = _rule_book_of(period)
    Period.objects.filter(pk=period.pk).update(settled_at=at, rule_book=rule_book, rule_fixed=True)
    period.refresh_from_db()
    try:
        changes = replay.settle_one(rating_list, period)
    except EventRefused as refusal:
        raise LedgerRefused(str(refusal), code="event_refused") from refusal
    entries = [_entry(period, change, by, at) for change in changes]
    LedgerEntry.objects.bulk_create(entries, batch_size=500)
    _remember(rating_list, period, changes, entries)
    journal.record(
        organisation=rating_list.organisation,
        verb="period_settled",
        subject=f"period:{period.pk}",
        by=by,
        at=at,
        after={"list": rating_list.slug, "key": period.key, "entries": len(entries)},
        rule_book=rule_book,
    )
    return entries


@transaction.atomic
def adjust(
    *,
    rating_list: RatingList,
    member: Member,
    percent: str,
    key: str,
    label: str,
    held_on: date,
    reason: str,
    by: Actor,
    at: datetime,
) -> list[LedgerEntry]:
    """A percentage cut as a replayable event of its own. The same key cuts once."""
    if not reason.strip():
        raise LedgerRefused(_("Le motif est obligatoire."), code="reason_required")
    last = rating_list.periods.filter(held_on__gte=held_on).in_order().last()
    period = open_period(
        rating_list=rating_list,
        key=key,
        label=label,
        held_on=max(held_on, last.held_on) if last else held_on,
        kind=ADJUSTMENT,
        facts={"member": member.pk, "percent": percent, "reason": reason.strip()},
        position=last.position + 1 if last else 0,
    )
    return settle(period=period, by=by, at=at)


@transaction.atomic
def undo_adjustment(
    *, rating_list: RatingList, key: str, reason: str, by: Actor, at: datetime
) -> Difference | None:
    """Make a cut as if it had been of nothing, and replay what came after. None without that cut.

    The period and its first entry stay; new entries supersede, with the reason.
    """
    rating_list = _lock(rating_list)
    period = rating_list.periods.filter(key=key, kind=ADJUSTMENT).first()
    if period is None or period.facts["percent"] == "0":
        return None
    facts = {**period.facts, "percent": "0", "undone_percent": period.facts["percent"]}
    Period.objects.filter(pk=period.pk).update(facts=facts)
    period.refresh_from_db()
    return correct(period=period, by=by, at=at, reason=reason)


def preview(period: Period, change: GameChange) -> Difference:
    """What a correction of one game would change, before it is made. Writes nothing."""
    return replay.difference(period.rating_list, period, change)


@transaction.atomic
def correct(*, period: Period, by: Actor, at: datetime, reason: str) -> Difference:
    """Replay forward from a settled period whose games have changed; supersede what differs."""
    if not reason.strip():
        raise LedgerRefused(_("Le motif est obligatoire."), code="reason_required")
    rating_list = _lock(period.rating_list)
    if period.settled_at is None:
        Period.objects.filter(pk=period.pk).update(
            settled_at=at, rule_book=_rule_book_of(period), rule_fixed=True
        )
        period.refresh_from_db()
    found = replay.difference(rating_list, period, None)
    cuts = set(rating_list.periods.filter(kind=ADJUSTMENT).values_list("pk", flat=True))
    entries = [
        LedgerEntry(
            rating_list=rating_list,
            period_id=line.period_id,
            member_id=line.member_id,
            kind=LedgerEntry.ADJUSTED if line.period_id in cuts else LedgerEntry.SETTLED,
            before=state_to_json(line.change.before),
            after=state_to_json(line.change.after),
            shown_before=line.shown_before,
            shown_after=line.shown_after,
            because=[reason_to_json(item) for item in line.change.because],
            rule_book_id=line.rule_book_id,
            held_on=line.held_on,
            written_at=at,
            written_by=by.user,
            reason=reason.strip(),
            voided=line.voided,
            supersedes_id=line.entry_id,
        )
        for line in found.lines
    ]
    LedgerEntry.objects.bulk_create(entries, batch_size=500)
    rebuild_cotes(rating_list, {line.member_id for line in found.lines})
    journal.record(
        organisation=rating_list.organisation,
        verb="list_replayed",
        subject=f"period:{period.pk}",
        by=by,
        at=at,
        after={"list": rating_list.slug, "superseded": len(entries)},
        reason=reason.strip(),
        rule_book=period.rule_book,
    )
    return found


def rebuild_cotes(rating_list: RatingList, member_ids: set[int]) -> None:
    """Write the latest state of these members again, from the ledger's entries in force."""
    latest = replay.latest_entries(rating_list, member_ids)
    StandingCote.objects.filter(
        rating_list=rating_list, member_id__in=member_ids - set(latest)
    ).delete()
    system = systems.system(rating_list.system)()
    StandingCote.objects.bulk_create(
        [_cote(rating_list, entry, system) for entry in latest.values()],
        update_conflicts=True,
        unique_fields=["rating_list", "member"],
        update_fields=["state", "shown", "games", "status", "last_on", "last_entry"],
        batch_size=500,
    )


def _cote(rating_list: RatingList, entry: LedgerEntry, system: Any) -> StandingCote:
    return StandingCote(
        rating_list=rating_list,
        member_id=entry.member_id,
        state=entry.after,
        shown=entry.shown_after,
        games=entry.after["games"],
        status=entry.after["status"],
        last_on=entry.held_on,
        last_entry=entry,
    )


def _lock(rating_list: RatingList) -> RatingList:
    """One writer a list: its version moves with each settlement and correction."""
    RatingList.objects.filter(pk=rating_list.pk).update(version=F("version") + 1)
    return RatingList.objects.select_for_update().get(pk=rating_list.pk)


def _rule_book_of(period: Period) -> RuleBook | None:
    if period.rule_fixed:
        return period.rule_book
    organisation = period.rating_list.organisation
    midnight = datetime.combine(period.held_on, datetime.max.time(), tzinfo=organisation.zone)
    return rulebook.in_force(organisation, period.rating_list.system, midnight)


def _last_version(period: Period, source: str) -> RatedGame | None:
    return (
        RatedGame.objects.filter(period=period, source=source).order_by("-revision", "-pk").first()
    )


def _content(posting: Posting) -> dict[str, Any]:
    return {
        "first_id": posting.first_id,
        "second_id": posting.second_id,
        "first_halves": posting.first_halves,
        "first_score": posting.first_score,
        "second_score": posting.second_score,
        "position": posting.position,
        "facts": dict(posting.facts or {}),
    }


def _content_of(game: RatedGame) -> dict[str, Any]:
    return {
        "first_id": game.first_id,
        "second_id": game.second_id,
        "first_halves": game.first_halves,
        "first_score": game.first_score,
        "second_score": game.second_score,
        "position": game.position,
        "facts": game.facts,
    }


def _entry(period: Period, change: Change, by: Actor, at: datetime) -> LedgerEntry:
    system = replay.system_of(period)
    return LedgerEntry(
        rating_list=period.rating_list,
        period=period,
        member_id=change.player,
        kind=LedgerEntry.ADJUSTED if period.kind == ADJUSTMENT else LedgerEntry.SETTLED,
        before=state_to_json(change.before),
        after=state_to_json(change.after),
        shown_before=system.shown(change.before),
        shown_after=system.shown(change.after),
        because=[reason_to_json(item) for item in change.because],
        rule_book=period.rule_book,
        held_on=period.held_on,
        written_at=at,
        written_by=by.user,
        reason=period.facts.get("reason", ""),
    )


def _remember(
    rating_list: RatingList,
    period: Period,
    changes: Sequence[Change],
    entries: Sequence[LedgerEntry],
) -> None:
    if any(entry.pk is None for entry in entries):
        entries = list(
            LedgerEntry.objects.filter(period=period, superseded_by__isnull=True).order_by("pk")
        )
    system = replay.system_of(period)
    StandingCote.objects.bulk_create(
        [_cote(rating_list, entry, system) for entry in entries],
        update_conflicts=True,
        unique_fields=["rating_list", "member"],
        update_fields=["state", "shown", "games", "status", "last_on", "last_entry"],
        batch_size=500,
    )
