"""An edition's table: frozen as JSON, read back, digested, compared with another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any

from django.db.models import Q

from clubs.members.models import Member
from ratings.ledger.models import Edition
from ratings.systems.columns import (
    MOVE_COLUMN,
    NAME_COLUMN,
    RANK_COLUMN,
    ListColumn,
    ListRow,
    ListSection,
    ListTable,
)

FORMAT = 1


def columns_shown(table: ListTable) -> tuple[ListColumn, ...]:
    """Return the columns: rank, movement (with an earlier edition), name, then the list's own."""
    move = () if table.since is None else (MOVE_COLUMN,)
    return (RANK_COLUMN, *move, NAME_COLUMN, *table.columns)


def frozen(table: ListTable) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return (head, rows) as JSON: what an edition stores and never computes again."""
    head = {
        "since": table.since,
        "sections": [{"code": s.code, "label": s.label} for s in table.sections],
        "columns": [
            {"code": c.code, "label": c.label, "kind": c.kind, "places": c.places, "lead": c.lead}
            for c in columns_shown(table)
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
    """Return the frozen table (or some of its rows), under the names that members allow today.

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
    """Return names that replace the frozen ones: of those who left, are minors or hide theirs.

    An edition keeps its rows without limit, and a person may ask to be forgotten: so names are not
    part of the digest, the member's id is.
    """
    people = Member.objects.filter(organisation=edition.organisation_id)
    if len(members) < 900:
        people = people.filter(pk__in=members)
    shy = people.filter(
        ~Q(visibility=Member.EVERYBODY) | Q(is_minor=True) | Q(left_at__isnull=False)
    )
    return {member.pk: member.name_for(viewer_is_member=False) for member in shy.order_by("pk")}


def document(edition: Edition) -> dict[str, object]:
    """Return everything an edition says, without names, in the form whose SHA-256 is printed on it."""
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
    return hash_of(document(edition))


def hash_of(content: object) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Moved:
    """One player of both tables: `cells` are (column, before, after) of what differs."""

    member: int
    name: str
    section: str
    rank: tuple[int, int]
    cells: tuple[tuple[ListColumn, object, object], ...]

    @property
    def places(self) -> int:
        """Return places won (+) or lost (−)."""
        return self.rank[0] - self.rank[1]


@dataclass(frozen=True, slots=True)
class TableDifference:
    """Who moved, entered and left, from one table to another.

    Who passes from one section to another left the first and entered the second; `sections` are the
    labels of both tables, by their codes.
    """

    moved: tuple[Moved, ...]
    entered: tuple[ListRow, ...]
    left: tuple[ListRow, ...]
    sections: Mapping[str, str] = field(default_factory=dict)

    @property
    def players(self) -> int:
        """Return how many players it is about, each counted once."""
        passed = {row.member for row in (*self.entered, *self.left)}
        return len(passed | {line.member for line in self.moved})

    @property
    def changed(self) -> bool:
        return bool(self.moved or self.entered or self.left)


def difference(a: ListTable, b: ListTable) -> TableDifference:
    """Compare rows by section and member. Only columns that both tables have are compared."""
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
        sections={section.code: section.label for section in (*a.sections, *b.sections)},
    )
