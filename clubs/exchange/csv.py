"""CSV files: UTF-8 with BOM, the signs of the page's language, and no cell that a spreadsheet runs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from django.http import HttpResponse
from django.utils.formats import get_format

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
CUT = re.compile(r"([;,\t\r\n] *)(?=[=+\-@＝＋－＠])")
"""Where a spreadsheet of another language may part a text, before what it would run."""
UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that no XLSX file can hold, and that no spreadsheet shows."""


def cell(value: object) -> str:
    """Return text that no spreadsheet takes for a formula; decimals have the language's sign."""
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return f"{value:f}".replace(".", _decimal_sign())
    text = UNWRITABLE.sub("", str(value))
    return f"'{text}" if text.lstrip(" ").startswith(DANGEROUS) else text


def _decimal_sign() -> str:
    return str(get_format("DECIMAL_SEPARATOR"))


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a file that spreadsheets of the page's language open in columns, with its numbers.

    They part cells by a semicolon where a comma begins the decimals, by a comma in English.
    """
    out = io.StringIO()
    delimiter = ";" if _decimal_sign() == "," else ","
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")
    for row in (head, *rows):
        writer.writerow([CUT.sub(r"\1'", cell(value)) for value in row])
    return "\ufeff" + out.getvalue()


def csv_response(name: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> HttpResponse:
    """Return that file as a download."""
    response = HttpResponse(csv_text(head, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response
