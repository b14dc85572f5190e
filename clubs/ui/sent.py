"""What a request sent: numbers read strictly, and the page of a form that is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render


def whole_number(text: str | None, *, digits: int = 9) -> int | None:
    """Return the number that `text` writes in at most `digits` figures 0 to 9, else None.

    `str.isdigit` alone also takes "²", which `int` refuses, and 5,000 figures, which it refuses
    too.
    """
    if text and len(text) <= digits and text.isascii() and text.isdigit():
        return int(text)
    return None


def number_of(text: str | None) -> int:
    """Return the id that `text` writes. 404 for anything else."""
    number = whole_number(text, digits=18)
    if number is None:
        raise Http404
    return number


def has_errors(*forms: BaseForm | None) -> bool:
    """Return whether one of these forms was refused; None where the page has not that form."""
    return any(form is not None and form.errors for form in forms)


def render_form(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, refused: object = None
) -> HttpResponse:
    """Render a page with status 422 where something that was sent is refused, else 200.

    `refused`: any value that is true then, of several forms `has_errors`; without it, the errors of
    the context's form count.
    """
    is_refused = bool(context["form"].errors if refused is None else refused)
    return render(request, template, context, status=422 if is_refused else 200)
