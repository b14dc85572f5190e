"""Published rankings: numbered, dated, never edited; a mistake is mended by an erratum.

An edition freezes the rows and columns that were shown, with the rule version and the journal
line that says so. `SOURCES` tells where the rows of each kind of ranking come from: a rating list
is read here, the club's own ranking is registered by the app above that knows its matches.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Protocol

from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import formats
from django.utils.translation import gettext as _

from clubs import journal
from clubs.actor import Actor, Refused
from clubs.models import Member, Organisation, RuleBook
from ratings import rankings
from ratings.list_table import (
    MOVE_COLUMN,
    NAME_COLUMN,
    RANK_COLUMN,
    ListColumn,
    ListRow,
    ListSection,
    ListTable,
)
from ratings.models import Edition, LedgerEntry, RatingList

DONE, WARN, TODO = "done", "warn", "todo"
FORMAT = 1


class EditionRefused(Refused):
    """A ranking that may not be published now."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checklist. `state` todo blocks, warn does not; `url_name` mends it."""

    code: str
    label: str
    state: str
    hint: str = ""
    url_name: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be published: rows of one day, under the rules of that day."""

    table: ListTable
    covers_until: date
    rule_book: RuleBook | None
    title: str
    checks: tuple[Check, ...] = ()

    @property
    def blocked(self) -> bool:
        return any(check.state == TODO for check in self.checks)

    @property
    def seen(self) -> str:
        """What a preview carries along, so that what was read is what is published."""
        content = [self.covers_until.isoformat(), *frozen(self.table)]
        return _hash(content)


class Source(Protocol):
    """Where the rows of a ranking come from."""

    def newest_day(self, organisation: Organisation) -> date | None:
        """The day that the newest ranking speaks of. None: nothing to publish yet."""

    def proposal(self, organisation: Organisation, *, on: date, since: Edition | None) -> Proposal:
        """The ranking at the end of a day, as the books have it now."""

    def checks(self, organisation: Organisation, *, on: date | None) -> tuple[Check, ...]:
        """What must be settled first; `on`: only what can touch the ranking of that day."""

    def version(self, organisation: Organisation) -> str:
        """Moves with every change: what a comparison is kept under."""


CLUB = "club"
SOURCES: dict[str, Source] = {}


@dataclass(frozen=True, slots=True)
class ListSource:
    """A rating list as its ledger has it."""

    rating_list: RatingList

    def newest_day(self, organisation: Organisation) -> date | None:
        settled = self.rating_list.periods.filter(settled_at__isnull=False, removed_at__isnull=True)
        found: date | None = settled.aggregate(last=Max("held_on"))["last"]
        return found

    def proposal(self, organisation: Organisation, *, on: date, since: Edition | None) -> Proposal:
        day = formats.date_format(on, "j F Y")
        return Proposal(
            table=rankings.ranking_on(self.rating_list, on, since=since),
            covers_until=on,
            rule_book=rankings.rule_book_on(self.rating_list, on),
            title=_("%(list)s au %(day)s") % {"list": self.rating_list.name, "day": day},
        )

    def checks(self, organisation: Organisation, *, on: date | None) -> tuple[Check, ...]:
        waiting = self.rating_list.periods.filter(settled_at__isnull=True, removed_at__isnull=True)
        if on is not None:
            waiting = waiting.filter(held_on__lte=on)
        labels = list(waiting.in_order().values_list("label", flat=True)[:4])
        return (
            Check(
                "settled",
                _("Toutes les compétitions reçues sont calculées"),
                TODO if labels else DONE,
                ", ".join(labels[:3]) + ("…" if len(labels) > 3 else ""),
            ),
        )

    def version(self, organisation: Organisation) -> str:
        last = LedgerEntry.objects.filter(rating_list=self.rating_list).aggregate(last=Max("pk"))
        return f"list:{self.rating_list.pk}:{last['last']}"


def source_of(rating_list: RatingList | None) -> Source:
    """Raises EditionRefused where nobody registered the club's ranking."""
    if rating_list is not None:
        return ListSource(rating_list)
    if CLUB not in SOURCES:
        raise EditionRefused(_("Ce site ne tient pas de classement de club."), code="no_source")
    return SOURCES[CLUB]


def of(organisation: Organisation, rating_list: RatingList | None) -> Any:
    """The editions of one ranking."""
    return Edition.objects.filter(organisation=organisation, rating_list=rating_list)


def propose(organisation: Organisation, rating_list: RatingList | None) -> Proposal | None:
    """The next edition with its checklist and its movements; None when there is no ranking yet."""
    source = source_of(rating_list)
    on = source.newest_day(organisation)
    if on is None:
        return None
    since = rankings.last_edition(organisation, rating_list)
    found = source.proposal(organisation, on=on, since=since)
    checks = source.checks(organisation, on=None)
    if since is not None and since.covers_until >= on:
        checks += (
            Check(
                "new_day",
                _("Ce jour est déjà publié sous le nº %(n)s") % {"n": since.number},
                TODO,
                _("S’il contient une erreur, publiez un rectificatif."),
            ),
        )
    return replace(found, checks=checks)


def propose_erratum(edition: Edition) -> Proposal:
    """The same day again, as the books have it now."""
    source = source_of(edition.rating_list)
    since = rankings.last_edition(
        edition.organisation, edition.rating_list, before=edition.covers_until
    )
    found = source.proposal(edition.organisation, on=edition.covers_until, since=since)
    return replace(
        found,
        title=edition.title,
        checks=source.checks(edition.organisation, on=found.covers_until),
    )


def publish(
    *,
    organisation: Organisation,
    rating_list: RatingList | None = None,
    title: str,
    note: str = "",
    seen: str = "",
    by: Actor,
    at: datetime,
) -> Edition:
    """Freeze the newest ranking under the next number. Once for each day: then an erratum.

    `seen` is the mark of the preview that was read: when the ranking has moved since, nothing is
    published.
    """
    with transaction.atomic():
        _lock(organisation)
        found = propose(organisation, rating_list)
        if found is None:
            raise EditionRefused(_("Il n’y a pas encore de classement à publier."), code="empty")
        _check(found, title, seen)
        return _write(organisation, rating_list, found, title, note, None, by, at)


def publish_erratum(
    *, of: Edition, title: str, note: str, seen: str = "", by: Actor, at: datetime
) -> Edition:
    """A new number that mends a published one: same day, corrected rows, the reason in `note`.

    The old edition stays as it is, and says on top which number mends it.
    """
    if not note.strip():
        raise EditionRefused(_("Dites ce que le rectificatif corrige."), code="reason_required")
    with transaction.atomic():
        _lock(of.organisation)
        later = of.errata.first()
        if later is not None:
            raise EditionRefused(
                _("Cette publication est déjà rectifiée par le nº %(n)s : rectifiez celle-là.")
                % {"n": later.number},
                code="already_mended",
            )
        found = propose_erratum(of)
        _check(found, title, seen)
        if not compare(table_of(of), found.table).changed:
            raise EditionRefused(
                _("Rien ne diffère de la publication : il n’y a rien à rectifier."), code="same"
            )
        return _write(of.organisation, of.rating_list, found, title, note, of, by, at)


def _check(found: Proposal, title: str, seen: str) -> None:
    if not title.strip():
        raise EditionRefused(_("Donnez un titre à la publication."), code="title_required")
    if found.blocked:
        raise EditionRefused(
            _("Le classement ne peut pas encore être publié : voyez la liste."), code="blocked"
        )
    if not found.table.rows:
        raise EditionRefused(_("Il n’y a pas encore de classement à publier."), code="empty")
    if seen and seen != found.seen:
        raise EditionRefused(
            _("Le classement a bougé depuis l’aperçu. Relisez-le avant de publier."), code="stale"
        )


def _lock(organisation: Organisation) -> None:
    """One publisher at a time: the numbers have no gap and no double."""
    Organisation.objects.select_for_update().get(pk=organisation.pk)


def _write(
    organisation: Organisation,
    rating_list: RatingList | None,
    found: Proposal,
    title: str,
    note: str,
    erratum_of: Edition | None,
    by: Actor,
    at: datetime,
) -> Edition:
    last = of(organisation, rating_list).aggregate(last=Max("number"))["last"]
    head, rows = frozen(found.table)
    edition = Edition(
        organisation=organisation,
        rating_list=rating_list,
        number=(last or 0) + 1,
        title=title.strip()[:160],
        note=note.strip(),
        covers_until=found.covers_until,
        published_at=at,
        published_by=by.user,
        columns=head,
        rows=rows,
        rule_book=found.rule_book,
        erratum_of=erratum_of,
    )
    edition.sha256 = digest(edition)
    line = journal.record(
        organisation=organisation,
        verb="edition_published" if erratum_of is None else "edition_mended",
        subject=f"edition:{rating_list.slug if rating_list else CLUB}:{edition.number}",
        by=by,
        at=at,
        after={
            "number": edition.number,
            "covers_until": edition.covers_until.isoformat(),
            "rows": len(rows),
            "sha256": edition.sha256,
            "erratum_of": erratum_of.number if erratum_of else None,
        },
        reason=edition.note if erratum_of else "",
        rule_book=found.rule_book,
    )
    edition.journal_seq, edition.journal_hash = line.seq, line.hash
    try:
        with transaction.atomic():
            edition.save()
    except IntegrityError as clash:
        raise EditionRefused(
            _("Une publication vient d’être faite. Rechargez la page."), code="race"
        ) from clash
    return edition


# Freezing and reading back


def frozen(table: ListTable) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(head, rows) as JSON: what an edition stores and never computes again."""
    columns = [RANK_COLUMN]
    if table.since is not None:
        columns.append(MOVE_COLUMN)
    columns += [NAME_COLUMN, *table.columns]
    head = {
        "since": table.since,
        "sections": [{"code": s.code, "label": s.label} for s in table.sections],
        "columns": [
            {"code": c.code, "label": c.label, "kind": c.kind, "places": c.places, "lead": c.lead}
            for c in columns
        ],
    }
    rows = [
        {
            "member": row.member,
            "name": row.name,
            "rank": row.rank,
            "ex_aequo": row.ex_aequo,
            "move": row.move,
            "section": row.section,
            "cells": dict(row.cells),
        }
        for row in table.rows
    ]
    return head, rows


def table_of(edition: Edition, rows: Sequence[Mapping[str, Any]] | None = None) -> ListTable:
    """The frozen table (or some of its rows), under the names that members allow today.

    `columns` are all of them, rank and name included, in the order frozen.
    """
    head = edition.columns
    chosen = edition.rows if rows is None else rows
    names = names_of(edition, [row["member"] for row in chosen])
    return ListTable(
        columns=tuple(ListColumn(**column) for column in head["columns"]),
        rows=tuple(
            ListRow(
                member=row["member"],
                name=names.get(row["member"], row["name"]),
                rank=row["rank"],
                ex_aequo=row["ex_aequo"],
                move=row["move"],
                section=row["section"],
                cells=row["cells"],
            )
            for row in chosen
        ),
        sections=tuple(ListSection(s["code"], s["label"]) for s in head["sections"]),
        since=head["since"],
    )


def names_of(edition: Edition, members: Sequence[int]) -> dict[int, str]:
    """Names that replace the frozen ones: of those who have left or who show less of theirs since.

    An edition keeps its rows for ever, a person keeps the right to be forgotten: so names are not
    part of the digest, the member's identity is.
    """
    people = Member.objects.filter(organisation=edition.organisation_id)
    if len(members) < 900:
        people = people.filter(pk__in=members)
    shy = people.exclude(visibility=Member.EVERYBODY) | people.filter(left_at__isnull=False)
    return {member.pk: member.name_for(viewer_is_member=False) for member in shy.order_by("pk")}


def document(edition: Edition) -> dict[str, Any]:
    """Everything an edition says, without names, in the form whose SHA-256 is printed on it."""
    rating_list, book, mends = edition.rating_list, edition.rule_book, edition.erratum_of
    return {
        "format": FORMAT,
        "organisation": edition.organisation.slug,
        "list": rating_list.slug if rating_list else "",
        "number": edition.number,
        "title": edition.title,
        "note": edition.note,
        "covers_until": edition.covers_until.isoformat(),
        "published_at": edition.published_at.astimezone(UTC).isoformat(timespec="microseconds"),
        "rule_version": book.number if book else 0,
        "erratum_of": mends.number if mends else None,
        **edition.columns,
        "rows": [
            {key: value for key, value in row.items() if key != "name"} for row in edition.rows
        ],
    }


def digest(edition: Edition) -> str:
    return _hash(document(edition))


def _hash(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


# Differences


@dataclass(frozen=True, slots=True)
class Moved:
    """One player of both tables: `cells` are (column, before, after) of what differs."""

    member: int
    name: str
    section: str
    rank: tuple[int, int]
    cells: tuple[tuple[ListColumn, Any, Any], ...]

    @property
    def places(self) -> int:
        """Places won (+) or lost (−)."""
        return self.rank[0] - self.rank[1]


@dataclass(frozen=True, slots=True)
class TableDifference:
    """Who moved, entered and left, from one table to another."""

    moved: tuple[Moved, ...]
    entered: tuple[ListRow, ...]
    left: tuple[ListRow, ...]

    @property
    def changed(self) -> bool:
        return bool(self.moved or self.entered or self.left)


def difference(a: Edition, b: Edition) -> TableDifference:
    """From edition a to edition b, by the frozen rows of both."""
    return compare(table_of(a), table_of(b))


def compare(a: ListTable, b: ListTable) -> TableDifference:
    """Rows by section and member. Only columns that both tables have are compared."""
    known = {column.code for column in a.columns}
    columns = [column for column in b.columns if column.code in known]
    before = {(row.section, row.member): row for row in a.rows}
    after = {(row.section, row.member): row for row in b.rows}
    moved = []
    for key, new in after.items():
        old = before.get(key)
        if old is None:
            continue
        cells = tuple(
            (column, old.cells.get(column.code), new.cells.get(column.code))
            for column in columns
            if old.cells.get(column.code) != new.cells.get(column.code)
        )
        if cells or (old.rank, old.ex_aequo) != (new.rank, new.ex_aequo):
            moved.append(Moved(new.member, new.name, new.section, (old.rank, new.rank), cells))
    return TableDifference(
        moved=tuple(moved),
        entered=tuple(row for key, row in after.items() if key not in before),
        left=tuple(row for key, row in before.items() if key not in after),
    )


def corrected_since(edition: Edition) -> TableDifference | None:
    """What a correction has changed in the books since a day was published; None: nothing.

    The day is computed again once after each change, then kept.
    """
    source = source_of(edition.rating_list)
    key = f"edition-again:{edition.pk}:{source.version(edition.organisation)}"
    changed: bool | None = cache.get(key)
    if changed is False:
        return None
    found = compare(table_of(edition), propose_erratum(edition).table)
    cache.set(key, found.changed, 3600)
    return found if found.changed else None
