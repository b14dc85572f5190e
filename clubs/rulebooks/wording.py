"""Values of the rules, and what differs between two versions, as pages print them."""

from __future__ import annotations

from fractions import Fraction

from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks import season_choices
from clubs.rulebooks.citations import cited
from clubs.rulebooks.fields import LARGEST_DENOMINATOR, as_typed
from clubs.rulebooks.models import RuleBook
from clubs.rulebooks.units import readable, scaled, unit_of
from clubs.templatetags.ui import MINUS
from clubs.ui.punctuation import listed

FINEST = 10**6
"""Decimals are printed of what divides it."""
KINDS_OF_MATCH = {
    "played": _("match joué"),
    "bye": _("exempt"),
    "forfeit": _("forfait"),
}


def printed(line: rulebooks.RuleLine, value: object) -> str:
    """Return a value of that line as its form prints it: the words of a choice, a duration in its unit."""
    words = {known: gettext(text) for known, text in line.words.choices}
    return words[value] if value in words else shown(scaled(value, line.scale))


def with_unit(line: rulebooks.RuleLine, value: object) -> tuple[str, str]:
    """Return a value of that line as pages print it, and the word after it.

    A duration that has too many decimals in the line's unit has a smaller one; a dash has none.
    """
    if value is None or line.words.choices:
        return printed(line, value), "" if value is None else unit_of(value, line.unit)
    scale, unit = readable(value, line.scale, line.unit)
    number = scaled(value, scale)
    return shown(number), unit_of(number, unit)


def in_minutes(seconds: int) -> str:
    """Return a time with its unit: 2,5 minutes, 100 secondes."""
    scale, unit = readable(seconds, 60, "minutes")
    number = scaled(seconds, scale)
    return f"{shown(number)} {unit_of(number, unit)}"


def beside(line: rulebooks.RuleLine, value: object) -> str:
    """Return another value of that line, with its unit where it is not the one of the line's value."""
    text, unit = with_unit(line, value)
    scales = {readable(one, line.scale, line.unit) for one in (value, line.value)}
    return text if len(scales) == 1 else f"{text} {unit}".strip()


def shown(value: object, *, empty: str = "–") -> str:
    """Return a value as people write it, its minus as a minus sign; `empty` for None and an empty list."""
    if value is None or value in ((), []):
        return empty
    if isinstance(value, bool):
        return gettext("oui") if value else gettext("non")
    if isinstance(value, tuple | list):
        return listed(
            f"{KINDS_OF_MATCH.get(item[0], item[0])} = {shown(item[1])}"
            if isinstance(item, tuple | list) and len(item) == 2 and isinstance(item[0], str)
            else shown(item)
            for item in value
        )
    if isinstance(value, int | float | Fraction):
        return _number(value).replace("-", MINUS)
    return str(value)


def _number(value: float | Fraction) -> str:
    """Return a number with its decimals; as a fraction where they have no end."""
    exact = as_typed(value) if isinstance(value, float) else Fraction(value)
    if exact.denominator == 1 or (
        FINEST % exact.denominator and exact.denominator <= LARGEST_DENOMINATOR
    ):
        return str(exact)
    return number_format(float(exact)) if abs(exact) < 1000 else str(float(exact))


def changes(
    a: RuleBook | None, b: RuleBook | None, code: str = rulebooks.LADDER
) -> list[dict[str, object]]:
    """Return what differs between two versions, old → new."""
    told: list[dict[str, object]] = []
    for old, new in rulebooks.differences(a, b, code):
        value, unit = with_unit(new, new.value)
        told.append(
            {
                "label": gettext(old.words.label),
                "article": cited(old.words.article),
                "old": beside(new, old.value),
                "new": value,
                "unit": unit,
                "takes_effect": takes_effect(old, code),
            }
        )
    return told


def takes_effect(line: rulebooks.RuleLine, code: str) -> str:
    """Return when a new value of this number begins to count."""
    if season_choices.is_chosen(line):
        return gettext("dans les saisons pour lesquelles le comité ne choisit rien d’autre")
    if line.words.per_season:
        return gettext("à la première soirée de la saison suivante")
    if rulebooks.scope(code).by_evening and line.part != rulebooks.CORRECTION:
        return gettext(
            "à la première soirée qui ouvre dès la date d’effet, sauf à côté d’une autre déjà ouverte"
        )
    return gettext("à la date d’effet")
