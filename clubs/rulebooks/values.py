"""What a field of the rules may hold: its kind, its bounds, and why a value is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from django.utils.translation import gettext as _

from clubs.rulebooks.fields import Setting

WHOLE = ("int", "tuple[int", "tuple[tuple[str, int]")
"""How the types begin whose numbers are whole."""

LARGEST = 1_000_000
"""Larger numbers make no sense in any rule, and overflow dates and pages."""


def problem_of(words: Setting, kind: str, value: object) -> str:
    """Return why a field of `kind` ("int", "bool", "Number" …) cannot hold the value."""
    if value is None:
        return "" if words.nullable else _("donnez une valeur.")
    if words.choices:
        known = [choice for choice, _text in words.choices]
        return "" if value in known else _("choisissez une des réponses proposées.")
    if kind == "bool":
        return "" if isinstance(value, bool) else _("répondez par oui ou par non.")
    if kind == "str":
        return "" if isinstance(value, str) else _("écrivez un texte.")
    if kind.startswith("tuple[tuple[str") and not _all_named(value):
        return _("écrivez chaque valeur comme le règlement : un nom, le signe =, un nombre.")
    if kind.startswith("tuple[int"):
        value = [_unnamed(item) for item in value] if isinstance(value, list | tuple) else value
    whole = kind.startswith(WHOLE)
    return next(filter(None, (_of_number(words, whole, one) for one in _numbers(value))), "")


def _of_number(words: Setting, whole: bool, number: object) -> str:
    """Return why the setting cannot hold this number."""
    exact = _exact(number)
    if exact is None:
        return _("« %(typed)s » n’est pas un nombre.") % {"typed": str(number)[:20]}
    if whole and exact.denominator != 1:
        return _("donnez un nombre entier.")
    if words.minimum is not None and exact < Fraction(str(words.minimum)):
        return _("la valeur doit être au moins %(low)s.") % {"low": f"{words.minimum:g}"}
    highest = LARGEST if words.maximum is None else words.maximum
    if exact > Fraction(str(highest)):
        return _("la valeur doit être au plus %(high)s.") % {"high": f"{highest:.12g}"}
    return ""


def _all_named(value: object) -> bool:
    """Return whether this is a mapping, or a list of pairs of a name and a number."""
    return isinstance(value, Mapping) or (
        isinstance(value, list | tuple) and all(_is_named(item) for item in value)
    )


def _is_named(item: object) -> bool:
    """Return whether an item of a list is a pair of a name and a number."""
    return isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str)


def _unnamed(item: object) -> object:
    """Return an item of a list of numbers; a named one as it was typed, which is no number."""
    return " = ".join(map(str, item)) if isinstance(item, list | tuple) else item


def _numbers(value: object) -> Iterator[object]:
    """Return the numbers of a value: itself, the items of a list, the second of each named pair."""
    if isinstance(value, Mapping):
        value = list(value.items())
    if not isinstance(value, list | tuple):
        yield value
        return
    for item in value:
        yield from _numbers(item[1] if _is_named(item) else item)


def _exact(value: object) -> Fraction | None:
    if isinstance(value, bool):
        return None
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return None
