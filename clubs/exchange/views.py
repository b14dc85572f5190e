"""The page that asks which column of an imported table is which; members and competitions share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from clubs.exchange import tables
from clubs.ui.typed import whole_number

SAMPLES = 3


def chosen_columns(
    request: HttpRequest, head: Sequence[str], labels: Mapping[str, str]
) -> dict[str, int]:
    """Return the reader's choice; a number that is no column of the file is left out."""
    return {
        name: column
        for name in labels
        if (column := whole_number(request.POST.get(name))) is not None and column < len(head)
    }


def columns_page(
    request: HttpRequest,
    *,
    draft: Any,
    labels: Mapping[str, str],
    columns: Mapping[str, int],
    error: str = "",
) -> HttpResponse:
    """Show a choice for each field, guessed from the head, with the first lines of the file."""
    context = {
        "draft": draft,
        "error": error,
        "head": list(enumerate(draft.rows[0])),
        "fields": [(name, label, columns.get(name)) for name, label in labels.items()],
        "samples": [
            [_("(formule sans valeur)") if cell == tables.NO_VALUE else cell for cell in row]
            for row in draft.rows[1:]
            if row
        ][:SAMPLES],
    }
    return render(request, "clubs/exchange/columns.html", context, status=422 if error else 200)
