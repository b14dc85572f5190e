"""A4 pages: header and footer, tables over several pages, long names on two lines.

A document is laid out first, page by page, so that each page can print the page count; then it is
drawn.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen.canvas import Canvas

from clubs.ui.pdf import (
    BEFORE,
    BOLD,
    FONT,
    INK,
    LEFT,
    MUTED,
    RIGHT,
    RULE,
    cut,
    draw_text,
    fonts,
    text_width,
)

GREEN = HexColor("#17613F")
MARGIN, GAP, FOOT = 40.0, 8.0, 24.0
SMALLEST = 0.75
"""Smallest size to which a text is shrunk before it is shortened."""

Draw = Callable[[Canvas], None]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table; a `width` of 0 shares what the other columns leave."""

    label: str
    width: float = 0.0
    align: str = LEFT
    bold: bool = False


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table; `under` is a second, smaller line per cell; `rule` closes a group."""

    cells: tuple[str, ...]
    under: tuple[str, ...] = ()
    rule: bool = False


def split(text: str, font: str, size: float, room: float) -> list[str]:
    """Split the text into lines that fit, at plain spaces only, never at a no-break space."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, font, size) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def write(
    canvas: Canvas,
    text: str,
    x: float,
    y: float,
    room: float,
    *,
    size: float,
    font: str = FONT,
    align: str = LEFT,
    whole: bool = False,
) -> None:
    """Write one line of text in `room` points from x.

    A text that does not fit is drawn a little smaller, then shortened; `whole`: on two small lines
    where it would be. A family name comes last: cut, two people with one first name could not be
    distinguished.
    """
    small = size * SMALLEST
    lines = split(text, font, small, room) if whole else []
    if len(lines) > 1 and text_width(text, font, small) > room:
        lines[1:] = [" ".join(lines[1:])]
        for line, base in zip(lines, (y + small * 0.62, y - small * 0.42), strict=True):
            write(canvas, line, x, base, room, size=small, font=font, align=align)
        return
    natural = text_width(text, font, size)
    if natural > room:
        size = max(size * SMALLEST, size * room / natural * 0.995)
    shown = cut(text, font, size, room)
    draw_text(canvas, shown, x + room * BEFORE[align], y, font, size, align)


class Paper:
    """A document: pages are queued by `page` and `table`, and drawn by `pdf`."""

    def __init__(
        self,
        *,
        title: str,
        lines: Sequence[str] = (),
        author: str = "",
        foot: str = "",
        wide: bool = False,
        numbered: bool = True,
    ) -> None:
        fonts()
        self.size: tuple[float, float] = landscape(A4) if wide else A4
        self.title, self.lines, self.author = title, list(lines), author
        self.foot, self.numbered = foot, numbered
        self.pages: list[Draw] = []

    @property
    def room(self) -> float:
        """Return the width between the margins."""
        return self.size[0] - 2 * MARGIN

    def page(self, draw: Draw) -> None:
        """Queue one page drawn by `draw`."""
        self.pages.append(draw)

    def pdf(self) -> bytes:
        """Return the document. Without pages it has one page with a note."""
        out = io.BytesIO()
        canvas = Canvas(out, pagesize=self.size, invariant=1, lang=get_language() or "fr")
        canvas.setTitle(" – ".join([self.title, *self.lines[:1]]))
        canvas.setAuthor(self.author)
        pages = self.pages or [self._nothing]
        for number, draw in enumerate(pages, start=1):
            canvas.setFillColor(INK)
            draw(canvas)
            if self.numbered:
                self._foot(canvas, number, len(pages))
            canvas.showPage()
        canvas.save()
        return out.getvalue()

    def head(self, canvas: Canvas, *, first: bool) -> float:
        """Draw the header of a page; return where its content starts."""
        y = self.size[1] - MARGIN
        x = MARGIN
        room = self.room
        if not first:
            canvas.setFillColor(MUTED)
            write(canvas, " · ".join([self.title, *self.lines[:1]]), x, y - 8, room, size=8)
            canvas.setFillColor(INK)
            return y - 16
        write(canvas, self.author, x, y - 9, room, size=9)
        for line in split(self.title, BOLD, 17, room):
            y -= 22
            write(canvas, line, x, y - 6, room, size=17, font=BOLD)
        y -= 8
        for text in self.lines:
            for line in split(text, FONT, 9.5, room):
                y -= 13
                write(canvas, line, x, y, room, size=9.5)
        return min(y, self.size[1] - MARGIN - 44) - 10

    def table(
        self,
        columns: Sequence[Column],
        rows: Sequence[TableRow],
        *,
        size: float = 10.0,
        notes: Sequence[str] = (),
    ) -> None:
        """Queue a table over as many pages as it needs.

        Each page has the table's header; the notes follow the end.
        """
        fixed = sum(column.width for column in columns)
        shares = sum(not column.width for column in columns)
        share = (self.room - fixed) / shares if shares else 0.0
        widths = [column.width or share for column in columns]
        high = size * (2.6 if any(row.under for row in rows) else 1.85)
        noted = [line for note in notes for line in split(note, FONT, 8.5, self.room)]
        low = MARGIN + FOOT
        left = list(rows)
        while left or not self.pages:
            first = not self.pages
            top = self._content_top(first=first) - size * 2
            fit = max(1, int((top - low) / high))
            part, left = left[:fit], left[fit:]
            if not left and part and noted and top - len(part) * high - low < 12 * len(noted) + 8:
                # The notes share a page with at least one row, so that no page has notes alone.
                part, left = part[:-1] or part, part[-1:] if len(part) > 1 else []
            shown = () if left else tuple(noted)
            self.pages.append(
                lambda canvas, part=part, first=first, shown=shown: self._table_page(  # type: ignore[misc]
                    canvas, columns, widths, part, first, size, high, shown
                )
            )

    def _content_top(self, *, first: bool) -> float:
        """Return where `head` ends, without drawing."""
        if not first:
            return self.size[1] - MARGIN - 16
        y = self.size[1] - MARGIN - 22 * len(split(self.title, BOLD, 17, self.room)) - 8
        y -= 13 * sum(len(split(text, FONT, 9.5, self.room)) for text in self.lines)
        return min(y, self.size[1] - MARGIN - 44) - 10

    def _table_page(
        self,
        canvas: Canvas,
        columns: Sequence[Column],
        widths: Sequence[float],
        rows: Sequence[TableRow],
        first: bool,
        size: float,
        high: float,
        notes: Sequence[str],
    ) -> None:
        y = self.head(canvas, first=first)
        x = MARGIN
        for column, wide in zip(columns, widths, strict=True):
            base = y - size * 1.3
            write(
                canvas,
                column.label,
                x,
                base,
                wide - GAP,
                size=size * 0.8,
                font=BOLD,
                align=column.align,
            )
            x += wide
        y -= size * 2
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(0.9)
        canvas.line(MARGIN, y, MARGIN + self.room, y)
        for row in rows:
            y -= high
            self._row(canvas, columns, widths, row, y, size, high)
        canvas.setFillColor(MUTED)
        y -= 6
        for note in notes:
            y -= 12
            write(canvas, note, MARGIN, y, self.room, size=8.5)

    def _row(
        self,
        canvas: Canvas,
        columns: Sequence[Column],
        widths: Sequence[float],
        row: TableRow,
        y: float,
        size: float,
        high: float,
    ) -> None:
        canvas.setStrokeColor(INK if row.rule else RULE)
        canvas.setLineWidth(0.8 if row.rule else 0.4)
        canvas.line(MARGIN, y, MARGIN + self.room, y)
        base = y + (high - size) / 2 + size * 0.12
        if row.under:
            base += size * 0.42
        x = MARGIN
        for place, (column, wide) in enumerate(zip(columns, widths, strict=True)):
            font = BOLD if column.bold else FONT
            canvas.setFillColor(INK)
            write(
                canvas,
                row.cells[place],
                x,
                base,
                wide - GAP,
                size=size,
                font=font,
                align=column.align,
                whole=not row.under,
            )
            if place < len(row.under) and row.under[place]:
                canvas.setFillColor(MUTED)
                under = base - size * 0.95
                write(
                    canvas,
                    row.under[place],
                    x,
                    under,
                    wide - GAP,
                    size=size * 0.72,
                    align=column.align,
                )
            x += wide

    def _nothing(self, canvas: Canvas) -> None:
        y = self.head(canvas, first=True)
        write(canvas, _("Rien à imprimer pour l’instant."), MARGIN, y - 20, self.room, size=11)

    def _foot(self, canvas: Canvas, number: int, total: int) -> None:
        canvas.setFillColor(MUTED)
        y = MARGIN - 14
        half = self.room / 2
        write(canvas, self.foot, MARGIN, y, half * 1.5, size=7.5)
        text = _("page %(n)s / %(total)s") % {"n": number, "total": total}
        write(canvas, text, MARGIN + half, y, half, size=7.5, align=RIGHT)
