"""The one way to write the journal, and the walk that verifies its chain."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import models, transaction

from clubs import prepared
from clubs.actor import Actor
from clubs.models import JournalEntry, JournalHead, Organisation, RuleBook
from clubs.prepared import Change, Question

GENESIS = "0" * 64


@Question
def _head(organisation: int) -> models.QuerySet[JournalHead]:
    return JournalHead.objects.select_for_update().filter(pk=organisation)


@Change
def _move_head(
    organisation: int, seq: int, head: str
) -> tuple[models.QuerySet[JournalHead], dict[str, Any]]:
    return JournalHead.objects.filter(pk=organisation), {"seq": seq, "hash": head}


@transaction.atomic(savepoint=False)
def record(
    *,
    organisation: Organisation,
    verb: str,
    subject: str,
    by: Actor,
    at: datetime,
    before: Any = None,
    after: Any = None,
    reason: str = "",
    rule_book: RuleBook | None = None,
) -> JournalEntry:
    """Add one line at the end of the organisation's chain, in the caller's transaction.

    The head row is locked first, so that two writers never fork the chain; the unique keys on
    (organisation, seq) and (organisation, previous_hash) are the second wall. Every writer of the
    organisation waits for that lock: a verb writes its line as late as it can.
    """
    head = _head.first(organisation.pk)
    if head is None:
        head = _first_head(organisation)
    entry = JournalEntry(
        organisation=organisation,
        seq=head.seq + 1,
        at=at,
        actor=by.user,
        member_id_of_actor=by.member.pk if by.member else None,
        role=by.role,
        origin=by.origin,
        verb=verb,
        subject=subject,
        before=_plain(before),
        after=_plain(after),
        reason=reason,
        rule_book_id_in_force=rule_book.pk if rule_book else None,
        previous_hash=head.hash,
    )
    entry.hash = digest(entry)
    with prepared.together():
        _move_head.later(organisation.pk, entry.seq, entry.hash)
        prepared.insert_later(entry)
    return entry


def _first_head(organisation: Organisation) -> JournalHead:
    """The head of a chain that has no line yet, locked like any other."""
    JournalHead.objects.get_or_create(
        organisation=organisation, defaults={"seq": 0, "hash": GENESIS}
    )
    return JournalHead.objects.select_for_update().get(pk=organisation.pk)


def digest(entry: JournalEntry) -> str:
    """SHA-256 over the previous hash and every column, in one canonical form."""
    content = {
        "previous": entry.previous_hash,
        "organisation": entry.organisation_id,
        "seq": entry.seq,
        "at": entry.at.astimezone(UTC).isoformat(timespec="microseconds"),
        "actor": entry.actor_id,
        "member": entry.member_id_of_actor,
        "role": entry.role,
        "origin": entry.origin,
        "verb": entry.verb,
        "subject": entry.subject,
        "before": entry.before,
        "after": entry.after,
        "reason": entry.reason,
        "rule_book": entry.rule_book_id_in_force,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Breach:
    """A row where the chain does not hold, and how."""

    organisation: str
    seq: int
    what: str


def verify(organisation: Organisation) -> Iterator[Breach]:
    """Walk the chain and name each row changed, removed or inserted."""
    previous, expected = GENESIS, 1
    rows = JournalEntry.objects.filter(organisation=organisation).order_by("seq", "pk")
    for entry in rows.iterator(chunk_size=2000):
        if entry.seq != expected:
            what = "inserted" if entry.seq < expected else "removed"
            seq = entry.seq if what == "inserted" else expected
            yield Breach(organisation.slug, seq, what)
        elif entry.previous_hash != previous:
            yield Breach(organisation.slug, entry.seq, "link")
        if digest(entry) != entry.hash:
            yield Breach(organisation.slug, entry.seq, "changed")
        previous, expected = entry.hash, entry.seq + 1
    head = JournalHead.objects.filter(organisation=organisation).first()
    if head is None:
        if expected != 1:
            yield Breach(organisation.slug, expected - 1, "head_missing")
    elif (head.seq, head.hash or GENESIS) != (expected - 1, previous):
        yield Breach(organisation.slug, max(head.seq, expected - 1), "tail")


def head_of(organisation: Organisation) -> tuple[int, str]:
    """(seq, hash) of the last line: printed on every published edition."""
    head = JournalHead.objects.filter(organisation=organisation).first()
    return (head.seq, head.hash) if head else (0, GENESIS)


def _plain(value: Any) -> Any:
    """What the JSON column will give back, so that the hash is of what is stored."""
    return None if value is None else json.loads(json.dumps(value, default=str))
