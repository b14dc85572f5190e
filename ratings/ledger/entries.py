"""Writing what a correction says, ledger entries from changes, and the latest cotes beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from clubs.accounts.actor import Actor
from clubs.upkeep.jobs import Progress, no_progress
from ratings.ledger.corrections import MERGED, Correction
from ratings.ledger.entry_chain import EntryChange, newest_entries
from ratings.ledger.models import LedgerEntry, Period, RatingList, StandingCote
from ratings.ledger.posting import record_game, record_placings, withdraw_game
from ratings.ledger.timeline import ADJUSTMENT, Calendar, chunks, system_of
from ratings.systems.protocol import Change
from ratings.systems.storage import reason_to_json, state_to_json

BATCH = 500


def write_settled(
    period: Period, changes: Sequence[Change], *, by: Actor, at: datetime
) -> list[LedgerEntry]:
    """Write the entries of a period just settled and the latest cotes that result."""
    system = system_of(period)
    kind = LedgerEntry.ADJUSTED if period.kind == ADJUSTMENT else LedgerEntry.SETTLED
    entries = [
        LedgerEntry(
            rating_list=period.rating_list,
            period=period,
            member_id=change.player,
            kind=kind,
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
        for change in changes
    ]
    LedgerEntry.objects.bulk_create(entries, batch_size=BATCH)
    if any(entry.pk is None for entry in entries):
        entries = list(
            LedgerEntry.objects.filter(period=period, superseded_by__isnull=True).order_by("pk")
        )
    write_cotes([cote_of(entry) for entry in entries])
    return entries


def post_correction(calendar: Calendar, at: datetime) -> None:
    """Write what the correction says into games, sheets, periods and the list."""
    wish, rating_list = calendar.correction, calendar.rating_list
    touched = calendar.periods(wish.periods)
    rated = {place.pk for place in calendar.places if place.wanted}
    for pk, period in touched.items():
        fields: dict[str, object] = {
            "held_on": period.held_on,
            "position": period.position,
            "label": period.label,
            "evening_number": period.evening_number,
            "facts": period.facts,
        }
        if pk in rated:
            fields |= {"rule_book": period.rule_book, "rule_fixed": True}
        Period.objects.filter(pk=pk).update(**fields)
    rating_list.periods.filter(pk__in=wish.inserted | wish.replayed, settled_at=None).update(
        settled_at=at
    )
    rating_list.periods.filter(pk__in=wish.removed, removed_at=None).update(removed_at=at)
    rating_list.periods.filter(pk__in=wish.restored).update(removed_at=None)
    post_results(wish, touched, at)
    if wish.merged:
        stored = {str(old): kept for old, kept in wish.merged.items()}
        facts = {**rating_list.facts, MERGED: {**rating_list.facts.get(MERGED, {}), **stored}}
        RatingList.objects.filter(pk=rating_list.pk).update(facts=facts)


def post_results(wish: Correction, periods: Mapping[int, Period], at: datetime) -> None:
    """Write the games and placing sheets of a correction as new versions of the rows."""
    for pk, edits in wish.games.items():
        for source, posting in edits.items():
            if posting is None:
                withdraw_game(period=periods[pk], source=source, at=at)
            else:
                added = source in wish.added
                record_game(period=periods[pk], posting=posting, at=at, added=added)
    for pk, sheet in wish.sheets.items():
        record_placings(period=periods[pk], placings=sheet, at=at)


def write_lines(
    rating_list: RatingList,
    lines: Sequence[EntryChange],
    *,
    by: Actor,
    at: datetime,
    reason: str,
    progress: Progress = no_progress,
) -> None:
    """Write the entries of a correction: each supersedes the one in force, none is edited."""
    written = 0
    cuts = set(rating_list.periods.filter(kind=ADJUSTMENT).values_list("pk", flat=True))
    for part in chunks(lines, 2000):
        LedgerEntry.objects.bulk_create(
            [
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
                    reason=reason,
                    voided=line.voided,
                    supersedes_id=line.entry_id,
                )
                for line in part
            ],
            batch_size=BATCH,
        )
        written += len(part)
        progress(written, len(lines))


def rebuild_cotes(rating_list: RatingList, member_ids: Iterable[int] | None = None) -> int:
    """Write the latest states again from the ledger's entries in force, for some members or all."""
    wanted = None if member_ids is None else set(member_ids)
    newest = newest_entries(rating_list, wanted)
    cotes = StandingCote.objects.filter(rating_list=rating_list)
    if wanted is None:
        wanted = set(cotes.values_list("member_id", flat=True))
    for chunk in chunks(sorted(wanted - set(newest))):
        cotes.filter(member_id__in=chunk).delete()
    for chunk in chunks(sorted(newest.values())):
        write_cotes([cote_of(entry) for entry in LedgerEntry.objects.filter(pk__in=chunk)])
    return len(newest)


def cote_of(entry: LedgerEntry) -> StandingCote:
    return StandingCote(
        rating_list_id=entry.rating_list_id,
        member_id=entry.member_id,
        state=entry.after,
        shown=entry.shown_after,
        games=entry.after["games"],
        status=entry.after["status"],
        last_on=entry.held_on,
        last_entry=entry,
    )


def write_cotes(cotes: Sequence[StandingCote]) -> None:
    StandingCote.objects.bulk_create(
        cotes,
        update_conflicts=True,
        unique_fields=["rating_list", "member"],
        update_fields=["state", "shown", "games", "status", "last_on", "last_entry"],
        batch_size=BATCH,
    )
