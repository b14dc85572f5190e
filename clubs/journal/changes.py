"""What an act changed, before → after, in words: the stored values that have a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clubs.journal.models import JournalEntry
from clubs.journal.wording import ROLES
from clubs.organisations.models import Organisation
from clubs.registries import JOURNAL_CHANGES, JOURNAL_VALUES
from clubs.ui.french import written

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Named:
    """A stored value's name, and how the value reads."""

    label: str | Promise
    words: Callable[[Any], object] = str


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One value. `old` is None where the line tells only what it became."""

    label: str
    old: str | None
    new: str


def words_of(choices: Iterable[tuple[str, object]]) -> Callable[[Any], object]:
    """Return the function that reads a stored code; an unknown one is printed as it is."""
    known = dict(choices)
    return lambda code: known.get(code, code)


def fields_of(model: type[models.Model]) -> dict[str, Named]:
    """Return {column: its name} of a table, for the columns that the table names."""
    fields = [one for one in model._meta.get_fields() if isinstance(one, models.Field)]
    return {
        one.name: Named(one.verbose_name, _reader(one))
        for one in fields
        if isinstance(one.verbose_name, Promise)
    }


def _reader(field: models.Field[Any, Any]) -> Callable[[object], object]:
    if isinstance(field, models.DateTimeField):
        return lambda stored: written(timezone.localtime(field.to_python(stored)), "j F Y, H:i")
    if isinstance(field, models.DateField):
        return lambda stored: written(field.to_python(stored), "j F Y")
    return words_of(field.choices or ())  # type: ignore[arg-type]


VALUES: dict[str, Mapping[str, Named]] = {
    "organisation": {
        **fields_of(Organisation),
        "language": Named(_("langue"), words_of(settings.LANGUAGES)),
    },
    "member": {"role": Named(_("rôle"), lambda code: ROLES.get(code, code))},
}


def changes_in(entries: Iterable[JournalEntry]) -> dict[int, list[ValueChange]]:
    """Return {number of a line: what differs between its two sides, in words}, kind by kind of subject."""
    kinds: dict[str, list[JournalEntry]] = {}
    for entry in entries:
        kinds.setdefault(entry.about[0], []).append(entry)
    found: dict[int, list[ValueChange]] = {}
    for kind, of_kind in kinds.items():
        if kind in JOURNAL_CHANGES:
            found |= JOURNAL_CHANGES[kind](of_kind)
        else:
            names = JOURNAL_VALUES.get(kind, {})
            found |= {entry.seq: _named_changes(entry, names) for entry in of_kind}
    return found


def _named_changes(entry: JournalEntry, names: Mapping[str, Named]) -> list[ValueChange]:
    before = entry.before if isinstance(entry.before, dict) else {}
    after = entry.after if isinstance(entry.after, dict) else {}
    return [
        ValueChange(
            capfirst(str(named.label)),
            _read(named, before[name]) if name in before else None,
            _read(named, after.get(name)),
        )
        for name, named in names.items()
        if (name in before or name in after) and before.get(name) != after.get(name)
    ]


def _read(named: Named, stored: object) -> str:
    if stored is None or stored == "":
        return NOTHING
    if isinstance(stored, bool):
        return gettext("oui") if stored else gettext("non")
    return str(named.words(stored))
