"""Values of the rules, and what differs between two versions, as pages print them."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks import season_choices
from clubs.rulebooks.citations import cited
from clubs.rulebooks.models import RuleBook
from clubs.rulebooks.units import scaled, unit_after
from clubs.templatetags.ui import MINUS
from clubs.ui.punctuation import listed

KINDS_OF_MATCH = {
    "played": _("match joué"),
    "bye": _("exempt"),
    "forfeit": _("forfait"),
}


def printed(line: rulebooks.RuleLine, value: object) -> str:
    """Return a value of that line as pages print it: the words of a choice, a duration in its unit."""
    words = {known: gettext(text) for known, text in line.words.choices}
    return words[value] if value in words else shown(scaled(value, line.scale))


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
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int | float):
        return str(value)
    in_language = isinstance(value, float) and abs(value) < 1000
    return (number_format(value) if in_language else str(value)).replace("-", MINUS)


def changes(
    a: RuleBook | None, b: RuleBook | None, code: str = rulebooks.LADDER
) -> list[dict[str, object]]:
    """Return what differs between two versions, old → new."""
    return [
        {
            "label": gettext(old.words.label),
            "article": cited(old.words.article),
            "old": printed(old, old.value),
            "new": printed(new, new.value),
            "unit": unit_after(new.value, new.scale, new.unit),
            "takes_effect": takes_effect(old, code),
        }
        for old, new in rulebooks.differences(a, b, code)
    ]


def takes_effect(line: rulebooks.RuleLine, code: str) -> str:
    """Return when a new value of this number begins to count."""
    if (line.part, line.name) == (season_choices.PART, season_choices.FIELD):
        return gettext("dans les saisons pour lesquelles le comité ne choisit rien d’autre")
    if line.words.per_season:
        return gettext("à la première soirée de la saison suivante")
    if rulebooks.scope(code).by_evening and line.part != rulebooks.CORRECTION:
        return gettext("à la première soirée qui ouvre après la date d’effet")
    return gettext("à la date d’effet")
