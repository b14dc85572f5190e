"""What forgetting leaves of a person, and the texts of the club in which their name stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.apps import apps
from django.db import models
from django.db.models import Q, TextField
from django.db.models.functions import Cast
from django.utils.functional import Promise

from clubs.members.models import Member
from clubs.personal_data.register import Fate, PersonalTable, Someone, rows_of
from clubs.registries import PERSONAL_DATA

AROUND = 80


@dataclass(frozen=True, slots=True)
class Mention:
    """A text with the name in it; of a document, such as a published ranking, `words` is empty."""

    title: str | Promise
    at: datetime | None
    words: str


def kept(someone: Someone) -> dict[str | Promise, list[str | Promise]]:
    """Return {why: what} of the rows about this person that forgetting keeps."""
    kept_titles: dict[str | Promise, list[str | Promise]] = {}
    for label, entry in PERSONAL_DATA.items():
        stays = entry.fate in (Fate.PSEUDONYM, Fate.RECORD) and (entry.of or entry.find)
        if stays and rows_of(apps.get_model(label), entry, someone).exists():
            kept_titles.setdefault(entry.fate.label, []).append(entry.left or entry.title)
    return kept_titles


def mentions(someone: Someone) -> list[Mention]:
    """Return the texts and documents in which the name is written, in the order of the register.

    The family name counts, or the first name of who has no other: the reader of the texts decides
    whether this person is meant.
    """
    rows = Member.objects.filter(pk__in=someone.members)
    names = {row.last_name or row.first_name for row in rows}
    named = re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(names)))})(?!\w)", re.IGNORECASE
    )
    found = (
        mention
        for label, entry in PERSONAL_DATA.items()
        for mention in _mentions(apps.get_model(label), entry, someone, names, named)
    )
    return list(dict.fromkeys(found))  # one document may hold the name in two columns


def _as_written(names: set[str]) -> set[str]:
    """Return the names as a database finds them: SQLite folds the case of ASCII alone, and a JSON
    column may hold other letters as escapes.
    """
    cases = {case for name in names for case in (name, name.lower(), name.upper())}
    return cases | {json.dumps(name)[1:-1] for name in cases}


def _mentions(
    model: type[models.Model],
    table: PersonalTable,
    someone: Someone,
    names: set[str],
    named: re.Pattern[str],
) -> Iterator[Mention]:
    for column in table.written:
        condition = Q()
        for name in _as_written(names):
            condition |= Q(text__icontains=name)
        texts = model._base_manager.annotate(text=Cast(column, TextField())).filter(
            condition, **{table.within: someone.organisation}
        )
        is_document = isinstance(model._meta.get_field(column), models.JSONField)
        moments = [c.name for c in model._meta.fields if isinstance(c, models.DateTimeField)]
        for value, *at in texts.order_by("-pk").values_list(column, *moments[:1]):
            text = json.dumps(value, ensure_ascii=False) if is_document else value
            place = named.search(text)
            if place is not None:
                around = text[max(0, place.start() - AROUND) : place.end() + AROUND]
                title = table.to_committee or table.title
                yield Mention(title, at[0] if at else None, "" if is_document else around)
