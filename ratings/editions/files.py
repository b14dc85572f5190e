"""An edition as files: CSV, XLSX, JSON and PDF, all written from the frozen rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

from clubs.exchange import csv as exports
from clubs.exchange import xlsx
from clubs.ui.french import written
from clubs.upkeep.jobs import Progress, no_progress
from ratings.editions import freezing
from ratings.editions import pdf as edition_pdf
from ratings.ledger.models import Edition
from ratings.lists import formatting
from ratings.systems.columns import PERCENT, ListTable


def csv_file(edition: Edition, _progress: Progress = no_progress) -> bytes:
    """Return a CSV: UTF-8 with BOM, no cell that a spreadsheet runs."""
    head, rows = sheet(freezing.table_of(edition))
    return exports.csv_text(head, rows).encode()


def xlsx_file(edition: Edition, progress: Progress = no_progress) -> bytes:
    """Return an XLSX: the table as numbers and text on one sheet, facts of publication on another."""
    head, rows = sheet(freezing.table_of(edition))
    book = xlsx.book_of(_("Classement"), head, rows, progress)
    about = book.create_sheet(_("Publication"))
    for number, line in enumerate(facts(edition), start=1):
        xlsx.fill(about, number, line)
    about.column_dimensions["A"].width = 24
    about.column_dimensions["B"].width = 70
    book.properties.title = exports.UNWRITABLE.sub("", edition.title)
    book.properties.creator = exports.UNWRITABLE.sub("", edition.organisation.name)
    book.properties.created = edition.published_at.replace(tzinfo=None)
    return xlsx.bytes_of(book)


def json_file(edition: Edition, _progress: Progress = no_progress) -> bytes:
    """Return JSON: names, and `edition`, which the SHA-256 is of (sorted keys, no spaces, UTF-8)."""
    mended = edition.errata.first()
    content = {
        "edition": freezing.document(edition),
        "names": {str(row.member): row.name for row in freezing.table_of(edition).rows},
        "sha256": edition.sha256,
        "journal": {"seq": edition.journal_seq, "hash": edition.journal_hash},
        "mended_by": mended.number if mended else None,
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def pdf_file(edition: Edition, progress: Progress = no_progress) -> bytes:
    table = freezing.table_of(edition)
    return edition_pdf.pdf(edition, table, facts(edition)[1:5], progress)


FILES: dict[str, tuple[str, Callable[[Edition, Progress], bytes]]] = {
    "pdf": ("application/pdf", pdf_file),
    "csv": ("text/csv; charset=utf-8", csv_file),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", xlsx_file),
    "json": ("application/json; charset=utf-8", json_file),
}


def name_of(edition: Edition, extension: str) -> str:
    which = edition.rating_list.slug if edition.rating_list else "classement"
    return f"{edition.organisation.slug}-{which}-{edition.number}.{extension}"


def sheet(table: ListTable) -> tuple[list[str], list[list[Any]]]:
    """Return headings and rows as values; with a column for the section where there are several."""
    several = len(table.sections) > 1
    labels = {section.code: _(section.label) for section in table.sections if section.label}
    head = [
        f"{formatting.heading(column)} (%)"
        if column.kind == PERCENT
        else formatting.heading(column)
        for column in table.columns
    ]
    rows = [
        [formatting.value_of(column, row) for column in table.columns]
        + ([labels.get(row.section, "")] if several else [])
        for row in table.rows
    ]
    return head + ([_("Liste")] if several else []), rows


def facts(edition: Edition) -> list[tuple[str, str]]:
    """Return what every file says about the edition itself."""
    zone = edition.organisation.zone
    published = edition.published_at.astimezone(zone)
    book, mends, mended = edition.rule_book, edition.erratum_of, edition.errata.first()
    lines = [
        (_("Titre"), edition.title),
        (_("Publication"), formatting.numbered(edition.number)),
        (_("Publié le"), written(published, "SHORT_DATETIME_FORMAT")),
        (_("Situation au"), written(edition.covers_until, "SHORT_DATE_FORMAT")),
        (
            _("Règles"),
            _("version %(n)s") % {"n": book.number} if book else _("règlement d’origine"),
        ),
        (_("Publié par"), edition.organisation.name),
    ]
    if mends is not None:
        lines.append((_("Rectifie"), formatting.numbered(mends.number)))
    if mended is not None:
        lines.append((_("Rectifié par"), formatting.numbered(mended.number)))
    if edition.note:
        lines.append((_("Note"), edition.note))
    return [
        *lines,
        ("SHA-256", edition.sha256),
        (_("Journal"), f"{formatting.numbered(edition.journal_seq)}, {edition.journal_hash}"),
    ]
