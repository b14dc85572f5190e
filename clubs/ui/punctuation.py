"""Signs between words, as the reader's language writes them: French has no-break spaces in them."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _


def labelled(label: object, value: object) -> str:
    """Return "Place : 3"."""
    return _("%(label)s : %(value)s") % {"label": label, "value": value}


def listed(items: Iterable[object]) -> str:
    """Return "3 ; 11 ; 18", for items that may hold commas."""
    return _(" ; ").join(str(item) for item in items)


def quoted(words: object) -> str:
    """Return "« Licence »"."""
    return _("« %(words)s »") % {"words": words}
