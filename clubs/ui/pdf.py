"""What every PDF has: the embedded font, the width of a text, a text cut to its place, a QR code.

DejaVu Sans has every French and Romanian letter.
"""

from __future__ import annotations

from pathlib import Path

import segno
from reportlab.lib.colors import HexColor
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

FONT, BOLD = "Club", "Club-Bold"
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


def text_width(text: str, font: str, size: float) -> float:
    """Return the width of the text, in points."""
    return float(pdfmetrics.stringWidth(text, font, size))


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
