"""CSV files: UTF-8 with BOM, semicolons, and no cell that a spreadsheet runs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from django.http import HttpResponse

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\x00", "＝", "＋", "－", "＠")
UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""Characters that no XLSX file can hold."""


def cell(value: object) -> str:
    """Return text that no spreadsheet takes for a formula; numbers stay, decimals with a comma."""
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(value).replace(".", ",")
    if isinstance(value, Decimal):
        return f"{value:f}".replace(".", ",")
    text = str(value)
    return f"'{text}" if text.lstrip(" ").startswith(DANGEROUS) else text


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a file that French spreadsheets open correctly."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", lineterminator="\r\n")
    writer.writerow([cell(title) for title in head])
    for row in rows:
        writer.writerow([cell(value) for value in row])
    return "\ufeff" + out.getvalue()


def csv_response(name: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> HttpResponse:
    """Return that file as a download."""
    response = HttpResponse(csv_text(head, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response
