"""CSV, XLSX, JSON and PDF of one edition, read back: the same digits everywhere."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import zlib
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from django.utils import translation
from openpyxl import load_workbook

from clubs.members.models import Member
from clubs.search import without_accents
from clubs.templatetags import ui
from pairings.ranking.tables import RankingTable
from ratings.editions import actions as editions
from ratings.editions import files as edition_files
from ratings.editions import sources
from ratings.editions.sources import Proposal
from ratings.ledger.models import Edition
from ratings.lists import formatting
from ratings.lists.tables import printed_cell
from ratings.registries import EDITION_SOURCES
from ratings.systems import columns as list_table
from ratings.systems.columns import (
    BADGE,
    DAY,
    DECIMAL,
    INTEGER,
    PERCENT,
    POINTS,
    TAG,
    TEXT,
    ListColumn,
    ListRow,
    ListSection,
    ListTable,
)

pytestmark = pytest.mark.django_db

COLUMNS = (
    ListColumn("category", "Catégorie", BADGE),
    ListColumn("cote", "Cote", INTEGER, lead=True),
    ListColumn("pdi", "PDI", DECIMAL, places=2),
    ListColumn("ds", "DS, somme", PERCENT, places=2),
    ListColumn("word", "Mot", TEXT),
)
STONES = ("onyx", "amethyste", "topaze", "diamant")
EVIL = ["=HYPERLINK(1)", "+1", "-2", "@SUM(A1)", "\t=1", "＝1", "ordinaire", "Ștefan Țârlea"]


class Books:
    """A ranking made for the test: every kind of cell, negative and empty ones too."""

    def __init__(self, people, sections=()):
        self.people = people
        self.sections = sections

    def newest_day(self, organisation):
        return date(2026, 11, 20)

    def proposal(self, organisation, *, on, today, since, at=None):
        half = len(self.people) // 2
        rows = tuple(
            ListRow(
                member=member.pk,
                name=member.name_for(viewer_is_member=False),
                rank=n % half + 1 if self.sections else n + 1,
                move=[None, 0, 3, -2][n % 4],
                section="late" if self.sections and n >= half else "",
                cells={
                    "category": STONES[n % 4],
                    "cote": 1000 + 37 * n,
                    "pdi": None if n % 3 else f"{n}.50",
                    "ds": f"{-12 + n}.05",
                    "word": EVIL[n % len(EVIL)],
                },
            )
            for n, member in enumerate(self.people)
        )
        return Proposal(ListTable(COLUMNS, rows, self.sections, since=1), on, None, "Titre")

    def checks(self, organisation, *, on):
        return ()

    def version(self, organisation):
        return "1"

    def touched(self, edition):
        return False


@pytest.fixture
def books(monkeypatch):
    def use(people, sections=()):
        monkeypatch.setitem(EDITION_SOURCES, sources.CLUB, Books(people, sections))

    return use


def rename(member, first, last):
    Member.objects.filter(pk=member.pk).update(
        first_name=first, last_name=last, search_name=without_accents(f"{first} {last}")
    )
    member.refresh_from_db()


@pytest.fixture
def edition(club, books) -> Edition:
    rename(club.members[0], "=1+1", "cmd")
    rename(club.members[1], "Ștefan", "Țârlea-Mureșan")
    books(club.members)
    return club.publish_edition("=Classement", note="@note")


def read_csv(edition, delimiter=";"):
    data = edition_files.csv_file(edition)
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter))


def read_xlsx(edition):
    return load_workbook(io.BytesIO(edition_files.xlsx_file(edition)))


def number(text: str) -> Decimal | None:
    return Decimal(text.replace(",", ".")) if text else None


def unquoted(text):
    return text[1:] if text and text.startswith("'") else text


def test_all_formats_agree_to_the_digit(edition):
    read = json.loads(edition_files.json_file(edition))
    head, *lines = read_csv(edition)
    page = read_xlsx(edition).worksheets[0]
    assert head == [cell.value for cell in page[1]]
    assert head == ["Rang", "Évolution", "Joueur", "Catégorie", "Cote", "PDI", "DS, somme (%)", "Mot"]  # fmt: skip
    assert len(lines) == len(read["edition"]["rows"]) == page.max_row - 1 == 8
    for row, line, cells in zip(
        read["edition"]["rows"], lines, page.iter_rows(min_row=2), strict=True
    ):
        rank, move, name, badge, cote, pdi, ds, word = line
        values = [cell.value for cell in cells]
        assert int(rank) == row["rank"] == values[0]
        assert (int(move) if move else None) == row["move"] == values[1]
        assert unquoted(name) == read["names"][str(row["member"])] == unquoted(values[2])
        assert badge == values[3] and without_accents(badge) == row["cells"]["category"]
        assert int(cote) == row["cells"]["cote"] == values[4]
        for text, key, cell in ((pdi, "pdi", cells[5]), (ds, "ds", cells[6])):
            exact = row["cells"][key]
            assert number(text) == (None if exact is None else Decimal(exact))
            assert text.replace(",", ".") == (exact or "")
            if exact is None:
                assert cell.value is None
            else:
                assert Decimal(str(cell.value)) == Decimal(exact)
                assert cell.number_format == "0.00"
        assert word.replace("'", "").strip() == row["cells"]["word"].strip()


def test_no_cell_is_a_formula(edition):
    for line in read_csv(edition):
        for text in line:
            assert not text.lstrip(" ").startswith(("=", "+", "@", "\t", "＝")), text
            assert not text.startswith("-") or number(text) is not None
    for page in read_xlsx(edition).worksheets:
        for row in page.iter_rows():
            for cell in row:
                assert cell.data_type in ("n", "s"), cell.value
                if isinstance(cell.value, str):
                    assert not cell.value.startswith(("=", "+", "-", "@")), cell.value


def test_a_workbook_opens_whatever_its_title_and_its_club_hold(edition):
    edition.title, edition.organisation.name = "Mai\ufffe", "Club\uffff\x0b"
    about = read_xlsx(edition).properties
    assert (about.title, about.creator) == ("Mai", "Club")


def test_the_json_can_be_verified_by_anybody(edition):
    read = json.loads(edition_files.json_file(edition))
    text = json.dumps(read["edition"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == read["sha256"] == edition.sha256
    assert read["journal"] == {"seq": edition.journal_seq, "hash": edition.journal_hash}


def test_sections_have_a_column_of_their_own(club, books):
    books(club.members, (ListSection("", "Classés"), ListSection("late", "Provisoires")))
    edition = club.publish_edition("Titre")
    head, *lines = read_csv(edition)
    assert head[-1] == "Liste"
    assert [line[-1] for line in lines] == ["Classés"] * 4 + ["Provisoires"] * 4
    assert "Provisoires" in pages(edition_files.pdf_file(edition))[0]


# A reader of the few things that these PDFs use: streams, subset fonts, text drawn with Tj.

ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def objects(pdf: bytes) -> dict[int, bytes]:
    found = re.findall(rb"(?:^|\n)(\d+) 0 obj\s(.*?)endobj", pdf, re.DOTALL)
    return {int(number): body for number, body in found}


def stream(body: bytes) -> bytes:
    data = body.split(b"stream", 1)[1].rsplit(b"endstream", 1)[0].strip(b"\r\n")
    if b"ASCII85Decode" in body:
        data = base64.a85decode(b"<~" + data.strip(), adobe=True)
    return zlib.decompress(data) if b"FlateDecode" in body else data


def alphabets(found: dict[int, bytes]) -> dict[bytes, dict[int, str]]:
    """Each font's codes as letters, by its own table; it must be embedded."""
    known = {}
    for body in found.values():
        if b"/Type /Font\n" not in body and b"/Type /Font " not in body:
            continue
        name = re.search(rb"/Name /(\S+)", body)
        link = re.search(rb"/ToUnicode (\d+) 0 R", body)
        if name is None or link is None:
            continue
        described = re.search(rb"/FontDescriptor (\d+) 0 R", body)
        assert described and b"/FontFile2" in found[int(described[1])], "font not embedded"
        table = stream(found[int(link[1])])
        letters = re.findall(rb"<([0-9A-Fa-f]{2})> <[0-9A-Fa-f]{2}> <([0-9A-Fa-f]+)>", table)
        singles = re.findall(rb"(?m)^<([0-9A-Fa-f]{2})> <([0-9A-Fa-f]{4,})>$", table)
        ranges = re.findall(rb"<([0-9A-Fa-f]{2})> <([0-9A-Fa-f]{2})>\s*\[(.*?)\]", table, re.DOTALL)
        alphabet = {int(c, 16): bytes.fromhex(u.decode()).decode("utf-16-be") for c, u in letters + singles}  # fmt: skip
        for start, _end, values in ranges:
            for n, value in enumerate(re.findall(rb"<([0-9A-Fa-f]+)>", values)):
                alphabet[int(start, 16) + n] = bytes.fromhex(value.decode()).decode("utf-16-be")
        known[name[1]] = alphabet
    return known


def drawings(pdf: bytes) -> list[bytes]:
    """The drawing commands of each page."""
    found = objects(pdf)
    links = [
        re.search(rb"/Contents (\d+) 0 R", body)
        for body in found.values()
        if re.search(rb"/Type /Page\b(?!s)", body)
    ]
    return [stream(found[int(link[1])]) for link in links if link]


def pages(pdf: bytes) -> list[list[str]]:
    """The texts of each page, in the order drawn."""
    known = alphabets(objects(pdf))
    read = []
    for drawn in drawings(pdf):
        texts = []
        font, begun = b"", ""
        pattern = rb"/(\S+) [\d.]+ Tf|\(((?:\\.|[^\\)])*)\) Tj"
        for name, text in re.findall(pattern, drawn, re.DOTALL):
            if name:
                font = name
                continue
            plain = re.sub(
                rb"\\([0-7]{1,3}|.)",
                lambda m: bytes([int(m[1], 8)]) if m[1].isdigit() else ESCAPES.get(m[1], m[1]),
                text,
                flags=re.DOTALL,
            )
            if font not in known:  # East Asian letters, here at the beginning of a name
                begun = plain.decode("utf-16-be")
                continue
            texts.append(begun + "".join(known[font][code] for code in plain))
            begun = ""
        read.append(texts)
    return read


def test_the_pdf_prints_the_same_digits_and_every_romanian_letter(edition):
    (texts,) = pages(edition_files.pdf_file(edition))
    text = "\n".join(texts)
    head, *lines = read_csv(edition)
    del head
    assert "Ștefan Țârlea-Mureșan" in text and "Améthyste" in text
    for line in lines:
        name = unquoted(line[2])
        at = texts.index(name)
        rank, move = texts[at - 2], texts[at - 1]
        badge, cote, pdi, ds = texts[at + 1 : at + 5]
        assert rank == line[0] and badge == line[3] and cote == line[4]
        assert move.replace("\u00a0", " ").replace("▲ ", "").replace("▼ ", "-") == (
            {"": "nouveau", "0": "="}.get(line[1], line[1])
        )
        assert pdi.replace("\u2212", "-") == (line[5] or "–")
        assert ds.replace("\u2212", "-").replace("\u00a0", " ") == f"{line[6]} %"
    assert f"SHA-256 {edition.sha256}" in text
    assert "page 1 / 1" in texts


def test_a_long_list_has_numbered_pages_that_repeat_the_head(club, monkeypatch):
    person = club.members[0]

    class Long(Books):
        def proposal(self, organisation, *, on, today, since, at=None):
            rows = tuple(
                ListRow(member=person.pk, name=f"Nom {n}", rank=n, cells={"cote": n})
                for n in range(1, 201)
            )
            return Proposal(ListTable((ListColumn("cote", "Cote"),), rows), on, None, "Titre")

    monkeypatch.setitem(EDITION_SOURCES, sources.CLUB, Long([]))
    edition = club.publish_edition("Titre")
    read = pages(edition_files.pdf_file(edition))
    assert len(read) > 3
    names = [text for page in read for text in page if text.startswith("Nom ")]
    assert names == [f"Nom {n}" for n in range(1, 201)]
    for number, texts in enumerate(read, start=1):
        assert f"page {number} / {len(read)}" in texts
        assert {"Rang", "Joueur", "Cote"} <= set(texts)


def test_the_same_edition_gives_the_same_bytes(edition):
    assert edition_files.pdf_file(edition) == edition_files.pdf_file(edition)


def test_the_badges_are_drawn_and_not_pictures(edition):
    pdf = edition_files.pdf_file(edition)
    assert b"/Subtype /Image" not in pdf
    (drawn,) = drawings(pdf)
    assert drawn.count(b" c\n") == 8 * 4 + 2 * 4, "eight rounded frames, two cabochons"
    for fill in ("0.137255 0.145098 0.168627", "0.454902 0.203922 0.721569", "1 0.788235 0.301961"):
        shade = fill.replace("0.", ".").encode()
        assert shade + b" rg" in drawn, fill


def test_a_mended_edition_says_so_on_its_own_files(edition, club, books):
    books(club.members[1:])
    new = editions.publish_erratum(
        of=edition, title="Classement", note="un joueur retiré", by=club.committee, at=club.at
    )
    text = "\n".join(pages(edition_files.pdf_file(edition))[0])
    assert "le nº 2 la rectifie" in text
    assert "Rectificatif du nº 1." in "\n".join(pages(edition_files.pdf_file(new))[0])
    assert json.loads(edition_files.json_file(edition))["mended_by"] == 2
    about = read_xlsx(edition).worksheets[1]
    assert ("Rectifié par", "nº\u00a02") in [(r[0].value, r[1].value) for r in about.iter_rows()]


def test_headings_follow_the_language_and_numbers_do_not(edition):
    here = json.loads(edition_files.json_file(edition))
    with translation.override("en"):
        assert json.loads(edition_files.json_file(edition)) == here
        ratings = [line[4] for line in read_csv(edition, ",")][1:]
        assert ratings == [str(1000 + 37 * n) for n in range(8)]


@pytest.mark.parametrize(
    ("language", "until"), [("fr", "20/11/2026"), ("en", "20 Nov 2026"), ("ro", "20.11.2026")]
)
def test_the_days_of_an_edition_are_written_in_the_readers_way(edition, language, until):
    """3/4/2026 is two days, one of them in English."""
    with translation.override(language):
        said = dict(edition_files.facts(edition))
        row = ListRow(member=1, name="Ana", rank=1, cells={"last": "2026-11-20"})
        day = formatting.text_of(ListColumn("last", "Dernière compétition", DAY), row)
    assert day == until and until in said.values()
    assert sum(value.startswith(until) for value in said.values()) == 2


@pytest.mark.parametrize(
    ("language", "words"), [("fr", "règlement d’origine"), ("ro", "regulamentul inițial")]
)
def test_a_file_names_the_rules_that_nobody_changed_as_the_page_does(edition, language, words):
    assert edition.rule_book is None
    with translation.override(language):
        assert words in dict(edition_files.facts(edition)).values()


def test_a_long_heading_is_printed_whole(club, monkeypatch):
    """It has two lines: the column is as wide as they need."""
    long = ListColumn("word", "Grade en attente d’accord", TAG)
    monkeypatch.setattr(f"{__name__}.COLUMNS", (*COLUMNS[:3], long))
    monkeypatch.setitem(EDITION_SOURCES, sources.CLUB, Books(club.members))
    made = club.publish_edition("T")
    ((*texts,),) = pages(edition_files.pdf_file(made))
    assert "Grade en attente d’accord" in " ".join(texts)


@pytest.mark.parametrize(
    ("value", "stored", "printed"),
    [(4, "4", "4"), (Fraction(7, 2), "3.50", "3,50"), (Fraction(10, 3), "3.33", "3,33")],
)
def test_the_pdi_is_printed_without_decimals_when_it_is_whole(value, stored, printed):
    """On the pages, in the tables of a publication and in its files alike."""
    column = ListColumn("pdi", "PDI", POINTS, places=2)
    cell = list_table.stored(column, value)
    row = ListRow(member=1, rank=1, name="Zoé", cells={"pdi": cell})
    assert cell == stored
    assert formatting.text_of(column, row) == printed_cell(column, cell) == printed
    assert str(formatting.value_of(column, row)) == stored
    assert RankingTable([]).render_pdi(value) == ui.points(value) == printed
