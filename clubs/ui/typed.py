"""Strict parsing of text from requests."""

from __future__ import annotations

from django.http import Http404


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
