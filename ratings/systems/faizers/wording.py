"""Reasons of the club ladder (002) in words."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.systems.words import Values, Words, number, symbols


def game_line(v: Values, opponent: str) -> tuple[str, str]:
    parts = []
    if v.get("own_score") is not None:
        parts.append(f"{v['own_score']} – {v['other_score']}")
    parts.append(_("cote %(cote)s") % {"cote": number(v.get("E_opponent"))})
    parts.append(symbols([("K", v["K"]), ("W", v["W"]), ("We", v["We"])]))
    return opponent, " · ".join(parts)


def ds_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Part de la différence de score (α)")
    return head, symbols([("α", v.get("alpha")), ("ΣDS", v.get("DS")), ("K", v.get("K"))])


def cut_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Réduction décidée par le comité : %(percent)s %%") % {"percent": v.get("percent")}
    return head, symbols([("E0", v.get("E0"))])


def to_category_line(v: Values, opponent: str) -> tuple[str, str]:
    head = ngettext(
        "%(category)s à partir de %(from)s : encore %(left)s point",
        "%(category)s à partir de %(from)s : encore %(left)s points",
        v["left"],
    )
    category = v["category"]
    return head % {**v, "category": _(category)}, ""


WORDS: Words = {
    "game": game_line,
    "ds": ds_line,
    "cut": cut_line,
    "to_category": to_category_line,
}
"""Kind of reason → its line."""
