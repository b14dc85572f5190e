"""The only function that writes the journal, and the walk that verifies its chain."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NotRequired, TypedDict, Unpack

from django.db import transaction

from clubs.accounts.actor import Actor
from clubs.journal.models import GENESIS, JournalEntry, JournalHead
from clubs.organisations.models import Organisation
from clubs.rulebooks.models import RuleBook


class Details(TypedDict):
    """What an entry says, besides its subject and its place in the chain."""

    by: Actor
    at: datetime
    before: NotRequired[Any]
    after: NotRequired[Any]
    reason: NotRequired[str]
    rule_book: NotRequired[RuleBook | None]


def note(row: Any, verb: str, **details: Unpack[Details]) -> JournalEntry:
    """Add an entry about one row that belongs to an organisation.

    Its subject is the name of the row's table and its key, such as `member:12`.
    """
    subject = f"{row._meta.model_name}:{row.pk}"
    return record(organisation=row.organisation, verb=verb, subject=subject, **details)


@transaction.atomic(savepoint=False)
def record(
    *, organisation: Organisation, verb: str, subject: str, **details: Unpack[Details]
) -> JournalEntry:
    """Add one entry at the end of the organisation's chain, in the caller's transaction.

    The head row is locked first, so that two writers never fork the chain; the unique keys on
    (organisation, seq) and (organisation, previous_hash) refuse a fork as well. Every writer of the
    organisation waits for that lock: an action writes its entry as late as it can.
    """
    head = JournalHead.objects.select_for_update(no_key=True).get(pk=organisation.pk)
    entry = _entry(organisation, verb, subject, details)
    entry.seq, entry.previous_hash = head.seq + 1, head.hash
    entry.hash = digest(entry)
    JournalHead.objects.filter(pk=head.pk).update(seq=entry.seq, hash=entry.hash)
    entry.save(force_insert=True)
    return entry


def lock(organisations: Iterable[int]) -> None:
    """Lock several journals in one order, before an act that writes in each (decision 0046).

    `organisations`: their keys. Two such acts that met them in opposite orders would wait for
    each other.
    """
    heads = JournalHead.objects.filter(pk__in=set(organisations)).order_by("pk")
    list(heads.select_for_update(no_key=True))


def _entry(organisation: Organisation, verb: str, subject: str, details: Details) -> JournalEntry:
    """Return an entry that has no place in the chain yet."""
    by, rule_book = details["by"], details.get("rule_book")
    return JournalEntry(
        organisation=organisation,
        at=details["at"],
        actor=by.user,
        member_id_of_actor=by.member.pk if by.member else None,
        role=by.role,
        origin=by.origin,
        verb=verb,
        subject=subject,
        before=_plain(details.get("before")),
        after=_plain(details.get("after")),
        reason=details.get("reason", ""),
        rule_book_id_in_force=rule_book.pk if rule_book else None,
    )


def digest(entry: JournalEntry) -> str:
    """Return the SHA-256 over the previous hash and every column, as canonical JSON by name."""
    content = {
        "actor": entry.actor_id,
        "after": entry.after,
        "at": entry.at.astimezone(UTC).isoformat(timespec="microseconds"),
        "before": entry.before,
        "member": entry.member_id_of_actor,
        "organisation": entry.organisation_id,
        "origin": entry.origin,
        "previous": entry.previous_hash,
        "reason": entry.reason,
        "role": entry.role,
        "rule_book": entry.rule_book_id_in_force,
        "seq": entry.seq,
        "subject": entry.subject,
        "verb": entry.verb,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Breach:
    """A row where the chain does not hold, and why."""

    organisation: str
    seq: int
    what: str


def verify(
    organisation: Organisation,
    *,
    after: tuple[int, str] = (0, GENESIS),
    head: JournalHead | None = None,
) -> Iterator[Breach]:
    """Walk the chain up to its head and name each row changed, removed or inserted.

    `after` is the (seq, hash) of a row that was verified before: the walk begins behind it. `head`
    is the end to walk to, as read by the caller; without it, the current end. Rows written during
    the walk lie behind that end and are left for the next one.
    """
    head = head or JournalHead.objects.filter(organisation=organisation).first()
    entries = JournalEntry.objects.filter(organisation=organisation)
    expected, previous = after[0] + 1, after[1]
    if after[0] and not entries.filter(seq=after[0], hash=previous).exists():
        yield Breach(organisation.slug, after[0], "rewritten")
    rows = entries.order_by("seq", "pk")
    if after[0]:
        rows = rows.filter(seq__gt=after[0])
    if head is not None:
        rows = rows.filter(seq__lte=head.seq)
    for entry in rows.iterator(chunk_size=2000):
        for seq, what in _wrong_in(entry, expected, previous):
            yield Breach(organisation.slug, seq, what)
        previous, expected = entry.hash, entry.seq + 1
    if head is None:
        if expected != 1:
            yield Breach(organisation.slug, expected - 1, "head_missing")
    elif (head.seq, head.hash or GENESIS) != (expected - 1, previous):
        yield Breach(organisation.slug, max(head.seq, expected - 1), "tail")
    else:
        yield from _behind(organisation, head)


def _wrong_in(entry: JournalEntry, expected: int, previous: str) -> Iterator[tuple[int, str]]:
    """Return (seq, what is wrong) of a row that should be number `expected`, behind `previous`."""
    if entry.seq != expected:
        inserted = entry.seq < expected
        yield (entry.seq, "inserted") if inserted else (expected, "removed")
    elif entry.previous_hash != previous:
        yield entry.seq, "link"
    if digest(entry) != entry.hash:
        yield entry.seq, "changed"


def _behind(organisation: Organisation, head: JournalHead) -> Iterator[Breach]:
    """Return a row behind the head that no writer of the site added.

    The last row is read before the head is read again: each writer moves both at once, so that the
    head is never before a row that was written by the site.
    """
    rows = JournalEntry.objects.filter(organisation=organisation, seq__gt=head.seq)
    last = rows.order_by("-seq").values_list("seq", flat=True).first()
    if last is not None and last > head_of(organisation)[0]:
        yield Breach(organisation.slug, last, "tail")


def head_of(organisation: Organisation) -> tuple[int, str]:
    """Return (seq, hash) of the last entry: printed on every published edition."""
    head = JournalHead.objects.filter(organisation=organisation).first()
    return (head.seq, head.hash) if head else (0, GENESIS)


def _plain(value: object) -> object:
    """Return what the JSON column will give back, so that the hash is of what is stored."""
    return None if value is None else json.loads(json.dumps(value, default=str))
