"""Workbooks made to harm: refused by name before they cost memory or time."""

from __future__ import annotations

import io
import re
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable

import openpyxl
import pytest
from openpyxl import Workbook

from clubs.exchange import tables
from tests.refusals import refused

KNOWN = {"first_name": ("prenom",), "last_name": ("nom",)}
SHEET = "xl/worksheets/sheet1.xml"
LAUGHS = b"""<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>"""
OUTSIDE = b"""<!DOCTYPE x [<!ENTITY b SYSTEM "file:///etc/passwd">]>"""


def workbook(
    change: Callable[[str, bytes], bytes] = lambda _name, part: part, **more: bytes
) -> bytes:
    """A workbook of two people, each part changed, with further parts."""
    book, saved, out = Workbook(), io.BytesIO(), io.BytesIO()
    for row in (["Prénom", "Nom"], ["Ana", "Rusu"]):
        book.active.append(row)
    book.save(saved)
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
        for name, part in more.items():
            new.writestr(name, part)
    return out.getvalue()


def declaring(doctype: bytes) -> bytes:
    """A workbook whose sheet declares an entity, and whose first cell holds it."""

    def change(name: str, part: bytes) -> bytes:
        if name != SHEET:
            return part
        body = re.sub(rb"^<\?xml[^>]*\?>", b"", part)
        cell = b'<c r="A2" t="inlineStr"><is><t>&b;</t></is></c>'
        return doctype + re.sub(rb'<c r="A2".*?</c>', cell, body)

    return workbook(change)


def with_(element: bytes, number: int) -> bytes:
    """A workbook with that number of elements behind its cells."""
    after = b"</sheetData>"
    return workbook(
        lambda name, part: part.replace(after, element * number + after) if name == SHEET else part
    )


def elements(content: bytes) -> tuple[int, int]:
    """Return how many elements it has, of cells and others."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = [archive.read(part) for part in archive.infolist()]
    cells = sum(len(tables.CELL.findall(part)) for part in parts)
    return cells, sum(part.count(b"<") - part.count(b"</") for part in parts) - cells


def with_formula(element: str, encoding: str) -> bytes:
    """A workbook with that in the cell of Ana, its sheet in that encoding."""

    def change(name: str, part: bytes) -> bytes:
        if name != SHEET:
            return part
        body = re.sub(r"^<\?xml[^>]*\?>", "", part.decode())
        return re.sub(r'<c r="A2".*?</c>', f'<c r="A2">{element}</c>', body).encode(encoding)

    return workbook(change)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    ("element", "cell"),
    [
        ("<f>B2</f>", tables.NO_VALUE),
        ('<f t="shared" si="0"/>', tables.NO_VALUE),
        ("<f>B2</f><v>7</v>", "7"),
    ],
)
def test_a_formula_without_its_value_is_told_from_one_with(element, cell, encoding):
    content = with_formula(element, encoding)
    assert tables.read("a.xlsx", content, KNOWN).rows[1] == [cell, "Rusu"]


@pytest.mark.parametrize(("element", "times"), [("<v>7</v>", 1), ("<f>B2</f>", 2)])
def test_a_workbook_is_opened_again_only_for_its_formulas(monkeypatch, element, times):
    content, load, opened = with_formula(element, "utf-8"), openpyxl.load_workbook, []
    monkeypatch.setattr(
        openpyxl, "load_workbook", lambda *given, **how: opened.append(how) or load(*given, **how)
    )
    tables.read("a.xlsx", content, KNOWN)
    assert len(opened) == times


def saying(content: bytes, size: int, crc: int) -> bytes:
    """The workbook, whose last part is said to be of that size, with that checksum."""
    lying = bytearray(content)
    for head, place in ((b"PK\x03\x04", 14), (b"PK\x01\x02", 16)):
        begins = content.rindex(head) + place
        lying[begins : begins + 4] = struct.pack("<I", crc)
        lying[begins + 8 : begins + 12] = struct.pack("<I", size)
    return bytes(lying)


@pytest.mark.parametrize("said", [0, 10])
def test_a_part_that_is_larger_than_it_says_is_not_unpacked(monkeypatch, said):
    """2 MB that are said to be 10 bytes unpacked to 2 GB before they were cut."""
    monkeypatch.setattr(tables, "MAX_UNPACKED", 2**20)
    zeros = bytes(32 * 2**20)
    content = workbook(**{"xl/media/zeros.bin": zeros})
    content = saying(content, said, zlib.crc32(zeros[:said]))
    tracemalloc.start()
    try:
        with pytest.raises(tables.ImportRefused):
            tables.read("a.xlsx", content, KNOWN)
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()


def test_a_part_is_refused_that_is_longer_than_it_says_with_its_own_checksum():
    content = workbook(**{"xl/media/zeros.bin": bytes(11)})
    with refused("broken"):
        tables.read("a.xlsx", saying(content, 10, zlib.crc32(bytes(11))), KNOWN)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_workbook_is_packed_as_spreadsheets_pack_it(method):
    """zipfile has no bound for what it unpacks in another way."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook())) as old,
        zipfile.ZipFile(out, "w", method) as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name))
    with refused("broken"):
        tables.read("a.xlsx", out.getvalue(), KNOWN)


@pytest.mark.parametrize(("more", "is_read"), [(-1, True), (0, True), (1, False)])
@pytest.mark.parametrize(
    ("element", "bound"), [(b"<row/>", "MAX_CELLS"), (b"<mergeCell ref='A1:B1'/>", "MAX_AROUND")]
)
def test_a_workbook_has_a_number_of_elements(monkeypatch, element, bound, more, is_read):
    """4 million empty cells of one line, 20 kB packed, took half a minute and 1.4 GB."""
    content = with_(element, 10)
    counts = dict(zip(("MAX_CELLS", "MAX_AROUND"), elements(content), strict=True))
    monkeypatch.setattr(tables, bound, counts[bound] - more)
    if is_read:
        assert tables.read("a.xlsx", content, KNOWN).rows[1] == ["Ana", "Rusu"]
        return
    with refused("bomb"):
        tables.read("a.xlsx", content, KNOWN)


def test_what_a_cell_is_made_of_counts_among_the_cells(monkeypatch):
    """A long table is not taken for a workbook of many styles."""
    text, number = b'<c t="inlineStr"><is><t>a</t></is></c>', b"<c><f>1</f><v>1</v></c>"
    row = b"<row>" + text + number + b"<x:si xmlns:x='x'/></row>"
    monkeypatch.setattr(tables, "MAX_AROUND", elements(workbook())[1])
    assert tables.read("a.xlsx", with_(row, 10), KNOWN).rows[1] == ["Ana", "Rusu"]


def test_the_largest_table_of_texts_is_within_the_bounds_of_a_workbook():
    """As spreadsheets write it: a cell with the number of its text, and each text once."""
    row = b"<row r='4999' spans='1:50'></row>"
    text = (
        b'<c r="AX4999" s="12" t="s"><v>249999</v></c>',
        b'<si><t xml:space="preserve">Rue de la Paix 12</t></si>',
    )
    elements_of_text = sum(len(tables.CELL.findall(part)) for part in text)
    assert (elements_of_text * tables.MAX_COLUMNS + 1) * tables.MAX_ROWS < tables.MAX_CELLS
    size = len(b"".join(text)) * tables.MAX_COLUMNS + len(row)
    assert size * tables.MAX_ROWS < tables.MAX_UNPACKED


def test_a_sound_workbook_is_read():
    assert tables.read("a.xlsx", workbook(), KNOWN).rows == [["Prénom", "Nom"], ["Ana", "Rusu"]]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: workbook(**{"xl/media/zeros.bin": bytes(tables.MAX_UNPACKED)}), "bomb"),
        (lambda: with_(b"<font/>", tables.MAX_AROUND), "bomb"),
        (lambda: with_(b"<c/>", tables.MAX_CELLS), "bomb"),
        (lambda: workbook(**{f"xl/media/{number}.bin": b"" for number in range(100)}), "bomb"),
        (lambda: workbook(**{"xl/vbaProject.bin": b"Sub Auto_Open()"}), "macros"),
        (lambda: declaring(LAUGHS), "broken"),
        (lambda: declaring(OUTSIDE), "broken"),
    ],
    ids=[
        "large once unpacked",
        "with many styles",
        "with many empty cells",
        "of many parts",
        "with macros",
        "entities",
        "a file of the server",
    ],
)
def test_what_is_made_to_harm_is_refused(make, code):
    content = make()
    assert len(content) < tables.MAX_BYTES
    with refused(code):
        tables.read("a.xlsx", content, KNOWN)
