"""A person's own data as one file: data.json, the same to read in data.html, and their photos."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import IO, Any

from django.apps import apps
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format, time_format

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.journal.wording import sentence
from clubs.members.models import Member
from clubs.personal_data.register import Line, PersonalTable, Someone, column_of, leads_to, rows_of
from clubs.personal_data.words import NO, WORDS, YES, codes_of
from clubs.registries import ARCHIVED_FILES, PERSONAL_DATA
from clubs.ui.punctuation import listed

Data = dict[str, list[Line]]


def data_of(someone: Someone) -> Data:
    """Return what is stored about a person, by table. One query a table, whatever its length.

    Other people are written as they let members of their club read them.
    """
    tables: Data = {}
    people: dict[str, set[str]] = {}
    for label, entry in PERSONAL_DATA.items():
        if entry.lines is not None:
            tables[label] = entry.lines(someone)
        elif entry.shown:
            model = apps.get_model(label)
            rows = rows_of(model, entry, someone).order_by("pk").values(*entry.shown)
            tables[label] = list(rows.iterator(chunk_size=2000))
            people[label] = {name for name in entry.shown if leads_to(model, name) is Member}
    ids = {row[name] for label, names in people.items() for row in tables[label] for name in names}
    shown = {
        member.pk: member.full_name
        if member.pk in someone.members
        else member.name_for(viewer_is_member=member.organisation_id == someone.organisation.pk)
        for member in Member.objects.filter(pk__in=ids - {None})
    }
    for label, names in people.items():
        for row in tables[label]:
            row.update({name: shown.get(row[name], "") for name in names})
    return {label: lines for label, lines in tables.items() if lines}


@transaction.atomic
def export(*, member: Member, by: Actor, at: datetime) -> IO[bytes]:
    """Return the archive of a member's own data, open at its start; the journal keeps that it was taken."""
    journal.note(member, "data_exported", by=by, at=at)
    someone = Someone.of(member)
    data = data_of(someone)
    file = tempfile.TemporaryFile(prefix="own-data-")  # noqa: SIM115 the response closes it
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.json", json.dumps(data, ensure_ascii=False, indent=1, default=str))
        context = {"club": member.organisation, "member": member, "at": at, "parts": parts(data)}
        archive.writestr("data.html", render_to_string("clubs/personal_data/export.html", context))
        for label, entry in PERSONAL_DATA.items():
            if label in ARCHIVED_FILES and label in data:
                _add_files(archive, label, entry, someone)
    file.seek(0)
    return file


def _add_files(
    archive: zipfile.ZipFile, label: str, table: PersonalTable, someone: Someone
) -> None:
    for row in (
        rows_of(apps.get_model(label), table, someone).order_by("pk").iterator(chunk_size=500)
    ):
        path = ARCHIVED_FILES[label](row)
        if path is not None:
            archive.write(path, f"photos/{path.name}", compress_type=zipfile.ZIP_STORED)


def parts(data: Data) -> list[dict[str, object]]:
    """Return the tables with headings and values in the reader's language."""
    tables: list[dict[str, object]] = []
    for label, lines in data.items():
        entry = PERSONAL_DATA[label]
        heads = {**WORDS, **entry.heads}
        say = {name: sayer(label, name) for name in lines[0]}
        rows = [[_text(name, say[name](value)) for name, value in line.items()] for line in lines]
        tables.append(
            {"title": entry.title, "heads": [heads[name] for name in lines[0]], "rows": rows}
        )
    return tables


def sayer(label: str, name: str) -> Callable[[Any], Any]:
    """Return what says a value of a column: words of the app, of its choices, or of all codes."""
    entry = PERSONAL_DATA[label]
    if name in entry.say:
        return entry.say[name]
    choices = column_of(apps.get_model(label), name).flatchoices if name in entry.shown else ()
    known = {value: words for value, words in choices if str(words) != value}
    codes = {**codes_of(name), **known}
    return lambda value: codes.get(value, value) if isinstance(value, str) else value


def _text(name: str, value: Any) -> str:
    """Return one value as a person reads it."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return str(YES if value else NO)
    if isinstance(value, datetime):
        return date_format(timezone.localtime(value), "SHORT_DATETIME_FORMAT")
    if isinstance(value, date):
        return date_format(value, "SHORT_DATE_FORMAT")
    if isinstance(value, time):
        return time_format(value, "H:i")
    if name == "verb":
        return sentence(value)
    if isinstance(value, list):
        return listed(_text("", item) for item in value)
    if isinstance(value, Mapping):
        kept = {key: item for key, item in value.items() if item not in (None, "", [], {})}
        return ", ".join(f"{key} {_text('', item)}" for key, item in kept.items())
    return str(value)
