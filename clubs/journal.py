"""The one way to write the journal, and the walk that verifies its chain."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, NotRequired, TypedDict, Unpack

from django.db import models, transaction

from clubs import prepared
from clubs.actor import Actor
from clubs.models import JournalEntry, JournalHead, Organisation, RuleBook
from clubs.models.journal import GENESIS
from clubs.prepared import Change, Question


@Question
def _head(organisation: int) -> models.QuerySet[JournalHead]:
    return JournalHead.objects.select_for_update().filter(pk=organisation)


@Change
def _move_head(
    organisation: int, seq: int, head: str
) -> tuple[models.QuerySet[JournalHead], dict[str, Any]]:
    return JournalHead.objects.filter(pk=organisation), {"seq": seq, "hash": head}


class Told(TypedDict):
    """What a line says, besides its place in the chain."""

    verb: str
    subject: str
    by: Actor
    at: datetime
    before: NotRequired[Any]
    after: NotRequired[Any]
    reason: NotRequired[str]
    rule_book: NotRequired[RuleBook | None]


@transaction.atomic(savepoint=False)
def record(*, organisation: Organisation, **told: Unpack[Told]) -> JournalEntry:
    """Add one line at the end of the organisation's chain, in the caller's transaction.

    The head row is locked first, so that two writers never fork the chain; the unique keys on
    (organisation, seq) and (organisation, previous_hash) are the second wall. Every writer of the
    organisation waits for that lock: a verb writes its line as late as it can.
    """
    head = _head.first(organisation.pk)
    if head is None:
        raise JournalHead.DoesNotExist(organisation.slug)
    entry = _entry(organisation, told)
    entry.seq, entry.previous_hash = head.seq + 1, head.hash
    entry.hash = digest(entry)
    with prepared.together():
        _move_head.later(organisation.pk, entry.seq, entry.hash)
        prepared.insert_later(entry)
    return entry


def record_later(*, organisation: Organisation, **told: Unpack[Told]) -> None:
    """The same with the other changes of a `prepared.together`, where nobody needs the line.

    PostgreSQL then locks the head, chains and adds the line in the one statement that makes all
    the changes, and nobody waits for a lock that is held from one journey to the next.
    """
    if not prepared.are_waiting():
        record(organisation=organisation, **told)
        return
    entry = _entry(organisation, told)
    fields, head, chained, line = _chain()
    prepared.chained_later(
        ("head", head, [organisation.pk]),
        ("chained", chained, [*_around(entry), organisation.pk]),
        ("line", line, prepared.values_of(entry, fields)),
        otherwise=JournalHead.DoesNotExist(organisation.slug),
    )


@cache
def _chain() -> tuple[list[Any], str, str, str]:
    """The fields that need no chain, and how PostgreSQL locks the head, moves it, adds the line."""
    fields: list[Any] = [
        field
        for field in JournalEntry._meta.local_concrete_fields
        if not field.primary_key and field.name not in ("seq", "hash", "previous_hash")
    ]
    table, heads = JournalEntry._meta.db_table, JournalHead._meta.db_table
    columns, marks = ", ".join(field.column for field in fields), ", ".join(["%s"] * len(fields))
    return (
        fields,
        f"SELECT seq, hash FROM {heads} WHERE organisation_id = %s FOR UPDATE",
        f"UPDATE {heads} AS own SET seq = head.seq + 1, hash = encode(sha256(convert_to("
        "%s::text || head.hash || %s::text || (head.seq + 1)::text || %s::text, 'UTF8')), 'hex') "
        "FROM head WHERE own.organisation_id = %s RETURNING own.seq, own.hash, head.hash AS old",
        f"INSERT INTO {table} ({columns}, seq, hash, previous_hash) "
        f"SELECT {marks}, chained.seq, chained.hash, chained.old FROM chained",
    )


def _entry(organisation: Organisation, told: Told) -> JournalEntry:
    """A line that has no place in the chain yet."""
    by, verb, rule_book = told["by"], told["verb"], told.get("rule_book")
    return JournalEntry(
        organisation=organisation,
        at=told["at"],
        actor=by.user,
        member_id_of_actor=by.member.pk if by.member else None,
        role=by.role,
        origin=by.origin,
        verb=verb,
        subject=told["subject"],
        before=_plain(told.get("before")),
        after=_plain(told.get("after")),
        reason=told.get("reason", ""),
        rule_book_id_in_force=rule_book.pk if rule_book else None,
    )


def digest(entry: JournalEntry) -> str:
    """SHA-256 over the previous hash and every column, in one canonical form: JSON by name."""
    begin, middle, end = _around(entry)
    text = f"{begin}{entry.previous_hash}{middle}{entry.seq}{end}"
    return hashlib.sha256(text.encode()).hexdigest()


def _around(entry: JournalEntry) -> tuple[str, str, str]:
    """The canonical form without the two values that the chain gives: the previous hash (a text)
    after the first part, `seq` after the second."""
    first = {
        "actor": entry.actor_id,
        "after": entry.after,
        "at": entry.at.astimezone(UTC).isoformat(timespec="microseconds"),
        "before": entry.before,
        "member": entry.member_id_of_actor,
        "organisation": entry.organisation_id,
        "origin": entry.origin,
    }
    second = {
        "reason": entry.reason,
        "role": entry.role,
        "rule_book": entry.rule_book_id_in_force,
    }
    third = {"subject": entry.subject, "verb": entry.verb}
    return (
        f'{_canonical(first)[:-1]},"previous":"',
        f'",{_canonical(second)[1:-1]},"seq":',
        f",{_canonical(third)[1:]}",
    )


def _canonical(content: Any) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Breach:
    """A row where the chain does not hold, and how."""

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

    `after` is the (seq, hash) of a row that was verified before: the walk begins behind it.
    `head` is the end to walk to, as read by the caller; without it, the end of now. Rows that are
    written during the walk lie behind that end and are left for the next one.
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
        if entry.seq != expected:
            what = "inserted" if entry.seq < expected else "removed"
            seq = entry.seq if what == "inserted" else expected
            yield Breach(organisation.slug, seq, what)
        elif entry.previous_hash != previous:
            yield Breach(organisation.slug, entry.seq, "link")
        if digest(entry) != entry.hash:
            yield Breach(organisation.slug, entry.seq, "changed")
        previous, expected = entry.hash, entry.seq + 1
    if head is None:
        if expected != 1:
            yield Breach(organisation.slug, expected - 1, "head_missing")
    elif (head.seq, head.hash or GENESIS) != (expected - 1, previous):
        yield Breach(organisation.slug, max(head.seq, expected - 1), "tail")
    else:
        yield from _behind(organisation, head)


def _behind(organisation: Organisation, head: JournalHead) -> Iterator[Breach]:
    """Name a row that stands behind the head although no writer moved it there.

    The last row is read before the head is read again: each writer moves both at once, so that
    the head is never before a row that was written by the site.
    """
    rows = JournalEntry.objects.filter(organisation=organisation, seq__gt=head.seq)
    last = rows.order_by("-seq").values_list("seq", flat=True).first()
    if last is not None and last > head_of(organisation)[0]:
        yield Breach(organisation.slug, last, "tail")


def head_of(organisation: Organisation) -> tuple[int, str]:
    """(seq, hash) of the last line: printed on every published edition."""
    head = JournalHead.objects.filter(organisation=organisation).first()
    return (head.seq, head.hash) if head else (0, GENESIS)


def _plain(value: Any) -> Any:
    """What the JSON column will give back, so that the hash is of what is stored."""
    return None if value is None else json.loads(json.dumps(value, default=str))
