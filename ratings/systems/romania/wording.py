"""Reasons of the Romanian rating (001) in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.templatetags.ui import decimal
from ratings.systems.words import Values, Words, number


def points_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Place %(place)s sur %(players)s, valeur de la partie %(v)s") % {
        "place": number(v["L"], 1),
        "players": v["J"],
        "v": decimal(v["V"], 2),
    }
    formula = _("P = %(p)s, de poids %(w)s sur %(sum)s") % {
        "p": decimal(v["P"], 2),
        "w": v["weight"],
        "sum": v["sum_of_weights"],
    }
    return head, formula


def alone_line(v: Values, opponent: str) -> tuple[str, str]:
    return _("Personne d’autre sur la feuille"), _("P = V")


def left_line(v: Values, opponent: str) -> tuple[str, str]:
    words = ngettext(
        "%(n)s partie sort de la fenêtre", "%(n)s parties sortent de la fenêtre", len(v["games"])
    )
    return words % {"n": len(v["games"])}, _("N = %(n)s parties officielles") % {"n": v["N"]}


def ageing_line(v: Values, opponent: str) -> tuple[str, str]:
    words = ngettext(
        "%(n)s partie plus ancienne perd %(step)s de poids",
        "%(n)s parties plus anciennes perdent %(step)s de poids",
        int(v["games"]),
    )
    return words % {"n": v["games"], "step": v["step"]}, ""


STATUS_NAMES: Mapping[str, Callable[[], str]] = {
    "active": lambda: _("actif"),
    "provisional": lambda: _("provisoire"),
    "none": lambda: _("sans rating"),
}


def status_line(v: Values, opponent: str) -> tuple[str, str]:
    before, after = (STATUS_NAMES.get(v[side], lambda: "–")() for side in ("from", "to"))
    head = _("Statut : %(before)s → %(after)s") % {"before": before, "after": after}
    return head, _("actif à partir de %(n)s parties dans la fenêtre") % {"n": v["least"]}


def filled_line(v: Values, opponent: str) -> tuple[str, str]:
    head = ngettext(
        "%(have)s partie jouée sur les %(need)s dernières du calendrier",
        "%(have)s parties jouées sur les %(need)s dernières du calendrier",
        v["have"],
    )
    return head % v, ""


def to_active_line(v: Values, opponent: str) -> tuple[str, str]:
    head = ngettext(
        "Rating actif : %(have)s partie sur %(need)s",
        "Rating actif : %(have)s parties sur %(need)s",
        v["have"],
    )
    return head % v, _("parmi les %(n)s dernières du calendrier") % {"n": v["N"]}


def stays_active_line(v: Values, opponent: str) -> tuple[str, str]:
    head = ngettext(
        "Actif tant que %(n)s partie au moins reste dans la fenêtre",
        "Actif tant que %(n)s parties au moins restent dans la fenêtre",
        v["least"],
    )
    return head % {"n": v["least"]}, ""


WORDS: Words = {
    "points": points_line,
    "alone": alone_line,
    "left": left_line,
    "ageing": ageing_line,
    "status": status_line,
    "filled": filled_line,
    "to_active": to_active_line,
    "stays_active": stays_active_line,
}
"""Kind of reason → its line."""
