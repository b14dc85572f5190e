"""A federation's own file of licences: previewed line by line, then written in few statements.

A line that contradicts the register is left out and named; all the others are written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from rapidfuzz import fuzz

from clubs.accounts.actor import Actor
from clubs.exchange import tables
from clubs.exchange.tables import ImportRefused
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members.actions import Newcomer, clean_name
from clubs.members.models import NAME_LENGTH, Member
from clubs.organisations.models import Organisation
from clubs.persons.actions import DETAILS, may_be_minor, show_short
from clubs.persons.licence_words import COLUMNS, LABELS, changes_in_words, status_of
from clubs.persons.matching import SAME_PERSON, clean_licence, in_order
from clubs.persons.models import LicenceFile, Person
from clubs.search import without_accents
from clubs.ui.punctuation import quoted
from clubs.upkeep.jobs import Progress, no_progress

BIRTH_YEAR = re.compile(r"\b[0-9]{4}\b")
"""The year alone, or in a date: 1980, 1980-05-12, 12/05/1980, 12.05.1980."""
YOUNGEST, OLDEST = 3, 110
SLICE = 500


class LineKind:
    """What a line would do."""

    NEW, CHANGED, SAME, JOINED, LEFT_OUT = "new", "changed", "same", "joined", "left_out"


@dataclass(slots=True)
class LicenceLine:
    """One line: `kind` new, changed, same, joined (a known player gets it) or left out.

    `namesakes`: known persons whose name a new one has.
    """

    number: int
    values: dict[str, Any]
    kind: str = LineKind.NEW
    problems: list[str] = field(default_factory=list)
    member: Member | None = None
    person: Person | None = None
    namesakes: Sequence[Member] = ()

    @property
    def name(self) -> str:
        return f"{self.values['first_name']} {self.values['last_name']}".strip()


def check_columns(columns: Mapping[str, int]) -> None:
    """Raise ImportRefused naming a column that the file needs and lacks."""
    for name in ("licence", "first_name"):
        if name not in columns:
            raise ImportRefused(
                _("Il manque la colonne %(name)s.") % {"name": quoted(LABELS[name]())},
                code="no_column",
            )


def choose_columns(*, draft: LicenceFile, columns: Mapping[str, int]) -> None:
    """Keep the reader's choice of columns in a file that is not written yet."""
    check_columns(columns)
    moved = LicenceFile.objects.filter(pk=draft.pk, written_at__isnull=True).update(
        columns=dict(columns)
    )
    if not moved:
        raise ImportRefused(_("Ce fichier est déjà importé."), code="stale")


def preview(draft: LicenceFile, *, on: datetime) -> list[LicenceLine]:
    """Return every line with what it would do. Two queries."""
    check_columns(draft.columns)
    organisation = draft.organisation
    rows = Person.objects.of(organisation).current().exclude(licence="")
    by_licence = {person.licence: person for person in rows.select_related("member")}
    by_name: dict[str, list[Member]] = {}
    for member in Member.objects.of(organisation).active().select_related("person"):
        by_name.setdefault(in_order(member.full_name), []).append(member)
    lines: list[LicenceLine] = []
    seen: dict[str, int] = {}
    taken: set[int] = set()
    for record in tables.records(draft.rows, draft.columns):
        line = _read(record, on.year)
        licence = line.values["licence"]
        if licence in seen:
            line.problems.append(_("même licence qu’à la ligne %(n)s") % {"n": seen[licence]})
        if not line.problems:
            seen[licence] = line.number
            _place(line, by_licence.get(licence), by_name.get(in_order(line.name), []), taken)
        if line.problems:
            line.kind = LineKind.LEFT_OUT
        lines.append(line)
    return lines


def _read(record: tables.Record, year: int) -> LicenceLine:
    cells = {name: record.values.get(name, "") for name in COLUMNS}
    values: dict[str, Any] = {
        "licence": clean_licence(cells["licence"]),
        "first_name": clean_name(cells["first_name"]),
        "last_name": clean_name(cells["last_name"]),
        "country": clean_name(cells["country"])[:40],
        "club": clean_name(cells["club"])[:80],
        "birth_year": None,
        "status": status_of(cells["status"]) or "",
    }
    line = LicenceLine(record.line, values, problems=list(record.problems))
    if status_of(cells["status"]) is None:
        line.problems.append(
            _("« %(text)s » n’est pas un statut connu : à jour, échue, suspendue ou sans licence")
            % {"text": cells["status"][:20]}
        )
    if not values["licence"]:
        line.problems.append(_("la licence manque"))
    if len("".join(cells["licence"].split())) > 20:
        line.problems.append(_("un numéro de licence a au plus 20 caractères"))
    if not without_accents(values["first_name"]):
        line.problems.append(_("le prénom manque"))
    if max(len(values["first_name"]), len(values["last_name"])) > NAME_LENGTH:
        line.problems.append(_("un nom dépasse 60 caractères"))
    if cells["birth_year"]:
        born = BIRTH_YEAR.search(cells["birth_year"])
        if born and YOUNGEST <= year - int(born[0]) <= OLDEST:
            values["birth_year"] = int(born[0])
        else:
            line.problems.append(
                _("« %(text)s » n’est pas une année de naissance")
                % {"text": cells["birth_year"][:20]}
            )
    return line


def _place(
    line: LicenceLine, holder: Person | None, namesakes: Sequence[Member], taken: set[int]
) -> None:
    """Decide whom the line is about: the licence's holder, a known player without one, or a new one."""
    if holder is not None:
        written, known = in_order(line.name), in_order(holder.member.full_name)
        if fuzz.ratio(written, known) < SAME_PERSON:
            line.problems.append(
                _("dans le registre, la licence %(licence)s appartient à %(name)s")
                % {"licence": line.values["licence"], "name": holder.member.full_name}
            )
            return
        line.person, line.member = holder, holder.member
        _say_status(line)
        line.kind = LineKind.SAME if not _changes(line) else LineKind.CHANGED
        return
    free = [member for member in namesakes if member.pk not in taken and not _licence_of(member)]
    if len(free) == 1:
        line.member, line.kind = free[0], LineKind.JOINED
        line.person = getattr(free[0], "person", None)
        taken.add(free[0].pk)
    else:
        line.namesakes = namesakes
    _say_status(line)


def _say_status(line: LicenceLine) -> None:
    """Take an empty status for a licence that is current; a suspension is lifted by a word alone."""
    held = line.person.status if line.person is not None else ""
    unsaid = held if held == Person.Status.SUSPENDED else Person.Status.CURRENT.value
    line.values["status"] = line.values["status"] or unsaid


def _licence_of(member: Member) -> str:
    person: Person | None = getattr(member, "person", None)
    return person.licence if person is not None else ""


def _changes(line: LicenceLine) -> dict[str, object]:
    """Return what the line says otherwise than the register; an empty cell says nothing."""
    assert line.person is not None
    details = {name: line.values[name] for name in DETAILS if name != "licence"}
    return {
        name: value
        for name, value in details.items()
        if value not in ("", None) and value != getattr(line.person, name)
    } | (
        {"name": line.name}
        if line.member is not None
        and line.member.is_outsider
        and line.member.full_name != line.name
        else {}
    )


def in_words(line: LicenceLine) -> str:
    """Return what a changed line writes over what, as "club : Lyon → Paris"."""
    assert line.person is not None
    return changes_in_words(line.person, _changes(line))


@transaction.atomic
def write(
    *,
    draft: LicenceFile,
    lapse: bool,
    by: Actor,
    at: datetime,
    progress: Progress = no_progress,
) -> dict[str, int]:
    """Write the file and return how many lines of each kind. A second call is refused.

    `lapse`: licences that are not in the file are no longer current.
    """
    # Whoever edits, merges or forgets one of them meanwhile waits, and nothing of theirs is written
    # over; who forgets one holds their row when they come to the file (decision 0046). Who left is
    # among them: the register keeps their licence, and they may be forgotten later.
    Member.objects.of(draft.organisation).filter(merged_into__isnull=True).lock()
    draft = (
        LicenceFile.objects.select_for_update(no_key=True, of=("self",))
        .select_related("organisation")
        .get(pk=draft.pk)
    )
    moved = LicenceFile.objects.filter(pk=draft.pk, written_at__isnull=True).update(written_at=at)
    if not moved:
        raise ImportRefused(_("Ce fichier est déjà importé."), code="stale")
    lines = preview(draft, on=at)
    lines_by_kind = {kind: [line for line in lines if line.kind == kind] for kind in KINDS}
    _write_slices(draft.organisation, lines_by_kind, at, progress, len(lines))
    counts = {kind: len(kind_lines) for kind, kind_lines in lines_by_kind.items()}
    if lapse:
        counts["lapsed"] = _lapse(draft.organisation, lines)
    progress(len(lines), len(lines))
    journal.record(
        organisation=draft.organisation,
        verb="licences_imported",
        subject=f"organisation:{draft.organisation_id}",
        by=by,
        at=at,
        after={"file": draft.file_name, **counts},
    )
    return counts


def _write_slices(
    organisation: Organisation,
    by_kind: Mapping[str, Sequence[LicenceLine]],
    at: datetime,
    progress: Progress,
    total: int,
) -> None:
    """Write the lines slice by slice, and tell how many are done after each."""
    writers = {
        LineKind.NEW: _write_new,
        LineKind.JOINED: _write_joined,
        LineKind.CHANGED: _write_changed,
    }
    done = 0
    progress(0, total)
    for kind, write_lines in writers.items():
        for start in range(0, len(by_kind[kind]), SLICE):
            part = by_kind[kind][start : start + SLICE]
            write_lines(organisation, part, at)
            done += len(part)
            if done < total:  # the last step is told once everything is written
                progress(done, total)


KINDS = (LineKind.NEW, LineKind.CHANGED, LineKind.JOINED, LineKind.SAME, LineKind.LEFT_OUT)


def _write_new(organisation: Organisation, lines: Sequence[LicenceLine], at: datetime) -> None:
    rows = members.create_outsiders(
        organisation=organisation,
        people=[
            Newcomer(
                line.values["first_name"],
                line.values["last_name"],
                is_minor=may_be_minor(line.values["birth_year"], at),
            )
            for line in lines
        ],
        at=at,
    )
    _add_persons(organisation, [(member, line) for member, line in zip(rows, lines, strict=True)])


def _add_persons(organisation: Organisation, rows: Sequence[tuple[Member, LicenceLine]]) -> None:
    Person.objects.bulk_create(
        [
            Person(
                organisation=organisation,
                member=member,
                version=1,
                **{name: line.values[name] for name in DETAILS},
            )
            for member, line in rows
        ],
        batch_size=SLICE,
    )


def _write_joined(organisation: Organisation, lines: Sequence[LicenceLine], at: datetime) -> None:
    """Give a licence to players already known without one."""
    known, unknown = [], []
    for line in lines:
        assert line.member is not None
        if line.person is None:
            unknown.append((line.member, line))
            continue
        for name in DETAILS:
            setattr(line.person, name, line.values[name] or getattr(line.person, name))
        line.person.version += 1
        known.append(line.person)
    _add_persons(organisation, unknown)
    Person.objects.bulk_update(known, [*DETAILS, "version"], batch_size=SLICE)
    _show_minors_short(organisation, lines, at)


def _show_minors_short(
    organisation: Organisation, lines: Sequence[LicenceLine], at: datetime
) -> None:
    minors = [line for line in lines if may_be_minor(line.values["birth_year"], at)]
    show_short(organisation, {line.member.pk for line in minors if line.member is not None})


def _write_changed(organisation: Organisation, lines: Sequence[LicenceLine], at: datetime) -> None:
    born = [line for line in lines if "birth_year" in _changes(line)]
    _show_minors_short(organisation, born, at)
    persons, renamed = [], []
    for line in lines:
        assert line.person is not None and line.member is not None
        changes = _changes(line)
        if changes.pop("name", None):
            line.member.set_names(line.values["first_name"], line.values["last_name"])
            renamed.append(line.member)
        for name, value in changes.items():
            setattr(line.person, name, value)
        line.person.version += 1
        persons.append(line.person)
    Person.objects.bulk_update(persons, [*DETAILS, "version"], batch_size=SLICE)
    Member.objects.bulk_update(
        renamed, ["first_name", "last_name", "search_name", "sort_name"], batch_size=SLICE
    )


def absent(organisation: Organisation, lines: Sequence[LicenceLine]) -> list[int]:
    """Return the current licences that the file does not have; a line left out is in the file."""
    named = {line.values["licence"] for line in lines}
    persons = Person.objects.of(organisation).filter(status=Person.Status.CURRENT.value)
    held = persons.exclude(licence="").values_list("pk", "licence")
    return [pk for pk, licence in held if licence not in named]


def _lapse(organisation: Organisation, lines: Sequence[LicenceLine]) -> int:
    """Mark current licences that the file does not have as lapsed."""
    gone = absent(organisation, lines)
    for start in range(0, len(gone), SLICE):
        Person.objects.filter(pk__in=gone[start : start + SLICE]).update(
            status=Person.Status.LAPSED.value, version=F("version") + 1
        )
    return len(gone)
