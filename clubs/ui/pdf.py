"""What every PDF has: the embedded font, the width of a text, a text cut to its place, a QR code.

DejaVu Sans, in every file, has the letters of Europe. Those of a name in Japanese, Korean or Chinese are
left to a font of the program that shows the PDF: one to embed would be megabytes. A PDF places letters
from left to right: those of Hebrew and Arabic are turned round, and Arabic ones joined, before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from itertools import groupby
from pathlib import Path

import segno
from arabic_reshaper import reshape
from bidi import get_display
from reportlab.lib.colors import HexColor
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

FONT, BOLD = "Club", "Club-Bold"
FIRST_EAST_ASIAN = "\u2e80"
EAST_ASIAN = {"cp932": "HeiseiKakuGo-W5", "cp949": "HYGothic-Medium", "gbk": "STSong-Light"}
"""National character set: the font of its letters. The one that has the most letters of a text draws them."""
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]+(?:[ '’-]+[\u0590-\u08ff]+)*")
"""A name in Hebrew or Arabic. Turned alone: a score behind it stays where it is."""
PICTURES = {"So", "Sk", "Cf"}
"""Categories of emoji, and of what joins them."""
LEFT, RIGHT, CENTRE = "left", "right", "centre"
BEFORE = {LEFT: 0.0, CENTRE: 0.5, RIGHT: 1.0}
"""The share of a width that lies before the place at which a text is aligned."""
INK, MUTED, RULE = HexColor("#1B211E"), HexColor("#545D58"), HexColor("#C9CCC6")
MASK = 0
"""The pattern of every QR code. Comparing all eight takes most of the time of 300 cards; readers take
any, and these are printed in black on white."""
FOLDER = Path(__file__).resolve().parents[2] / "static" / "vendor" / "dejavu"


def fonts() -> None:
    """Register the fonts with reportlab, once per process."""
    known = pdfmetrics.getRegisteredFontNames()
    for name, file in ((FONT, "DejaVuSans.ttf"), (BOLD, "DejaVuSans-Bold.ttf")):
        if name not in known:
            pdfmetrics.registerFont(TTFont(name, FOLDER / file))
    for name in EAST_ASIAN.values():
        if name not in known:
            pdfmetrics.registerFont(UnicodeCIDFont(name))


def in_fonts(text: str, font: str) -> list[tuple[str, str]]:
    """Return (font, part) pairs, from left to right: another font for letters that this one lacks.

    Another font has East Asian letters. Emoji, which no font has, are left out.
    """
    if text.isascii():  # each name of a long list, many times
        return [(font, text)]
    text = RIGHT_TO_LEFT.sub(lambda name: get_display(reshape(name[0])), text)
    if max(text) < FIRST_EAST_ASIAN:
        return [(font, text)]
    has = pdfmetrics.getFont(font).face.charToGlyph
    text = _without_pictures(text, has)
    eastern = {each for each in text if each >= FIRST_EAST_ASIAN and ord(each) not in has}
    charsets = sorted(EAST_ASIAN, key=lambda charset: -len(_of(charset, "".join(eastern))))

    def font_of(letter: str) -> str:
        owners = [each for each in charsets if letter in eastern and _of(each, letter)]
        return EAST_ASIAN[owners[0]] if owners else font

    return [(name, "".join(letters)) for name, letters in groupby(text, font_of)]


def in_dejavu(text: str) -> str:
    """Return the words of a text that DejaVu Sans has every letter of, without emoji."""
    fonts()
    has = pdfmetrics.getFont(FONT).face.charToGlyph
    words = _without_pictures(text, has).split()
    return " ".join(word for word in words if all(ord(letter) in has for letter in word))


def _without_pictures(text: str, has: Container[int]) -> str:
    return "".join(
        each for each in text if ord(each) in has or unicodedata.category(each) not in PICTURES
    )


def _of(charset: str, letters: str) -> bytes:
    """Return those of these letters that a character set has."""
    return letters.encode(charset, "ignore")


def text_width(text: str, font: str, size: float) -> float:
    """Return the width of the text, in points."""
    return sum([pdfmetrics.stringWidth(part, name, size) for name, part in in_fonts(text, font)])


def draw_text(
    canvas: Canvas, text: str, x: float, y: float, font: str, size: float, align: str = LEFT
) -> None:
    """Draw one line of text that begins, ends or has its middle at x."""
    if align != LEFT:
        x -= text_width(text, font, size) * BEFORE[align]
    for name, part in in_fonts(text, font):
        canvas.setFont(name, size)
        canvas.drawString(x, y, part)
        x += pdfmetrics.stringWidth(part, name, size)


def cut(text: str, font: str, size: float, room: float) -> str:
    """Return the text, shortened with an ellipsis where it would be wider than `room`."""
    if text_width(text, font, size) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(f"{text[:middle]}…", font, size) <= room:
            low = middle
        else:
            high = middle - 1
    return f"{text[:low].rstrip()}…"


def qr(canvas: Canvas, text: str, x: float, y: float, side: float) -> None:
    """Draw a QR code as one path: dark runs of each row, with its quiet zone."""
    code = segno.make(text, error="m", micro=False, mask=MASK)
    matrix = [bytes(row) for row in code.matrix_iter(border=2)]
    step = side / len(matrix)
    path = canvas.beginPath()
    for down, row in enumerate(matrix):
        start = -1
        for across, dark in enumerate((*row, 0)):
            if dark and start < 0:
                start = across
            elif not dark and start >= 0:
                top = y + side - (down + 1) * step
                path.rect(x + start * step, top, (across - start) * step, step)
                start = -1
    canvas.setFillColor(HexColor("#000000"))
    canvas.drawPath(path, stroke=0, fill=1)
