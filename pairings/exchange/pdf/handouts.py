"""Handouts for players: result slips with the table's QR code, and certificates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from reportlab.pdfgen.canvas import Canvas

from clubs.exchange.paper import GREEN, MARGIN, Paper, split, write
from clubs.ui.pdf import BOLD, CENTRE, FONT, INK, MUTED, RIGHT, RULE, qr
from pairings.exchange.pdf.wall_sheets import days_of, round_of, sheet_paper
from pairings.exchange.snapshot import (
    SheetBoard,
    SheetPlayer,
    SheetRound,
    SheetStanding,
    TournamentSheet,
)

SLIPS_ACROSS, SLIPS_DOWN = 2, 4
NO_MERIT = ("initial", "firsts", "third")
"""Columns that no certificate repeats: where its player began, how often they made the first move, and
the match for the third place, which is the place's own."""


def result_slips(
    sheet: TournamentSheet,
    number: int,
    *,
    address: Callable[[SheetBoard], str] | None = None,
    at: datetime | None = None,
) -> bytes:
    """Return eight slips a page, one per table; the QR code opens the entry of that table's result."""
    each = round_of(sheet, number)
    paper = sheet_paper(
        sheet, _("Ronde %(number)s, feuilles de match") % {"number": number}, each, at
    )
    boards = [board for board in each.boards if board.second is not None]
    on_page = SLIPS_ACROSS * SLIPS_DOWN
    for start in range(0, len(boards), on_page):
        part = boards[start : start + on_page]

        def draw(canvas: Canvas, part: Sequence[SheetBoard] = part) -> None:
            wide, high = paper.size[0] / SLIPS_ACROSS, (paper.size[1] - MARGIN + 2) / SLIPS_DOWN
            for place, board in enumerate(part):
                x = place % SLIPS_ACROSS * wide
                y = paper.size[1] - (place // SLIPS_ACROSS + 1) * high
                link = address(board) if address is not None else ""
                _slip(canvas, sheet, each, board, link, (x, y, wide, high))

        paper.page(draw)
    return paper.pdf()


def certificates(sheet: TournamentSheet, *, first: int | None = None) -> bytes:
    """Return one page per player, best first; only the first places when `first` is given."""
    paper = sheet_paper(sheet, _("Diplômes"), None, None, wide=True, numbered=False)
    known = sheet.by_number
    for line in sheet.standings:
        if first is not None and line.place > first:
            break

        def draw(canvas: Canvas, line: SheetStanding = line) -> None:
            _certificate(canvas, paper, sheet, line, known[line.player])

        paper.page(draw)
    return paper.pdf()


def _slip(
    canvas: Canvas,
    sheet: TournamentSheet,
    each: SheetRound,
    board: SheetBoard,
    link: str,
    box: tuple[float, float, float, float],
) -> None:
    """Draw one slip: table, both names with room for the scores, signatures, the QR code."""
    x, y, wide, high = box
    known = sheet.by_number
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.4)
    canvas.setDash(3, 3)
    canvas.rect(x, y, wide, high, stroke=1, fill=0)
    canvas.setDash()
    left, right, top = x + 20, x + wide - 18, y + high - 16
    side = 76.0 if link else 0.0
    canvas.setFillColor(MUTED)
    write(canvas, sheet.name, left, top - 8, right - left - side - 8, size=8)
    text = _("Ronde %(number)s") % {"number": each.number}
    canvas.setFillColor(INK)
    write(canvas, text, left, top - 24, 90, size=11, font=BOLD)
    write(canvas, _("Table"), left, top - 45, 44, size=11)
    write(canvas, str(board.table), left + 44, top - 49, 60, size=26, font=BOLD)
    if link:
        qr(canvas, link, right - side + 6, top - side + 6, side)
    games = 2 * sheet.winning_games - 1 if sheet.winning_games > 1 else 1
    cell = 34.0 if games > 1 else 56.0
    line = top - 98
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.8)
    if games > 1:
        canvas.setFillColor(MUTED)
        for game in range(games):
            start = right - (games - game) * cell
            text = _("manche %(number)s") % {"number": game + 1}
            write(canvas, text, start, line + 21, cell, size=5.5, align=CENTRE)
    for player in board.players():
        canvas.setFillColor(INK)
        room = right - left - games * cell - 8
        write(canvas, known[player].name, left, line + 5, room, size=11, font=BOLD, whole=True)
        canvas.setFillColor(MUTED)
        write(canvas, known[player].club, left, line - 8, room, size=7)
        for game in range(games):
            canvas.rect(right - (games - game) * cell, line - 8, cell - 4, 26, stroke=1, fill=0)
        line -= 36
    canvas.setFillColor(MUTED)
    canvas.setStrokeColor(MUTED)
    canvas.setLineWidth(0.4)
    half = (right - left) / 2
    for place in (0, 1):
        start = left + place * half
        write(canvas, _("Signature joueur %(n)s") % {"n": place + 1}, start, y + 26, half, size=6.5)
        canvas.line(start, y + 14, start + half - 12, y + 14)


def _certificate(
    canvas: Canvas, paper: Paper, sheet: TournamentSheet, line: SheetStanding, player: SheetPlayer
) -> None:
    wide, high = paper.size
    canvas.setStrokeColor(GREEN)
    canvas.setLineWidth(2.4)
    canvas.roundRect(28, 34, wide - 56, high - 62, 14, stroke=1, fill=0)
    canvas.setLineWidth(0.6)
    canvas.roundRect(34, 40, wide - 68, high - 74, 10, stroke=1, fill=0)
    room, left = wide - 2 * 70, 70.0

    def centred(text: str, y: float, size: float, font: str = FONT) -> None:
        write(canvas, text, left, y, room, size=size, font=font, align=CENTRE)

    canvas.setFillColor(MUTED)
    centred(sheet.organisation, high - 84, 15)
    canvas.setFillColor(GREEN)
    centred(_("Diplôme"), high - 140, 44, BOLD)
    canvas.setFillColor(INK)
    for place, text in enumerate(split(sheet.name, FONT, 20, room)[:2]):
        centred(text, high - 186 - 26 * place, 20)
    size = 40.0
    while size > 20 and len(split(player.name, BOLD, size, room)) > 1:
        size -= 2
    centred(player.name, high - 282, size, BOLD)
    canvas.setFillColor(MUTED)
    centred(player.club, high - 308, 13)
    canvas.setFillColor(GREEN)
    centred(_rank_words(line), high - 358, 28, BOLD)
    canvas.setFillColor(INK)
    values = [
        f"{column.label} {line.values[column.code].text}"
        for column in sheet.columns
        if column.code not in NO_MERIT
        and column.code in line.values
        and line.values[column.code].exact is not None
    ]
    of = ngettext("sur %(count)s joueur", "sur %(count)s joueurs", len(sheet.players))
    centred(" · ".join([of % {"count": len(sheet.players)}, *values]), high - 386, 13)
    canvas.setFillColor(MUTED)
    where = " · ".join(part for part in (days_of(sheet), sheet.place) if part)
    write(canvas, where, left, 78, room * 0.6, size=12)
    signed = sheet.director or _("L’arbitre")
    write(canvas, signed, left + room * 0.62, 78, room * 0.38, size=12, align=RIGHT)
    canvas.setStrokeColor(RULE)
    canvas.line(left + room * 0.7, 98, left + room, 98)


def _rank_words(line: SheetStanding) -> str:
    """Return the place in words (1re place), with ex æquo where it is shared."""
    words = {1: _("1re place"), 2: _("2e place"), 3: _("3e place")}
    place = words.get(line.place) or _("%(place)se place") % {"place": line.place}
    return _("%(place)s, ex æquo") % {"place": place} if line.tied else place
