"""XLSX files: numbers as numbers, and text that no spreadsheet runs."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from clubs.exchange import csv

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

MOST_WIDE = 40
NOT_IN_A_TITLE = re.compile(r"[\[\]:*?/\\]")


def book_of(
    title: str,
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Workbook:
    """Return a workbook of one sheet, its header bold and frozen, its columns wide enough."""
    from openpyxl import Workbook  # loads NumPy: only where a file is written
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    book = Workbook()
    page = book.active
    page.title = NOT_IN_A_TITLE.sub(" ", csv.UNWRITABLE.sub("", title))[:31] or "1"
    lines = [head, *rows]
    for number, values in enumerate(lines, start=1):
        fill(page, number, values)
        progress(number, len(lines))
    for place in range(1, len(head) + 1):
        page.cell(1, place).font = Font(bold=True)
        longest = max(len(str(line[place - 1] or "")) for line in lines)
        page.column_dimensions[get_column_letter(place)].width = min(MOST_WIDE, longest + 2)
    page.freeze_panes = "A2"
    return book


def fill(page: Worksheet, number: int, values: Sequence[object]) -> None:
    """Write a row: numbers with their decimals, and text that is never taken for a formula."""
    for place, value in enumerate(values, start=1):
        if value is None:
            continue
        cell = page.cell(number, place)
        if isinstance(value, Decimal):
            exponent = value.as_tuple().exponent
            places = -exponent if isinstance(exponent, int) else 0
            cell.value = value
            cell.number_format = f"0.{'0' * places}" if places else "0"
        elif isinstance(value, int):
            cell.value = value
        else:
            cell.value = csv.cell(value)
            cell.data_type = "s"


def bytes_of(book: Workbook) -> bytes:
    """Return the file."""
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
