"""A file of members: read safely, previewed line by line, written whole, undone within a day.

Reading uses no database; `preview` says what each line would do; `write` does it in one
transaction.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, Refused
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members.models import Member, MemberImport, without_accents
from clubs.organisations.models import Organisation
from clubs.upkeep.jobs import Progress, no_progress

MAX_BYTES = 2 * 1024 * 1024
MAX_UNPACKED = 20 * 1024 * 1024
MAX_ROWS = 5000
MAX_COLUMNS = 50
MAX_CELL = 1000
NO_VALUE = "\ue000"
"""The cell of a formula that the spreadsheet saved without its value."""
ERRORS = ("#N/A", "#REF!", "#NAME?", "#VALUE!", "#DIV/0!", "#NUM!", "#NULL!")
UNREADABLE = "\ufffd"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
"""Characters that no database stores."""
MAX_BLANK = 50_000
"""Blank lines read after the last line with text: a sheet may claim a million."""
ROMANIAN = re.compile(r"[þÞ]|[ºª](?=[a-zâîã])|[a-z]{2}º|ã(?![oe])")
"""Romanian letters as Windows-1252 shows them; no French or Portuguese word has them."""
UNDO = timedelta(hours=24)
SLICE = 50
"""Members deleted by one statement of an undo."""

FIELDS = ("first_name", "last_name", "email", "number")
GUESSES: Mapping[str, tuple[str, ...]] = {
    "first_name": ("prenom", "first name", "firstname", "prenume"),
    "last_name": ("nom", "last name", "lastname", "surname", "nume", "nom de famille"),
    "email": ("email", "e mail", "mail", "courriel", "adresse e mail", "adresse"),
    "number": ("numero", "number", "no", "n", "numar", "numero de joueur"),
}


class ImportRefused(Refused):
    """A file that cannot be read, or lines that cannot be written."""


@dataclass(frozen=True, slots=True)
class Table:
    """A file as rows of text, the head first; `encoding` is shown to the reader.

    A blank line is an empty row, so that the index in `rows` is the line of the file.
    """

    rows: list[list[str]]
    encoding: str


def read(name: str, content: bytes) -> Table:
    """Return a CSV (any usual separator, UTF-8 or Windows-1252) or an XLSX as rows of text.

    Raises ImportRefused with a sentence for anything too big, broken or not a table.
    """
    if len(content) > MAX_BYTES:
        raise ImportRefused(_("Ce fichier dépasse 2 Mo."), code="too_big")
    if not content.strip():
        raise ImportRefused(_("Ce fichier est vide."), code="empty")
    foreign = name.lower().endswith((".xls", ".ods", ".pdf", ".doc", ".docx"))
    if content[:2] == b"PK" and not foreign:
        table = Table(_xlsx(content), "xlsx")
    elif (
        foreign
        or content.startswith(b"%PDF-")
        or (b"\x00" in content and not content.startswith(UTF_16))
    ):
        raise ImportRefused(
            _("Ce fichier n’est ni un CSV ni un XLSX. Enregistrez le tableau en CSV."),
            code="not_a_table",
        )
    else:
        table = _csv(content)
    if table.rows and not table.rows[0]:
        raise ImportRefused(
            _("La ligne 1 est vide : elle doit porter les noms des colonnes."), code="no_head"
        )
    if len(table.rows) < 2:
        raise ImportRefused(
            _("Ce fichier n’a pas de lignes : la première doit porter les noms des colonnes."),
            code="no_rows",
        )
    return table


def _too_many() -> ImportRefused:
    return ImportRefused(
        _("Ce fichier a plus de %(rows)s lignes : coupez-le en plusieurs.") % {"rows": MAX_ROWS},
        code="too_many_rows",
    )


def _text(content: bytes) -> tuple[str, str]:
    """Return the text and its encoding: UTF-8, UTF-16, or a Windows page.

    A Windows file does not say which page it uses: Ţurcanu written in Romania would read Þurcanu,
    and become another player.
    """
    if content.startswith(UTF_16):
        try:
            return content.decode("utf-16"), "UTF-16"
        except UnicodeDecodeError as broken:
            raise ImportRefused(
                _("Ce fichier UTF-16 est abîmé : enregistrez-le en UTF-8."), code="broken"
            ) from broken
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    if ROMANIAN.search(text):
        return content.decode("cp1250", errors="replace"), "Windows-1250"
    return text, "Windows-1252"


def _csv(content: bytes) -> Table:
    text, encoding = _text(content)
    if text.count("\n") > MAX_ROWS + 1:
        raise _too_many()
    head = text.split("\n", 1)[0]
    separator = max((";", "\t", ","), key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        rows = _rows(reader)
    except csv.Error as broken:
        raise ImportRefused(
            _("Ligne %(line)s : ce fichier CSV est abîmé.") % {"line": reader.line_num},
            code="broken",
        ) from broken
    return Table(rows, encoding)


def _rows(given: Iterable[Sequence[Any]]) -> list[list[str]]:
    """Return rows of text in their places; blank lines at the end are dropped."""
    rows: list[list[str]] = []
    blank = 0
    for cells in given:
        if not any(str(cell).strip() for cell in cells if cell is not None):
            blank += 1
            if blank > MAX_BLANK:
                raise _too_many()
            continue
        if len(rows) + blank > MAX_ROWS:
            raise _too_many()
        rows += [[] for _blank in range(blank)]
        blank = 0
        rows.append(_row(cells, len(rows) + 1))
    return rows


def _row(cells: Sequence[Any], line: int) -> list[str]:
    row = ["" if cell is None else str(cell).strip() for cell in cells]
    if len(row) > MAX_COLUMNS:
        raise ImportRefused(
            _("Ligne %(line)s : plus de %(columns)s colonnes.")
            % {"line": line, "columns": MAX_COLUMNS},
            code="too_wide",
        )
    for column, cell in enumerate(row, start=1):
        if len(cell) > MAX_CELL:
            raise ImportRefused(
                _("Ligne %(line)s, colonne %(column)s : plus de %(letters)s lettres.")
                % {"line": line, "column": column, "letters": MAX_CELL},
                code="too_wide",
            )
        if UNSTORABLE.search(cell):
            raise ImportRefused(
                _("Ligne %(line)s, colonne %(column)s : un signe ne peut pas être enregistré.")
                % {"line": line, "column": column},
                code="broken",
            )
    return row


def _xlsx(content: bytes) -> list[list[str]]:
    from openpyxl import load_workbook

    broken = ImportRefused(_("Ce fichier XLSX est abîmé."), code="broken")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            if len(parts) > 100 or sum(part.file_size for part in parts) > MAX_UNPACKED:
                raise ImportRefused(
                    _("Ce fichier XLSX est trop gros une fois ouvert."), code="bomb"
                )
            if any("vbaproject" in part.filename.lower() for part in parts):
                raise ImportRefused(_("Un fichier avec des macros est refusé."), code="macros")
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        formulas = load_workbook(io.BytesIO(content), read_only=True)
        try:
            values = book.worksheets[0].iter_rows(values_only=True, max_col=MAX_COLUMNS + 1)
            written = formulas.worksheets[0].iter_rows(max_col=MAX_COLUMNS + 1)
            return _rows(
                _trimmed([_plain(*pair) for pair in zip(cells, sources, strict=False)])
                for cells, sources in zip(values, written, strict=False)
            )
        finally:
            book.close()
            formulas.close()
    except ImportRefused:
        raise
    # zipfile, zlib, the XML parsers and openpyxl raise a dozen kinds on a damaged workbook
    # (TypeError, AttributeError, EOFError, NotImplementedError …): none is a bug of ours.
    except Exception as bad:
        raise broken from bad


def _trimmed(cells: list[Any]) -> list[Any]:
    """Return a row without empty cells at the end: a sheet may declare 16,384 columns."""
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _plain(cell: Any, source: Any) -> Any:
    """Return a cell's value; `source` is the cell as written, which shows a formula."""
    if cell is None and getattr(source, "data_type", "") == "f":
        return NO_VALUE
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def guess(head: Sequence[str]) -> dict[str, int]:
    """Guess which column holds which field, by its name."""
    found: dict[str, int] = {}
    for number, name in enumerate(head):
        plain = without_accents(name.replace("_", " ").replace(".", " ").replace("°", " "))
        for target, names in GUESSES.items():
            if target not in found and plain in names:
                found[target] = number
    return found


@dataclass(slots=True)
class Line:
    """What one line of the file would do: `kind` new, update, double or error."""

    number: int
    values: dict[str, str]
    kind: str = "new"
    problems: list[str] = field(default_factory=list)
    member_id: int | None = None

    def refuse(self, problem: str) -> None:
        self.kind = "error"
        self.problems.append(problem)


def preview(
    organisation: Organisation, rows: Sequence[Sequence[str]], columns: Mapping[str, int]
) -> list[Line]:
    """Return every line with its problems, numbered as in the file (the head is line 1)."""
    everybody = list(Member.objects.of(organisation))
    known = [m for m in everybody if m.left_at is None and m.merged_into_id is None]
    by_number = {member.number: member for member in known}
    gone = {member.number for member in everybody} - set(by_number)
    by_email = {member.email: member for member in known if member.email}
    names = {member.search_name for member in known}
    seen_numbers: dict[int, int] = {}
    seen_emails: dict[str, int] = {}
    seen_members: dict[int, int] = {}
    lines = []
    for number, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        values = {
            name: row[column] if column < len(row) else "" for name, column in columns.items()
        }
        line = Line(number, values)
        _check_cells(line, rows[0], columns)
        if not line.problems:
            _check(line, seen_numbers, seen_emails, gone)
        if not line.problems:
            own = by_number.get(int(values["number"])) if values.get("number") else None
            by_address = by_email.get(values.get("email", "").lower())
            if own is not None and by_address is not None and own.pk != by_address.pk:
                line.refuse(_("le numéro et l’adresse sont ceux de deux membres différents"))
            own = own or by_address
            if own is not None and own.pk in seen_members:
                line.refuse(_("même membre qu’à la ligne %(n)s") % {"n": seen_members[own.pk]})
            if own is not None:
                seen_members.setdefault(own.pk, number)
        if not line.problems:
            full = without_accents(f"{values['first_name']} {values.get('last_name', '')}")
            if own is not None:
                line.kind, line.member_id = "update", own.pk
            elif full in names:
                line.kind = "double"
        lines.append(line)
    return lines


def _check_cells(line: Line, head: Sequence[str], columns: Mapping[str, int]) -> None:
    """Add a problem, named by column, for each cell that holds no value."""
    for name, cell in line.values.items():
        if problem := cell_problem(head[columns[name]], cell):
            line.refuse(problem)


def cell_problem(title: str, cell: str) -> str:
    """Return what is wrong with a cell of that column as text; mostly ""."""
    if cell == NO_VALUE:
        return _(
            "colonne « %(column)s » : cette formule n’a pas de valeur enregistrée ; "
            "remplacez-la par sa valeur"
        ) % {"column": title}
    if cell in ERRORS:
        return _("colonne « %(column)s » : « %(error)s » est une erreur de calcul") % {
            "column": title,
            "error": cell,
        }
    if UNREADABLE in cell:
        return _("colonne « %(column)s » : une lettre est illisible, enregistrez en UTF-8") % {
            "column": title
        }
    return ""


def _check(
    line: Line, numbers: dict[int, int], emails: dict[str, int], gone: Collection[int]
) -> None:
    values = line.values
    if not members.clean_name(values.get("first_name", "")):
        line.problems.append(_("le prénom manque"))
    for name in ("first_name", "last_name"):
        if len(values.get(name, "")) > 60:
            line.problems.append(_("un nom dépasse 60 lettres"))
    email = values.get("email", "").lower()
    if email:
        try:
            validate_email(email)
        except ValidationError:
            line.problems.append(
                _("« %(email)s » n’est pas une adresse e-mail") % {"email": email[:60]}
            )
        if email in emails:
            line.problems.append(_("même adresse qu’à la ligne %(n)s") % {"n": emails[email]})
        emails.setdefault(email, line.number)
    number = values.get("number", "")
    if number:
        if not (number.isascii() and number.isdigit() and 0 < int(number) < 1_000_000):
            line.problems.append(_("« %(n)s » n’est pas un numéro de joueur") % {"n": number[:20]})
        else:
            if int(number) in numbers:
                line.problems.append(
                    _("même numéro qu’à la ligne %(n)s") % {"n": numbers[int(number)]}
                )
            if int(number) in gone:
                line.problems.append(
                    _("le numéro %(n)s reste celui d’un ancien membre") % {"n": int(number)}
                )
            numbers.setdefault(int(number), line.number)
    if line.problems:
        line.kind = "error"


@transaction.atomic
def write(*, draft: MemberImport, by: Actor, at: datetime, progress: Progress = no_progress) -> int:
    """Write every line, or none: one wrong line refuses the whole file and is named.

    A line without a number gets one that nobody ever held and that no other line asks for.
    `progress(done, total)` is called after each line.
    """
    held = MemberImport.objects.select_for_update().get(pk=draft.pk)
    if held.imported_at is not None:
        raise ImportRefused(_("Ce fichier est déjà importé."), code="stale")
    lines = preview(held.organisation, held.rows, held.columns)
    wrong = [line for line in lines if line.kind == "error"]
    if wrong:
        raise ImportRefused(
            _("La ligne %(n)s ne peut pas être importée : corrigez le fichier, rien n’est écrit.")
            % {"n": wrong[0].number},
            code="errors",
        )
    claimed = {int(line.values["number"]) for line in lines if line.values.get("number")}
    free = members.free_numbers(held.organisation, besides=claimed)
    made: list[int] = []
    for done, line in enumerate(lines, start=1):
        try:
            member = _write_line(held.organisation, line, free, by, at)
        except members.MemberRefused as refused:
            raise ImportRefused(
                _("Ligne %(n)s : %(why)s Rien n’est écrit.") % {"n": line.number, "why": refused},
                code="errors",
            ) from refused
        if line.kind != "update":
            made.append(member.pk)
        progress(done, len(lines))
    MemberImport.objects.filter(pk=held.pk).update(imported_at=at, created_members=made)
    journal.record(
        organisation=held.organisation,
        verb="members_imported",
        subject=f"import:{held.pk}",
        by=by,
        at=at,
        after={"created": len(made), "lines": len(lines)},
    )
    return len(lines)


def _write_line(
    organisation: Organisation, line: Line, free: Iterator[int], by: Actor, at: datetime
) -> Member:
    values = line.values
    if line.kind == "update":
        changes = {
            name: values[name] for name in ("first_name", "last_name", "email") if values.get(name)
        }
        member = Member.objects.get(pk=line.member_id or 0)
        return members.edit(member=member, changes=changes, by=by, at=at)
    return members.create(
        organisation=organisation,
        first_name=values["first_name"],
        last_name=values.get("last_name", ""),
        email=values.get("email", ""),
        number=int(values["number"]) if values.get("number") else next(free),
        by=by,
        at=at,
    )


@dataclass(frozen=True, slots=True)
class Undoing:
    """What undoing an import does: members deleted with their numbers, members that stay."""

    going: list[Member]
    kept: list[Member]


def undoing(done: MemberImport) -> Undoing:
    """Split the members that an import created: those used since stay.

    Used means an account, or any row that points at the member: a role, an invitation, a check-in,
    an entry, a match, a line of a list. One query for each kind of row.
    """
    made = Member.objects.filter(pk__in=done.created_members).order_by("sort_name", "pk")
    used: set[int | None] = set()
    for relation in Member._meta.related_objects:
        name = relation.field.attname
        rows = relation.related_model._base_manager.filter(**{f"{name}__in": done.created_members})
        used.update(rows.values_list(name, flat=True))
    parted = Undoing([], [])
    for member in made:
        stays = member.pk in used or member.user_id is not None or member.merged_into_id is not None
        (parted.kept if stays else parted.going).append(member)
    return parted


@transaction.atomic
def undo(
    *, done: MemberImport, by: Actor, at: datetime, progress: Progress = no_progress
) -> Undoing:
    """Delete the members of an import within a day and free their numbers, unless used since."""
    held = MemberImport.objects.select_for_update().get(pk=done.pk)
    if held.imported_at is None or held.undone_at is not None or at > held.imported_at + UNDO:
        code = "stale" if held.undone_at is not None else "too_late"
        raise ImportRefused(_("Cet import ne peut plus être annulé."), code=code)
    # Locked first: a new row that points at a member waits, and then finds the member gone.
    list(Member.objects.select_for_update().filter(pk__in=held.created_members).values_list("pk"))
    parted = undoing(held)
    going = [member.pk for member in parted.going]
    for start in range(0, len(going), SLICE):
        Member.objects.filter(pk__in=going[start : start + SLICE]).delete()
        progress(min(start + SLICE, len(going)), len(going))
    MemberImport.objects.filter(pk=held.pk).update(undone_at=at)
    journal.record(
        organisation=held.organisation,
        verb="import_undone",
        subject=f"import:{held.pk}",
        by=by,
        at=at,
        after={
            "removed": len(parted.going),
            "kept": [member.pk for member in parted.kept],
        },
    )
    return parted
