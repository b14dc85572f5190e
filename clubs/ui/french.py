"""What languages write their own way: 1er septembre, la victoire d’Amélie; 13 Mar 2026; vineri, 13 martie."""

from __future__ import annotations

import re
from datetime import date, datetime

from django.utils import formats, timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from clubs.search import without_accents

DAY_AND_MONTH = re.compile(r"(?<![\\a-zA-Z])j [FNMb]")


def written(value: date, layout: str) -> str:
    """Format as Django's `date_format`; the first of a month is "1er" in French."""
    return first_of_month(formats.date_format(value, of_the_page(layout)), value, layout)


def is_french() -> bool:
    """Return whether the reader's language is French, as it is where none is chosen."""
    return (get_language() or "fr").startswith("fr")


def of_the_page(layout: str) -> str:
    """Return the layout that the page's language uses.

    English: short months have three letters; Django's `N` writes Aug. beside March.
    Romanian: a comma stands between the day of the week and the date.
    """
    language = (get_language() or "")[:2]
    if language == "en":
        return layout.replace("N", "M")
    return layout.replace("l j", "l, j") if language == "ro" else layout


def first_of_month(text: str, value: object, layout: str) -> str:
    """Return `layout`'s text of this day, with "1er" for 1 before a month's name."""
    if isinstance(value, datetime) and timezone.is_aware(value):
        value = value.astimezone(timezone.get_current_timezone())
    if (
        not isinstance(value, date)
        or value.day != 1
        or not is_french()
        or not DAY_AND_MONTH.search(layout)
    ):
        return text
    return re.sub(r"(?<!\d)1 (?=[^\W\d])", "1er ", text, count=1)


def unbroken(text: str) -> str:
    """Return a date that no line breaks between the day and the month's name."""
    return re.sub(r"(\d(?:er)?) (?=[^\W\d])", "\\1\u00a0", text)


def is_elided(name: str) -> bool:
    """Return whether "de" is elided before this name: Amélie, Hélène, Yves, not Yasmine."""
    plain = without_accents(name)
    if plain[:1] == "y":
        return plain[1:2] not in ("", *"aeiouy")
    return plain[:1] in ("a", "e", "i", "o", "u", "h")


def victory_of(name: str) -> str:
    """Return who won, in words."""
    words = _("Victoire d’%(name)s") if is_elided(name) else _("Victoire de %(name)s")
    return words % {"name": name}
