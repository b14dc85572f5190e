"""Imported tables, CSV or XLSX: read safely into rows of text, columns found by their names.

Uses no database. Limits are checked while reading; whatever cannot be read is refused by a sentence.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import repeat

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from clubs.accounts.actor import Refused
from clubs.search import without_accents

MAX_BYTES = 2 * 1024 * 1024
MAX_UNPACKED = 30 * 1024 * 1024
CELL = re.compile(rb"<(?:[\w.-]+:)?(?:row|c|v|f|is|t|si)[\s/>]")
"""The elements of cells and of their texts, as they begin."""
FORMULA = re.compile(rb"<(?:[\w.-]+:)?f[\s/>]")
MAX_CELLS = 1_010_000
MAX_AROUND = 20_000
"""Elements of cells, four for a text of a full table, and others: fonts, names, merged cells.

openpyxl takes up to 0.1 ms for one of the others.
"""
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
MAX_TITLES = 10
"""Lines above the head that may be titles."""
SEPARATORS = (";", "\t", ",")
ROMANIAN = re.compile(r"[þÞ]|[ºª](?=[a-zâîã])|[a-z]{2}º|ã(?![oe])")
"""Romanian letters as Windows-1252 shows them; no French or Portuguese word has them."""

Known = Mapping[str, tuple[str, ...]]
"""The names of each field's column in three languages, as `without_accents` writes them."""


class ImportRefused(Refused):
    """A file that cannot be read, or lines that cannot be written."""


@dataclass(frozen=True, slots=True)
class Table:
    """A file as rows of text, the head first; `encoding` is shown to the reader.

    A blank line or a title above the head is an empty row, so that a row's index tells its line.
    """

    rows: list[list[str]]
    encoding: str


@dataclass(slots=True)
class Record:
    """One line under the head: its cells by field, and what is wrong with them."""

    line: int
    values: dict[str, str]
    problems: list[str] = field(default_factory=list)


def content_of(upload: UploadedFile) -> bytes:
    """Return an uploaded file's bytes; one that is too big is refused before it is read."""
    if (upload.size or 0) > MAX_BYTES:
        raise too_big()
    content: bytes = upload.read()
    return content


def read(name: str, content: bytes, known: Known) -> Table:
    """Return a CSV (any usual separator, UTF-8 or a Windows page) or an XLSX as rows of text.

    `known` finds the separator, and the head below title lines. Raises ImportRefused with a
    sentence for anything too big, broken or not a table.
    """
    if len(content) > MAX_BYTES:
        raise too_big()
    if not content.strip():
        raise ImportRefused(_("Ce fichier est vide."), code="empty")
    foreign = name.lower().endswith((".xls", ".ods", ".pdf", ".doc", ".docx"))
    if content[:2] == b"PK" and not foreign:
        rows, encoding = _xlsx(content), "xlsx"
    elif (
        foreign
        or content.startswith(b"%PDF-")
        or (b"\x00" in content and not content.startswith(UTF_16))
    ):
        raise ImportRefused(
            _("Le site ne lit pas ce genre de fichier. Enregistrez le tableau en CSV."),
            code="not_a_table",
        )
    else:
        rows, encoding = _csv(content, known)
    if rows and not rows[0]:
        raise ImportRefused(
            _("La ligne 1 est vide : elle doit porter les noms des colonnes."), code="no_head"
        )
    head = _head_of(rows, known)
    rows = [*rows[head : head + 1], *([] for _title in range(head)), *rows[head + 1 :]]
    if not any(rows[1:]):
        raise ImportRefused(
            _("Ce fichier n’a pas de lignes : la première doit porter les noms des colonnes."),
            code="no_rows",
        )
    return Table(rows, encoding)


def _head_of(rows: Sequence[Sequence[str]], known: Known) -> int:
    """Return the index of the head: the first row with the most known names.

    Each row above it has fewer cells filled, as a title has; otherwise the first row is the head.
    """
    names = [len(columns_of(row, known)) for row in rows[: MAX_TITLES + 1]]
    best = names.index(max(names)) if names else 0
    filled = [sum(map(bool, row)) for row in rows[: best + 1]]
    return best if all(cells < filled[best] for cells in filled[:best]) else 0


def columns_of(head: Sequence[str], known: Known) -> dict[str, int]:
    """Return which column holds which field, by the names in the head: "Joueur 1", "joueur_1" …"""
    columns: dict[str, int] = {}
    for number, name in enumerate(head):
        plain = without_accents(re.sub(r"[_.:()°º]|(?<=[^\W\d_])(?=\d)", " ", name))
        for target, names in known.items():
            if target not in columns and (plain in names or plain == target.replace("_", " ")):
                columns[target] = number
                break
    return columns


def records(rows: Sequence[Sequence[str]], columns: Mapping[str, int]) -> Iterator[Record]:
    """Return each line under the head, numbered as in the file (the head is line 1)."""
    for line, row in enumerate(rows[1:], start=2):
        if not any(row):
            continue
        values = {
            name: row[column].strip() if column < len(row) else ""
            for name, column in columns.items()
        }
        problems = (_cell_problem(rows[0][columns[name]], cell) for name, cell in values.items())
        yield Record(line, values, [problem for problem in problems if problem])


def too_big() -> ImportRefused:
    """Return the refusal of a file of too many bytes."""
    return ImportRefused(_("Ce fichier dépasse 2 Mo."), code="too_big")


def too_many() -> ImportRefused:
    """Return the refusal of a file of too many lines."""
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
                _("Ce fichier UTF-16 est illisible : enregistrez-le en UTF-8."), code="broken"
            ) from broken
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    if ROMANIAN.search(text):
        return content.decode("cp1250", errors="replace"), "Windows-1250"
    return text, "Windows-1252"


def _csv(content: bytes, known: Known) -> tuple[list[list[str]], str]:
    text, encoding = _text(content)
    if text.count("\n") > MAX_ROWS + 1:
        raise too_many()
    separator = _separator(text, known)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        rows = _rows(reader)
    except csv.Error as broken:
        raise ImportRefused(
            _(
                "Ligne %(line)s : ce fichier CSV est illisible ; ouvrez-le dans votre "
                "tableur et enregistrez-le de nouveau."
            )
            % {"line": reader.line_num},
            code="broken",
        ) from broken
    return rows, encoding


def _separator(text: str, known: Known) -> str:
    """Return the separator that shows the most known names in one line, else the most frequent."""
    lines = text[: MAX_TITLES * MAX_CELL].splitlines()[: MAX_TITLES + 1]

    def names(separator: str) -> tuple[int, int]:
        heads = ([cell.strip(' "') for cell in line.split(separator)] for line in lines)
        most = max((len(columns_of(head, known)) for head in heads), default=0)
        return most, lines[0].count(separator) if lines else 0

    return max(SEPARATORS, key=names)


def _rows(lines: Iterable[Sequence[object]]) -> list[list[str]]:
    """Return rows of text in their places; blank lines at the end are dropped."""
    rows: list[list[str]] = []
    blank = 0
    for cells in lines:
        if not any(str(cell).strip() for cell in cells if cell is not None):
            blank += 1
            if blank > MAX_BLANK:
                raise too_many()
            continue
        if len(rows) + blank > MAX_ROWS:
            raise too_many()
        rows += [[] for _blank in range(blank)]
        blank = 0
        rows.append(_row(cells, len(rows) + 1))
    return rows


def _row(cells: Sequence[object], line: int) -> list[str]:
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
                _("Ligne %(line)s, colonne %(column)s : plus de %(letters)s caractères.")
                % {"line": line, "column": column, "letters": MAX_CELL},
                code="too_wide",
            )
        if UNSTORABLE.search(cell):
            raise ImportRefused(
                _("Ligne %(line)s, colonne %(column)s : un caractère ne peut pas être enregistré.")
                % {"line": line, "column": column},
                code="broken",
            )
    return row


def _xlsx(content: bytes) -> list[list[str]]:
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            has_formulas = _check_parts(archive)
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        formulas = load_workbook(io.BytesIO(content), read_only=True) if has_formulas else None
        try:
            values = book.worksheets[0].iter_rows(values_only=True, max_col=MAX_COLUMNS + 1)
            written = (
                formulas.worksheets[0].iter_rows(max_col=MAX_COLUMNS + 1)
                if formulas
                else repeat(repeat(None))
            )
            return _rows(
                _trimmed([_plain(*pair) for pair in zip(cells, sources, strict=False)])
                for cells, sources in zip(values, written, strict=False)
            )
        finally:
            book.close()
            if formulas:
                formulas.close()
    except ImportRefused:
        raise
    # zipfile, zlib, the XML parsers and openpyxl raise a dozen kinds on a damaged workbook
    # (TypeError, AttributeError, EOFError, NotImplementedError …): none is a bug of ours.
    except Exception as bad:
        raise ImportRefused(
            _(
                "Ce fichier XLSX est illisible : ouvrez-le dans votre tableur et enregistrez-le "
                "de nouveau."
            ),
            code="broken",
        ) from bad


def _check_parts(archive: zipfile.ZipFile) -> bool:
    """Refuse a workbook that is too big or has macros; return whether a cell has a formula."""
    parts = archive.infolist()
    if len(parts) > 100 or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise _too_big_unpacked()
    if any("vbaproject" in part.filename.lower() for part in parts):
        raise ImportRefused(_("Un fichier avec des macros est refusé."), code="macros")
    cells = elements = formulas = 0
    for part in parts:
        content = _content(archive, part).replace(b"\x00", b"")  # of UTF-16
        elements += content.count(b"<") - content.count(b"</")
        if elements > MAX_CELLS + MAX_AROUND:
            raise _too_big_unpacked()
        cells += len(CELL.findall(content))
        formulas += FORMULA.search(content) is not None
    if cells > MAX_CELLS or elements - cells > MAX_AROUND:
        raise _too_big_unpacked()
    return formulas > 0


def _content(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """Return a part; refused where it is not of the size that the archive gives.

    zipfile cuts what it reads at that size, but unpacks more first: 2 MB become 2 GB.
    """
    if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile(part.filename)  # zipfile unpacks these without a bound
    to_the_end = copy(part)
    to_the_end.file_size = MAX_UNPACKED + 1
    with archive.open(to_the_end) as unpacked:
        content = unpacked.read(to_the_end.file_size)
    if len(content) != part.file_size:
        raise zipfile.BadZipFile(part.filename)
    return content


def _too_big_unpacked() -> ImportRefused:
    return ImportRefused(
        _("Ce fichier XLSX est trop gros une fois ouvert : coupez-le en plusieurs."), code="bomb"
    )


def _trimmed(cells: list[object]) -> list[object]:
    """Return a row without empty cells at the end: a sheet may declare 16,384 columns."""
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _plain(cell: object, source: object) -> object:
    """Return a cell's value; `source` is the cell as written, which shows a formula."""
    if cell is None and getattr(source, "data_type", "") == "f":
        return NO_VALUE
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _cell_problem(title: str, cell: str) -> str:
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
        return _("colonne « %(column)s » : un caractère est illisible, enregistrez en UTF-8") % {
            "column": title
        }
    return ""
