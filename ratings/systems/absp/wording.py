"""Reasons of the ABSP rating (001) in words."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.systems.words import Values, Words, number


def game_line(v: Values, opponent: str) -> tuple[str, str]:
    result = {1.0: _("victoire"), 0.5: _("nul"), 0.0: _("défaite")}[float(v["W"])]
    points = int(v["points"])
    words = ngettext(
        "%(result)s contre %(cote)s : %(points)s point",
        "%(result)s contre %(cote)s : %(points)s points",
        abs(points),
    ) % {"result": result, "cote": number(v["E_opponent"]), "points": number(points)}
    if v["counted"] != v["E_opponent"]:
        words += _(", l’adversaire compté %(cote)s") % {"cote": number(v["counted"])}
    return opponent, words


def window_line(v: Values, opponent: str) -> tuple[str, str]:
    words = ngettext(
        "%(n)s partie plus ancienne compte encore",
        "%(n)s parties plus anciennes comptent encore",
        int(v["games"]),
    )
    left = ngettext(
        "%(n)s partie sort de la fenêtre", "%(n)s parties sortent de la fenêtre", int(v["left"])
    )
    return words % {"n": v["games"]}, left % {"n": v["left"]} if v["left"] else ""


def ten_point_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Règle des 10 points : le départ est porté de %(before)s à %(after)s") % {
        "before": number(v["E0"]),
        "after": number(v["start"]),
    }
    games = ngettext("%(n)s partie jouée avant", "%(n)s parties jouées avant", int(v["games"]))
    return head, games % {"n": v["games"]}


WORDS: Words = {
    "game": game_line,
    "window": window_line,
    "ten_point": ten_point_line,
}
"""Kind of reason → its line."""
