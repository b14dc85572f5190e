"""Workbooks made to harm: refused by name before they cost memory or time."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import pytest
from openpyxl import Workbook

from clubs.exchange import tables
from tests.refusals import refused

KNOWN = {"first_name": ("prenom",), "last_name": ("nom",)}
SHEET = "xl/worksheets/sheet1.xml"
STYLES, FONTS = "xl/styles.xml", b"<!-- a font -->" * 100_000
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


def test_a_sound_workbook_is_read():
    assert tables.read("a.xlsx", workbook(), KNOWN).rows == [["Prénom", "Nom"], ["Ana", "Rusu"]]


@pytest.mark.parametrize("name", [SHEET, "xl/sharedStrings.xml", "xl/media/photo.png"])
def test_cells_texts_and_pictures_may_take_more_room_than_styles(name):
    more = {name: FONTS} if name.endswith(".png") else {}
    content = workbook(lambda part, text: text + FONTS if part == name else text, **more)
    assert len(FONTS) > tables.MAX_AROUND
    assert tables.read("a.xlsx", content, KNOWN).rows[1] == ["Ana", "Rusu"]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: workbook(**{"xl/media/zeros.bin": bytes(tables.MAX_UNPACKED)}), "bomb"),
        (lambda: workbook(lambda name, part: part + FONTS if name == STYLES else part), "bomb"),
        (lambda: workbook(**{f"xl/media/{number}.bin": b"" for number in range(100)}), "bomb"),
        (lambda: workbook(**{"xl/vbaProject.bin": b"Sub Auto_Open()"}), "macros"),
        (lambda: declaring(LAUGHS), "broken"),
        (lambda: declaring(OUTSIDE), "broken"),
    ],
    ids=[
        "large once unpacked",
        "with many styles",
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
