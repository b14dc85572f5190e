"""The page that asks which column of an imported table is which; members and competitions share it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from clubs.exchange import tables
from clubs.exchange.forms import ColumnsForm
from clubs.ui.sent import render_form

SAMPLES = 3


def columns_form(
    request: HttpRequest, draft: Any, labels: Mapping[str, str], columns: Mapping[str, int]
) -> ColumnsForm:
    """Return the form of a draft: what was sent, or the columns known so far."""
    posted = request.POST if request.method == "POST" else None
    return ColumnsForm(posted, head=draft.rows[0], labels=labels, columns=columns)


def columns_page(request: HttpRequest, *, draft: Any, form: ColumnsForm) -> HttpResponse:
    """Show a choice for each field, guessed from the head, with the first lines of the file."""
    context = {
        "draft": draft,
        "form": form,
        "head": draft.rows[0],
        "samples": [
            [_("(formule sans valeur)") if cell == tables.NO_VALUE else cell for cell in row]
            for row in draft.rows[1:]
            if row
        ][:SAMPLES],
    }
    return render_form(request, "clubs/exchange/columns.html", context)
