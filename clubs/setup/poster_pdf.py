"""What a club prints: its entrance poster, and the cards of its players."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from clubs.ui.pdf import BOLD, CENTRE, FONT, draw_text, fonts, qr, text_width

MARGIN = 40.0
DOWN, CARDS = 4, 8
CARD_PADDING, QR_SIDE = 22.0, 120.0
NAME_SIZE, SMALLEST_NAME, NAME_LINES = 14.0, 7.0, 2


def entrance_poster(*, name: str, address: str) -> bytes:
    """Return an A4 page: the club's name, a QR of more than 12 cm, the same address in words."""
    canvas, out = _open(_("Affiche d’entrée"), name)
    width, height = A4
    room = width - 2 * MARGIN
    lines, size = fitted(name, size=34, smallest=16, room=room)
    for place, line in enumerate(reversed(lines)):
        y = height - 90 + place * size * 1.15
        draw_text(canvas, line, width / 2, y, BOLD, size, CENTRE)
    _centred(canvas, _("Vous arrivez ? Dites que vous êtes là."), height - 130, 22)
    side = 380.0
    qr(canvas, address, (width - side) / 2, height - 560, side)
    _centred(canvas, address.split("//")[-1], height - 610, 22, font=BOLD)
    _centred(canvas, _("puis le code de la soirée, écrit sur l’écran."), height - 645, 18)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def cards(people: Iterable[tuple[str, int, str]], *, club: str) -> bytes:
    """Return eight cards on an A4 page; `people` are (name, number, address of the QR)."""
    canvas, out = _open(_("Cartes des joueurs"), club)
    width, height = A4
    wide, high = width / 2, height / DOWN
    for number, (name, player, address) in enumerate(people):
        slot = number % CARDS
        if number and not slot:
            canvas.showPage()
        x, y = (slot % 2) * wide, height - (slot // 2 + 1) * high
        canvas.setLineWidth(0.3)
        canvas.rect(x + 8, y + 8, wide - 16, high - 16)
        lines, size = fitted(
            name, size=NAME_SIZE, smallest=SMALLEST_NAME, room=wide - 2 * CARD_PADDING
        )
        left = x + CARD_PADDING
        for place, line in enumerate(lines):
            draw_text(canvas, line, left, y + high - 28 - place * size * 1.2, BOLD, size)
        draw_text(canvas, str(player), left, y + 60, BOLD, 40)
        draw_text(canvas, _("numéro de joueur"), left, y + 40, FONT, 9)
        lines, size = fitted(club, size=9, smallest=5, room=wide - QR_SIDE - 2.5 * CARD_PADDING)
        for place, line in enumerate(lines):
            draw_text(canvas, line, left, y + 140 - place * size * 1.2, FONT, size)
        qr(canvas, address, x + wide - QR_SIDE - CARD_PADDING, y + 34, QR_SIDE)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def fitted(text: str, *, size: float, smallest: float, room: float) -> tuple[list[str], float]:
    """Return the whole text in at most two lines of `room` points, and the type size for it.

    A word longer than a line is broken by letters: a name is never cut.
    """
    while size > smallest:
        lines = _lines(text, size, room)
        if len(lines) <= NAME_LINES and all(text_width(line, BOLD, size) <= room for line in lines):
            return lines, size
        size -= 0.5
    return [part for line in _lines(text, size, room) for part in _broken(line, size, room)], size


def _lines(text: str, size: float, room: float) -> list[str]:
    """Return the text broken after spaces and hyphens."""
    lines = [""]
    for part in re.split(r"(?<=[ -])", text):
        if lines[-1] and text_width((lines[-1] + part).rstrip(), BOLD, size) > room:
            lines.append("")
        lines[-1] += part
    return [line.rstrip() for line in lines]


def _broken(line: str, size: float, room: float) -> Iterator[str]:
    """Break a line without spaces or hyphens letter by letter."""
    part = ""
    for letter in line:
        if part and text_width(part + letter, BOLD, size) > room:
            yield part
            part = ""
        part += letter
    yield part


def _open(title: str, club: str) -> tuple[Canvas, io.BytesIO]:
    """Return an empty document of a club, and where it is written."""
    fonts()
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, lang=get_language() or "fr")
    canvas.setTitle(f"{title} – {club}")
    canvas.setAuthor(club)
    return canvas, out


def _centred(canvas: Canvas, text: str, y: float, size: float, font: str = FONT) -> None:
    """Draw one line in the middle of the page, smaller where it would leave the paper."""
    room = A4[0] - 2 * MARGIN
    natural = text_width(text, font, size)
    fitting = size if natural <= room else size * room / natural
    draw_text(canvas, text, A4[0] / 2, y, font, fitting, CENTRE)
