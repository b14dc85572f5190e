"""Reasons of the FISF rating (000) in words."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.templatetags.ui import cote, decimal, signed
from ratings.systems.words import Values, Words, number, symbols


def k_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Coefficient K = %(k)s pour toute la compétition") % {"k": v["K"]}
    games = ngettext("%(n)s partie jouée avant", "%(n)s parties jouées avant", int(v["games"]))
    return head, f"{symbols([('E0', v['E0'])])}, {games % {'n': v['games']}}"


def game_line(v: Values, opponent: str) -> tuple[str, str]:
    formula = _(
        "%(own)s − %(other)s = %(diff)s, ligne %(row)s de la table : We = %(we)s ; "
        "%(k)s × (%(w)s − %(we)s)"
    ) % {
        "own": cote(v["E0"]),
        "other": cote(v["E_opponent"]),
        "diff": signed(v["diff"]) if v["diff"] else "0",
        "row": v["row"],
        "we": decimal(v["We"], 2),
        "k": v["K"],
        "w": number(v["W"], 1),
    }
    return opponent, formula


def sum_line(v: Values, opponent: str) -> tuple[str, str]:
    formula = _("E1 = %(e0)s + %(k)s × (%(w)s − %(we)s) = %(raw)s") % {
        "e0": cote(v["E0"]),
        "k": v["K"],
        "w": number(v["W"], 1),
        "we": decimal(v["We"], 2),
        "raw": decimal(v["raw"], 2),
    }
    return _("Arrondi à l’entier le plus proche, une fois par compétition"), formula


WORDS: Words = {
    "k": k_line,
    "game": game_line,
    "rounding": sum_line,
}
"""Kind of reason → its line."""
