"""An edition on A4: numbered pages, the table head on each, badges drawn as curves.

The same edition always gives the same bytes.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from clubs.ui import badges
from clubs.ui.pdf import BOLD, FONT, INK, MUTED, RIGHT, RULE, cut, draw_text, fonts, text_width
from clubs.ui.punctuation import labelled
from clubs.upkeep.jobs import Progress
from ratings.ledger.models import Edition
from ratings.lists import formatting
from ratings.systems.columns import BADGE, MOVE, NAME, NUMBERS, ListColumn, ListRow, ListTable

MARGIN, GAP = 38.0, 9.0
ROW, HEAD, SIZE, SMALL = 17.0, 20.0, 9.0, 7.5
# The first of these (letters, page) in which the names fit is taken.
SHAPES = ((9.0, A4), (8.0, A4), (7.5, A4), (9.0, landscape(A4)), (7.0, landscape(A4)))
NARROWEST_NAME, SMALLEST = 115.0, 6.0
UP, DOWN = HexColor("#0B6B4B"), HexColor("#A8321F")
# Fill, text and border of the four stones, as on the pages in light mode.
STONES = {
    "onyx": ("#23252B", "#FFFFFF", "#23252B"),
    "amethyste": ("#7434B8", "#FFFFFF", "#5A2493"),
    "topaze": ("#FFC94D", "#3D2A00", "#A86E00"),
    "diamant": ("#CFF3FC", "#063F50", "#0E7C9E"),
}


def pdf(
    edition: Edition, table: ListTable, facts: Sequence[tuple[str, str]], progress: Progress
) -> bytes:
    """Return the whole document as bytes."""
    fonts()
    out = io.BytesIO()
    page = _Page(edition, table, facts)
    canvas = Canvas(out, pagesize=page.size, invariant=1, lang=get_language() or "fr")
    canvas.setTitle(f"{edition.title} – {formatting.numbered(edition.number)}")
    canvas.setAuthor(edition.organisation.name)
    page.draw(canvas, progress)
    canvas.save()
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of the table, or the title of a section."""

    row: ListRow | None
    title: str = ""


class _Page:
    """The layout: column widths first, then the lines of each page."""

    def __init__(
        self, edition: Edition, table: ListTable, facts: Sequence[tuple[str, str]]
    ) -> None:
        """Lay out the table. `facts`: the line printed under the title."""
        self.edition = edition
        self.table = table
        self.facts = facts
        for size, page in SHAPES:
            self.letters, self.size = size, page
            widths = [(column, self._natural(column)) for column in table.columns]
            others = sum(width for column, width in widths if column.kind != NAME)
            room = page[0] - 2 * MARGIN - others
            if room >= NARROWEST_NAME:
                break
        self.columns = [
            (column, max(room, 60.0) if column.kind == NAME else width) for column, width in widths
        ]
        self.head = self._head_lines()
        self.pages = self._paginate()

    def _natural(self, column: ListColumn) -> float:
        texts = {formatting.text_of(column, row) for row in self.table.rows}
        font = BOLD if column.lead else FONT
        widest = max((text_width(text, font, self.letters) for text in texts), default=0.0)
        if column.kind == BADGE:
            widest += 18
        heading = formatting.heading(column)
        room = max(text_width(part, BOLD, SMALL) for part in heading.split())
        while len(simpleSplit(heading, BOLD, SMALL, room + 0.1)) > 2:
            room += 4
        return max(widest, room) + GAP

    def _head_lines(self) -> list[tuple[str, str, float]]:
        """Return (text, font, size) of the lines above the table on the first page."""
        wide = self.size[0] - 2 * MARGIN
        edition = self.edition
        mended = edition.errata.first()
        lines = [(edition.organisation.name, FONT, SIZE)]
        lines += [(text, BOLD, 17.0) for text in simpleSplit(edition.title, BOLD, 17, wide)]
        if mended is not None:
            sentence = _("Cette publication contient une erreur : le nº %(n)s la rectifie.")
            lines.append((sentence % {"n": mended.number}, BOLD, 10.0))
        said = " · ".join(labelled(label, value) for label, value in self.facts)
        lines += [(text, FONT, SIZE) for text in simpleSplit(said, FONT, SIZE, wide)]
        if edition.erratum_of is not None:
            sentence = _("Rectificatif du nº %(n)s.") % {"n": edition.erratum_of.number}
            lines.append((sentence, BOLD, 10.0))
        lines += [
            (text, FONT, SIZE)
            for paragraph in edition.note.splitlines()
            for text in simpleSplit(paragraph, FONT, SIZE, wide)
        ]
        if self.table.since is not None:
            sentence = _("Évolution depuis la publication nº %(n)s.") % {"n": self.table.since}
            lines.append((sentence, FONT, SIZE))
        return lines

    def _paginate(self) -> list[list[_Line]]:
        titles = {
            section.code: _(section.label) for section in self.table.sections if section.label
        }
        lines: list[_Line] = []
        # A single section needs no title.
        sections = {row.section for row in self.table.rows}
        section = self.table.rows[0].section if len(sections) == 1 else ""
        for row in self.table.rows:
            if row.section != section:
                section = row.section
                lines.append(_Line(None, titles.get(section, section)))
            lines.append(_Line(row))
        room = self.size[1] - 2 * MARGIN - 30 - HEAD
        first = room - sum(size * 1.5 for _text, _font, size in self.head) - 6
        pages: list[list[_Line]] = [[]]
        left = first
        for place, line in enumerate(lines):
            # The title of a section is never the last line of a page.
            needed = ROW if line.row is not None or place + 1 == len(lines) else 2 * ROW
            if left < needed and pages[-1]:
                pages.append([])
                left = room - 16
            pages[-1].append(line)
            left -= ROW
        return pages

    def draw(self, canvas: Canvas, progress: Progress) -> None:
        for number, lines in enumerate(self.pages, start=1):
            progress(number, len(self.pages))
            y = self.size[1] - MARGIN
            if number == 1:
                for text, font, size in self.head:
                    y -= size * 1.5
                    canvas.setFillColor(INK)
                    draw_text(canvas, text, MARGIN, y + size * 0.35, font, size)
                y -= 6
            else:
                canvas.setFillColor(MUTED)
                text = f"{self.edition.title} · {formatting.numbered(self.edition.number)}"
                draw_text(canvas, text, MARGIN, y - 8, FONT, SMALL)
                y -= 16
            y = self._table_head(canvas, y)
            canvas.setFillColor(INK)
            canvas.setStrokeColor(RULE)
            canvas.setLineWidth(0.4)
            for line in lines:
                y -= ROW
                self._line(canvas, line, y)
            self._foot(canvas, number)
            canvas.showPage()

    def _table_head(self, canvas: Canvas, y: float) -> float:
        canvas.setFillColor(INK)
        x = MARGIN
        for column, width in self.columns:
            words = simpleSplit(formatting.heading(column), BOLD, SMALL, width - GAP + 0.1)
            for place, text in enumerate(words):
                base = y - HEAD + 5 + (len(words) - 1 - place) * (SMALL + 1)
                if column.kind in NUMBERS:
                    draw_text(canvas, text, x + width - GAP, base, BOLD, SMALL, RIGHT)
                else:
                    draw_text(canvas, text, x, base, BOLD, SMALL)
            x += width
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(0.8)
        canvas.line(MARGIN, y - HEAD, self.size[0] - MARGIN, y - HEAD)
        return y - HEAD

    def _line(self, canvas: Canvas, line: _Line, y: float) -> None:
        canvas.line(MARGIN, y, self.size[0] - MARGIN, y)
        base = y + 5
        if line.row is None:
            draw_text(canvas, line.title, MARGIN, base, BOLD, self.letters)
            return
        x = MARGIN
        for column, width in self.columns:
            self._cell(canvas, column, line.row, x, base, width)
            x += width

    def _cell(
        self, canvas: Canvas, column: ListColumn, row: ListRow, x: float, base: float, width: float
    ) -> None:
        text = formatting.text_of(column, row)
        if column.kind == BADGE and row.cells.get(column.code) in STONES:
            canvas.saveState()
            _badge(canvas, row.cells[column.code], text, x, base, self.letters)
            canvas.restoreState()
            return
        font, right = BOLD if column.lead else FONT, x + width - GAP
        if column.kind == MOVE and row.move:
            canvas.setFillColor(UP if row.move > 0 else DOWN)
            draw_text(canvas, text, right, base, font, self.letters, RIGHT)
            canvas.setFillColor(INK)
        elif column.kind == NAME:
            self._name(canvas, text, x, base, width - GAP)
        elif column.kind in NUMBERS:
            draw_text(canvas, text, right, base, font, self.letters, RIGHT)
        else:
            draw_text(canvas, text, x, base, font, self.letters)

    def _name(self, canvas: Canvas, text: str, x: float, base: float, width: float) -> None:
        """Draw a name, smaller when it is long; only a very long one is cut."""
        size = self.letters
        while size > SMALLEST and text_width(text, BOLD, size) > width:
            size -= 0.25
        draw_text(canvas, cut(text, BOLD, size, width), x, base, BOLD, size)

    def _foot(self, canvas: Canvas, number: int) -> None:
        canvas.setFillColor(MUTED)
        edition = self.edition
        mark = (
            f"SHA-256 {edition.sha256} · {_('Journal')} {formatting.numbered(edition.journal_seq)}"
        )
        base = MARGIN - 16
        draw_text(canvas, mark, MARGIN, base, FONT, 6.5)
        page_number = _("page %(n)s / %(total)s") % {"n": number, "total": len(self.pages)}
        draw_text(canvas, page_number, self.size[0] - MARGIN, base, FONT, SMALL, RIGHT)


# Badges: the paths of clubs.gems, drawn by the PDF itself


def _badge(canvas: Canvas, code: str, word: str, x: float, base: float, size: float) -> None:
    fill, text, border = (HexColor(colour) for colour in STONES[code])
    wide, high, side = text_width(word, FONT, size) + 19, 12.6, 9.5
    canvas.setFillColor(fill)
    canvas.setStrokeColor(border)
    canvas.setLineWidth(0.8)
    canvas.roundRect(x, base - 3.3, wide, high, high / 2, stroke=1, fill=1)
    canvas.saveState()
    canvas.translate(x + 4.5, base - 3.3 + (high + side) / 2)
    canvas.scale(side / 24, -side / 24)
    canvas.setStrokeColor(text)
    canvas.setLineWidth(2)
    canvas.setLineCap(1)
    canvas.setLineJoin(1)
    markup = badges.GEMS[code][1]
    for cx, cy, radius in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', markup):
        canvas.circle(float(cx), float(cy), float(radius), stroke=1, fill=0)
    for data in re.findall(r'<path d="([^"]+)"', markup):
        path = canvas.beginPath()
        _trace(path, data)
        canvas.drawPath(path, stroke=1, fill=0)
    canvas.restoreState()
    canvas.setFillColor(text)
    draw_text(canvas, word, x + 15.5, base, FONT, size)


def _trace(path: Any, data: str) -> None:
    """Trace the few SVG commands that the four gems use: M, L, l, H, h, V, v, A (circles), z."""
    tokens = re.findall(r"[A-Za-z]|-?\d*\.?\d+", data)
    command, x, y, start = "M", 0.0, 0.0, (0.0, 0.0)
    numbers = iter(tokens)
    for token in numbers:
        if token.isalpha():
            command = token
            if command in "zZ":
                path.close()
                x, y = start
                continue
            token = next(numbers)
        first = float(token)
        if command in "Hh":
            x = first + (x if command == "h" else 0)
        elif command in "Vv":
            y = first + (y if command == "v" else 0)
        elif command == "A":
            _radius, _turn, large, sweep = (float(next(numbers)) for _n in range(4))
            end = (float(next(numbers)), float(next(numbers)))
            for point in _arc((x, y), end, first, bool(large), bool(sweep)):
                path.lineTo(*point)
            x, y = end
            continue
        else:
            second = float(next(numbers))
            x, y = (first, second) if command in "ML" else (x + first, y + second)
        if command == "M":
            path.moveTo(x, y)
            start, command = (x, y), "L"
        else:
            path.lineTo(x, y)


def _arc(
    a: tuple[float, float], b: tuple[float, float], radius: float, large: bool, sweep: bool
) -> list[tuple[float, float]]:
    """Return points of the circle's arc from a to b (SVG's end-point form)."""
    half = math.dist(a, b) / 2
    radius = max(radius, half)
    side = (1 if large != sweep else -1) * math.sqrt(radius * radius - half * half) / (2 * half)
    centre = (
        (a[0] + b[0]) / 2 + side * (a[1] - b[1]),
        (a[1] + b[1]) / 2 - side * (a[0] - b[0]),
    )
    begin = math.atan2(a[1] - centre[1], a[0] - centre[0])
    end = math.atan2(b[1] - centre[1], b[0] - centre[0])
    if sweep and end < begin:
        end += 2 * math.pi
    if not sweep and end > begin:
        end -= 2 * math.pi
    steps = 12
    return [
        (
            centre[0] + radius * math.cos(begin + (end - begin) * n / steps),
            centre[1] + radius * math.sin(begin + (end - begin) * n / steps),
        )
        for n in range(1, steps + 1)
    ]
