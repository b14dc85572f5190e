"""Reasons of Glicko-2 in words."""

from __future__ import annotations

from django.utils.translation import gettext as _

from clubs.templatetags.ui import cote, decimal
from ratings.systems.words import Values, Words, symbols


def game_line(v: Values, opponent: str) -> tuple[str, str]:
    opponent_rating = _("cote %(cote)s, RD %(rd)s") % {
        "cote": cote(v["E_opponent"]),
        "rd": decimal(v["RD_opponent"], 1),
    }
    return (
        opponent,
        f"{opponent_rating} · {symbols([('g', v['g']), ('s', v['W']), ('E', v['We'])], 3)}",
    )


def deviation_line(v: Values, opponent: str) -> tuple[str, str]:
    return _rd(v), _("volatilité σ : %(before)s → %(after)s") % {
        "before": decimal(v["sigma"], 5),
        "after": decimal(v["sigma_after"], 5),
    }


def idle_line(v: Values, opponent: str) -> tuple[str, str]:
    return _rd(v), _("aucune partie dans cette période : la cote reste, mais elle est moins sûre")


def _rd(v: Values) -> str:
    return _("Incertitude de la cote, RD : %(before)s → %(after)s") % {
        "before": decimal(v["RD"], 2),
        "after": decimal(v["RD_after"], 2),
    }


WORDS: Words = {
    "game": game_line,
    "deviation": deviation_line,
    "idle": idle_line,
}
"""Kind of reason → its line."""
